// Rules that steer by name only: no label says what they avoid, so pods are kept off the nodes that are
// unsafe when they are made, by name, and not off those that become so while they wait. Who writes `steer`
// has thought of it.
#include "policy/sense.h"

namespace driftbar::policy {

void checkSteeringSense(const syntax::Rule& from, const Rule& made, Problems& problems) {
  const bool byLabels = made.labels.whole || !made.labels.clauses.empty();
  if (made.verb != Verb::kAvoidNodes || made.steer == Steer::kNone || byLabels) return;
  if (from.members["steer"] != nullptr) return;
  problems.warning(
      from.members.key("avoidNodes")->where, "steers-by-name",
      "no label says which nodes these are, so pods are steered off them by name: not off a node "
      "that becomes one while a pod waits",
      "add a label that such nodes carry to an `any`, or write `steer: required` if that is meant");
}

}  // namespace driftbar::policy
