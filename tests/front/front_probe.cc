// front_probe: the front alone, with handlers that show what it does by itself. For tests from outside (a
// client like the API server, too few descriptors) and for measuring what a handler adds.
//
//   front_probe --certs DIR [--listen ADDRESS:PORT] [--threads N] [--handshake MS] [--idle MS] [--drain MS]
//   [--waiting N]
//
// Makes its certificates in DIR if they are not there (clients trust DIR/ca.crt), prints `ready PORT
// OPSPORT`, and ends as the gate does: drained and with 0 on SIGTERM, with 3 where the front fails for good.
//
//   /constant  an answer of the size of an admission's
//   /echo      the body
//   /slow      after 5 ms of work
//   /throw     a handler that fails
#include <signal.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <thread>

#include "certs/folder.h"
#include "server/front.h"
#include "server/ops.h"

namespace {

using namespace driftbar;
using server::Reply;
using server::Request;

constexpr int kBadUsage = 2;
constexpr int kFailed = 3;

Reply constant(const Request&) {
  return server::jsonReply(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":)"
                           R"({"uid":"705ab4f5-6393-11e8-b7cc-42010a800002","allowed":true}})");
}

Reply echo(const Request& request) {
  return server::jsonReply(std::string(request.body));
}

// Busy, as judging is, and not asleep.
Reply slow(const Request& request) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  while (std::chrono::steady_clock::now() < until) {
  }
  return constant(request);
}

Reply failing(const Request&) {
  throw std::runtime_error("this handler always fails");
}

const std::map<std::string, Reply (*)(const Request&), std::less<>> kHandlers{
    {"/constant", constant}, {"/echo", echo}, {"/slow", slow}, {"/throw", failing}};

class ByPath : public server::PromptHandler {
 public:
  Reply handle(const Request& request) override {
    const auto found = kHandlers.find(request.path);
    return found == kHandlers.end() ? server::textReply(404, "no such handler") : found->second(request);
  }
};

struct Settings {
  std::string certs;
  server::FrontOptions front;
};

unsigned numberOf(const std::string& text) {
  unsigned out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// One option and its value; false where there is no such option.
bool set(Settings& settings, const std::string& name, const std::string& value) {
  auto& front = settings.front;
  const std::chrono::milliseconds span(numberOf(value));
  if (name == "--certs") return settings.certs = value, true;
  if (name == "--threads") return front.threads = numberOf(value), true;
  if (name == "--handshake") return front.times.handshake = span, true;
  if (name == "--idle") return front.times.idle = span, true;
  if (name == "--drain") return front.times.drain = span, true;
  if (name == "--waiting") return front.bounds.waiting = numberOf(value), true;
  if (name != "--listen") return false;
  const auto endpoint = server::parseEndpoint(value);
  if (endpoint) front.endpoint = *endpoint;
  return endpoint.ok();
}

int fail(const Diagnostics& why) {
  std::cerr << render(why);
  return kFailed;
}

int run(Settings settings) {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&ending, signal);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  signal(SIGPIPE, SIG_IGN);

  const auto now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  const auto loaded = certs::loadOrMake(settings.certs, {{"localhost"}, {"127.0.0.1"}}, now);
  if (!loaded) return fail(loaded.errors());
  ByPath handler;
  record::Metrics metrics;
  settings.front.fatal = [](const Diagnostic& why) {
    std::cerr << render(why);
    kill(getpid(), SIGUSR1);
  };
  const auto front = server::Front::listen(settings.front, handler, loaded->serving->context, metrics);
  if (!front) return fail(front.errors());
  server::OpsOptions options;
  options.endpoint = {"127.0.0.1", 0};
  const auto ops = server::Ops::listen(
      options,
      {{"/readyz",
        [&](const Request& request) {
          return server::replyOf("readyz", {{"front", !front.value()->draining(), ""}}, request.query);
        }},
       {"/metrics", [&](const Request&) {
          return Reply{200, std::string(record::Metrics::kContentType), metrics.render(), {}};
        }}});
  if (!ops) return fail(ops.errors());
  std::cout << "ready " << front.value()->port() << " " << ops.value()->port() << std::endl;

  int received = 0;
  sigwait(&ending, &received);
  if (received == SIGUSR1) return kFailed;
  front.value()->drain();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  settings.front.endpoint = {"127.0.0.1", 0};
  bool fine = argc % 2 == 1;
  for (int i = 1; fine && i + 1 < argc; i += 2) fine = set(settings, argv[i], argv[i + 1]);
  if (!fine || settings.certs.empty()) {
    std::cerr << "usage: front_probe --certs DIR [--listen ADDRESS:PORT] [--threads N] [--handshake MS] "
                 "[--idle MS] [--drain MS] "
                 "[--waiting N]\n";
    return kBadUsage;
  }
  return run(std::move(settings));
}
