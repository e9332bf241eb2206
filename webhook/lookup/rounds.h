// Rounds: looks up until nothing more is needed: the pod of an exec first, then its owner, then that one's.
//
// What is needed next depends on what has been found, and only judging knows it; so it is asked again after
// each round. At most four: a pod, its owner and two owners further up are as far as real chains go
// (Pod, Job, JobSet, TrainJob), and a chain that somebody made up must end somewhere.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "decision/needs.h"
#include "lookup/lookup.h"

namespace driftbar::lookup {

// What is needed, in view of what has been found; may name again what is there. A pure function.
using Needs = std::function<std::vector<decision::Need>(const decision::Found&)>;

inline constexpr int kMostRounds = 4;

class Rounds {
 public:
  // `first`: what is needed with nothing found, for whoever knows it already.
  Rounds(std::vector<decision::Need> first, Needs needs)
      : needs_(std::move(needs)), first_(std::move(first)) {}
  explicit Rounds(Needs needs) : Rounds(needs({}), needs) {}

  // What is to be looked up now, each once; empty when it is over. Each call is a round.
  std::vector<decision::Need> next();
  void take(const decision::Found& more) { found_.add(more); }
  const decision::Found& found() const { return found_; }

 private:
  Needs needs_;
  std::vector<decision::Need> first_;
  decision::Found found_;
  int rounds_ = 0;
};

// Goes through the rounds, all within one deadline, and calls `done` once, as Lookup::find does. The needs
// function is called on the lookup's threads; what it throws ends the rounds, and judging will meet that
// fault where it can be told.
void gather(Lookup& lookup, std::vector<decision::Need> first, Needs needs, Time deadline, Lookup::Done done);

// The same on this thread, straight from a source: for commands, which have the time to wait. `each`: for one
// read.
decision::Found gather(Source& source, Needs needs, Duration each = std::chrono::seconds(3));

}  // namespace driftbar::lookup
