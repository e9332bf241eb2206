#include "server/ops.h"

#include <algorithm>

#include "base/text.h"
#include "server/engine.h"

namespace driftbar::server {
namespace {

Reply notFound(std::string_view path, const Routes& routes) {
  std::vector<std::string_view> paths;
  for (const auto& [known, route] : routes) paths.push_back(known);
  return textReply(404, "there is no `" + printable(path) + "` here, only " + listed(paths, "and"));
}

Reply notAllowed() {
  Reply reply = textReply(405, "only GET and HEAD are answered here");
  reply.headers.emplace_back("Allow", "GET, HEAD");
  return reply;
}

bool isVerbose(std::string_view query) {
  return query == "verbose" || query.starts_with("verbose=") || query.starts_with("verbose&") ||
         query.find("&verbose") != std::string_view::npos;
}

std::string line(const Check& check) {
  const std::string detail = check.detail.empty() ? "" : ": " + printable(check.detail);
  return (check.ok ? "[+]" : "[-]") + printable(check.name) + (check.ok ? " ok" : " failed") + detail + "\n";
}

}  // namespace

Reply RouteTable::handle(const Request& request) {
  const auto found = routes_.find(request.path);
  if (found == routes_.end()) return notFound(request.path, routes_);
  if (request.method != "GET" && request.method != "HEAD") return notAllowed();
  return found->second(request);
}

Reply replyOf(std::string_view name, const std::vector<Check>& checks, std::string_view query) {
  const bool ok = std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.ok; });
  if (ok && !isVerbose(query)) return textReply(200, "ok");
  std::string text;
  for (const auto& check : checks) text += line(check);
  text += std::string(name) + (ok ? " check passed" : " check failed");
  return textReply(ok ? 200 : 503, std::move(text));
}

struct Ops::Parts {
  Parts(OpsOptions& options, Routes routes)
      : table(std::move(routes)),
        service(table, uncounted, options.times, options.bounds, std::move(options.log)),
        engine(
            service, [](PlainStream socket) { return socket; }, std::move(options.fatal), 1) {}

  RouteTable table;
  record::Metrics uncounted;  // what is asked here is no part of the gate's work
  Service service;
  std::uint16_t port = 0;
  Engine<PlainStream> engine;
};

Ops::Ops(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Ops::~Ops() = default;

Result<std::unique_ptr<Ops>> Ops::listen(OpsOptions options, Routes routes) {
  const Endpoint endpoint = options.endpoint;
  auto parts = std::make_unique<Parts>(options, std::move(routes));
  const auto port = parts->engine.listen(endpoint);
  if (!port) return port.errors();
  parts->port = *port;
  return std::unique_ptr<Ops>(new Ops(std::move(parts)));
}

std::uint16_t Ops::port() const {
  return parts_->port;
}
void Ops::stop() {
  parts_->engine.stop();
}

}  // namespace driftbar::server
