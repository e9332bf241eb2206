// The roll: every connection that is open, which of them are idle, and which are past their time.
//
// One look at all of them every so often takes the place of a timer for each: a connection says when its time
// is up by a store to memory. The lock is held for moves in a list and, ten times a second, for one pass over
// it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace driftbar::server {

class Member : public std::enable_shared_from_this<Member> {
 public:
  using Clock = std::chrono::steady_clock;

  Member() = default;
  virtual ~Member() = default;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  // Looks whether its time is really up, and does what that asks for. From any thread.
  virtual void expire() = 0;
  // Closes if no request has begun. From any thread.
  virtual void retire() = 0;
  // Hangs up, whatever is under way. From any thread.
  virtual void end() = 0;

 protected:
  void due(Clock::time_point at) { due_.store(at.time_since_epoch().count(), std::memory_order_relaxed); }
  void neverDue() { due(Clock::time_point::max()); }
  bool isDue(Clock::time_point now) const {
    return due_.load(std::memory_order_relaxed) <= now.time_since_epoch().count();
  }

 private:
  friend class Roll;
  std::atomic<Clock::rep> due_{Clock::time_point::max().time_since_epoch().count()};
  std::list<Member*>::iterator place_;  // this and the next: under the roll's lock
  bool idle_ = false;
};

// All functions from any thread.
class Roll {
 public:
  void enter(Member& member);
  void leave(Member& member);
  void idle(Member& member);  // becomes the one that is idle for the shortest time
  void busy(Member& member);

  std::size_t size() const;
  // Null where none is idle. The same one is given once only, until it is idle anew.
  std::shared_ptr<Member> longestIdle();
  std::vector<std::shared_ptr<Member>> overdue(Member::Clock::time_point now) const;
  std::vector<std::shared_ptr<Member>> all() const;

  // Returns when there is nobody left, or after `most`.
  void waitEmpty(std::chrono::milliseconds most) const;

 private:
  using Members = std::list<Member*>;
  void move(Member& member, bool idle);

  mutable std::mutex mutex_;
  mutable std::condition_variable emptied_;
  Members idle_;  // the longest first
  Members busy_;
};

}  // namespace driftbar::server
