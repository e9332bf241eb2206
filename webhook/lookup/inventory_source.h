// A Source over an inventory: for `review` and `test`, and for a gate that was given a fixed one.
#pragma once

#include <memory>

#include "inventory/snapshot.h"
#include "lookup/source.h"

namespace driftbar::lookup {

class InventorySource : public Source {
 public:
  // Null: there is none, and nothing can be told.
  explicit InventorySource(std::shared_ptr<const inventory::Snapshot> inventory)
      : inventory_(std::move(inventory)) {}

  // An owner may be in no namespace though what it owns is in one.
  decision::Answer fetch(const decision::Need& need, Duration timeout) override;

 private:
  const std::shared_ptr<const inventory::Snapshot> inventory_;
};

}  // namespace driftbar::lookup
