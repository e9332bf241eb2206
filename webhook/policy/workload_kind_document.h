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

// Another letter case or a plural of a kind that is known here is an error; one slip of the finger is a
// warning, for kinds need not be known. False where there is an error.
bool checkLikelyKind(const yaml::Node& word, const workload::Kinds& kinds, Problems& problems);
// Warns of words of `kinds` that nothing is known of, where no `resources` stand beside them.
void warnOfUnknownKinds(const yaml::Node& words, const workload::Kinds& kinds, Problems& problems);
// The kind that is known here and differs from `word` by letter case or a plural; empty where there is none.
std::string kindMeantBy(std::string_view word, const workload::Kinds& kinds);
// A resource with its group that is not known and looks like one that is gets a warning. Those that are not
// known at all may be of any API.
void warnOfUnlikelyResource(const yaml::Node& word, const workload::Kinds& kinds, Problems& problems);

}  // namespace driftbar::policy
