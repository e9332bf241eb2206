#include "policy/syntax.h"

#include <algorithm>

#include "base/text.h"

namespace driftbar::policy::syntax {
namespace {

constexpr std::string_view kGroup = "driftbar.io";
constexpr std::string_view kVersion = "driftbar.io/v1alpha1";

constexpr VerbRow kVerbs[] = {
    {"deny", Verb::kDeny}, {"require", Verb::kRequire}, {"avoidNodes", Verb::kAvoidNodes}};

const VerbRow* verbRow(std::string_view name) {
  for (const auto& row : kVerbs) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// The kind of a document of ours; empty where it is none, and that has been reported.
std::string_view kindOf(const yaml::Node& document, Problems& problems) {
  const yaml::Node* version = document.find("apiVersion");
  const yaml::Node* kind = document.find("kind");
  if (version == nullptr || kind == nullptr) {
    problems.error(document.where, "missing-key",
                   std::string("a document needs `") + (version == nullptr ? "apiVersion" : "kind") + "`",
                   "begin it with `apiVersion: " + std::string(kVersion) + "` and `kind: Policy`");
    return {};
  }
  const std::string* versionText = textOf(*version, "apiVersion", problems);
  const std::string* kindText = textOf(*kind, "kind", problems);
  if (versionText == nullptr || kindText == nullptr) return {};
  const std::string_view group = std::string_view(*versionText).substr(0, versionText->find('/'));
  if (group != kGroup) {
    const std::string_view ours[] = {kGroup};
    if (versionText->find('/') != std::string::npos && !nearest(group, ours).empty()) {
      problems.error(version->where, "unknown-version", "unknown group `" + std::string(group) + "`",
                     "did you mean `" + std::string(kVersion) + "`?");
    } else {
      problems.warning(version->where, "other-api",
                       "a document of `" + *versionText + "` is skipped: it is no policy",
                       "policies have `apiVersion: " + std::string(kVersion) + "`");
    }
    return {};
  }
  if (*versionText != kVersion) {
    problems.error(version->where, "unknown-version", "unknown version `" + *versionText + "`",
                   "write `" + std::string(kVersion) + "`");
    return {};
  }
  return *kindText;
}

bool isPolicy(const yaml::Node& document, Problems& problems) {
  const std::string_view kind = kindOf(document, problems);
  if (kind.empty() || kind == "Policy") return !kind.empty();
  const Location where = document.find("kind")->where;
  const auto kinds = documentKinds();
  const bool later =
      std::any_of(kinds.begin(), kinds.end(), [&](const Key& row) { return row.name == kind; });
  if (later) {
    problems.notYet(where, kind);
  } else {
    problems.unknown(where, "kind", {}, kind, namesOf(kinds));
  }
  return false;
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
  } else if (node.find("set") == nullptr) {
    problems.error(rule.where, "no-verb", "the rule does nothing: a verb is missing",
                   "write `deny`, `require` or `avoidNodes` with a condition");
  }
}

Rule readRule(const yaml::Node& node, Problems& problems) {
  Rule rule;
  rule.members = Members::read(node, ruleKeys(), problems);
  const yaml::Node* name = rule.members["name"];
  rule.where = name != nullptr ? name->where : node.where;
  if (node.isMap()) readVerb(rule, node, problems);
  return rule;
}

std::vector<Rule> readRules(const yaml::Node& spec, const Members& members, Problems& problems) {
  std::vector<Rule> rules;
  const yaml::Node* list = members["rules"];
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

// The name, and the namespace that a policy can't have.
void readMetadata(PolicyDocument& policy, const yaml::Node& document, Problems& problems) {
  policy.where = document.where;
  const yaml::Node* metadata = document.find("metadata");
  if (metadata == nullptr) {
    problems.error(document.where, "missing-key", "a Policy needs `metadata.name`",
                   "write `metadata: {name: …}`");
    return;
  }
  if (const yaml::Node* ns = metadata->find("namespace")) {
    problems.error(ns->where, "unknown-key", "a Policy is not in a namespace",
                   "write `match: {namespaces: [" + ns->scalar + "]}` in its spec");
  }
  if (const yaml::Node* annotations = metadata->find("annotations"))
    policy.kubernetes = annotations->find("driftbar.io/kubernetes");
  yaml::Node rest = *metadata;
  std::erase_if(rest.entries, [](const auto& entry) { return entry.key.scalar == "namespace"; });
  const Members members = Members::read(rest, metadataKeys(), problems);
  const yaml::Node* name = members["name"];
  if (name == nullptr) {
    if (metadata->isMap())
      problems.error(metadata->where, "missing-key", "a Policy needs `metadata.name`", "write `name: …`");
    return;
  }
  policy.where = name->where;
  if (const std::string* text = textOf(*name, "name", problems)) policy.name = *text;
}

}  // namespace

std::span<const VerbRow> verbs() {
  return kVerbs;
}

std::optional<PolicyDocument> read(const yaml::Node& document, Problems& problems) {
  if (!document.isMap()) {
    problems.error(document.where, "wrong-type",
                   "a document is a map of keys, and this is " + std::string(describe(document)),
                   "begin it with `apiVersion: " + std::string(kVersion) + "` and `kind: Policy`");
    return std::nullopt;
  }
  if (!isPolicy(document, problems)) return std::nullopt;
  PolicyDocument policy;
  Members::read(document, documentKeys(), problems);
  readMetadata(policy, document, problems);
  const yaml::Node* spec = document.find("spec");
  if (spec == nullptr) {
    problems.error(document.where, "missing-key", "a Policy needs `spec`", "write `spec:` with `rules`");
    return policy;
  }
  policy.spec = Members::read(*spec, specKeys(), problems);
  if (spec->isMap()) policy.rules = readRules(*spec, policy.spec, problems);
  return policy;
}

}  // namespace driftbar::policy::syntax
