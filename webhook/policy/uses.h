// Uses: what the subjects of a condition are about, told before it is compiled, for the rule's default
// resources follow from it.
#pragma once

#include "policy/syntax.h"

namespace driftbar::policy {

struct Uses {
  bool pods = false;    // something that only pods have
  bool nodes = false;   // something that only nodes have
  bool whole = false;   // something of a workload as a whole, the same whichever of its templates is asked
  bool either = false;  // labels and the like, of whichever the rule is about
};

Uses usesOf(const syntax::Condition& condition);

}  // namespace driftbar::policy
