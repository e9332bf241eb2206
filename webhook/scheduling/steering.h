// Steering: the node affinity that keeps a pod off nodes, beside what its author wrote.
//
// steered() is the way in. What is wanted is said as clauses (kube::Clause): of each, one requirement must
// hold for the node. Terms of required affinity are ORed, so each clause goes into every term; one of several
// requirements doubles the terms. A term that matches nothing is left alone, and none is made beside such: no
// node is opened that was closed. What stands in a term already is not added again, so that steering twice
// changes nothing.
//
// Not here: which pods are steered, and to what (decision/steer.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "kube/label_selector.h"

namespace driftbar::scheduling {

// As many terms as clauses may lead to.
inline constexpr std::size_t kMostTerms = 16;

// What a pod is to be kept to: clauses, which hold for nodes that come later too, and nodes that it is kept
// off by name.
struct Wanted {
  std::vector<kube::Clause> clauses;
  std::vector<std::string> notOn;
};

struct Steered {
  std::optional<std::string> affinity;  // the pod's node affinity, JSON text; nothing where it stays as it is
  // Of what is required, what could not be said: there would be more than kMostTerms, or a term would be
  // doubled that may only be appended to. The nodes that it closes have to be named.
  std::vector<kube::Clause> left;
};

// Of a pod that a scheduler will place. `onlyAppends`: terms that there are may get more requirements and no
// company, which is so for a pod whose scheduling gates go (apimachinery's ValidatePodUpdate). Each of
// `preferred` becomes terms of the highest weight, or is left out where they would be more than kMostTerms.
Steered steered(Json podSpec, const Wanted& required, std::span<const Wanted> preferred, bool onlyAppends);

}  // namespace driftbar::scheduling
