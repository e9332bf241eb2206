// breakGlass of a Policy: who may pass its rules for a while. It is read and checked whole; that it holds is
// not part of this version.
#pragma once

#include "policy/problems.h"

namespace driftbar::policy {

// Reports what is wrong with it.
void checkBreakGlass(const yaml::Node& node, Problems& problems);

}  // namespace driftbar::policy
