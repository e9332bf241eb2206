#include "decision/judge.h"

#include "decision/rules.h"
#include "decision/subject.h"

namespace driftbar::decision {

Verdict judge(const kube::Request& request, const World& world, Instant now) {
  if (!concernsPod(request) || isOwnMirror(request) || onlyLetsGo(request)) return {};
  Rules rules(request, world, now);
  for (const auto& policy : world.policies->policies()) {
    // What cannot be told of a request (the labels of a namespace that is not known) does not take it out.
    if (policy.fits(rules.facts()) == policy::Truth::kFalse) continue;
    for (const auto& rule : policy.rules) rules.judge(policy, rule);
  }
  return rules.take();
}

}  // namespace driftbar::decision
