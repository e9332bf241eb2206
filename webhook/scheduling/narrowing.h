// Narrowing: what in a pod spec may keep it off nodes that Placement lets it land on.
//
// The scheduler asks for it as well, and it changes by the minute or is written elsewhere than on the pod and
// the node: other pods, volumes, devices, ports in use. It is not judged; people are told that it is there.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace driftbar::scheduling {

// `pod affinity`, `volume data (persistentVolumeClaim)`; printable, in the order of the table. Free room may
// narrow it always, and is not named.
std::vector<std::string> narrowedBy(Json podSpec);

}  // namespace driftbar::scheduling
