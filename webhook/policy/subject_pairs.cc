// label, annotation: pairs of text, of a node, a pod, an object or a namespace.
#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "policy/names.h"
#include "policy/privacy.h"
#include "policy/subjects.h"

namespace driftbar::policy::subjects {
namespace {

struct OfRow {
  std::string_view name;
  Of of;
};

constexpr OfRow kOf[] = {{"object", Of::kObject}, {"namespace", Of::kNamespace}, {"ranks", Of::kRanks}};

std::optional<Of> ofBeside(const syntax::Leaf& leaf, const Surroundings& around, Problems& problems) {
  const yaml::Node* node = leaf.modifier("of");
  if (node == nullptr) return Of::kOwn;
  const std::string* word = textOf(*node, "of", problems);
  if (word == nullptr) return std::nullopt;
  const auto row =
      std::find_if(std::begin(kOf), std::end(kOf), [&](const OfRow& r) { return r.name == *word; });
  if (row == std::end(kOf)) {
    constexpr std::string_view kNames[] = {"object", "namespace", "ranks"};
    problems.unknown(node->where, "word", "`of`", *word, kNames);
    return std::nullopt;
  }
  if (around.about == Surroundings::About::kCandidate) {
    problems.error(node->where, "wrong-subject",
                   std::string(around.word) + " looks at nodes, and `of: " + *word + "` is none",
                   around.elsewhere.empty() ? "put what is about the pod into `match`, or use `deny`"
                                            : std::string(around.elsewhere));
    return std::nullopt;
  }
  if (around.about == Surroundings::About::kNode) {
    problems.error(node->where, "wrong-subject",
                   "the rule is about nodes, and `of: " + *word + "` means nothing there", "leave `of` out");
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

Value pairOf(std::string_view name, std::string_view text) {
  Value value = Value::ofText(text, name);
  value.privacy = privacyOfKey(name);
  return value;
}

void eachPair(const Pairs& pairs, const Argument& argument, Seen& seen) {
  if (pairs.typed != nullptr) {
    for (const auto& [name, text] : pairs.typed->pairs()) {
      if (nameFits(argument, name) && !seen(pairOf(name, text))) return;
    }
    return;
  }
  for (const auto& [name, value] : pairs.json.entries()) {
    if (value.isText() && nameFits(argument, name) && !seen(pairOf(name, value.text()))) return;
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
    seen(text ? pairOf(name, *text) : Value::absent(name));
  }
}

// Whose pairs they are: the pod's, or the object's own.
Json ownerOf(const Argument& argument, const Facts& facts) {
  return argument.of == Of::kObject ? facts.object : facts.pod.pod;
}

// Nothing is asked of a template that carries no ranks where only those are meant, nor where there is no pod.
bool isAsked(const Argument& argument, const Scope& scope) {
  if (scope.node != nullptr || argument.of == Of::kNamespace || argument.of == Of::kObject) return true;
  if (argument.of == Of::kRanks && !scope.facts->pod.ranks) return false;
  return scope.facts->pod.pod.exists() || !scope.facts->podKnown;
}

Pairs labelsIn(const Argument& argument, const Scope& scope) {
  if (scope.node != nullptr) return {&scope.node->labels(), {}, true};
  const Facts& facts = *scope.facts;
  if (argument.of == Of::kOwn && !facts.podKnown) return {nullptr, {}, false};
  if (argument.of == Of::kNamespace) {
    const auto* labels = facts.nameSpace().labels;
    return {labels, {}, labels != nullptr || facts.ns.empty()};
  }
  return {nullptr, ownerOf(argument, facts)["metadata"]["labels"], true};
}

Pairs annotationsIn(const Argument& argument, const Scope& scope) {
  if (scope.node != nullptr) return {&scope.node->annotations(), {}, true};
  const Facts& facts = *scope.facts;
  if (argument.of == Of::kOwn && !facts.podKnown) return {nullptr, {}, false};
  if (argument.of == Of::kNamespace) {
    const Json object = facts.nameSpace().object;
    return {nullptr, object["metadata"]["annotations"], object.exists() || facts.ns.empty()};
  }
  return {nullptr, ownerOf(argument, facts)["metadata"]["annotations"], true};
}

std::string ofPlace(const Argument& argument, std::string_view map, const Value& value, const Scope& scope) {
  std::string in = argument.of == Of::kNamespace ? "namespace"
                   : argument.of == Of::kObject  ? ""
                   : scope.node != nullptr       ? std::string(scope.nodePlace)
                                                 : std::string(scope.facts->pod.place);
  if (!in.empty()) in += ".";
  return in + "metadata." + std::string(map) + pathStep(value.name);
}

// Of a workload it has to be said whether its own are meant or those of its pods: people look in both.
std::string ofNoun(const Argument& argument, std::string_view what, const Value& value, const Scope& scope) {
  const std::string noun = std::string(what) + " " + printable(value.name);
  if (argument.of == Of::kNamespace) return "namespace " + noun;
  const Facts& facts = *scope.facts;
  if (scope.node != nullptr || facts.about != Facts::About::kWorkload) return noun;
  return noun + (argument.of == Of::kObject ? " of the " + printable(facts.request->kind.kind) + " itself"
                                            : " of the pod template");
}

}  // namespace

std::optional<Argument> parsePairs(const syntax::Leaf& leaf, const Surroundings& around, Problems& problems) {
  auto argument = namesBeside(leaf, leaf.subject.key->scalar, true, problems);
  const auto of = ofBeside(leaf, around, problems);
  if (!argument || !of) return std::nullopt;
  argument->of = *of;
  return argument;
}

void labelValues(const Argument& argument, const Scope& scope, Seen& seen) {
  if (isAsked(argument, scope)) valuesOfPairs(labelsIn(argument, scope), argument, seen);
}
std::string labelPlace(const Argument& argument, const Value& value, const Scope& scope) {
  return ofPlace(argument, "labels", value, scope);
}
std::string labelNoun(const Argument& argument, const Value& value, const Scope& scope) {
  return ofNoun(argument, "label", value, scope);
}

void annotationValues(const Argument& argument, const Scope& scope, Seen& seen) {
  if (isAsked(argument, scope)) valuesOfPairs(annotationsIn(argument, scope), argument, seen);
}
std::string annotationPlace(const Argument& argument, const Value& value, const Scope& scope) {
  return ofPlace(argument, "annotations", value, scope);
}
std::string annotationNoun(const Argument& argument, const Value& value, const Scope& scope) {
  return ofNoun(argument, "annotation", value, scope);
}

}  // namespace driftbar::policy::subjects
