// Backoff: how long to wait after a failure, longer each time, never the same for all.
#pragma once

#include <functional>

#include "base/time.h"

namespace driftbar::cluster {

struct BackoffLimits {
  Duration first = std::chrono::milliseconds(500);
  // client-go's reflector waits 30 s at most too; five of them fit below the 150 s after which an inventory
  // counts as stale.
  Duration most = std::chrono::seconds(30);
};

class Backoff {
 public:
  // `random` gives numbers from 0 up to 1, not included.
  Backoff(BackoffLimits limits, std::function<double()> random);

  // From half of the present step up to all of it; the step doubles from call to call.
  Duration next();
  void reset();

 private:
  BackoffLimits limits_;
  std::function<double()> random_;
  Duration step_;
};

// A generator of its own for each caller, seeded by the system.
std::function<double()> systemRandom();

}  // namespace driftbar::cluster
