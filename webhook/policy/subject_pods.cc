// canLandOn: what is asked of a pod as a whole.
#include <utility>

#include "policy/selector.h"
#include "policy/subjects.h"

namespace driftbar::policy::subjects {

std::optional<Argument> parseCanLandOn(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  auto selector = selectorOf(*leaf.subject.value, "canLandOn", problems);
  if (!selector) return std::nullopt;
  Argument argument;
  argument.nodes = std::make_shared<const kube::LabelSelector>(*std::move(selector));
  if (const yaml::Node* of = leaf.modifier("of")) {
    if (of->scalar != "ranks") {
      constexpr std::string_view kNames[] = {"ranks"};
      problems.unknown(of->where, "word", "`of`", of->scalar, kNames);
      return std::nullopt;
    }
    argument.of = Of::kRanks;
  }
  return argument;
}

void canLandOnValues(const Argument& argument, const Scope& scope, Seen& seen) {
  const Facts& facts = *scope.facts;
  if (facts.podKnown && !facts.pod.pod.exists()) return;
  if (argument.of == Of::kRanks && !facts.pod.ranks) return;
  const bool asked = facts.podKnown && facts.beyond != nullptr;
  const Truth can = asked ? facts.beyond->canLandOn(facts.pod, *argument.nodes) : Truth::kUnknown;
  Value value = can == Truth::kUnknown ? Value::unknown("") : Value::ofText("", "");
  value.written = true;
  value.flag = can == Truth::kTrue;
  seen(value);
}
std::string canLandOnPlace(const Argument&, const Value&, const Scope& scope) {
  const auto place = scope.facts->pod.place;
  return place.empty() ? "spec" : std::string(place) + ".spec";
}
std::string canLandOnNoun(const Argument&, const Value&, const Scope&) {
  return "where it can land";
}
std::string canLandOnSentence(const Argument& argument, const Value& value, const Scope&) {
  return std::string(value.flag ? "it can land on a node with " : "it can land on no node with ") +
         shown(*argument.nodes);
}
std::string canLandOnMust(const Argument&, bool holds) {
  return holds ? "must be able to" : "must not be able to";
}

}  // namespace driftbar::policy::subjects
