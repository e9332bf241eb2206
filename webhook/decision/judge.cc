#include "decision/judge.h"

#include <algorithm>
#include <vector>

#include "decision/asked.h"
#include "decision/rules.h"
#include "decision/subject.h"
#include "policy/condition.h"
#include "policy/resources.h"

namespace driftbar::decision {

namespace {

// Whether a condition is about more than the object's and the namespace's own labels and annotations.
bool asksOfPods(const policy::Condition& condition) {
  using Kind = policy::Condition::Kind;
  const policy::Of of = condition.argument.of;
  if (condition.kind == Kind::kLeaf) return of != policy::Of::kObject && of != policy::Of::kNamespace;
  return condition.kind == Kind::kSome || condition.kind == Kind::kEvery ||
         std::any_of(condition.parts.begin(), condition.parts.end(), asksOfPods);
}

// Whether some rule would look at the pod templates that the object does not have: with no pod to ask, what
// `match` says of it cannot be told. In audit nothing is said to the person who asks.
bool wouldLookAtTemplates(const World& world, const Subject& subject) {
  policy::Facts facts = subject.views().front().facts;
  facts.podKnown = false;
  const auto policies = world.policies->policies();
  return std::any_of(policies.begin(), policies.end(), [&](const policy::Policy& policy) {
    return policy.looksAt(facts) != policy::Truth::kFalse &&
           std::any_of(policy.rules.begin(), policy.rules.end(), [&](const policy::Rule& rule) {
             return rule.about == policy::About::kPods && rule.mode != policy::Mode::kAudit &&
                    policy.concerns(rule, facts) && rule.condition != nullptr && asksOfPods(*rule.condition);
           });
  });
}

}  // namespace

bool isLetBe(const kube::Request& request, const World& world) {
  return !concerns(request, world) || isOwnMirror(request) || onlyLetsGo(request);
}

Verdict judge(const kube::Request& request, const World& world, const Found& found, Instant now) {
  if (isLetBe(request, world)) return {};
  const Answers answers(world, found);
  const Subject subject(request, world, answers, now);
  Rules rules(request, world, subject, answers);
  eachAsked(world, subject, [&](const policy::Rule& rule, const auto& looked) { rules.judge(rule, looked); });
  Verdict verdict = rules.take();
  if (!subject.untemplated().empty() && wouldLookAtTemplates(world, subject))
    verdict.untemplated = subject.untemplated();
  return verdict;
}

AskedRules askedRules(const kube::Request& request, const World& world, const Found& found, Instant now) {
  AskedRules rules;
  if (isLetBe(request, world)) return rules;
  const Answers answers(world, found);
  const Subject subject(request, world, answers, now);
  const bool ofDaemonSet = subject.views().front().facts.ofDaemonSet;
  eachAsked(world, subject, [&](const policy::Rule& rule, const auto& looked) {
    if (rule.verb != policy::Verb::kAvoidNodes) return rules.asked.push_back(rule.id);
    if (ofDaemonSet && !rule.meansDaemonSets) return;
    const bool settled =
        std::any_of(looked.begin(), looked.end(), [](const View* v) { return v->settlesPlacement; });
    (settled ? rules.asked : rules.unsettled).push_back(rule.id);
  });
  eachPolicy(world, subject, [&](const policy::Policy& policy, const auto& looked) {
    if (looked.empty())
      rules.leftOut.push_back({policy.name, policy.leftOutBy(subject.views().front().facts)});
  });
  return rules;
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
  out.patch = verdict.patch;
  // Audit annotations keep one value a key, so the rules of a mode share one.
  const std::pair<const char*, const std::vector<Finding>*> byMode[] = {
      {"refused", &verdict.refused}, {"warned", &verdict.warned}, {"audited", &verdict.audited}};
  for (const auto& [mode, findings] : byMode) {
    std::string told;
    for (const auto& finding : *findings)
      told += (told.empty() ? "" : "; ") + finding.rule + ": " + finding.sentence;
    if (!told.empty()) out.auditAnnotations.emplace_back(mode, std::move(told));
  }
  std::string steered;
  for (const auto& rule : verdict.steered) steered += (steered.empty() ? "" : ", ") + rule;
  if (!steered.empty()) out.auditAnnotations.emplace_back("steered", std::move(steered));
  std::string lifted;
  for (const auto& one : verdict.exempted) {
    lifted += (lifted.empty() ? "" : "; ") + one.rule + " by " + one.exemption + " until " + one.ends + " (" +
              one.reason + "): " + one.sentence;
  }
  if (!lifted.empty()) out.auditAnnotations.emplace_back("exempted", std::move(lifted));
  return out;
}

}  // namespace driftbar::decision
