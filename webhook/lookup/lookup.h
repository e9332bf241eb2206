// Lookup: finds what judging needs, on a few threads of its own, in time or not at all.
//
// find() is the way in. It never blocks and always answers, once: what is cached at once, what has to be read
// when it has been, and by the deadline everything else as `no answer`. A reply that comes later still fills
// the cache. Two that need the same object cause one read. The queue is bounded, and a read that nobody waits
// for any more gives its place up; a Source that hangs costs the threads of the pool and nobody else's.
//
// Threads are started when the first read is due, so that where nothing is looked up nothing is paid.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "decision/needs.h"
#include "lookup/cache.h"
#include "lookup/clock.h"
#include "lookup/source.h"

namespace driftbar::lookup {

struct LookupOptions {
  // A read takes some milliseconds, so four do several hundred a second: more than the hundred bindings that
  // a scheduler is allowed to make (its client's default is 50 a second, 100 in a burst).
  unsigned threads = 4;
  // Reads that wait for a thread. At 5 ms each the last one waits a third of a second.
  std::size_t waiting = 256;
  // For one read. Longer than most deadlines leave, for a late reply is of use to the next who asks; short
  // enough that a server that hangs is given up before the pool has been stuck for long.
  Duration read = std::chrono::seconds(3);
  CacheBounds cache;
  std::shared_ptr<Clock> clock;  // null: the system's

  // For those who count. On any thread, not under a lock: each need as it is answered, each read as it ends.
  std::function<void(const decision::Need&, const decision::Answer&)> answered;
  std::function<void(const decision::Need&, const decision::Answer&, std::chrono::nanoseconds took)> wasRead;
};

class Lookup {
 public:
  using Done = std::function<void(decision::Found)>;

  // `source` must outlive this.
  explicit Lookup(Source& source, LookupOptions options = {});
  ~Lookup();  // stops
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  // Calls `done` once with an answer to each of the needs: before returning where no read is due, else on a
  // thread of this, which `done` must not hold up; it must not throw. From any thread.
  void find(std::vector<decision::Need> needs, Time deadline, Done done);

  Time now() const;

  // Answers all that wait with `no answer`, stops the source, returns when no thread is left. What is asked
  // later is answered so too. From any thread but its own; may be called again.
  void stop();

 private:
  class Desk;
  std::unique_ptr<Desk> desk_;
};

}  // namespace driftbar::lookup
