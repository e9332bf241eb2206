#include "decision/judge.h"

#include <algorithm>
#include <vector>

#include "decision/rules.h"
#include "decision/subject.h"
#include "policy/resources.h"

namespace driftbar::decision {

Verdict judge(const kube::Request& request, const World& world, const Found& found, Instant now) {
  if (isOwnMirror(request) || onlyLetsGo(request)) return {};
  const Answers answers(world, found, now);
  const Subject subject(request, world, answers, now);
  Rules rules(request, world, subject, answers);
  std::vector<const View*> looked;
  for (const auto& policy : world.policies->policies()) {
    looked.clear();
    for (const auto& view : subject.views()) {
      // What cannot be told of a request (the labels of a namespace that is not known) does not take it out.
      if (policy.looksAt(view.facts) != policy::Truth::kFalse) looked.push_back(&view);
    }
    if (looked.empty()) continue;
    for (const auto& rule : policy.rules) {
      if (policy.concerns(rule, looked.front()->facts)) rules.judge(policy, rule, looked);
    }
  }
  return rules.take();
}

bool concerns(const kube::Request& request, const World& world) {
  if (policy::isAboutPod(request) || policy::isAboutNode(request)) return true;
  if (request.subResource.empty() && kindsIn(world).find(request.kind.group, request.kind.kind) != nullptr)
    return true;
  const auto policies = world.policies->policies();
  return std::any_of(policies.begin(), policies.end(), [&](const policy::Policy& policy) {
    return policy.match.resources() && policy.match.resources()->has(request);
  });
}

kube::Response response(const kube::Request& request, const Verdict& verdict) {
  kube::Response out;
  out.uid = std::string(request.uid);
  out.allowed = verdict.allowed();
  out.message = refusal(verdict);
  out.warnings = warnings(verdict);
  // Audit annotations keep one value a key, so the rules of a mode share one.
  const std::pair<const char*, const std::vector<Finding>*> byMode[] = {
      {"refused", &verdict.refused}, {"warned", &verdict.warned}, {"audited", &verdict.audited}};
  for (const auto& [mode, findings] : byMode) {
    std::string told;
    for (const auto& finding : *findings)
      told += (told.empty() ? "" : "; ") + finding.rule + ": " + finding.sentence;
    if (!told.empty()) out.auditAnnotations.emplace_back(mode, std::move(told));
  }
  return out;
}

}  // namespace driftbar::decision
