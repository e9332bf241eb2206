// Which rules a request is judged and steered by.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "decision/judge.h"
#include "decision/subject.h"
#include "policy/policy.h"

namespace driftbar::decision {

// What no rule can be about, before anything is looked up for it; mirror pods; what is on its way out.
bool isLetBe(const kube::Request& request, const World& world);

// Calls `each` with the policies that have rules about such requests, and the views that they look at; with
// no views, they leave the request out.
template <typename Each>
void eachPolicy(const World& world, const Subject& subject, const Each& each) {
  std::vector<const View*> looked;
  const policy::Facts& any = subject.views().front().facts;  // what they are about is the same in each
  for (const auto& policy : world.policies->policies()) {
    const auto isAsked = [&](const policy::Rule& rule) { return policy.concerns(rule, any); };
    if (std::none_of(policy.rules.begin(), policy.rules.end(), isAsked)) continue;
    looked.clear();
    for (const auto& view : subject.views()) {
      // What cannot be told of a request (the labels of a namespace that is not known) does not take it out.
      if (policy.looksAt(view.facts) != policy::Truth::kFalse) looked.push_back(&view);
    }
    each(policy, std::span<const View* const>(looked));
  }
}

// Calls `ask` with each rule that this request is judged by, and the views that its policy looks at.
template <typename Ask>
void eachAsked(const World& world, const Subject& subject, const Ask& ask) {
  eachPolicy(world, subject, [&](const policy::Policy& policy, std::span<const View* const> looked) {
    if (looked.empty()) return;
    for (const auto& rule : policy.rules) {
      if (policy.concerns(rule, subject.views().front().facts)) ask(rule, looked);
    }
  });
}

}  // namespace driftbar::decision
