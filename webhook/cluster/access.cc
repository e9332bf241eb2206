#include "cluster/access.h"

#include <charconv>

#include "base/text.h"

namespace driftbar::cluster {
namespace {

constexpr std::string_view kHttps = "https://", kHttp = "http://";

Diagnostic notAServer(std::string_view url, const std::string& why) {
  return error("bad-server", quoted(url) + " is no API server's address: " + why,
               "write it as https://HOST:PORT");
}

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

bool readPort(std::string_view text, int& port) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failed == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

}  // namespace

Result<Server> Server::parse(std::string_view url) {
  Server server;
  server.tls = url.starts_with(kHttps);
  if (!server.tls && !url.starts_with(kHttp))
    return notAServer(url, "it starts with neither https:// nor http://");
  std::string_view rest = url.substr(server.tls ? kHttps.size() : kHttp.size());
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  rest.remove_prefix(authority.size());
  if (rest.find_first_of("?#") != std::string_view::npos) return notAServer(url, "it has a query");
  if (authority.find('@') != std::string_view::npos) return notAServer(url, "it holds a user name");
  if (printable(url) != url || url.find(' ') != std::string_view::npos) {
    return notAServer(url, "it holds characters that no address has");
  }
  const auto closing = authority.starts_with('[') ? authority.find(']') : std::string_view::npos;
  const auto colon = authority.find(':', closing == std::string_view::npos ? 0 : closing);
  server.host =
      closing != std::string_view::npos ? authority.substr(1, closing - 1) : authority.substr(0, colon);
  if (server.host.empty()) return notAServer(url, "it has no host");
  server.port = server.tls ? 443 : 80;
  if (colon != std::string_view::npos && !readPort(authority.substr(colon + 1), server.port)) {
    return notAServer(url, "its port is no number from 1 to 65535");
  }
  server.prefix = rest.substr(0, rest.find_last_not_of('/') + 1);
  return server;
}

std::string Server::url() const {
  return std::string(tls ? kHttps : kHttp) + bracketed(host) + ":" + std::to_string(port) + prefix;
}

std::string Server::hostAndPort() const {
  return port == (tls ? 443 : 80) ? bracketed(host) : bracketed(host) + ":" + std::to_string(port);
}

}  // namespace driftbar::cluster
