// Objects that stand inside of a PolicyTest, held to what Kubernetes has (schema/shape.h).
//
// What `driftbar test` can't make a request of is an error. A field that Kubernetes does not have is a
// warning: an API server would drop or refuse it, and a case with it tests something else than it says. Kinds
// that are not built in are let be, below what every object has.
#pragma once

#include "policy/problems.h"
#include "yaml/yaml.h"

namespace driftbar::policy {

void checkObject(const yaml::Node& object, Problems& problems);

}  // namespace driftbar::policy
