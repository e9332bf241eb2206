// Answers: what driftbar says to a row, and whether that is what the judge says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kube/node.h"
#include "oracle/cases.h"

namespace driftbar::oracle {

enum class Verdict { kAgree, kDisagree, kUnreadable };

struct Comparison {
  Verdict verdict = Verdict::kAgree;
  std::string ours;  // of kDisagree: what driftbar says; of kUnreadable: why
};

class Answers {
 public:
  // `theirs` is the judge's answer to the row. A row that one of the two can't read at all says nothing.
  Comparison compare(const Row& row, const std::string& theirs);

  // Of the last row of kind `place`: which node is judged in another way, as a row of its own.
  Row withDisputedNode(const Row& row, const std::string& theirs) const;

 private:
  bool readNodes(const Row& nodes);
  std::string places(const Row& row) const;

  Row rows_ = Row::array();  // the nodes, as they came
  std::vector<std::shared_ptr<const kube::Node>> nodes_;
};

}  // namespace driftbar::oracle
