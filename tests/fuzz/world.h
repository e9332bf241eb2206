// A small cluster and two policies, for the targets that judge: what lies in tests/fuzz/world, and the
// shipped policy.
#pragma once

#include <span>

#include "base/time.h"
#include "decision/judge.h"
#include "kube/review.h"

namespace driftbar::fuzz {

const decision::World& smallWorld();
const kube::Review& trainingReview();  // a training pod's creation
Instant noon();                        // the moment at which everything is judged

}  // namespace driftbar::fuzz
