// Any pod can be asked about any node: it is admitted exactly where no obstacle is, and what is forgiven only
// opens nodes. The input is a pod, or a review of one.
#include "fuzz/property.h"
#include "fuzz/world.h"
#include "scheduling/placement.h"

using namespace driftbar;

namespace {

void checkNode(const scheduling::Placement& placement, const kube::Node& node) {
  const auto obstacles = placement.obstacles(node);
  fuzz::require(placement.admits(node) == obstacles.empty(),
                "a node is open exactly where nothing is in the way");
  fuzz::require(placement.obstacle(node).has_value() == !obstacles.empty(),
                "the first obstacle is one of all");
  fuzz::require(!placement.admits(node) || placement.admits(node, "drift.driftbar.io/"),
                "forgiving a taint closes no node");
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    fuzz::requireShowableLine(obstacles[i].text, "an obstacle");
    fuzz::require(i == 0 || obstacles[i - 1].kind < obstacles[i].kind,
                  "obstacles are one of a kind, in order");
  }
}

void checkRequests(Json spec) {
  const auto requests = kube::effectiveRequests(spec);
  for (std::size_t i = 1; i < requests.size(); ++i)
    fuzz::require(requests[i - 1].name < requests[i].name, "a resource is asked for once, in order");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = JsonDocument::parse(fuzz::textOf(data, size));
  if (!document) return 0;
  const Json reviewed = document->root()["request"]["object"];
  const kube::Pod pod(reviewed.exists() ? reviewed : document->root());
  const auto placement = scheduling::Placement::of(pod);
  for (const auto& node : fuzz::smallWorld().inventory->nodes()) checkNode(placement, *node);
  fuzz::require(scheduling::samePlacement(pod.spec(), pod.spec()), "a pod may go where it may go");
  checkRequests(pod.spec());
  return 0;
}
