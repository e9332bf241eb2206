// Twins of what look-ups need of the world: a source in memory, faults around any source, a clock set by
// hand.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lookup/clock.h"
#include "lookup/source.h"

namespace driftbar::test {

inline decision::Answer objectAnswer(std::string_view json) {
  return decision::Answer::found(JsonDocument::parse(json).value(), json.size());
}

// Answers with what was put, by everything but the uid, as an API server would; records what was asked.
class MemorySource : public lookup::Source {
 public:
  void put(decision::Need need, const std::string& json) {
    const std::lock_guard lock(mutex_);
    need.uid.clear();
    objects_[std::move(need)] = json;
  }

  decision::Answer fetch(const decision::Need& need, Duration) override {
    const std::lock_guard lock(mutex_);
    asked_.push_back(need);
    decision::Need name = need;
    name.uid.clear();
    const auto at = objects_.find(name);
    return at == objects_.end() ? decision::Answer::notFound() : objectAnswer(at->second);
  }

  std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const auto& need : asked_) out.push_back(decision::shown(need));
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::map<decision::Need, std::string> objects_;
  std::vector<decision::Need> asked_;
};

// Passes on to another source, but for the faults that it was told to have.
class FaultySource : public lookup::Source {
 public:
  explicit FaultySource(lookup::Source& inner) : inner_(inner) {}

  // Reads of this name hang from now on, until they are released or the source is stopped.
  void hold(const std::string& name) {
    const std::lock_guard lock(mutex_);
    held_.insert(name);
  }
  void release(const std::string& name) {
    const std::lock_guard lock(mutex_);
    held_.erase(name);
    changed_.notify_all();
  }
  // The next read of this name is answered so, or throws.
  void failNext(const std::string& name, decision::Answer answer) {
    const std::lock_guard lock(mutex_);
    failures_[name].push_back(std::move(answer));
  }
  void throwNext(const std::string& name) {
    const std::lock_guard lock(mutex_);
    throws_.insert(name);
  }
  // Waits until as many reads hang.
  void awaitHeld(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return hanging_ >= count; });
  }
  bool stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }

  decision::Answer fetch(const decision::Need& need, Duration timeout) override {
    {
      std::unique_lock lock(mutex_);
      ++hanging_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return stopped_ || !held_.contains(need.name); });
      --hanging_;
      if (stopped_) return decision::Answer::none(decision::Answer::Silence::kStopped, "stopped");
      if (throws_.erase(need.name) > 0) throw std::runtime_error("a bug in the source");
      if (auto& failures = failures_[need.name]; !failures.empty()) {
        const auto answer = failures.front();
        failures.pop_front();
        return answer;
      }
    }
    return inner_.fetch(need, timeout);
  }

  void stop() override {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
    }
    inner_.stop();
  }

 private:
  lookup::Source& inner_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> held_, throws_;
  std::map<std::string, std::deque<decision::Answer>> failures_;
  std::size_t hanging_ = 0;
  bool stopped_ = false;
};

// Stands still until it is advanced, and then wakes who waits for a time that has come.
class HandClock : public lookup::Clock {
 public:
  lookup::Time now() const override {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& wake, lookup::Time until) override {
    {
      const std::lock_guard mine(mutex_);
      if (now_ >= until) return;
      waiting_.insert({lock.mutex(), &wake});
    }
    wake.wait(lock);
    const std::lock_guard mine(mutex_);
    waiting_.erase(waiting_.find({lock.mutex(), &wake}));
  }

  void advance(Duration by) {
    std::multiset<Waiting> waiting;
    {
      const std::lock_guard lock(mutex_);
      now_ += by;
      waiting = waiting_;
    }
    for (const auto& [mutex, wake] : waiting) {
      // Who waits has either not looked at the time yet or is in wait().
      const std::lock_guard lock(*mutex);
      wake->notify_all();
    }
  }

 private:
  using Waiting = std::pair<std::mutex*, std::condition_variable*>;
  mutable std::mutex mutex_;
  lookup::Time now_{std::chrono::hours(1)};
  std::multiset<Waiting> waiting_;
};

}  // namespace driftbar::test
