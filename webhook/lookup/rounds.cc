#include "lookup/rounds.h"

#include <algorithm>
#include <utility>

namespace driftbar::lookup {

using decision::Found;
using decision::Need;

std::vector<Need> Rounds::next() {
  if (rounds_ >= kMostRounds) return {};
  auto needs = rounds_++ == 0 ? std::move(first_) : needs_(found_);
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  std::erase_if(needs, [this](const Need& need) { return found_.has(need); });
  return needs;
}

namespace {

struct Gathering {
  Lookup& lookup;
  Rounds rounds;
  Time deadline;
  Lookup::Done done;
};

void goOn(const std::shared_ptr<Gathering>& gathering, std::vector<Need> needs) {
  if (needs.empty()) return gathering->done(gathering->rounds.found());
  gathering->lookup.find(std::move(needs), gathering->deadline, [gathering](Found more) {
    gathering->rounds.take(more);
    std::vector<Need> next;
    try {
      next = gathering->rounds.next();
    } catch (...) {
    }
    goOn(gathering, std::move(next));
  });
}

}  // namespace

void gather(Lookup& lookup, std::vector<Need> first, Needs needs, Time deadline, Lookup::Done done) {
  const auto gathering = std::make_shared<Gathering>(
      Gathering{lookup, Rounds(std::move(first), std::move(needs)), deadline, std::move(done)});
  goOn(gathering, gathering->rounds.next());
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
