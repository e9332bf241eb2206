// Sense: what loads, and does not mean what its author thinks. All of it are warnings, and each is right:
// where something can't be told for certain, nothing is said.
//
//   sense_conditions  conditions that always or never hold, whatever the object
//   sense_rules       rules that say the same, rules that another one drowns
//   sense_blind       rules that forbid something, and are blind to it elsewhere or written shorter
//   sense_object      rules that require of ReplicaSets and pods what only their owners have
//   sense_except      entries of `except` that take out all that `match` lets in
//   sense_steering    rules that can keep pods off nodes by name only
#pragma once

#include <span>
#include <vector>

#include "policy/condition.h"
#include "policy/policy.h"
#include "policy/problems.h"
#include "policy/syntax.h"

namespace driftbar::policy {

// `policies` are what `trees` were compiled to, one for one and without an error.
void checkSense(std::span<const syntax::PolicyDocument> trees, std::span<const Policy> policies,
                Problems& problems);

// `made` is what `from` was compiled to.
void checkConditionSense(const syntax::Rule& from, const Rule& made, Problems& problems);
void checkBlindSense(const syntax::Rule& rule, Problems& problems);
void checkSteeringSense(const syntax::Rule& from, const Rule& made, Problems& problems);
void checkRuleSense(std::span<const syntax::PolicyDocument> trees, std::span<const Policy> policies,
                    Problems& problems);
void checkObjectSense(const syntax::PolicyDocument& tree, Problems& problems);
void checkExceptSense(const syntax::PolicyDocument& tree, Problems& problems);

// The same for what means the same: the order of keys and of list items, and how it is written, left out.
std::string canonical(const yaml::Node& node);

}  // namespace driftbar::policy
