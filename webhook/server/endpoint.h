// An address and a port to listen on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace driftbar::server {

struct Endpoint {
  std::string address = "0.0.0.0";  // an IP address
  std::uint16_t port = 0;           // 0: one that is free
};

// `0.0.0.0:8443`, `[::1]:8443`, `:8443` (all addresses).
Result<Endpoint> parseEndpoint(std::string_view text);
std::string toString(const Endpoint& endpoint);

}  // namespace driftbar::server
