#include "policy/subject_table.h"

#include <algorithm>

#include "base/glob.h"
#include "base/text.h"

namespace driftbar::policy {
namespace {

bool nameFits(const Argument& argument, std::string_view name) {
  return std::any_of(argument.names.begin(), argument.names.end(),
                     [&](const auto& wanted) { return globFits(wanted, name); });
}

bool checkLabelKey(const yaml::Node& node, std::string_view of, Problems& problems) {
  std::string plain = node.scalar;
  std::replace(plain.begin(), plain.end(), '*', 'x');
  if (kube::isLabelKey(plain)) return true;
  problems.error(node.where, "never-matches",
                 "no " + std::string(of) + " can have the key " + quoted(node.scalar),
                 "a key has at most 63 letters, digits, `-`, `_` and `.`, and a DNS name and `/` before it");
  return false;
}

// A name, a glob, or a list of them.
std::optional<Argument> namesBeside(const syntax::Leaf& leaf, std::string_view of, bool keysOfLabels,
                                    Problems& problems) {
  const yaml::Node& node = *leaf.subject.value;
  const std::size_t before = problems.errorCount();
  Argument argument;
  argument.eachThere = node.isList();
  for (const auto* word : wordsOf(node, of, problems)) {
    if (keysOfLabels && !checkLabelKey(*word, of, problems)) continue;
    argument.names.push_back(word->scalar);
    argument.hashes.push_back(kube::Labels::hash(word->scalar));
    argument.eachThere = argument.eachThere || isGlob(word->scalar);
  }
  return problems.errorCount() == before ? std::optional(argument) : std::nullopt;
}

struct OfRow {
  std::string_view name;
  Of of;
  bool later = false;
};

constexpr OfRow kOf[] = {{"object", Of::kObject},
                         {"namespace", Of::kNamespace},
                         {"ranks", Of::kOwn, true},
                         {"init", Of::kOwn, true},
                         {"ephemeral", Of::kOwn, true}};

std::optional<Of> ofBeside(const syntax::Leaf& leaf, const Surroundings& around, Problems& problems) {
  const yaml::Node* node = leaf.modifier("of");
  if (node == nullptr) return Of::kOwn;
  const std::string* word = textOf(*node, "of", problems);
  if (word == nullptr) return std::nullopt;
  const auto row =
      std::find_if(std::begin(kOf), std::end(kOf), [&](const OfRow& r) { return r.name == *word; });
  if (row == std::end(kOf)) {
    constexpr std::string_view kNames[] = {"object", "namespace"};
    problems.unknown(node->where, "word", "`of`", *word, kNames);
    return std::nullopt;
  }
  if (row->later) {
    problems.notYet(node->where, "of: " + *word);
    return std::nullopt;
  }
  if (around.about == Surroundings::About::kCandidate) {
    problems.error(node->where, "wrong-subject",
                   "`avoidNodes` looks at nodes, and `of: " + *word + "` is none",
                   "put what is about the pod into `match`, or use `deny`");
    return std::nullopt;
  }
  return row->of;
}

// Labels and annotations: pairs of text, typed or as JSON.
struct Pairs {
  const kube::Labels* typed = nullptr;
  Json json;
  bool known = true;
};

std::optional<std::string_view> find(const Pairs& pairs, std::string_view name, std::uint32_t hash) {
  return pairs.typed != nullptr ? pairs.typed->find(name, hash) : pairs.json[name].asText();
}

void eachPair(const Pairs& pairs, const Argument& argument, Seen& seen) {
  if (pairs.typed != nullptr) {
    for (const auto& [name, text] : pairs.typed->pairs()) {
      if (nameFits(argument, name) && !seen(Value::ofText(text, name))) return;
    }
    return;
  }
  for (const auto& [name, value] : pairs.json.entries()) {
    if (value.isText() && nameFits(argument, name) && !seen(Value::ofText(value.text(), name))) return;
  }
}

void valuesOfPairs(const Pairs& pairs, const Argument& argument, Seen& seen) {
  if (!pairs.known) {
    seen(Value::unknown(argument.names.front()));
  } else if (argument.eachThere) {
    eachPair(pairs, argument, seen);
  } else {
    const std::string& name = argument.names.front();
    const auto text = find(pairs, name, argument.hashes.front());
    seen(text ? Value::ofText(*text, name) : Value::absent(name));
  }
}

Pairs labelsIn(const Argument& argument, const Scope& scope) {
  if (scope.node != nullptr) return {&scope.node->labels(), {}, true};
  const Facts& facts = *scope.facts;
  if (argument.of == Of::kNamespace) {
    return {facts.namespaceLabels, {}, facts.namespaceLabels != nullptr || facts.ns.empty()};
  }
  return {nullptr, (argument.of == Of::kObject ? facts.object : facts.pod)["metadata"]["labels"], true};
}

Pairs annotationsIn(const Argument& argument, const Scope& scope) {
  if (scope.node != nullptr) return {&scope.node->annotations(), {}, true};
  const Facts& facts = *scope.facts;
  if (argument.of == Of::kNamespace) {
    return {nullptr, facts.namespaceObject["metadata"]["annotations"],
            facts.namespaceObject.exists() || facts.ns.empty()};
  }
  return {nullptr, (argument.of == Of::kObject ? facts.object : facts.pod)["metadata"]["annotations"], true};
}

std::string ofPlace(const Argument& argument, std::string_view map, const Value& value) {
  return (argument.of == Of::kNamespace ? "namespace.metadata." : "metadata.") + std::string(map) +
         pathStep(value.name);
}

std::string ofNoun(const Argument& argument, std::string_view what, const Value& value) {
  return (argument.of == Of::kNamespace ? "namespace " : "") + std::string(what) + " " +
         printable(value.name);
}

// ---- label, annotation

std::optional<Argument> parsePairs(const syntax::Leaf& leaf, const Surroundings& around, Problems& problems) {
  auto argument = namesBeside(leaf, leaf.subject.key->scalar, true, problems);
  const auto of = ofBeside(leaf, around, problems);
  if (!argument || !of) return std::nullopt;
  argument->of = *of;
  return argument;
}

void labelValues(const Argument& argument, const Scope& scope, Seen& seen) {
  valuesOfPairs(labelsIn(argument, scope), argument, seen);
}
std::string labelPlace(const Argument& argument, const Value& value, const Scope&) {
  return ofPlace(argument, "labels", value);
}
std::string labelNoun(const Argument& argument, const Value& value, const Scope&) {
  return ofNoun(argument, "label", value);
}

void annotationValues(const Argument& argument, const Scope& scope, Seen& seen) {
  valuesOfPairs(annotationsIn(argument, scope), argument, seen);
}
std::string annotationPlace(const Argument& argument, const Value& value, const Scope&) {
  return ofPlace(argument, "annotations", value);
}
std::string annotationNoun(const Argument& argument, const Value& value, const Scope&) {
  return ofNoun(argument, "annotation", value);
}

// ---- taint

constexpr std::string_view kEffects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};

std::optional<std::string> effectOf(const yaml::Node& node, Problems& problems) {
  const std::string* effect = textOf(node, "effect", problems);
  if (effect == nullptr) return std::nullopt;
  if (std::find(std::begin(kEffects), std::end(kEffects), *effect) != std::end(kEffects)) return *effect;
  const auto meant = nearest(*effect, kEffects);
  problems.error(
      node.where, "never-matches", "no taint has the effect " + quoted(*effect),
      meant.empty() ? "an effect is " + listed(kEffects) : "did you mean `" + std::string(meant) + "`?");
  return std::nullopt;
}

std::optional<std::string> taintValueOf(const yaml::Node& node, Problems& problems) {
  auto operand = testRow("equals")->parse(node, "value", ValueType::kLabelValue, problems);
  return operand ? std::optional(operand->literals.front().text) : std::nullopt;
}

std::optional<Argument> parseTaintMap(const syntax::Leaf& leaf, Problems& problems) {
  const yaml::Node& node = *leaf.subject.value;
  const std::size_t before = problems.errorCount();
  const Members members = Members::read(node, taintKeys(), problems);
  Argument argument;
  argument.names.emplace_back("*");
  if (const yaml::Node* key = members["key"]) {
    if (textOf(*key, "key", problems) != nullptr && checkLabelKey(*key, "taint", problems))
      argument.names.front() = key->scalar;
  }
  if (const yaml::Node* value = members["value"]) argument.taintValue = taintValueOf(*value, problems);
  if (const yaml::Node* effect = members["effect"])
    argument.taintEffect = effectOf(*effect, problems).value_or("");
  if (node.entries.empty()) {
    problems.error(node.where, "empty-list", "`taint` says nothing of the taint",
                   "write `key`, `value` or `effect`");
  }
  return problems.errorCount() == before ? std::optional(argument) : std::nullopt;
}

std::optional<Argument> parseTaint(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  return leaf.subject.value->isMap() ? parseTaintMap(leaf, problems)
                                     : namesBeside(leaf, "taint", true, problems);
}

void taintValues(const Argument& argument, const Scope& scope, Seen& seen) {
  bool any = false;
  for (const auto& taint : scope.node->taints()) {
    const bool wanted = nameFits(argument, taint.key) &&
                        (!argument.taintValue || *argument.taintValue == taint.value) &&
                        (argument.taintEffect.empty() || argument.taintEffect == taint.effect);
    if (!wanted) continue;
    any = true;
    Value value = Value::ofText(taint.value, taint.key);
    value.effect = taint.effect;
    if (!seen(value)) return;
  }
  if (!any && !argument.eachThere) seen(Value::absent(argument.names.front()));
}

std::string taintName(const Argument& argument, const Value& value) {
  const std::string_view effect =
      value.effect.empty() ? std::string_view(argument.taintEffect) : value.effect;
  return std::string(value.name) + (effect.empty() ? "" : ":" + std::string(effect));
}

std::string taintPlace(const Argument& argument, const Value& value, const Scope&) {
  return "spec.taints[" + quoted(taintName(argument, value)) + "]";
}
std::string taintNoun(const Argument& argument, const Value& value, const Scope&) {
  return "taint " + printable(taintName(argument, value));
}
std::string taintSentence(const Argument& argument, const Value& value, const Scope& scope) {
  return taintNoun(argument, value, scope) + " is " + (value.text.empty() ? "there" : value.shown());
}

// ---- condition

std::optional<Argument> parseCondition(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  return namesBeside(leaf, "condition", false, problems);
}

Value valueOf(const kube::Condition& condition) {
  Value value = Value::ofText(condition.status, condition.type);
  value.since = condition.lastTransition;
  return value;
}

void conditionValues(const Argument& argument, const Scope& scope, Seen& seen) {
  if (!argument.eachThere) {
    const auto* condition = scope.node->condition(argument.names.front());
    seen(condition != nullptr ? valueOf(*condition) : Value::absent(argument.names.front()));
    return;
  }
  for (const auto& condition : scope.node->conditions()) {
    if (nameFits(argument, condition.type) && !seen(valueOf(condition))) return;
  }
}

std::string conditionPlace(const Argument&, const Value& value, const Scope&) {
  return "status.conditions[" + quoted(value.name) + "]";
}
std::string conditionNoun(const Argument&, const Value& value, const Scope&) {
  return "condition " + printable(value.name);
}

// ---- field

std::optional<Argument> parseField(const syntax::Leaf& leaf, const Surroundings& around, Problems& problems) {
  Argument argument;
  argument.field = Field::parse(*leaf.subject.value, "field", around, false, problems);
  return argument.field ? std::optional(argument) : std::nullopt;
}

void fieldValues(const Argument& argument, const Scope& scope, Seen& seen) {
  argument.field->each(scope, seen);
}
std::string fieldPlace(const Argument&, const Value& value, const Scope&) {
  return value.trail->toString();
}
std::string fieldSentence(const Argument& argument, const Value& value, const Scope& scope) {
  const bool written = value.written || value.kind == Value::Kind::kUnknown;
  return fieldPlace(argument, value, scope) + " is " + value.shown() + (written ? "" : " (not written)");
}

// ---- requestedBy

std::optional<Argument> parseRequestedBy(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  auto requester = Requester::parse(*leaf.subject.value, problems);
  if (!requester) return std::nullopt;
  Argument argument;
  argument.requester = std::make_shared<const Requester>(*std::move(requester));
  return argument;
}

void requestedByValues(const Argument& argument, const Scope& scope, Seen& seen) {
  const kube::User& user = scope.facts->request->user;
  Value value = Value::ofText(user.name, user.name);
  value.flag = argument.requester->fits(user);
  seen(value);
}
std::string requestedByPlace(const Argument&, const Value&, const Scope&) {
  return "request.userInfo";
}
std::string requestedByNoun(const Argument&, const Value&, const Scope&) {
  return "the request";
}
std::string requestedBySentence(const Argument&, const Value& value, const Scope&) {
  return "the request comes from " + value.shown();
}
std::string requestedByMust(const Argument& argument, bool holds) {
  return (holds ? "must come from " : "must not come from ") + argument.requester->described();
}

constexpr unsigned kPods = SubjectRow::kPods, kNodes = SubjectRow::kNodes;

constexpr SubjectRow kSubjects[] = {
    {"label", "a label of the node in `avoidNodes`, else of the pod; `of: object` or `of: namespace`",
     "{label: pool, equals: h100}", "of", kPods | kNodes, ValueType::kLabelValue, "exists", parsePairs,
     labelValues, labelPlace, labelNoun, nullptr, nullptr},
    {"annotation",
     "an annotation of the node in `avoidNodes`, else of the pod; `of: object` or `of: namespace`",
     "{annotation: example.com/owner, exists: false}", "of", kPods | kNodes, ValueType::kText, "exists",
     parsePairs, annotationValues, annotationPlace, annotationNoun, nullptr, nullptr},
    {"taint", "a taint of the node, by key or as {key, value, effect}; its value",
     "{taint: {key: nvidia.com/gpu, effect: NoSchedule}}", "", kNodes, ValueType::kLabelValue, "exists",
     parseTaint, taintValues, taintPlace, taintNoun, taintSentence, nullptr},
    {"condition", "a condition of the node: its status, True, False or Unknown",
     "{condition: GPUMissing, equals: \"True\", for: 10m}", "", kNodes, ValueType::kStatus, "exists",
     parseCondition, conditionValues, conditionPlace, conditionNoun, nullptr, nullptr},
    {"field", "any field, by its path from `pod`, `node`, `object`, `oldObject`, `request` or `namespace`",
     "{field: pod.spec.hostNetwork, equals: true}", "", kPods | kNodes, ValueType::kAny, "", parseField,
     fieldValues, fieldPlace, fieldPlace, fieldSentence, nullptr},
    {"requestedBy", "who asks: any of the users, groups and service accounts named",
     "{requestedBy: {groups: [oncall]}}", "", kPods, ValueType::kMembership, "member", parseRequestedBy,
     requestedByValues, requestedByPlace, requestedByNoun, requestedBySentence, requestedByMust},
};

constexpr Key kLaterSubjects[] = {
    {"env", "", true},     {"resource", "", true},   {"sysctl", "", true},     {"fact", "", true},
    {"image", "", true},   {"hostPath", "", true},   {"capability", "", true}, {"hostNamespace", "", true},
    {"changed", "", true}, {"privileged", "", true}, {"canLandOn", "", true},  {"onNode", "", true},
    {"drift", "", true},   {"rankEnv", "", true},
};

constexpr Key kModifiers[] = {
    {"of", "beside `label` and `annotation`: `object` or `namespace`"},
    {"containers", "only in containers of these names", true},
    {"readOnly", "beside `hostPath`", true},
    {"keys", "beside `changed`", true},
    {"notKeys", "beside `changed`", true},
};

}  // namespace

std::span<const SubjectRow> subjectTable() {
  return kSubjects;
}

const SubjectRow* subjectRow(std::string_view name) {
  for (const auto& row : kSubjects) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::vector<std::string_view> subjectNames() {
  std::vector<std::string_view> names;
  for (const auto& row : kSubjects) names.push_back(row.name);
  return names;
}

std::span<const Key> laterSubjects() {
  return kLaterSubjects;
}

std::span<const Key> modifierKeys() {
  return kModifiers;
}

}  // namespace driftbar::policy
