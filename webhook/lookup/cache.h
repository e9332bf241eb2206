// Cache: what was looked up, for as long as the table of look-ups says, within bounds.
//
// Kept by the whole need, its uid too: who names a uid never gets what was read for another object of that
// name, and a `not found` by uid says nothing of an object that is made later. What could not be told is not
// kept. Not safe for several threads at once.
#pragma once

#include <list>
#include <map>
#include <optional>

#include "decision/needs.h"
#include "lookup/clock.h"

namespace driftbar::lookup {

struct CacheBounds {
  // The owners of five minutes: a controller makes some ten objects a second at the most, for longer than a
  // burst.
  std::size_t entries = 4096;
  // An object may have 3 MiB; most have some 10 kB. Of these there is room for all of the above.
  std::size_t bytes = 48U << 20U;
};

class Cache {
 public:
  explicit Cache(CacheBounds bounds = {}) : bounds_(bounds) {}

  std::optional<decision::Answer> get(const decision::Need& need, Time now);
  // Makes room where there is none: what was asked for longest ago goes first. An object larger than the
  // whole is not kept.
  void put(const decision::Need& need, const decision::Answer& answer, Time now);

  std::size_t size() const { return byUse_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    decision::Need need;
    decision::Answer answer;
    Time until;
  };
  using Entries = std::list<Entry>;
  void drop(Entries::iterator entry);

  const CacheBounds bounds_;
  Entries byUse_;  // the latest first
  std::map<decision::Need, Entries::iterator> byNeed_;
  std::size_t bytes_ = 0;
};

}  // namespace driftbar::lookup
