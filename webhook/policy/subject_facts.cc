// fact, a node's sysctl, drift: what is known of a node by its agent.
#include <algorithm>
#include <iterator>

#include "base/glob.h"
#include "base/text.h"
#include "kube/sysctl.h"
#include "policy/fact_table.h"
#include "policy/names.h"
#include "policy/subjects.h"

namespace driftbar::policy::subjects {
namespace {

constexpr std::string_view kSysctlPrefix = "sysctl:";

// Facts by the names that the agent writes: of a sysctl with the prefix before it.
Value factOf(std::string_view name, std::string_view text, std::string_view prefix) {
  return Value::ofText(text, name.substr(prefix.size()));
}

void unknownFacts(const Argument& argument, Seen& seen) {
  for (const auto& name : argument.names) {
    Value value = Value::unknown(name);
    value.why = "no agent reports of the node";
    if (!seen(value)) return;
  }
}

void factValuesOf(const Argument& argument, std::string_view prefix, const kube::Node& node, Seen& seen) {
  if (!node.factsKnown()) return unknownFacts(argument, seen);
  if (!argument.eachThere) {
    const auto& key = argument.keys.front();  // the name as the agent writes it
    const auto text = node.fact(key);
    seen(text ? factOf(key, *text, prefix) : Value::absent(argument.names.front()));
    return;
  }
  for (const auto& fact : node.facts()) {
    if (!fact.name.starts_with(prefix) || !nameFits(argument, fact.name.substr(prefix.size()))) continue;
    if (!seen(factOf(fact.name, fact.text, prefix))) return;
  }
}

// What the agent writes beside facts: a glob such as `*` does not ask for that.
class FactsAlone final : public Seen {
 public:
  explicit FactsAlone(Seen& seen) : seen_(seen) {}
  bool operator()(const Value& value) override {
    const bool beside = value.name == "at" || value.name == "boot" || value.name.starts_with(kSysctlPrefix);
    return beside || seen_(value);
  }

 private:
  Seen& seen_;
};

std::string factPlaceOf(std::string_view prefix, const Value& value, const Scope& scope) {
  return std::string(scope.nodePlace) + (scope.nodePlace.empty() ? "" : ".") + "metadata.annotations[" +
         quoted(kube::kFactsAnnotation) + "][" + quoted(std::string(prefix) + std::string(value.name)) + "]";
}

// Numbers and versions without quotes.
std::string factSentenceOf(const std::string& noun, const Value& value) {
  const bool bare = !value.text.empty() && value.text[0] >= '0' && value.text[0] <= '9';
  Value shown = value;
  if (bare) shown.kind = Value::Kind::kNumber;
  return noun + " is " + shown.shown();
}

// ---- drift

constexpr std::string_view kSeverities[] = {"minor", "major", "critical"};

bool checkSeverity(const yaml::Node& node, Problems& problems) {
  const std::string* word = textOf(node, "atLeast", problems);
  if (word == nullptr) return false;
  if (std::find(std::begin(kSeverities), std::end(kSeverities), *word) != std::end(kSeverities)) return true;
  const auto meant = nearest(*word, kSeverities);
  problems.error(
      node.where, "never-matches", "no drift has the severity " + quoted(*word),
      meant.empty() ? "a severity is " + listed(kSeverities) : "did you mean `" + std::string(meant) + "`?");
  return false;
}

}  // namespace

// ---- fact

std::optional<Argument> parseFact(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  auto argument = namesBeside(leaf, "fact", false, problems);
  if (!argument) return std::nullopt;
  bool good = true;
  for (const auto* word : wordsOf(*leaf.subject.value, "fact", problems))
    good = checkFact(*word, problems) && good;
  argument->keys = argument->names;
  return good ? argument : std::nullopt;
}

void factValues(const Argument& argument, const Scope& scope, Seen& seen) {
  if (scope.node == nullptr) return;
  FactsAlone facts(seen);
  factValuesOf(argument, "", *scope.node, facts);
}
std::string factPlace(const Argument&, const Value& value, const Scope& scope) {
  return factPlaceOf("", value, scope);
}
std::string factNoun(const Argument&, const Value& value, const Scope&) {
  return "fact " + printable(value.name);
}
std::string factSentence(const Argument& argument, const Value& value, const Scope& scope) {
  return factSentenceOf(factNoun(argument, value, scope), value);
}

// ---- sysctl

std::optional<Argument> parseNodeSysctl(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  auto argument = namesBeside(leaf, "sysctl", false, problems);
  if (!argument) return std::nullopt;
  std::string room;
  for (auto& name : argument->names) {
    name = std::string(kube::dottedSysctl(name, room));
    argument->keys.push_back(std::string(kSysctlPrefix) + name);
  }
  for (const auto* word : wordsOf(*leaf.subject.value, "sysctl", problems)) {
    const bool plain = !isGlob(word->scalar) && word->scalar.find_first_of("./") == std::string::npos;
    if (!plain) continue;
    problems.error(word->where, "never-matches", "no sysctl has the name " + quoted(word->scalar),
                   word->scalar == "unsafe" ? "`unsafe` is about the sysctls of pods"
                                            : "write it with dots, such as `net.core.rmem_max`");
    argument.reset();
    break;
  }
  return argument;
}

void nodeSysctlValues(const Argument& argument, const Scope& scope, Seen& seen) {
  if (scope.node != nullptr) factValuesOf(argument, kSysctlPrefix, *scope.node, seen);
}
std::string nodeSysctlPlace(const Argument&, const Value& value, const Scope& scope) {
  return factPlaceOf(kSysctlPrefix, value, scope);
}
std::string nodeSysctlSentence(const Argument& argument, const Value& value, const Scope& scope) {
  return factSentenceOf(sysctlNoun(argument, value, scope), value);
}

// ---- drift

std::optional<Argument> parseDrift(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  const std::size_t before = problems.errorCount();
  const yaml::Node& node = *leaf.subject.value;
  if (!node.isMap()) {
    problems.wrongType(node, "drift", "a map of `class` and `atLeast`",
                       "write {atLeast: major}, or {} for any drift");
    return std::nullopt;
  }
  if (const yaml::Node* severity = node.find("severity")) {
    problems.error(severity->where, "unknown-key", "unknown key `severity` in `drift`", "write `atLeast`");
    return std::nullopt;
  }
  const Members members = Members::read(node, driftKeys(), problems);
  Argument argument;
  if (const yaml::Node* name = members["class"]) {
    for (const auto* word : wordsOf(*name, "class", problems)) argument.names.push_back(word->scalar);
  }
  if (const yaml::Node* severity = members["atLeast"]) checkSeverity(*severity, problems);
  return problems.errorCount() == before ? std::optional(std::move(argument)) : std::nullopt;
}

void driftValues(const Argument&, const Scope& scope, Seen& seen) {
  if (scope.node == nullptr) return;
  Value value = Value::unknown("");
  value.why = "baselines are not judged by this version";
  seen(value);
}
std::string driftPlace(const Argument&, const Value&, const Scope& scope) {
  return std::string(scope.nodePlace) + (scope.nodePlace.empty() ? "" : ".") + "drift";
}
std::string driftNoun(const Argument&, const Value&, const Scope&) {
  return "drift of the node";
}
std::string driftMust(const Argument& argument, bool holds) {
  std::string classes;
  for (const auto& name : argument.names) classes += (classes.empty() ? "" : ", ") + printable(name);
  return (holds ? "must have drifted" : "must not have drifted") +
         (classes.empty() ? "" : " in class " + classes);
}

}  // namespace driftbar::policy::subjects
