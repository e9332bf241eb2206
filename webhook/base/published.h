// Published: one immutable value that one thread swaps whole and many read.
//
// A mutex around a shared_ptr, held for a pointer's copy only. Not std::atomic<shared_ptr>: g++ 12's spins,
// and its library reports a race to the thread sanitizer.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace driftbar {

template <typename T>
class Published {
 public:
  Published() = default;
  explicit Published(std::shared_ptr<const T> first) : value_(std::move(first)) {}

  // Null until something has been published. From any thread.
  std::shared_ptr<const T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

  // The value before lives on with those who took it. From any thread.
  void set(std::shared_ptr<const T> next) {
    std::shared_ptr<const T> before;  // destroyed outside the lock
    {
      const std::lock_guard lock(mutex_);
      before = std::exchange(value_, std::move(next));
    }
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace driftbar
