#include "lookup/rounds.h"

#include <algorithm>
#include <utility>

namespace driftbar::lookup {

using decision::Found;
using decision::Need;

std::vector<Need> Rounds::next() {
  if (rounds_++ >= kMostRounds) return {};
  auto needs = needs_(found_);
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  std::erase_if(needs, [this](const Need& need) { return found_.has(need); });
  return needs;
}

void gather(Lookup& lookup, std::shared_ptr<Rounds> rounds, std::vector<Need> first, Time deadline,
            Lookup::Done done) {
  lookup.find(std::move(first), deadline, [&lookup, rounds, deadline, done](Found more) {
    rounds->take(more);
    std::vector<Need> next;
    try {
      next = rounds->next();
    } catch (...) {
    }
    if (next.empty()) return done(rounds->found());
    gather(lookup, rounds, std::move(next), deadline, done);
  });
}

Found gather(Source& source, Needs needs, Duration each) {
  Rounds rounds(std::move(needs));
  for (auto next = rounds.next(); !next.empty(); next = rounds.next()) {
    Found more;
    for (const auto& need : next) more.add(need, decision::ofThatUid(need, source.fetch(need, each)));
    rounds.take(more);
  }
  return rounds.found();
}

}  // namespace driftbar::lookup
