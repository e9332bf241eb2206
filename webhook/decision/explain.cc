#include "decision/explain.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "decision/asked.h"
#include "decision/beyond.h"
#include "decision/rules.h"
#include "decision/subject.h"
#include "decision/words.h"
#include "scheduling/narrowing.h"
#include "scheduling/placement.h"

namespace driftbar::decision {

using policy::Mode;
using policy::Rule;
using policy::Truth;

namespace {

// The rules of avoidNodes that are asked of a view.
using ByView = std::map<const View*, std::vector<const Rule*>>;

ByView placementRules(const World& world, const Subject& subject) {
  ByView rules;
  const bool ofDaemonSet = subject.views().front().facts.ofDaemonSet;
  eachAsked(world, subject, [&](const Rule& rule, const auto& looked) {
    if (rule.verb != policy::Verb::kAvoidNodes || (ofDaemonSet && !rule.meansDaemonSets)) return;
    for (const View* view : looked) rules[view].push_back(&rule);
  });
  return rules;
}

std::string told(const std::vector<policy::Evidence>& evidence) {
  std::string out;
  for (const auto& one : evidence)
    out += (out.empty() ? "" : "; ") + shortened(one.sentence, kLongestSentence);
  return out;
}

std::vector<NodeExplained::Finding> findingsOn(const kube::Node& node, const View& view,
                                               const std::vector<const Rule*>& rules) {
  std::vector<NodeExplained::Finding> findings;
  for (const Rule* rule : rules) {
    const auto judged = evaluate(*rule, node, view.facts);
    if (judged.broken == Truth::kFalse) continue;
    findings.push_back({rule->id, rule->mode, judged.broken == Truth::kUnknown,
                        countsAsUnsafe(*rule, judged.broken), told(judged.evidence)});
  }
  return findings;
}

PodExplained explained(const View& view, const std::vector<const Rule*>& rules, const World& world,
                       const Answers& answers) {
  PodExplained pod;
  pod.shown = view.shown;
  pod.settled = view.settlesPlacement;
  const kube::Pod spec(view.facts.pod.pod);
  pod.narrowedBy = scheduling::narrowedBy(spec.spec());
  if (!world.inventory) return pod;
  const auto placement = scheduling::Placement::of(spec);
  for (const auto& node : world.inventory->nodes()) {
    NodeExplained one{printable(node->name()), {}, {}};
    for (auto& obstacle : placement.obstacles(*node)) one.obstacles.push_back(std::move(obstacle.text));
    if (one.open()) one.findings = findingsOn(*node, view, rules);
    pod.open += one.open() ? 1 : 0;
    pod.safe += one.safe() ? 1 : 0;
    pod.nodes.push_back(std::move(one));
  }
  if (pod.open > 0) return pod;
  // Of a pod that is pinned to a node that nobody knows there are no candidates to ask.
  const auto* candidates = answers.candidates(view.facts.pod);
  pod.whyNone = candidates != nullptr
                    ? candidates->whyNone()
                    : "it is pinned to " + printable(placement.nodeName()) + ", which is not among them";
  return pod;
}

// ---- rules

bool among(const std::vector<std::string_view>& rules, const std::string& rule) {
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

std::optional<RuleExplained> broken(const std::string& rule, const Verdict& verdict) {
  const std::pair<std::string_view, const std::vector<Finding>*> lists[] = {
      {kRefuses, &verdict.refused}, {kWarns, &verdict.warned}, {kRecords, &verdict.audited}};
  for (const auto& [state, findings] : lists) {
    for (const auto& finding : *findings) {
      if (finding.rule == rule) return RuleExplained{rule, state, finding.sentence};
    }
  }
  for (const auto& lifted : verdict.exempted) {
    if (lifted.rule == rule)
      return RuleExplained{rule, kLifted, "by exemption " + lifted.exemption + ": " + lifted.sentence};
  }
  for (const auto& note : verdict.notes) {
    if (note.starts_with(rule + ": ")) return RuleExplained{rule, kTells, note.substr(rule.size() + 2)};
  }
  return std::nullopt;
}

RuleExplained explained(const policy::Policy& policy, const Rule& rule, const AskedRules& rules,
                        const Verdict& verdict) {
  for (const auto& out : rules.leftOut) {
    if (out.policy == policy.name) return {rule.id, kLeftOut, out.by.empty() ? "" : "by " + out.by};
  }
  if (auto found = broken(rule.id, verdict)) return *std::move(found);
  if (among(rules.unsettled, rule.id))
    return {rule.id, kNotSettled, "the request does not settle where its pods go"};
  if (among(rules.asked, rule.id)) return {rule.id, kKept, ""};
  return {rule.id, kLeftOut, "by being of a DaemonSet"};
}

}  // namespace

bool NodeExplained::safe() const {
  return open() && std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
           return finding.counts && finding.mode == Mode::kEnforce;
         });
}

Explanation explain(const kube::Request& request, const World& world, const Found& found, Instant now,
                    const Verdict& verdict) {
  Explanation out;
  out.inventory = world.inventory != nullptr;
  if (isLetBe(request, world)) return out;
  const Answers answers(world, found);
  const Subject subject(request, world, answers, now);
  auto byView = placementRules(world, subject);
  for (const auto& view : subject.views()) {
    if (view.facts.podKnown && view.facts.pod.pod.exists())
      out.pods.push_back(explained(view, byView[&view], world, answers));
  }
  const auto rules = askedRules(request, world, found, now);
  for (const auto& policy : world.policies->policies()) {
    for (const auto& rule : policy.rules) {
      if (policy.concerns(rule, subject.views().front().facts))
        out.rules.push_back(explained(policy, rule, rules, verdict));
    }
  }
  return out;
}

}  // namespace driftbar::decision
