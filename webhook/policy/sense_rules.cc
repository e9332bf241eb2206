// Rules that say the same, and rules that another one drowns. Both are told by what is written: the order of
// keys and list items never matters in a rule, all else does.
#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "policy/sense.h"

namespace driftbar::policy {
namespace {

// What a rule may differ in and say the same all the same.
constexpr std::string_view kWords[] = {"name", "message", "fix", "docs", "mode"};

std::string joined(std::vector<std::string> parts, char open, char close) {
  std::sort(parts.begin(), parts.end());
  std::string out(1, open);
  for (const auto& part : parts) out += part + ",";
  return out + close;
}

// Everything of the rule but its words.
std::string meaning(const syntax::Rule& rule) {
  std::vector<std::string> parts;
  for (const auto& member : rule.members.all()) {
    const std::string& key = member.key->scalar;
    if (std::find(std::begin(kWords), std::end(kWords), key) != std::end(kWords)) continue;
    parts.push_back(canonical(*member.key) + ":" + canonical(*member.value));
  }
  return joined(std::move(parts), '{', '}');
}

std::string meaningOf(const Members& spec, std::string_view key) {
  const yaml::Node* node = spec[key];
  return node != nullptr ? canonical(*node) : "{}";
}

struct Known {
  const Policy* policy;
  const Rule* rule;
  std::string meaning;  // of the rule
  std::string scope;    // of what its policy looks at
};

std::vector<Known> allRules(std::span<const syntax::PolicyDocument> trees, std::span<const Policy> policies) {
  std::vector<Known> all;
  for (std::size_t p = 0; p < trees.size(); ++p) {
    const std::string scope = meaningOf(trees[p].spec, "match") + meaningOf(trees[p].spec, "except");
    for (std::size_t r = 0; r < trees[p].rules.size(); ++r)
      all.push_back({&policies[p], &policies[p].rules[r], meaning(trees[p].rules[r]), scope});
  }
  return all;
}

// Whether the operations that match names leave updates out.
bool leavesUpdatesOut(const yaml::Node* match) {
  const yaml::Node* operations = match != nullptr ? match->find("operations") : nullptr;
  if (operations == nullptr) return false;
  const auto isUpdate = [](const yaml::Node& word) {
    return word.scalar.size() == 6 && (word.scalar[0] == 'u' || word.scalar[0] == 'U');
  };
  return !isUpdate(*operations) && std::none_of(operations->items.begin(), operations->items.end(), isUpdate);
}

void checkChanged(const syntax::Condition& condition, Problems& problems) {
  for (const auto& part : condition.parts) checkChanged(part, problems);
  const yaml::Node* subject = condition.leaf.subject.key;
  if (subject == nullptr || subject->scalar != "changed") return;
  problems.warning(subject->where, "never-holds", "`changed` looks at updates, and `operations` names none",
                   "add `update` to `operations` under `match`");
}

std::string placeOf(const Location& there, const Location& here) {
  const std::string file =
      there.source == here.source || !there.source ? "" : printable(there.source->name) + ", ";
  return file + "line " + std::to_string(there.line);
}

// Whether there was something to say. `later` stands after `earlier`.
bool compare(const Known& earlier, const Known& later, Problems& problems) {
  const Rule &a = *earlier.rule, &b = *later.rule;
  if (a.mode == b.mode) {
    problems.warning(b.where, "duplicate-rule",
                     "the rule says the same as `" + a.id + "`: " + placeOf(a.where, b.where),
                     "take one of the two out");
    return true;
  }
  if (earlier.policy != later.policy || (a.mode != Mode::kEnforce && b.mode != Mode::kEnforce)) return false;
  const Rule& enforced = a.mode == Mode::kEnforce ? a : b;
  const Rule& drowned = a.mode == Mode::kEnforce ? b : a;
  problems.warning(drowned.where, "shadowed-rule",
                   "what this rule would find is refused by `" + enforced.id +
                       "`: " + placeOf(enforced.where, drowned.where),
                   "take it out, or let it look at more");
  return true;
}

}  // namespace

std::string canonical(const yaml::Node& node) {
  std::vector<std::string> parts;
  for (const auto& item : node.items) parts.push_back(canonical(item));
  if (node.isList()) return joined(std::move(parts), '[', ']');
  for (const auto& [key, value] : node.entries) parts.push_back(canonical(key) + ":" + canonical(value));
  if (node.isMap()) return joined(std::move(parts), '{', '}');
  return std::to_string(static_cast<int>(node.kind)) + quoted(node.scalar);
}

void checkRuleSense(std::span<const syntax::PolicyDocument> trees, std::span<const Policy> policies,
                    Problems& problems) {
  std::map<std::string, std::vector<Known>> alike;
  for (auto& rule : allRules(trees, policies)) {
    auto& earlier = alike[rule.scope + rule.meaning];
    for (const auto& one : earlier) {
      if (compare(one, rule, problems)) break;
    }
    earlier.push_back(std::move(rule));
  }
}

void checkSense(std::span<const syntax::PolicyDocument> trees, std::span<const Policy> policies,
                Problems& problems) {
  for (std::size_t p = 0; p < trees.size(); ++p) {
    checkExceptSense(trees[p], problems);
    checkObjectSense(trees[p], problems);
    const bool noUpdates = leavesUpdatesOut(trees[p].spec["match"]);
    for (std::size_t r = 0; r < trees[p].rules.size(); ++r) {
      if (noUpdates && trees[p].rules[r].condition) checkChanged(*trees[p].rules[r].condition, problems);
      checkConditionSense(trees[p].rules[r], policies[p].rules[r], problems);
      checkBlindSense(trees[p].rules[r], problems);
      checkSteeringSense(trees[p].rules[r], policies[p].rules[r], problems);
    }
  }
  checkRuleSense(trees, policies, problems);
}

}  // namespace driftbar::policy
