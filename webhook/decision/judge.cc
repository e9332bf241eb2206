#include "decision/judge.h"

#include "decision/rules.h"
#include "decision/subject.h"

namespace driftbar::decision {

Verdict judge(const kube::Request& request, const World& world, Instant now) {
  if (!concernsPod(request) || isOwnMirror(request) || onlyLetsGo(request)) return {};
  Rules rules(request, world, now);
  for (const auto& policy : world.policies->policies()) {
    // What cannot be told of a request (the labels of a namespace that is not known) does not take it out.
    if (policy.looksAt(rules.facts()) == policy::Truth::kFalse) continue;
    for (const auto& rule : policy.rules) {
      if (policy.concerns(rule, rules.facts())) rules.judge(policy, rule);
    }
  }
  return rules.take();
}

bool concerns(const kube::Request& request) {
  return concernsPod(request);
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
