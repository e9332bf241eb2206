// BoundNode: the node that the pod of a scope is bound or pinned to, for `onNode`.
#pragma once

#include <string>
#include <string_view>

#include "policy/scope.h"

namespace driftbar::policy {

class BoundNode {
 public:
  explicit BoundNode(const Scope& scope) : scope_(scope) {
    const Facts& facts = *scope.facts;
    name_ = facts.pod.pod["spec"]["nodeName"].text();
    if (name_.empty() || facts.beyond == nullptr) return;
    const auto found = facts.beyond->node(name_);
    if (!found.known || found.node == nullptr) return;
    place_ = "node[\"" + std::string(name_) + "\"]";
    scope_.node = found.node;
    scope_.nodeObject = found.node->object();
    scope_.nodePlace = place_;
  }

  std::string_view name() const { return name_; }  // empty where the pod is on none
  // Of a node that is gone nothing can be told either.
  bool known() const { return scope_.node != nullptr; }
  const Scope& scope() const { return scope_; }

 private:
  Scope scope_;
  std::string_view name_;
  std::string place_;  // scope_ looks at it, so this is neither copied nor moved
};

}  // namespace driftbar::policy
