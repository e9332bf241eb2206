// Feed: one kind of object, listed in pages and then watched, for a Watcher.
//
// The loop: list; watch from the list's version; go on from the last version seen for as long as the server
// knows it. What ends a watch decides what follows: its normal end (after 30 to 60 minutes) or silence: a new
// watch at once; a failure: a new one after a wait; a version that is gone or a line that is no event: a new
// list. What is known stays until the new list is whole.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "cluster/watcher.h"

namespace driftbar::cluster {

struct WatchEvent;

struct FeedKind {
  inventory::Kind kind;
  const char* plural;
  const char* path;
};
inline constexpr FeedKind kFeedKinds[] = {
    {inventory::Kind::kNode, "nodes", "/api/v1/nodes"},
    {inventory::Kind::kNamespace, "namespaces", "/api/v1/namespaces"},
};

class Feed {
 public:
  Feed(const FeedKind& kind, std::size_t index, Access access, Watcher& watcher);

  void run(const std::stop_token& stop);  // until stop() has been called
  void stop() { api_.stop(); }            // from any thread, after `stop` of run() was asked for

 private:
  struct Listing;
  enum class Next { kGoOn, kWait, kRelist };

  bool list();
  bool page(Listing& listing);
  bool readPage(Listing& listing, const std::string& body);
  std::string listPath(const Listing& listing) const;

  Next watch();
  Next afterWatch(const Result<StreamReply>& reply, std::size_t lines, Next byReader);
  Next event(std::string_view line);
  void apply(const WatchEvent& event);
  Next errorEvent(const WatchEvent& event);

  void contact(Instant when);
  void fail(Diagnostic why);
  void pause(const std::stop_token& stop);
  FeedStatus& status() { return watcher_.statuses_[index_]; }  // with the watcher's mutex held

  const FeedKind& kind_;
  const std::size_t index_;
  Watcher& watcher_;
  Api api_;
  Backoff backoff_;
  std::string version_;  // to watch from; empty: a list is due
  Duration atLeast_{};   // the server asked for this much patience
};

}  // namespace driftbar::cluster
