#include "policy/compile.h"

#include <algorithm>
#include <charconv>

#include "policy/choice.h"
#include "policy/condition.h"
#include "policy/field.h"
#include "policy/match_table.h"
#include "policy/path_check.h"
#include "policy/uses.h"
#include "schema/shape.h"

namespace driftbar::policy {
namespace {

constexpr Choice<Mode> kModes[] = {
    {"enforce", Mode::kEnforce}, {"warn", Mode::kWarn}, {"audit", Mode::kAudit}};
constexpr Choice<OnUnknown> kOnUnknown[] = {
    {"deny", OnUnknown::kDeny}, {"warn", OnUnknown::kWarn}, {"allow", OnUnknown::kAllow}};
constexpr Choice<OnUpdate> kOnUpdate[] = {{"changes", OnUpdate::kChanges}, {"always", OnUpdate::kAlways}};
constexpr Choice<OnError> kOnError[] = {{"deny", OnError::kDeny}, {"allow", OnError::kAllow}};
constexpr Choice<bool> kWhen[] = {{"any", true}};
constexpr Choice<Steer> kSteer[] = {
    {"required", Steer::kRequired}, {"preferred", Steer::kPreferred}, {"none", Steer::kNone}};

std::string textIn(const Members& members, std::string_view key) {
  const yaml::Node* node = members[key];
  if (node == nullptr || !node->isText()) return {};
  std::string text = node->scalar;
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::optional<int> minSafe(const Members& members, Problems& problems) {
  const yaml::Node* node = members["minSafe"];
  if (node == nullptr) return std::nullopt;
  const std::string text = node->kind == yaml::Node::Kind::kInteger ? yaml::toJsonText(*node) : "";
  int value = 0;
  const auto failed = std::from_chars(text.data(), text.data() + text.size(), value).ec;
  if (failed == std::errc{} && value >= 1) return value;
  problems.error(node->where, "wrong-type", "`minSafe` is a whole number from 1 on", "write 1, 2, 3…");
  return std::nullopt;
}

Surroundings::About surroundingsOf(const Rule& rule) {
  if (rule.verb == Verb::kAvoidNodes) return Surroundings::About::kCandidate;
  return rule.about == About::kNodes ? Surroundings::About::kNode : Surroundings::About::kPod;
}

// Whether some path begins with no root: its own error tells what is meant, and then what the rule is about.
bool hasStrayPath(const syntax::Condition& condition) {
  const auto stray = [](const yaml::Node& path) { return path.isText() && Field::aboutOf(path.scalar) == 0; };
  if (condition.path != nullptr) return stray(*condition.path);
  const auto& subject = condition.leaf.subject;
  if (subject.key != nullptr) {
    const auto& items = subject.value->items;
    return (subject.key->scalar == "field" || subject.key->scalar == "changed") &&
           (stray(*subject.value) || !subject.value->isText() ||
            std::any_of(items.begin(), items.end(), stray));
  }
  return std::any_of(condition.parts.begin(), condition.parts.end(), hasStrayPath);
}

// `kinds` say what is looked at to people, and to the API server `resources` do.
std::string resourcesHelp(const yaml::Node* match, const workload::Kinds& known) {
  std::string resources;
  const yaml::Node* kinds = match != nullptr ? match->find("kinds") : nullptr;
  const auto add = [&](const yaml::Node& word) {
    for (const auto& row : known.all()) {
      if (row.kind != word.scalar) continue;
      resources +=
          (resources.empty() ? "" : ", ") + row.resource + (row.group.empty() ? "" : "." + row.group);
      return;
    }
  };
  if (kinds != nullptr && kinds->isText()) add(*kinds);
  for (const auto& word : kinds != nullptr ? kinds->items : std::vector<yaml::Node>{}) add(word);
  if (!resources.empty()) return "write `resources: [" + resources + "]` under `match`";
  return "write `resources: [pods]`, or others, under `match`: its subjects are about no pod and no node";
}

// What the rule is about: what match names, else what its subjects are about.
About aboutOf(const syntax::Rule& from, const Policy& policy, const std::string& resourcesMend,
              Problems& problems) {
  if (from.verbKind == Verb::kAvoidNodes) return About::kPods;
  Uses uses = from.condition ? usesOf(*from.condition) : Uses{};
  uses.pods = uses.pods || uses.whole;
  if (const auto& resources = policy.match.resources()) {
    if (resources->namesOnlyNodes()) return About::kNodes;
    if (resources->namesNodes() && (uses.pods || uses.nodes || uses.either)) {
      problems.error(
          from.where, "mixed-resources",
          "`match.resources` names nodes and others, so it can't be told whose `label` and the like "
          "this rule means",
          "make two policies of it: one with `resources: [nodes]`");
    }
    return uses.pods || uses.either ? About::kPods : About::kObjects;
  }
  // With a match that no node can fit, it is the subjects that are in the wrong place.
  if (uses.nodes) return policy.match.namesPods() ? About::kPods : About::kNodes;
  if (uses.pods || uses.either) return About::kPods;
  // Where `resources` is written and wrong, that has been told.
  if (from.condition && !resourcesMend.empty() && !hasStrayPath(*from.condition)) {
    problems.error(from.where, "no-resources", "the rule says not which requests it looks at", resourcesMend);
  }
  return About::kObjects;
}

// Nodes are named by rules about nodes and by `avoidNodes`; several of them by the latter alone.
void checkNodePlaceholders(const Rule& rule, const Members& members, Problems& problems) {
  if (rule.verb == Verb::kAvoidNodes) return;
  for (const std::string_view name : {"{node}", "{nodes}"}) {
    if (name == "{node}" && rule.about == About::kNodes) continue;
    if (rule.message.find(name) == std::string::npos) continue;
    problems.error(members["message"]->where, "unknown-placeholder",
                   "`" + std::string(name) + "` has no meaning in a rule with `deny` or `require`" +
                       (rule.about == About::kNodes ? "" : " that is about no node"),
                   rule.about == About::kNodes ? "write `{node}`" : "it goes with `avoidNodes`");
  }
}

// What `object` looks like: of the one resource that match names.
const schema::Shape* objectOf(const Match& match) {
  const auto one = match.resources() ? match.resources()->one() : std::nullopt;
  return one ? schema::resource(one->group, one->resource) : nullptr;
}

// In enforce a rule steers unless it says otherwise; a rule that only tells changes no pod unless it says so.
void readSteering(Rule& rule, const Members& members, Problems& problems) {
  const auto written = chosen(members, "steer", kSteer, problems);
  rule.steer = written.value_or(rule.mode == Mode::kEnforce ? Steer::kRequired : Steer::kNone);
  rule.labels = saidByLabels(*rule.condition);
}

Rule compileRule(const syntax::Rule& from, const Policy& policy, int kubernetes,
                 const std::string& resourcesMend, Problems& problems) {
  const Members& members = from.members;
  Rule rule;
  rule.name = textIn(members, "name");
  rule.id = policy.name + "/" + rule.name;
  rule.where = from.where;
  rule.verb = from.verbKind;
  rule.mode = chosen(members, "mode", kModes, problems).value_or(policy.mode);
  rule.onUnknown = chosen(members, "onUnknown", kOnUnknown, problems);
  rule.staleInventory = chosen(members, "staleInventory", kOnUnknown, problems);
  rule.onUpdate = chosen(members, "onUpdate", kOnUpdate, problems).value_or(OnUpdate::kChanges);
  rule.onError = chosen(members, "onError", kOnError, problems).value_or(OnError::kDeny);
  rule.whenAny = chosen(members, "when", kWhen, problems).value_or(false);
  rule.minSafe = minSafe(members, problems);
  rule.message = textIn(members, "message");
  rule.fix = textIn(members, "fix");
  rule.docs = textIn(members, "docs");
  rule.about = aboutOf(from, policy, resourcesMend, problems);
  const auto& resources = policy.match.resources();
  if (rule.verb == Verb::kAvoidNodes && resources && resources->namesOnlyNodes()) {
    problems.error(members.key("avoidNodes")->where, "never-matches",
                   "`avoidNodes` is about where pods could land, and `resources` names nodes only",
                   "take `resources` out, or write `deny` for what may be done to nodes");
  }
  checkNodePlaceholders(rule, members, problems);
  rule.meansDaemonSets = policy.match.namesDaemonSets();
  if (!from.condition) return rule;
  const Uses uses = usesOf(*from.condition);
  rule.ofWhole = !uses.pods && !uses.either && rule.verb != Verb::kAvoidNodes;
  Surroundings around;
  around.about = surroundingsOf(rule);
  around.readsEach = rule.verb == Verb::kRequire;
  around.object = objectOf(policy.match);
  around.kubernetes = kubernetes;
  if (auto condition = compileCondition(*from.condition, around, problems))
    rule.condition = std::make_shared<const Condition>(*std::move(condition));
  if (rule.verb == Verb::kAvoidNodes && rule.condition != nullptr) readSteering(rule, members, problems);
  return rule;
}

std::vector<Match> compileExceptions(const Members& spec, const Declared& declared, Problems& problems) {
  std::vector<Match> except;
  const yaml::Node* list = spec["except"];
  if (list == nullptr) return except;
  if (!list->isList()) {
    problems.wrongType(*list, "except", "a list", "begin each entry with `- `");
    return except;
  }
  if (list->items.empty())
    problems.error(list->where, "empty-list", "`except` is an empty list", "leave the key out");
  for (const auto& entry : list->items)
    except.push_back(compileExcept(entry, "an entry of `except`", declared, problems));
  return except;
}

}  // namespace

Policy compile(const syntax::PolicyDocument& document, const Declared& declared, Problems& problems) {
  Policy policy;
  policy.name = document.name;
  policy.where = document.where;
  if (const yaml::Node* description = document.spec["description"])
    textOf(*description, "description", problems);
  policy.description = textIn(document.spec, "description");
  policy.mode = chosen(document.spec, "mode", kModes, problems).value_or(Mode::kEnforce);
  policy.match = compileMatch(document.spec["match"], declared, problems);
  policy.except = compileExceptions(document.spec, declared, problems);
  const int kubernetes = clusterMinor(document.kubernetes, problems);
  const yaml::Node* match = document.spec["match"];
  const bool written = match != nullptr && match->find("resources") != nullptr;
  const auto resourcesMend = written ? std::string() : resourcesHelp(match, *declared.kinds);
  for (const auto& rule : document.rules)
    policy.rules.push_back(compileRule(rule, policy, kubernetes, resourcesMend, problems));
  return policy;
}

}  // namespace driftbar::policy
