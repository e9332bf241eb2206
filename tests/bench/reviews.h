// What the bench sends and judges by: made here, so that the numbers can be had again anywhere.
#pragma once

#include <string>

namespace driftbar::bench {

// The review of a training pod of `bytes` or a little more: eight GPUs, NCCL's environment, volumes,
// managedFields.
std::string trainingReview(std::size_t bytes);

// Six rules that look at the pod alone.
std::string staticPolicy();
// One rule that looks at the nodes where it could land.
std::string placementPolicy();
// `count` GPU nodes in pools of a hundred; every tenth has drifted. The pod's pool is the last.
std::string nodes(int count);

}  // namespace driftbar::bench
