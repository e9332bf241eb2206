// Accelerators: which resources are GPUs and their kin, and which containers ask for one.
//
// A claim of dynamic resource allocation names its device class elsewhere, so none is seen here.
#pragma once

#include <span>
#include <string_view>

#include "base/json.h"

namespace driftbar::kube {

// Whether the container asks for a resource that fits one of the globs, more of it than 0.
bool asksFor(Json container, std::span<const std::string_view> resources);

bool asksForAccelerator(Json container);

}  // namespace driftbar::kube
