// Clock: where this room gets the time from, so that tests can say what time it is.
#pragma once

#include <functional>

#include "base/time.h"

namespace driftbar::cluster {

using Clock = std::function<Instant()>;

inline Instant systemNow() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

}  // namespace driftbar::cluster
