// Clock: the time that deadlines and the cache go by, so that tests can say what time it is.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace driftbar::lookup {

using Time = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
  // Waits with `lock` given up until `wake` is notified or it is `until`; may return early for no reason.
  virtual void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& wake, Time until) = 0;
};

class SystemClock : public Clock {
 public:
  Time now() const override { return std::chrono::steady_clock::now(); }
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& wake, Time until) override {
    wake.wait_until(lock, until);
  }
};

}  // namespace driftbar::lookup
