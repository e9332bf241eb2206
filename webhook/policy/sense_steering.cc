// Rules that steer by name only: no label says what they avoid, so pods are kept off the nodes that are
// unsafe when they are made, by name, and not off those that become so while they wait. Who writes `steer`
// has thought of it.
//
// And rules that steering leaves nothing to find.
#include "policy/sense.h"

namespace driftbar::policy {

namespace {

// What the pods are steered off is not among the nodes that `when: any` counts.
void checkWhenAny(const syntax::Rule& from, const Rule& made, Problems& problems) {
  if (!made.whenAny || made.steer != Steer::kRequired || from.members["steer"] != nullptr) return;
  problems.warning(from.members.key("when")->where, "steered-away",
                   "pods are steered off unsafe nodes, so `when: any` refuses only those that cannot be",
                   "write `steer: none` to refuse all that could land there, or leave `when` out");
}

}  // namespace

void checkSteeringSense(const syntax::Rule& from, const Rule& made, Problems& problems) {
  checkWhenAny(from, made, problems);
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
