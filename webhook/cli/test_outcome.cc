#include "cli/test_outcome.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace driftbar::cli {
namespace {

using Names = std::set<std::string>;

std::string shown(const Names& rules) {
  std::string out;
  for (const auto& rule : rules) out += (out.empty() ? "" : ", ") + printable(rule);
  return out.empty() ? "none" : out;
}

Names namesOf(const std::vector<decision::Finding>& findings) {
  const auto rules = rulesOf(findings);
  return {rules.begin(), rules.end()};
}

Names exemptedBy(const decision::Verdict& verdict) {
  Names rules;
  for (const auto& lifted : verdict.exempted) rules.insert(lifted.rule);
  return rules;
}

// The broken rules by the keys of `expect`.
Names listOf(std::string_view key, const decision::Verdict& verdict) {
  if (key == "rules") return namesOf(verdict.refused);
  if (key == "warned") return namesOf(verdict.warned);
  if (key == "audited") return namesOf(verdict.audited);
  return exemptedBy(verdict);
}

void compareRules(Outcome& outcome) {
  for (const auto& list : policy::ruleLists()) {
    const auto& wanted = outcome.of->wanted->expected.*list.rules;
    if (!wanted) continue;
    Names expected;
    for (const auto& rule : *wanted) expected.insert(rule.text);
    const Names came = listOf(list.key, outcome.reviewed.verdict);
    if (came != expected) outcome.mismatches.push_back({std::string(list.key), shown(expected), shown(came)});
  }
}

void compareMessage(Outcome& outcome) {
  const auto message = messageOf(outcome.reviewed);
  for (const auto& part : outcome.of->wanted->expected.message) {
    if (message.find(part.text) == std::string::npos)
      outcome.mismatches.push_back({"message", part.text, message});
  }
}

// Whether the path leads to this value, of several to one that is it.
bool hasAt(Json object, const std::string& path, Json value) {
  bool there = false;
  const auto parsed = FieldPath::parse(path);
  parsed->each(object,
               [&](const std::string&, Json one) { there = there || (one.exists() && one == value); });
  return there;
}

// A value that is there without our doing is no proof that a rule put it there.
void comparePatched(Outcome& outcome) {
  const auto& wanted = outcome.of->wanted->expected.patched;
  if (!wanted) return;
  const auto& patch = outcome.reviewed.verdict.patch;
  const std::string came = patch.empty() ? "no change" : printable(patch);
  if (wanted->empty() && !patch.empty()) outcome.mismatches.push_back({"patched", "no change", came});
  if (wanted->empty()) return;
  const auto object = JsonDocument::parse(patch.empty() ? "{}" : outcome.reviewed.object);
  for (const auto& [path, value] : *wanted) {
    if (!hasAt(object->root(), path.text, yaml::toJson(value)->root()))
      outcome.mismatches.push_back({"patched", path.text + " " + yaml::toJsonText(value), came});
  }
}

// The pod of connect and bind is the case's own; all else is looked up in its inventory.
decision::Found foundFor(const PlannedCase& planned) {
  decision::Found own;
  const auto& request = planned.review.request();
  if (planned.pod) {
    for (const auto& need : decision::judge(request, planned.world, own, planned.now).needs) {
      const bool isThePod =
          need.kind == decision::Need::Kind::kPod && need.ns == request.ns && need.name == request.name;
      if (isThePod) own.add(need, decision::ofThatUid(need, *planned.pod));
    }
  }
  return lookedUp(request, planned.world, planned.now, own);
}

}  // namespace

std::string messageOf(const Reviewed& reviewed) {
  std::string message = decision::refusal(reviewed.verdict);
  for (const auto& warning : reviewed.warnings) message += (message.empty() ? "" : "\n") + warning;
  return message;
}

Outcome run(const PlannedCase& planned) {
  const auto& request = planned.review.request();
  const auto found = foundFor(planned);
  Outcome outcome{&planned, reviewed(request, planned.world, found, planned.now), {}};
  const auto& allowed = planned.wanted->expected.allowed;
  if (allowed && *allowed != outcome.reviewed.verdict.allowed())
    outcome.mismatches.push_back({"verdict", *allowed ? "allow" : "deny", *allowed ? "deny" : "allow"});
  compareRules(outcome);
  compareMessage(outcome);
  comparePatched(outcome);
  return outcome;
}

Coverage::Coverage(const TestPlan& plan) {
  for (const auto& set : plan.sets) {
    for (const auto& policy : set->policies()) {
      for (const auto& rule : policy.rules)
        rows_.try_emplace({rule.id, rule.where.source->name}, Row{rule.id, rule.where, 0, 0});
    }
  }
}

void Coverage::count(const Outcome& outcome) {
  const auto& verdict = outcome.reviewed.verdict;
  Names broken;
  for (const auto& list : policy::ruleLists()) broken.merge(listOf(list.key, verdict));
  const auto spoke = [&](const std::string& rule) {
    const auto isItsNote = [&](const std::string& note) { return note.starts_with(rule + ":"); };
    return std::any_of(verdict.notes.begin(), verdict.notes.end(), isItsNote) ||
           std::find(verdict.faulted.begin(), verdict.faulted.end(), rule) != verdict.faulted.end();
  };
  // Of a pod that fits no node no rule about nodes has anything to say.
  const bool nowhere = std::any_of(verdict.notes.begin(), verdict.notes.end(), [](const std::string& note) {
    return note.starts_with(std::string(decision::kNoRule) + ":");
  });
  for (const auto& policy : outcome.of->world.policies->policies()) {
    for (const auto& rule : policy.rules) {
      const auto row = rows_.find({rule.id, rule.where.source->name});
      if (row == rows_.end()) continue;
      const bool asked = std::find(outcome.reviewed.asked.begin(), outcome.reviewed.asked.end(), rule.id) !=
                         outcome.reviewed.asked.end();
      if (broken.contains(rule.id)) {
        ++row->second.broken;
      } else if (asked && !spoke(rule.id) && !(nowhere && rule.verb == policy::Verb::kAvoidNodes)) {
        ++row->second.kept;
      }
    }
  }
}

std::vector<Coverage::Row> Coverage::rows() const {
  std::vector<Row> out;
  for (const auto& [key, row] : rows_) out.push_back(row);
  return out;
}

bool Coverage::whole() const {
  return std::all_of(rows_.begin(), rows_.end(), [](const auto& entry) { return entry.second.whole(); });
}

}  // namespace driftbar::cli
