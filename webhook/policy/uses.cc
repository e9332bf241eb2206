#include "policy/uses.h"

#include <algorithm>

#include "policy/field.h"
#include "policy/subject_table.h"

namespace driftbar::policy {
namespace {

void add(Uses& uses, unsigned about) {
  const bool pods = (about & SubjectRow::kPods) != 0, nodes = (about & SubjectRow::kNodes) != 0;
  if (pods && nodes) {
    uses.either = true;
  } else {
    uses.pods = uses.pods || pods;
    uses.nodes = uses.nodes || nodes;
  }
}

void addPath(Uses& uses, std::string_view path) {
  if (path.starts_with("templates") || path.starts_with("ranks")) {
    uses.whole = true;
  } else {
    add(uses, Field::aboutOf(path));
  }
}

void addPath(Uses& uses, const yaml::Node& node) {
  if (node.isText()) addPath(uses, node.scalar);
  for (const auto& item : node.items) {
    if (item.isText()) addPath(uses, item.scalar);
  }
}

void addLeaf(Uses& uses, const syntax::Leaf& leaf) {
  const SubjectRow& row = *subjectRow(leaf.subject.key->scalar);
  if (row.byPath) return addPath(uses, *leaf.subject.value);
  // Only beside what pods and workloads have does `of` mean anything.
  const yaml::Node* of = leaf.modifier("of");
  const bool ofWhole = of != nullptr && (of->scalar == "object" || of->scalar == "namespace");
  if (ofWhole || row.name == "rankEnv") {
    uses.whole = true;
    return;
  }
  if (of != nullptr) return add(uses, SubjectRow::kPods);
  unsigned about = 0;
  for (const auto& one : subjectTable()) {
    if (one.name == row.name) about |= one.about;
  }
  add(uses, about);
}

}  // namespace

Uses usesOf(const syntax::Condition& condition) {
  using Kind = syntax::Condition::Kind;
  Uses uses;
  switch (condition.kind) {
    case Kind::kLeaf:
      addLeaf(uses, condition.leaf);
      return uses;
    case Kind::kOnNode:
      uses.pods = true;  // what is inside of it is about a node that a pod is on
      return uses;
    case Kind::kSome:
    case Kind::kEvery:
      addPath(uses, *condition.path);
      return uses;
    default:
      break;
  }
  for (const auto& part : condition.parts) {
    const Uses more = usesOf(part);
    uses = {uses.pods || more.pods, uses.nodes || more.nodes, uses.whole || more.whole,
            uses.either || more.either};
  }
  return uses;
}

}  // namespace driftbar::policy
