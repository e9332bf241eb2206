#include "server/endpoint.h"

#include <arpa/inet.h>

#include <charconv>

#include "base/text.h"

namespace driftbar::server {
namespace {

bool isAddress(const std::string& text) {
  in6_addr bytes;
  return inet_pton(AF_INET, text.c_str(), &bytes) == 1 || inet_pton(AF_INET6, text.c_str(), &bytes) == 1;
}

}  // namespace

Result<Endpoint> parseEndpoint(std::string_view text) {
  const auto wrong = [&] {
    return error("bad-endpoint", "`" + printable(text) + "` is not an address and a port",
                 "write it as `0.0.0.0:8443`, `[::1]:8443` or `:8443`");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong();
  std::string_view address = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  const bool bracketed = address.starts_with('[') && address.ends_with(']');
  if (bracketed) address = address.substr(1, address.size() - 2);
  Endpoint out{address.empty() && !bracketed ? "0.0.0.0" : std::string(address), 0};
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
  const bool isV6 = out.address.find(':') != std::string::npos;
  if (failed != std::errc{} || end != digits.data() + digits.size() || isV6 != bracketed ||
      !isAddress(out.address))
    return wrong();
  return out;
}

std::string toString(const Endpoint& endpoint) {
  const bool isV6 = endpoint.address.find(':') != std::string::npos;
  return (isV6 ? "[" + endpoint.address + "]" : endpoint.address) + ":" + std::to_string(endpoint.port);
}

}  // namespace driftbar::server
