// THE TABLES of the keys that documents beside Policy have.
#pragma once

#include <span>

#include "policy/vocabulary.h"

namespace driftbar::policy {

// Of a WorkloadClass only what stands beside its condition.
const KeySet& workloadClassKeys();

const KeySet& workloadKindKeys();
const KeySet& templateKeys();
const KeySet& replicasKeys();

const KeySet& exemptionKeys();
const KeySet& breakGlassKeys();  // of a Policy; not in documentKeySets(), for it is refused in this version

const KeySet& baselineKeys();
const KeySet& baselineNodesKeys();
const KeySet& expectationKeys();  // besides the subject and its tests
const KeySet& expectedDriftKeys();
const KeySet& quarantineKeys();

std::span<const KeySet* const> documentKeySets();

}  // namespace driftbar::policy
