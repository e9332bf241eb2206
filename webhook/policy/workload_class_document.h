// WorkloadClass documents: which pods belong to a class, and which drift hurts them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "policy/drift_class.h"
#include "policy/envelope.h"
#include "policy/problems.h"
#include "policy/workload_class.h"

namespace driftbar::policy {

// Those built in, each replaced by the document of its name, and the others. A class that is wrong is there
// all the same, so that what names it is not reported too. `uses` gets the classes of drift that are named.
std::shared_ptr<const WorkloadClasses> workloadClassesOf(std::span<const Envelope> documents,
                                                         std::vector<DriftClassUse>& uses,
                                                         Problems& problems);

}  // namespace driftbar::policy
