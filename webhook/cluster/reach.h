// Why a host cannot be reached: cpp-httplib keeps that to itself.
#pragma once

#include <string>

#include "base/time.h"

namespace driftbar::cluster {

// Tries once more and says what went wrong: `connection refused`, a name that cannot be resolved. Empty where
// the connection is made this time.
std::string whyUnreachable(const std::string& host, int port, Duration patience);

}  // namespace driftbar::cluster
