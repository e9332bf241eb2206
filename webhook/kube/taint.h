// Taints of nodes, tolerations of pods, and which tolerates which.
//
// Source of the rules: k8s.io/api core/v1/toleration.go ToleratesTaint. The operators Lt and Gt belong to a
// feature gate that is alpha and off (TaintTolerationComparisonOperators), and then tolerate nothing.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace driftbar::kube {

struct Taint {
  std::string_view key, value, effect;
  static std::vector<Taint> listOf(Json taints);  // views into the document
};

struct Toleration {
  std::string_view key, op, value, effect;
  static std::vector<Toleration> listOf(Json tolerations);
  bool tolerates(const Taint& taint) const;
};

// The scheduler's filter looks at NoSchedule and NoExecute only; PreferNoSchedule merely scores.
bool closes(const Taint& taint);

// The first taint that closes the node to a pod with these tolerations; null where there is none.
const Taint* untolerated(std::span<const Taint> taints, std::span<const Toleration> tolerations);

}  // namespace driftbar::kube
