#include "cluster/watcher.h"

#include <algorithm>
#include <cassert>

#include "cluster/feed.h"

namespace driftbar::cluster {

Watcher::Watcher(Access access, WatchOptions options) : options_(std::move(options)) {
  for (const auto& kind : kFeedKinds) {
    feeds_.push_back(std::make_unique<Feed>(kind, feeds_.size(), access, *this));
    statuses_.emplace_back().plural = kind.plural;
  }
}

Watcher::~Watcher() {
  stop();
}

void Watcher::start() {
  assert(threads_.empty());
  for (const auto& feed : feeds_) {
    threads_.emplace_back([&feed = *feed](const std::stop_token& stop) { feed.run(stop); });
  }
  threads_.emplace_back([this](const std::stop_token& stop) { publish(stop); });
}

void Watcher::stop() {
  for (auto& thread : threads_) thread.request_stop();
  for (const auto& feed : feeds_) feed->stop();
  threads_.clear();  // joins
}

bool Watcher::worthPublishing() const {
  return changed_ && std::all_of(statuses_.begin(), statuses_.end(),
                                 [](const FeedStatus& feed) { return feed.complete; });
}

// The first change is published at once; what comes within the gap after it waits and goes out together.
void Watcher::publish(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [this] { return worthPublishing(); })) {
    changed_ = false;
    auto snapshot = store_.snapshot();
    lock.unlock();
    snapshots_.set(std::move(snapshot));
    lock.lock();
    wake_.wait_for(lock, stop, options_.publishGap, [] { return false; });
  }
}

WatchStatus Watcher::status() const {
  WatchStatus out;
  out.complete = snapshots_.get() != nullptr;
  const std::lock_guard lock(mutex_);
  out.feeds = statuses_;
  for (std::size_t i = 0; i < out.feeds.size(); ++i) out.feeds[i].objects = store_.count(kFeedKinds[i].kind);
  out.lastContact = out.feeds.front().lastContact;
  for (const auto& feed : out.feeds) {
    // An instant that is missing is less than any.
    out.lastContact = std::min(out.lastContact, feed.lastContact);
    if (feed.failures <= out.failures) continue;
    out.failures = feed.failures;
    out.lastError = feed.lastError;
  }
  return out;
}

}  // namespace driftbar::cluster
