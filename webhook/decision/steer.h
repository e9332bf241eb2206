// steer: what the mutating webhook answers. A pod that a scheduler will place gets node affinity that keeps
// it off the nodes that rules call unsafe, so that it lands on a safe one without anybody choosing it.
//
// A pure function, as judge(). It never refuses: that is the validating webhook's, which sees what has become
// of the pod. So where too few safe nodes would be left the pod stays as it is, and the refusal names the
// nodes.
//
// Steered are pods alone: at create, or where the last scheduling gate goes; never one with nodeName or of a
// DaemonSet.
#pragma once

#include "decision/judge.h"

namespace driftbar::decision {

// As many nodes as are kept off by name; every one makes the pod larger.
inline constexpr std::size_t kMostNames = 64;

// The verdict allows, and has the patch, its rules, notes and needs.
Verdict steer(const kube::Request& request, const World& world, const Found& found, Instant now);

}  // namespace driftbar::decision
