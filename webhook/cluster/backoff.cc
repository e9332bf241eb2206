#include "cluster/backoff.h"

#include <algorithm>
#include <memory>
#include <random>

namespace driftbar::cluster {

Backoff::Backoff(BackoffLimits limits, std::function<double()> random)
    : limits_(limits), random_(std::move(random)), step_(limits.first) {}

Duration Backoff::next() {
  const double part = 0.5 + random_() / 2;
  const Duration wait(static_cast<Duration::rep>(static_cast<double>(step_.count()) * part));
  step_ = std::min(step_ * 2, limits_.most);
  return wait;
}

void Backoff::reset() {
  step_ = limits_.first;
}

std::function<double()> systemRandom() {
  auto engine = std::make_shared<std::mt19937_64>(std::random_device{}());
  return [engine] { return std::uniform_real_distribution<double>(0, 1)(*engine); };
}

}  // namespace driftbar::cluster
