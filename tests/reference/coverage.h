// Coverage: how often each word that is on was seen in a rule that was broken, kept or unknown. A word that
// never made a difference was not tested.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/chance.h"

namespace driftbar::reference {

class Coverage {
 public:
  // What the reference said to a request of a case; `looksUp`: there is something to be found.
  void count(const Row& policies, const Row& request, const Row& answer, bool looksUp);
  // A rule that the loader refuses: under which id, and what it says of the first.
  void countRefused(const std::string& id, const std::string& said);

  // Prints a line for each word; false where one that is on was never broken or never kept.
  bool print() const;

 private:
  struct Counts {
    std::uint64_t broken = 0, kept = 0, unknown = 0;
  };
  // `of` and name of the words in a rule, and of those that decide whether it is looked at.
  struct Words {
    std::vector<std::string> judging, looking;
  };
  const std::vector<std::pair<std::string, Words>>& wordsOf(const Row& policies);

  std::map<std::string, Counts> counts_;
  struct Refused {
    std::uint64_t times = 0;
    std::string first;
  };
  std::map<std::string, Refused> refusedByLoader_;
  Row lastPolicies_;
  std::vector<std::pair<std::string, Words>> lastWords_;
};

}  // namespace driftbar::reference
