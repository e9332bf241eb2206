#include "decision/judge.h"

#include <algorithm>
#include <vector>

#include "decision/rules.h"
#include "decision/subject.h"
#include "policy/resources.h"

namespace driftbar::decision {

namespace {

// Calls `ask` with each rule that this request is judged by, and the views that its policy looks at.
template <typename Ask>
void eachAsked(const World& world, const Subject& subject, const Ask& ask) {
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
    if (looked.empty()) continue;
    for (const auto& rule : policy.rules) {
      if (isAsked(rule)) ask(rule, looked);
    }
  }
}

// What no rule can be about, before anything is looked up for it; mirror pods; what is on its way out.
bool isLetBe(const kube::Request& request, const World& world) {
  return !concerns(request, world) || isOwnMirror(request) || onlyLetsGo(request);
}

}  // namespace

Verdict judge(const kube::Request& request, const World& world, const Found& found, Instant now) {
  if (isLetBe(request, world)) return {};
  const Answers answers(world, found);
  const Subject subject(request, world, answers, now);
  Rules rules(request, world, subject, answers);
  eachAsked(world, subject, [&](const policy::Rule& rule, const auto& looked) { rules.judge(rule, looked); });
  return rules.take();
}

std::vector<std::string_view> askedRules(const kube::Request& request, const World& world, const Found& found,
                                         Instant now) {
  std::vector<std::string_view> asked;
  if (isLetBe(request, world)) return asked;
  const Answers answers(world, found);
  const Subject subject(request, world, answers, now);
  const bool ofDaemonSet = subject.views().front().facts.ofDaemonSet;
  eachAsked(world, subject, [&](const policy::Rule& rule, const auto& looked) {
    // Where a placement is not settled yet, its rules have kept quiet.
    const bool placed =
        (!ofDaemonSet || rule.meansDaemonSets) &&
        std::any_of(looked.begin(), looked.end(), [](const View* v) { return v->settlesPlacement; });
    if (rule.verb != policy::Verb::kAvoidNodes || placed) asked.push_back(rule.id);
  });
  return asked;
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
  std::string lifted;
  for (const auto& one : verdict.exempted) {
    lifted += (lifted.empty() ? "" : "; ") + one.rule + " by " + one.exemption + " until " + one.ends + " (" +
              one.reason + "): " + one.sentence;
  }
  if (!lifted.empty()) out.auditAnnotations.emplace_back("exempted", std::move(lifted));
  return out;
}

}  // namespace driftbar::decision
