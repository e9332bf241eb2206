#include "policy/syntax.h"

#include <algorithm>

#include "policy/break_glass.h"
#include "policy/subject_table.h"
#include "policy/test_table.h"

namespace driftbar::policy::syntax {
namespace {

constexpr VerbRow kVerbs[] = {
    {"deny", Verb::kDeny}, {"require", Verb::kRequire}, {"avoidNodes", Verb::kAvoidNodes}};

const VerbRow* verbRow(std::string_view name) {
  for (const auto& row : kVerbs) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// A key that is none of a rule's, with what could be a condition: it has been told as unknown.
bool hasStrangeVerb(const yaml::Node& node) {
  const auto keys = ruleKeys().keys;
  return std::any_of(node.entries.begin(), node.entries.end(), [&](const yaml::Node::Entry& entry) {
    const std::string& word = entry.key.scalar;
    return !entry.value.isScalar() &&
           std::none_of(keys.begin(), keys.end(), [&](const Key& key) { return key.name == word; });
  });
}

bool isOfCondition(std::string_view word) {
  const auto keys = conditionKeys();
  return subjectRow(word) != nullptr || testRow(word) != nullptr ||
         std::any_of(keys.begin(), keys.end(), [&](const Key& key) { return key.name == word; });
}

// A verb with nothing below it, and its condition beside it; null where it is not so.
const yaml::Node* emptyVerb(const yaml::Node& rule) {
  const yaml::Node* verb = nullptr;
  bool beside = false;
  for (const auto& [key, value] : rule.entries) {
    if (verbRow(key.scalar) != nullptr && value.isNull()) verb = &key;
    beside = beside || isOfCondition(key.scalar);
  }
  return beside ? verb : nullptr;
}

void readVerb(Rule& rule, const yaml::Node& node, Problems& problems) {
  std::vector<Member> found;
  for (const auto& member : rule.members.all()) {
    if (verbRow(member.key->scalar) != nullptr) found.push_back(member);
  }
  if (found.size() == 1) {
    rule.verb = found.front();
    rule.verbKind = verbRow(rule.verb.key->scalar)->verb;
    rule.condition = readCondition(*rule.verb.value, problems);
    return;
  }
  if (found.size() > 1) {
    problems.error(found[1].key->where, "two-verbs",
                   "a rule has one verb, and this one has `" + found[0].key->scalar + "` and `" +
                       found[1].key->scalar + "`",
                   "make two rules of it");
  } else if (node.find("set") == nullptr && !hasStrangeVerb(node)) {
    problems.error(rule.where, "no-verb", "the rule does nothing: a verb is missing",
                   "write `deny`, `require` or `avoidNodes` with a condition");
  }
}

Rule readRule(const yaml::Node& node, Problems& problems) {
  Rule rule;
  const yaml::Node* empty = emptyVerb(node);
  rule.members =
      empty != nullptr ? Members::among(node, ruleKeys()) : Members::read(node, ruleKeys(), problems);
  const yaml::Node* name = rule.members["name"];
  rule.where = name != nullptr ? name->where : node.where;
  if (empty != nullptr) {
    problems.error(empty->where, "empty-condition", "`" + empty->scalar + "` has nothing below it",
                   "indent the lines below `" + empty->scalar + "`");
  } else if (node.isMap()) {
    readVerb(rule, node, problems);
  }
  return rule;
}

// `elsewhere`: they stand outside of `spec`, which has been told.
std::vector<Rule> readRules(const yaml::Node& spec, const Members& members, bool elsewhere,
                            Problems& problems) {
  std::vector<Rule> rules;
  const yaml::Node* list = members["rules"];
  if (list == nullptr && elsewhere) return rules;
  if (list == nullptr) {
    problems.error(spec.where, "missing-key", "a Policy needs `rules`", "write `rules:` and a list of rules");
    return rules;
  }
  if (!list->isList()) {
    problems.wrongType(*list, "rules", "a list", "begin each rule with `- name: …`");
    return rules;
  }
  if (list->items.empty()) {
    problems.error(list->where, "empty-list", "`rules` is an empty list",
                   "write a rule, or take the file away");
  }
  for (const auto& item : list->items) rules.push_back(readRule(item, problems));
  return rules;
}

}  // namespace

std::span<const VerbRow> verbs() {
  return kVerbs;
}

PolicyDocument read(const Envelope& envelope, Problems& problems) {
  PolicyDocument policy;
  policy.where = envelope.where;
  policy.name = envelope.name;
  policy.spec = envelope.members;
  policy.kubernetes = envelope.kubernetes;
  if (envelope.spec == nullptr) return policy;
  policy.rules =
      readRules(*envelope.spec, policy.spec, envelope.document->find("rules") != nullptr, problems);
  if (const yaml::Node* breakGlass = envelope.spec->find("breakGlass"))
    checkBreakGlass(*breakGlass, problems);
  return policy;
}

}  // namespace driftbar::policy::syntax
