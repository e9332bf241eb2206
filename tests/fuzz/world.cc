#include "fuzz/world.h"

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/property.h"
#include "inventory/file.h"

namespace driftbar::fuzz {
namespace {

Source read(const std::string& name) {
  std::ifstream file(DRIFTBAR_SOURCE_DIR "/" + name, std::ios::binary);
  require(file.is_open(), name + " can be read");
  return makeSource(name, {std::istreambuf_iterator<char>(file), {}});
}

decision::World makeWorld() {
  const std::vector<Source> policies{read("policies/training-nodes/policy.yaml"),
                                     read("tests/fuzz/world/policy.yaml")};
  const std::vector<Source> nodes{read("tests/fuzz/world/nodes.yaml")};
  decision::World world;
  const auto loaded = policy::load(policies);
  require(loaded.set != nullptr, "the world's policies load:\n" + render(loaded.diagnostics));
  world.policies = loaded.set;
  const auto inventory = inventory::readInventory(nodes);
  require(inventory.ok(), "the world's nodes can be read");
  world.inventory = inventory->snapshot;
  return world;
}

kube::Review makeReview() {
  auto review = kube::Review::parse(read("tests/fuzz/world/review.json")->text);
  require(review.ok(), "the world's review can be read");
  return std::move(review).value();
}

}  // namespace

const decision::World& smallWorld() {
  static const decision::World world = makeWorld();
  return world;
}

const kube::Review& trainingReview() {
  static const kube::Review review = makeReview();
  return review;
}

Instant noon() {
  return *parseInstant("2026-12-01T12:00:00Z");
}

}  // namespace driftbar::fuzz
