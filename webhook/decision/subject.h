// Subject: the pod that a request is about, and how it is called in messages.
//
// Says which requests concern a pod's spec, and which of them decide where it goes. The table of requests is
// the contract's ("What is judged, and when"); the rules of Kubernetes behind it: k8s.io/kubernetes
// pkg/apis/core/validation ValidatePodUpdate (what can change after create), kubelet/lifecycle/predicate.go.
#pragma once

#include <string>

#include "kube/pod.h"
#include "kube/review.h"

namespace driftbar::decision {

// A request on pods, or on a subresource that can change a pod's spec or metadata.
bool concernsPod(const kube::Request& request);

// A pod that a kubelet runs from a file shows itself as a mirror: the node itself, asking for its own. Anyone
// else's annotation means nothing.
bool isOwnMirror(const kube::Request& request);

// An update of an object on its way out that leaves its spec as it is: finalizers must be able to go.
bool onlyLetsGo(const kube::Request& request);

// Whether this request settles where the pod may go: at create, or when the last scheduling gate goes, or
// when an update of an unbound pod changes it. A bound pod's placement is not judged again.
bool settlesPlacement(const kube::Request& request);

// `Pod "bert-0"`, `Pod "bert-*"`.
std::string shown(const kube::Pod& pod);

}  // namespace driftbar::decision
