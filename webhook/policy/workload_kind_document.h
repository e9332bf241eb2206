// WorkloadKind documents: rows for the table of kinds that make pods.
#pragma once

#include <memory>
#include <span>

#include "policy/envelope.h"
#include "policy/problems.h"
#include "workload/workload.h"

namespace driftbar::policy {

// The table with the shipped documents.
std::shared_ptr<const workload::Kinds> shippedKinds();

// And with these, each in the place of a row of its group and kind. What is wrong is reported.
std::shared_ptr<const workload::Kinds> workloadKindsOf(std::span<const Envelope> documents,
                                                       Problems& problems);

// A kind, or a resource with its group, that is not known and looks like one that is gets a warning. Those
// that are not known at all may be of any API.
void warnOfUnlikelyKind(const yaml::Node& word, const workload::Kinds& kinds, Problems& problems);
void warnOfUnlikelyResource(const yaml::Node& word, const workload::Kinds& kinds, Problems& problems);

}  // namespace driftbar::policy
