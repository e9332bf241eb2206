#include "lookup/inventory_source.h"

namespace driftbar::lookup {

using decision::Answer;
using decision::Need;

Answer InventorySource::fetch(const Need& need, Duration) {
  if (inventory_ == nullptr) return Answer::none(Answer::Silence::kFailed, "there is no inventory");
  if (need.group.empty() && need.object == "Node") {
    const auto* node = inventory_->node(need.name);
    return node == nullptr ? Answer::notFound() : Answer::found(node->object(), inventory_, 0);
  }
  if (need.group.empty() && need.object == "Namespace") {
    const auto* ns = inventory_->ns(need.name);
    return ns == nullptr ? Answer::notFound() : Answer::found(ns->object(), inventory_, 0);
  }
  auto object = inventory_->object(need.group, need.object, need.ns, need.name);
  if (object == nullptr && need.kind == Need::Kind::kOwner) {
    object = inventory_->object(need.group, need.object, "", need.name);
  }
  return object == nullptr ? Answer::notFound() : Answer::found(object->object(), object, 0);
}

}  // namespace driftbar::lookup
