#include "kube/accelerator.h"

#include <algorithm>

#include "base/glob.h"
#include "kube/quantity.h"

namespace driftbar::kube {
namespace {

constexpr std::string_view kAccelerators[] = {
    "nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-*",       "gpu.intel.com/*",   "amd.com/gpu",
    "google.com/tpu", "habana.ai/gaudi",       "aws.amazon.com/neuron*", "huawei.com/Ascend*"};

// What is no quantity may be anything, so it counts.
bool asksIn(Json amounts, std::span<const std::string_view> resources) {
  for (const auto& [name, amount] : amounts.entries()) {
    const std::string_view asked = name;  // clang 14 captures no structured binding
    if (std::none_of(resources.begin(), resources.end(), [&](auto glob) { return globFits(glob, asked); }))
      continue;
    const auto quantity = Quantity::read(amount);
    if (!quantity || *quantity > Quantity()) return true;
  }
  return false;
}

}  // namespace

bool asksFor(Json container, std::span<const std::string_view> resources) {
  const Json asked = container["resources"];
  return asksIn(asked["limits"], resources) || asksIn(asked["requests"], resources);
}

bool asksForAccelerator(Json container) {
  return asksFor(container, kAccelerators);
}

}  // namespace driftbar::kube
