// Watcher: keeps a snapshot of the cluster's nodes and namespaces, fresh from the API server.
//
// start() runs one thread for each kind (a watch holds its connection, so two kinds need two) and one that
// publishes. Nothing is published before every kind has been listed once. From then on there is always a
// snapshot, the last one known to be true: a relist replaces it whole, a lost connection leaves it, and
// status() says how old it is. stop() ends all threads; a watcher runs once.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/published.h"
#include "cluster/api.h"
#include "cluster/backoff.h"
#include "cluster/clock.h"
#include "inventory/store.h"

namespace driftbar::cluster {

class Feed;

struct WatchOptions {
  ApiLimits limits;
  BackoffLimits backoff;
  // As client-go's pager. A page that is too large all the same is asked for again in smaller ones.
  std::size_t pageSize = 500;
  // A snapshot of 5,000 nodes takes some 0.1 ms to make, so a storm of events costs at most 0.2 % of a core.
  Duration publishGap = std::chrono::milliseconds(50);
  Clock now = systemNow;
  std::function<double()> random;  // of the backoff; empty: systemRandom()
};

// How the watch of one kind stands. The counters only grow.
struct FeedStatus {
  std::string plural;     // nodes, namespaces
  bool complete = false;  // has been listed once
  std::size_t objects = 0;
  // When the server last said something that shows that we have missed nothing: a list, the start of a watch,
  // an event, a bookmark.
  std::optional<Instant> lastContact;
  std::size_t failures = 0;             // in a row, since the last contact
  std::optional<Diagnostic> lastError;  // of these failures, the last; none when there is contact
  std::uint64_t lists = 0, watches = 0, events = 0;
  std::uint64_t expired = 0;     // 410: the version that we had is not kept any more
  std::uint64_t malformed = 0;   // lines that are no events; each leads to a relist
  std::uint64_t unreadable = 0;  // objects that could not be read; what was known of them before stays
};

struct WatchStatus {
  bool complete = false;  // there is a snapshot
  // That of the kind which has been quiet for longest; none before every kind has been heard of.
  std::optional<Instant> lastContact;
  std::size_t failures = 0;             // of the kind with the most
  std::optional<Diagnostic> lastError;  // of that kind
  std::vector<FeedStatus> feeds;
};

class Watcher {
 public:
  explicit Watcher(Access access, WatchOptions options = {});
  ~Watcher();  // stops
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  void start();
  // Returns when every thread has ended. From any thread but these; may be called again.
  void stop();

  // Null before the first lists are complete. From any thread, at any time.
  const Published<inventory::Snapshot>& snapshots() const { return snapshots_; }
  WatchStatus status() const;

 private:
  friend class Feed;
  void publish(const std::stop_token& stop);
  bool worthPublishing() const;  // with mutex_ held

  const WatchOptions options_;
  mutable std::mutex mutex_;  // guards store_, statuses_, changed_
  std::condition_variable_any wake_;
  inventory::Store store_;
  std::vector<FeedStatus> statuses_;
  bool changed_ = false;
  Published<inventory::Snapshot> snapshots_;
  std::vector<std::unique_ptr<Feed>> feeds_;
  std::vector<std::jthread> threads_;
};

}  // namespace driftbar::cluster
