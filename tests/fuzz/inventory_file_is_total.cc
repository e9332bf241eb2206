// Any text is an inventory, the same each time, or is refused with the place of every error.
#include <string>
#include <vector>

#include "fuzz/property.h"
#include "inventory/file.h"

using namespace driftbar;

namespace {

void checkSnapshot(const inventory::Snapshot& snapshot) {
  std::string_view before;
  for (const auto& node : snapshot.nodes()) {
    fuzz::require(before < node->name(), "nodes are sorted, and each is there once");
    before = node->name();
    fuzz::require(snapshot.node(node->name()) == node.get(), "a node is found by its name");
    fuzz::require(kube::Node::parse(node->object()).ok(), "what is kept of a node is a node");
    for (const auto& [key, value] : node->labels().pairs())
      fuzz::require(node->labels().find(key) == value, "a label is found by its key");
  }
}

std::size_t countOf(const inventory::FileInventory& inventory) {
  return inventory.snapshot->nodes().size() + inventory.snapshot->namespaceCount();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<Source> sources{makeSource("nodes.yaml", std::string(fuzz::textOf(data, size)))};
  const auto inventory = inventory::readInventory(sources);
  const auto again = inventory::readInventory(sources);
  fuzz::require(inventory.ok() == again.ok(), "reading twice gives the same");
  if (!inventory) {
    fuzz::requireErrors(inventory.errors());
    for (const auto& error : inventory.errors())
      fuzz::require(error.where.source != nullptr, "each error says where");
    fuzz::require(render(inventory.errors()) == render(again.errors()), "reading twice says the same");
    return 0;
  }
  fuzz::requireShowable(render(inventory->warnings), "a warning");
  fuzz::require(countOf(*inventory) == countOf(*again), "reading twice gives as many objects");
  checkSnapshot(*inventory->snapshot);
  return 0;
}
