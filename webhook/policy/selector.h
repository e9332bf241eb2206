// Kubernetes' label selectors as they are written in policies.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/label_selector.h"
#include "policy/problems.h"

namespace driftbar::policy {

// What is wrong is reported; `of` is the key it stands under.
std::optional<kube::LabelSelector> selectorOf(const yaml::Node& node, std::string_view of,
                                              Problems& problems);

// `pool=h100, zone in (a, b)`, as kubectl writes them.
std::string shown(const kube::LabelSelector& selector);

}  // namespace driftbar::policy
