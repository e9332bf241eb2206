// A reply as the bytes that are sent.
#pragma once

#include <string>

#include "server/asio.h"
#include "server/message.h"

namespace driftbar::server {

// One piece, so that it is one TLS record and, if small, one packet. `headOnly`: for HEAD, which gets the
// length of what it does not get.
std::string written(const Reply& reply, bool close, bool headOnly);

}  // namespace driftbar::server
