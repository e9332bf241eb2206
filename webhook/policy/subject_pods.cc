// canLandOn, resource, hostNamespace: what is asked of a pod as a whole.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/field_path.h"
#include "base/glob.h"
#include "base/text.h"
#include "kube/labels.h"
#include "kube/pod.h"
#include "policy/containers.h"
#include "policy/names.h"
#include "policy/selector.h"
#include "policy/subjects.h"

namespace driftbar::policy::subjects {
namespace {

constexpr auto kKey = Trail::Kind::kKey;

// ---- resource

// Those that need no domain.
constexpr std::string_view kOwnResources[] = {"cpu", "memory", "ephemeral-storage", "hugepages-*"};

bool isResource(std::string_view word) {
  if (word.find('/') != std::string_view::npos) {
    std::string plain(word);
    std::replace(plain.begin(), plain.end(), '*', 'x');
    return kube::isLabelKey(plain);
  }
  return isGlob(word) || std::any_of(std::begin(kOwnResources), std::end(kOwnResources),
                                     [&](std::string_view own) { return globFits(own, word); });
}

// How quotas and pods write it: `requests.nvidia.com/gpu`, `limits.cpu`.
std::string_view withoutRole(std::string_view name) {
  for (const std::string_view role : {"requests.", "limits."}) {
    if (name.starts_with(role)) return name.substr(role.size());
  }
  return name;
}

bool checkResource(const std::string& name, const yaml::Node& node, Problems& problems) {
  const auto plain = withoutRole(name);
  if (plain.size() == name.size() && isResource(name)) return true;
  if (plain.size() != name.size() && isResource(plain)) {
    problems.error(node.where, "never-matches", "no pod can ask for a resource " + quoted(name),
                   "write `" + printable(plain) + "`: the rule looks at what the scheduler counts");
    return false;
  }
  // A GPU is one letter away from a CPU.
  const bool gpu = name.find("gpu") != std::string::npos;
  const auto meant = gpu ? std::string_view{} : nearest(name, kOwnResources);
  problems.error(node.where, "never-matches", "no pod can ask for a resource " + quoted(name),
                 meant.empty() ? "what is not Kubernetes' own has a domain: `nvidia.com/gpu`"
                               : "did you mean `" + std::string(meant) + "`?");
  return false;
}

// 0 where the pod asks for none, and then it is not there.
bool tellResource(std::string_view name, kube::Quantity amount, Seen& seen) {
  const std::string text = amount.toString();
  Value value = Value::ofText(text, name);
  value.kind = Value::Kind::kNumber;
  value.written = amount > kube::Quantity();
  return seen(value);
}

void eachResource(const Argument& argument, Json spec, Seen& seen) {
  const bool globs =
      std::any_of(argument.names.begin(), argument.names.end(), [](const auto& n) { return isGlob(n); });
  if (!globs) {
    for (const auto& name : argument.names) {
      const auto amount = kube::effectiveRequest(spec, name);
      if (amount > kube::Quantity() && !tellResource(name, amount, seen)) return;
    }
    return;
  }
  for (const auto& [name, amount] : kube::effectiveRequests(spec)) {
    const bool asks = amount > kube::Quantity() && nameFits(argument, name);
    if (asks && !tellResource(name, amount, seen)) return;
  }
}

// ---- hostNamespace

struct HostNamespace {
  std::string_view word, field;
};
constexpr HostNamespace kHostNamespaces[] = {
    {"pid", "hostPID"}, {"ipc", "hostIPC"}, {"network", "hostNetwork"}};
constexpr std::string_view kHostNamespaceWords[] = {"pid", "ipc", "network"};

}  // namespace

std::optional<Argument> parseCanLandOn(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  auto selector = selectorOf(*leaf.subject.value, "canLandOn", problems);
  if (!selector) return std::nullopt;
  Argument argument;
  argument.nodes = std::make_shared<const kube::LabelSelector>(*std::move(selector));
  if (!readPlaces(leaf, kOfPod, argument, problems)) return std::nullopt;
  return argument;
}

void canLandOnValues(const Argument& argument, const Scope& scope, Seen& seen) {
  const Facts& facts = *scope.facts;
  if (facts.podKnown && !facts.pod.pod.exists()) return;
  if (argument.of == Of::kRanks && !facts.pod.ranks) return;
  if (!facts.placementSettled || (facts.ofDaemonSet && !scope.meansDaemonSets)) return;
  const bool asked = facts.podKnown && facts.beyond != nullptr;
  const Truth can = asked ? facts.beyond->canLandOn(facts.pod, *argument.nodes) : Truth::kUnknown;
  Value value = can == Truth::kUnknown ? Value::unknown("") : Value::ofText("", "");
  value.written = can != Truth::kUnknown;
  value.flag = can == Truth::kTrue;
  seen(value);
}
std::string canLandOnPlace(const Argument&, const Value&, const Scope& scope) {
  return scope.facts->pod.placeOfSpec();
}
std::string canLandOnNoun(const Argument& argument, const Value&, const Scope&) {
  return "whether it can land on a node with " + shown(*argument.nodes);
}
std::string canLandOnSentence(const Argument& argument, const Value& value, const Scope&) {
  return std::string(value.flag ? "it can land on a node with " : "it can land on no node with ") +
         shown(*argument.nodes);
}
std::string canLandOnMust(const Argument&, bool holds) {
  return holds ? "must be able to land on one" : "must be kept off such nodes";
}

// ---- resource

std::optional<Argument> parseResource(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  auto argument = namesBeside(leaf, "resource", false, problems);
  if (!argument) return std::nullopt;
  const auto words = wordsOf(*leaf.subject.value, "resource", problems);
  bool good = readPlaces(leaf, kOfPod, *argument, problems);
  for (const auto* word : words) good = checkResource(word->scalar, *word, problems) && good;
  return good ? argument : std::nullopt;
}

void resourceValues(const Argument& argument, const Scope& scope, Seen& seen) {
  askPod(argument, scope, seen, [&](const PodTemplate& pod, const Trail&) {
    const Json spec = pod.pod["spec"];
    if (argument.eachThere) return eachResource(argument, spec, seen);
    const auto& name = argument.names.front();
    tellResource(name, kube::effectiveRequest(spec, name), seen);
  });
}
std::string resourcePlace(const Argument&, const Value& value, const Scope& scope) {
  return scope.facts->pod.placeOfSpec() + ".containers[*].resources.requests" + pathStep(value.name);
}
std::string resourceNoun(const Argument&, const Value& value, const Scope&) {
  return "resource " + printable(value.name);
}
std::string resourceSentence(const Argument& argument, const Value& value, const Scope& scope) {
  return resourceNoun(argument, value, scope) + " is " + value.shown() +
         (value.written ? "" : " (the pod asks for none)");
}

// ---- hostNamespace

std::optional<Argument> parseHostNamespace(const syntax::Leaf& leaf, const Surroundings&,
                                           Problems& problems) {
  Argument argument;
  const std::size_t before = problems.errorCount();
  for (const auto* word : wordsOf(*leaf.subject.value, "hostNamespace", problems)) {
    const auto known =
        std::find(std::begin(kHostNamespaceWords), std::end(kHostNamespaceWords), word->scalar);
    if (known == std::end(kHostNamespaceWords) && word->scalar != "*")
      problems.unknown(word->where, "word", "`hostNamespace`", word->scalar, kHostNamespaceWords);
    argument.names.push_back(word->scalar);
  }
  readPlaces(leaf, kOfPod, argument, problems);
  return problems.errorCount() == before ? std::optional(std::move(argument)) : std::nullopt;
}

void hostNamespaceValues(const Argument& argument, const Scope& scope, Seen& seen) {
  askPod(argument, scope, seen, [&](const PodTemplate& pod, const Trail& top) {
    const Trail spec{&top, kKey, "spec", 0};
    for (const auto& row : kHostNamespaces) {
      if (!pod.pod["spec"][row.field].isTrue()) continue;
      const Trail place{&spec, kKey, row.field, 0};
      Value value = Value::ofText(row.word, row.field);
      value.trail = &place;
      value.flag = nameFits(argument, row.word);
      if (!(argument.picks && !value.flag) && !seen(value)) return;
    }
  });
}
std::string hostNamespaceNoun(const Argument&, const Value& value, const Scope&) {
  return value.kind == Value::Kind::kUnknown ? "which of the host's namespaces it shares"
                                             : "the host's " + printable(value.text) + " namespace";
}
std::string hostNamespaceSentence(const Argument& argument, const Value& value, const Scope& scope) {
  return hostNamespaceNoun(argument, value, scope) + " is shared (" + printable(value.name) + ")";
}
std::string hostNamespaceMust(const Argument& argument, bool holds) {
  return holds ? beOneOf(argument.names, true) : "must not be shared";
}

}  // namespace driftbar::policy::subjects
