// Outcome: what came of one case of a PolicyTest, and what of it was not expected; and Coverage, which rules
// the cases ever broke and kept.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/source.h"
#include "cli/reviewed.h"
#include "cli/test_plan.h"

namespace driftbar::cli {

// One thing that was expected and did not come, in words.
struct Mismatch {
  std::string what;  // the key under `expect`
  std::string expected, came;
};

struct Outcome {
  const PlannedCase* of;
  Reviewed reviewed;
  std::vector<Mismatch> mismatches;

  bool passed() const { return mismatches.empty(); }
};

Outcome run(const PlannedCase& planned);

// What people get to read of the answer: the refusal, then the warnings, a line each.
std::string messageOf(const Reviewed& reviewed);

class Coverage {
 public:
  struct Row {
    std::string rule;
    Location where;
    std::size_t broken = 0, kept = 0;  // cases
    bool whole() const { return broken > 0 && kept > 0; }
  };

  explicit Coverage(const TestPlan& plan);
  // A rule is kept where it was judged and has nothing to say: no finding, no warning of its own.
  void count(const Outcome& outcome);

  std::vector<Row> rows() const;  // by rule
  bool whole() const;

 private:
  using Key =
      std::pair<std::string, std::string>;  // rule, and the file of its policy: folders may share names
  std::map<Key, Row> rows_;
};

}  // namespace driftbar::cli
