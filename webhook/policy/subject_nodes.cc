// taint, condition: what a node has.
#include <algorithm>
#include <iterator>

#include "base/glob.h"
#include "base/text.h"
#include "policy/names.h"
#include "policy/subjects.h"

namespace driftbar::policy::subjects {
namespace {

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
    argument.eachThere = key->isText() && isGlob(key->scalar);
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

std::string taintName(const Argument& argument, const Value& value) {
  const std::string_view effect =
      value.effect.empty() ? std::string_view(argument.taintEffect) : value.effect;
  return std::string(value.name) + (effect.empty() ? "" : ":" + std::string(effect));
}

Value valueOf(const kube::Condition& condition) {
  Value value = Value::ofText(condition.status, condition.type);
  value.since = condition.lastTransition;
  return value;
}

// What a place in a node begins with.
std::string placeIn(const Scope& scope) {
  return std::string(scope.nodePlace) + (scope.nodePlace.empty() ? "" : ".");
}

}  // namespace

// `key=value:Effect`, as kubectl taint has it.
bool isOneWord(const yaml::Node& word, Problems& problems) {
  const std::string_view text = word.scalar;
  const auto colon = text.find(':');
  const auto equal = std::min(text.find('='), colon);
  if (!word.isText() || (colon == std::string_view::npos && equal == std::string_view::npos)) return false;
  std::string form = "key: " + printable(text.substr(0, equal));
  if (equal < std::min(colon, text.size()))
    form += ", value: " + printable(text.substr(equal + 1, std::min(colon, text.size()) - equal - 1));
  if (colon != std::string_view::npos) form += ", effect: " + printable(text.substr(colon + 1));
  problems.error(word.where, "never-matches", "no taint has the key " + quoted(text),
                 "write `{" + form + "}`");
  return true;
}

std::optional<Argument> parseTaint(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  const yaml::Node& value = *leaf.subject.value;
  bool oneWord = isOneWord(value, problems);
  for (const auto& word : value.items) oneWord = isOneWord(word, problems) || oneWord;
  if (oneWord) return std::nullopt;
  return leaf.subject.value->isMap() ? parseTaintMap(leaf, problems)
                                     : namesBeside(leaf, "taint", true, problems);
}

void taintValues(const Argument& argument, const Scope& scope, Seen& seen) {
  if (scope.node == nullptr) return;
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

std::string taintPlace(const Argument& argument, const Value& value, const Scope& scope) {
  return placeIn(scope) + "spec.taints[" + quoted(taintName(argument, value)) + "]";
}
std::string taintNoun(const Argument& argument, const Value& value, const Scope&) {
  return "taint " + printable(taintName(argument, value));
}
std::string taintSentence(const Argument& argument, const Value& value, const Scope& scope) {
  return taintNoun(argument, value, scope) + " is " + (value.text.empty() ? "there" : value.shown());
}

std::optional<Argument> parseCondition(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  return namesBeside(leaf, "condition", false, problems);
}

void conditionValues(const Argument& argument, const Scope& scope, Seen& seen) {
  if (scope.node == nullptr) return;
  if (!argument.eachThere) {
    const auto* condition = scope.node->condition(argument.names.front());
    seen(condition != nullptr ? valueOf(*condition) : Value::absent(argument.names.front()));
    return;
  }
  for (const auto& condition : scope.node->conditions()) {
    if (nameFits(argument, condition.type) && !seen(valueOf(condition))) return;
  }
}

std::string conditionPlace(const Argument&, const Value& value, const Scope& scope) {
  return placeIn(scope) + "status.conditions[" + quoted(value.name) + "]";
}
std::string conditionNoun(const Argument&, const Value& value, const Scope&) {
  return "condition " + printable(value.name);
}

}  // namespace driftbar::policy::subjects
