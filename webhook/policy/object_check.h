// Objects that stand inside of a PolicyTest, held to what Kubernetes has (schema/shape.h).
//
// What no request can be made of is an error, and so is a value of another type than Kubernetes has, which an
// API server refuses (`hostNetwork: "yes"` would be judged as if it were not there). A field that Kubernetes
// does not have is a warning: an API server would drop or refuse it, and a case with it tests something else
// than it says. Kinds that are not built in are let be, below what every object has.
#pragma once

#include "policy/problems.h"
#include "yaml/yaml.h"

namespace driftbar::policy {

void checkObject(const yaml::Node& object, Problems& problems);

// The values of another type alone, an error each; the fields that Kubernetes does not have, a warning each.
Diagnostics wrongTypes(const yaml::Node& object);
Diagnostics unknownFields(const yaml::Node& object);

}  // namespace driftbar::policy
