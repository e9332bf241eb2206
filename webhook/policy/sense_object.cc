// Rules that require a label or annotation `of: object` of all that makes pods, and so also of what
// controllers make: a Deployment that has it makes a ReplicaSet and pods, whose own labels are those of the
// template.
#include <algorithm>

#include "policy/sense.h"

namespace driftbar::policy {
namespace {

bool isOfObject(const syntax::Leaf& leaf) {
  const std::string& subject = leaf.subject.key->scalar;
  const yaml::Node* of = leaf.modifier("of");
  return (subject == "label" || subject == "annotation") && of != nullptr && of->scalar == "object";
}

// The first such leaf.
const syntax::Leaf* ofObjectIn(const syntax::Condition& condition) {
  if (condition.kind == syntax::Condition::Kind::kLeaf)
    return isOfObject(condition.leaf) ? &condition.leaf : nullptr;
  for (const auto& part : condition.parts) {
    if (const auto* found = ofObjectIn(part)) return found;
  }
  return nullptr;
}

// Whether match says which objects are meant.
bool namesObjects(const syntax::PolicyDocument& tree) {
  const yaml::Node* match = tree.spec["match"];
  return match != nullptr && (match->find("resources") != nullptr || match->find("kinds") != nullptr);
}

}  // namespace

void checkObjectSense(const syntax::PolicyDocument& tree, Problems& problems) {
  if (namesObjects(tree)) return;
  for (const auto& rule : tree.rules) {
    if (!rule.condition || rule.verbKind != Verb::kRequire) continue;
    const syntax::Leaf* leaf = ofObjectIn(*rule.condition);
    if (leaf == nullptr) continue;
    problems.warning(
        leaf->subject.key->where, "made-by-controllers",
        "this is required of ReplicaSets and pods too, which controllers make without what their "
        "owners have of their own",
        "write `kinds` in `match`, such as `kinds: [Deployment, Job]`; for pods and templates "
        "leave `of: object` out");
  }
}

}  // namespace driftbar::policy
