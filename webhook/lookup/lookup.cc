#include "lookup/lookup.h"

#include <condition_variable>
#include <exception>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace driftbar::lookup {

using decision::Answer;
using decision::Found;
using decision::Need;

namespace {

Answer busy() {
  return Answer::none(Answer::Silence::kBusy, "too many look-ups are waiting");
}
Answer late() {
  return Answer::none(Answer::Silence::kLate, "there was no answer in time");
}
Answer stopped() {
  return Answer::none(Answer::Silence::kStopped, "driftbar is being stopped");
}

}  // namespace

// All there is to a Lookup: who waits, what is being read, and the threads.
class Lookup::Desk {
 public:
  Desk(Source& source, LookupOptions options)
      : source_(source), options_(std::move(options)), cache_(options_.cache) {
    if (!options_.clock) options_.clock = std::make_shared<SystemClock>();
  }

  void find(std::vector<Need> needs, Time deadline, Done done);
  void stop();
  Time now() const { return options_.clock->now(); }

 private:
  // One call of find().
  struct Asking {
    Done done;
    Found found;
    std::set<Need> open;
    std::multimap<Time, std::shared_ptr<Asking>>::iterator place;  // of its deadline, while something is open
  };
  using AskingPtr = std::shared_ptr<Asking>;
  using Finished = std::vector<AskingPtr>;

  // One read that is due or under way.
  struct Reading {
    std::set<AskingPtr> asking;
    std::list<Need>::iterator place;  // in the queue, until it is under way
    bool begun = false;
  };

  // All of these with the mutex held.
  std::optional<Answer> atOnce(const Need& need, Time deadline, Time now);
  void join(const AskingPtr& asking, const Need& need);
  void settle(const AskingPtr& asking, const Need& need, const Answer& answer, Finished& finished);
  void giveUp(const AskingPtr& asking, const Answer& answer, Finished& finished);
  void startThreads();

  void work();
  void read(std::unique_lock<std::mutex>& lock);
  Answer fetch(const Need& need);
  void watchDeadlines();
  void handOver(Finished finished);

  Source& source_;
  LookupOptions options_;

  std::mutex mutex_;
  std::condition_variable readDue_, deadlineDue_;
  bool stopping_ = false;
  Cache cache_;
  std::list<Need> queue_;
  std::map<Need, Reading> readings_;
  std::multimap<Time, AskingPtr> deadlines_;
  std::vector<std::thread> threads_;
};

void Lookup::Desk::find(std::vector<Need> needs, Time deadline, Done done) {
  const auto asking = std::make_shared<Asking>();
  asking->done = std::move(done);
  {
    const std::lock_guard lock(mutex_);
    const Time now = this->now();
    for (const auto& need : needs) {
      if (asking->open.contains(need)) continue;
      if (const auto answer = atOnce(need, deadline, now)) {
        asking->found.add(need, *answer);
      } else {
        join(asking, need);
      }
    }
    if (!asking->open.empty()) {
      asking->place = deadlines_.emplace(deadline, asking);
      startThreads();
      readDue_.notify_all();
      deadlineDue_.notify_all();
      return;
    }
  }
  handOver({asking});
}

std::optional<Answer> Lookup::Desk::atOnce(const Need& need, Time deadline, Time now) {
  if (stopping_) return stopped();
  if (auto kept = cache_.get(need, now)) return kept;
  if (now >= deadline) return late();
  if (!readings_.contains(need) && queue_.size() >= options_.waiting) return busy();
  return std::nullopt;
}

void Lookup::Desk::join(const AskingPtr& asking, const Need& need) {
  const auto [at, added] = readings_.try_emplace(need);
  if (added) at->second.place = queue_.insert(queue_.end(), need);
  at->second.asking.insert(asking);
  asking->open.insert(need);
}

void Lookup::Desk::startThreads() {
  if (!threads_.empty()) return;
  for (unsigned i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { work(); });
  threads_.emplace_back([this] { watchDeadlines(); });
}

// --- the readers ---

void Lookup::Desk::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    readDue_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    read(lock);
  }
}

void Lookup::Desk::read(std::unique_lock<std::mutex>& lock) {
  const Need need = std::move(queue_.front());
  queue_.pop_front();
  readings_.at(need).begun = true;
  lock.unlock();
  const Answer answer = fetch(need);
  lock.lock();
  cache_.put(need, answer, now());
  Finished finished;
  const auto reading = readings_.extract(need);
  for (const auto& asking : reading.mapped().asking) settle(asking, need, answer, finished);
  lock.unlock();
  handOver(std::move(finished));
  lock.lock();
}

Answer Lookup::Desk::fetch(const Need& need) {
  const Time began = now();
  Answer answer = Answer::notFound();
  try {
    answer = decision::ofThatUid(need, source_.fetch(need, options_.read));
  } catch (const std::exception& bug) {
    answer = Answer::none(Answer::Silence::kFailed, bug.what());
  }
  if (options_.wasRead) options_.wasRead(need, answer, now() - began);
  return answer;
}

void Lookup::Desk::settle(const AskingPtr& asking, const Need& need, const Answer& answer,
                          Finished& finished) {
  asking->found.add(need, answer);
  asking->open.erase(need);
  if (!asking->open.empty()) return;
  deadlines_.erase(asking->place);
  finished.push_back(asking);
}

// --- deadlines ---

void Lookup::Desk::watchDeadlines() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (deadlines_.empty()) {
      deadlineDue_.wait(lock, [this] { return stopping_ || !deadlines_.empty(); });
      continue;
    }
    const auto first = deadlines_.begin();
    if (now() < first->first) {
      options_.clock->wait(lock, deadlineDue_, first->first);
      continue;
    }
    Finished finished;
    giveUp(AskingPtr(first->second), late(), finished);
    lock.unlock();
    handOver(std::move(finished));
    lock.lock();
  }
}

// Leaves every read that it waits for; one that has not begun and that nobody else waits for is dropped.
void Lookup::Desk::giveUp(const AskingPtr& asking, const Answer& answer, Finished& finished) {
  for (const auto open = asking->open; const auto& need : open) {
    const auto reading = readings_.find(need);
    reading->second.asking.erase(asking);
    if (reading->second.asking.empty() && !reading->second.begun) {
      queue_.erase(reading->second.place);
      readings_.erase(reading);
    }
    settle(asking, need, answer, finished);
  }
}

// --- the end ---

void Lookup::Desk::handOver(Finished finished) {
  for (const auto& asking : finished) {
    if (options_.answered) {
      for (const auto& [need, answer] : asking->found.all()) options_.answered(need, answer);
    }
    // Its own captures must not live on with whoever still holds the asking.
    const Done done = std::exchange(asking->done, nullptr);
    done(std::move(asking->found));
  }
}

void Lookup::Desk::stop() {
  Finished finished;
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    while (!deadlines_.empty()) giveUp(AskingPtr(deadlines_.begin()->second), stopped(), finished);
    threads = std::exchange(threads_, {});
  }
  readDue_.notify_all();
  deadlineDue_.notify_all();
  handOver(std::move(finished));
  source_.stop();
  for (auto& thread : threads) thread.join();
}

Lookup::Lookup(Source& source, LookupOptions options)
    : desk_(std::make_unique<Desk>(source, std::move(options))) {}

Lookup::~Lookup() {
  stop();
}

void Lookup::find(std::vector<Need> needs, Time deadline, Done done) {
  desk_->find(std::move(needs), deadline, std::move(done));
}

Time Lookup::now() const {
  return desk_->now();
}

void Lookup::stop() {
  desk_->stop();
}

}  // namespace driftbar::lookup
