// NodeBaseline documents.
#pragma once

#include <span>
#include <vector>

#include "policy/baseline.h"
#include "policy/drift_class.h"
#include "policy/envelope.h"
#include "policy/problems.h"

namespace driftbar::policy {

// Sorted by name. Whatever could be made of them; to be used only where nothing was reported. `uses` gets the
// classes of drift that are named.
std::vector<Baseline> baselinesOf(std::span<const Envelope> documents, std::vector<DriftClassUse>& uses,
                                  Problems& problems);

}  // namespace driftbar::policy
