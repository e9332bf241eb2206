// What a condition on nodes says of their labels: the requirements of which a node must meet the clauses so
// that the condition does not hold for it.
#pragma once

#include <vector>

#include "kube/label_selector.h"

namespace driftbar::policy {

class Condition;

struct SaidByLabels {
  std::vector<kube::Clause> clauses;
  // The clauses say all of it: a node that meets them is one that the condition does not hold for. Otherwise
  // such a node may still be one that it holds for, by what no label says.
  bool whole = true;
};

// Of the parts of an `any` those that labels can say, and of any other condition all or nothing. No more than
// 64 clauses of 16 requirements each: past that nothing can be said.
SaidByLabels saidByLabels(const Condition& condition);

}  // namespace driftbar::policy
