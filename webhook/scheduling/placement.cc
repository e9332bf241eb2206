#include "scheduling/placement.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace driftbar::scheduling {
namespace {

using kube::Quantity;

// The taint that the node controller puts on a cordoned node; who tolerates it may land there.
constexpr kube::Taint kUnschedulableTaint{"node.kubernetes.io/unschedulable", "", "NoSchedule"};

constexpr std::string_view kNameField = "metadata.name";

Json requiredAffinity(Json spec) {
  return spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
}

// Whether the scheduler knows the resource. Others it does not look at, whatever a pod asks for. Source:
// scheduler util IsScalarResourceName, and the three that have fields of their own.
bool isScheduled(std::string_view name) {
  if (name == "cpu" || name == "memory" || name == "ephemeral-storage") return true;
  if (name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")) return true;
  if (name.find("kubernetes.io/") != std::string_view::npos) return true;
  // An extended resource: with a prefix, and a qualified name in a quota too, where "requests." stands before
  // it.
  return name.find('/') != std::string_view::npos && !name.starts_with("requests.") &&
         kube::isLabelKey("requests." + std::string(name));
}

bool allMatch(const auto& rules, auto holds) {
  return std::all_of(rules.begin(), rules.end(), holds);
}

std::string labelText(const kube::Node& node, std::string_view key) {
  const auto value = node.labels().find(key);
  return value ? "label " + printable(key) + " is " + quoted(*value) : "no label " + printable(key);
}

std::string taintText(const kube::Taint& taint) {
  std::string text = "taint " + printable(taint.key);
  if (!taint.value.empty()) text += "=" + printable(taint.value);
  return text + ":" + printable(taint.effect);
}

const kube::Resource* find(std::span<const kube::Resource> resources, std::string_view name) {
  const auto at =
      std::find_if(resources.begin(), resources.end(), [&](const auto& r) { return r.name == name; });
  return at == resources.end() ? nullptr : &*at;
}

std::string needText(const kube::Node& node, const std::string& name, Quantity asked) {
  const kube::Resource* const there = find(node.allocatable(), name);
  return printable(name) + ": asks for " + asked.toString() + ", has " +
         (there != nullptr ? there->amount.toString() : "none");
}

using ComparedToleration = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

std::vector<ComparedToleration> comparedTolerations(Json spec) {
  std::vector<ComparedToleration> list;
  for (const auto& t : kube::Toleration::listOf(spec["tolerations"]))
    list.emplace_back(t.key, t.op.empty() ? "Equal" : t.op, t.value, t.effect);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

bool sameAffinity(Json a, Json b) {
  const bool aThere = a.exists() && !a.isNull(), bThere = b.exists() && !b.isNull();
  return aThere == bThere && (!aThere || a == b);
}

bool sameRequests(Json a, Json b) {
  const auto x = kube::effectiveRequests(a), y = kube::effectiveRequests(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const auto& one, const auto& other) {
    return one.name == other.name && one.amount == other.amount;
  });
}

}  // namespace

Placement Placement::of(const kube::Pod& pod) {
  Placement placement;
  placement.nodeName_ = pod.nodeName();
  placement.tolerations_ = pod.tolerations();
  placement.toleratesUnschedulable_ =
      kube::untolerated({&kUnschedulableTaint, 1}, placement.tolerations_) == nullptr;
  placement.readSelector(pod.spec()["nodeSelector"]);
  placement.readAffinity(requiredAffinity(pod.spec()));
  placement.readNeeds(pod.spec());
  return placement;
}

void Placement::readSelector(Json nodeSelector) {
  const kube::Labels pairs(nodeSelector);
  for (const auto& [key, value] : pairs.pairs())
    nodeSelector_.push_back({key, value, kube::Labels::hash(key, value)});
}

void Placement::readAffinity(Json required) {
  hasAffinity_ = required.exists() && !required.isNull();
  for (const Json json : required["nodeSelectorTerms"].items()) {
    if (auto read = term(json)) terms_.push_back(std::move(*read));
  }
}

// Nothing for a term that matches nothing.
std::optional<Placement::Term> Placement::term(Json json) {
  Term made;
  for (const Json expression : json["matchExpressions"].items()) {
    auto requirement = kube::Requirement::parse(expression, {}, kube::Requirement::Of::kNodeSelector);
    if (!requirement) return std::nullopt;
    const std::uint32_t hash = kube::Labels::hash(requirement->key);
    made.labels.push_back({std::move(requirement).value(), hash});
  }
  for (const Json field : json["matchFields"].items()) {
    const std::string_view op = field["operator"].text();
    const Json values = field["values"];
    if ((op != "In" && op != "NotIn") || values.size() != 1) return std::nullopt;
    made.fields.push_back({field["key"].text(), values.at(0).text(), op == "In"});
  }
  if (made.labels.empty() && made.fields.empty()) return std::nullopt;
  return made;
}

// The scheduler counts cpu in thousandths, all else in whole units, rounded up on both sides.
void Placement::readNeeds(Json spec) {
  needs_.push_back({"pods", Quantity::of(1), Quantity()});
  for (auto& [name, amount] : kube::effectiveRequests(spec)) {
    if (!isScheduled(name) || amount <= Quantity()) continue;
    const Quantity below =
        name == "cpu" ? Quantity::ofMilli(amount.milliValue() - 1) : Quantity::of(amount.value() - 1);
    needs_.push_back({std::move(name), amount, below});
  }
  std::sort(needs_.begin(), needs_.end(), [](const Need& a, const Need& b) { return a.name < b.name; });
}

bool Placement::holds(const LabelRule& rule, const kube::Node& node) {
  return rule.requirement.matches(node.labels().find(rule.requirement.key, rule.keyHash));
}

// A field other than the name reads as empty, as in Kubernetes.
bool Placement::holds(const FieldRule& rule, const kube::Node& node) {
  const std::string_view value = rule.key == kNameField ? node.name() : std::string_view();
  return (value == rule.value) == rule.equal;
}

bool Placement::holds(const Term& term, const kube::Node& node) {
  const auto fits = [&](const auto& rule) { return holds(rule, node); };
  return allMatch(term.labels, fits) && allMatch(term.fields, fits);
}

const Placement::LabelPair* Placement::missedPair(const kube::Node& node) const {
  for (const auto& pair : nodeSelector_) {
    if (!node.labels().hasPair(pair.key, pair.value, pair.hash)) return &pair;
  }
  return nullptr;
}

bool Placement::fitsAffinity(const kube::Node& node) const {
  return !hasAffinity_ ||
         std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) { return holds(term, node); });
}

const kube::Taint* Placement::closingTaint(const kube::Node& node, std::string_view forgiven) const {
  if (!node.tainted()) return nullptr;
  for (const auto& taint : node.taints()) {
    if (!forgiven.empty() && taint.key.starts_with(forgiven)) continue;
    if (kube::untolerated({&taint, 1}, tolerations_) != nullptr) return &taint;
  }
  return nullptr;
}

bool Placement::closedToNew(const kube::Node& node) const {
  return node.unschedulable() && !toleratesUnschedulable_;
}

// Both lists are sorted, so one pass does.
const Placement::Need* Placement::unmetNeed(const kube::Node& node) const {
  auto there = node.allocatable().begin();
  const auto end = node.allocatable().end();
  for (const auto& need : needs_) {
    while (there != end && there->name < need.name) ++there;
    if (there == end || there->name != need.name || there->amount <= need.below) return &need;
  }
  return nullptr;
}

bool Placement::admits(const kube::Node& node, std::string_view forgivenTaints) const {
  if (!nodeName_.empty()) return nodeName_ == node.name();
  // What reads least of the node's memory first.
  return !closedToNew(node) && missedPair(node) == nullptr && closingTaint(node, forgivenTaints) == nullptr &&
         fitsAffinity(node) && unmetNeed(node) == nullptr;
}

std::vector<Obstacle> Placement::obstacles(const kube::Node& node) const {
  std::vector<Obstacle> found;
  if (!nodeName_.empty()) {
    if (nodeName_ != node.name())
      found.push_back({ObstacleKind::kOtherNode, "the pod is pinned to " + printable(nodeName_)});
    return found;
  }
  if (closedToNew(node)) found.push_back({ObstacleKind::kUnschedulable, "unschedulable"});
  if (const auto* pair = missedPair(node))
    found.push_back({ObstacleKind::kSelector, labelText(node, pair->key)});
  if (!fitsAffinity(node)) found.push_back({ObstacleKind::kAffinity, affinityText(node)});
  if (const auto* taint = closingTaint(node, {})) found.push_back({ObstacleKind::kTaint, taintText(*taint)});
  if (const auto* need = unmetNeed(node))
    found.push_back({ObstacleKind::kResource, needText(node, need->name, need->asked)});
  return found;
}

std::optional<Obstacle> Placement::obstacle(const kube::Node& node) const {
  auto all = obstacles(node);
  if (all.empty()) return std::nullopt;
  return std::move(all.front());
}

// With one term the requirement that is not met says it best; of several any could have been meant.
std::string Placement::affinityText(const kube::Node& node) const {
  if (terms_.empty()) return "the pod's node affinity fits no node";
  if (terms_.size() > 1)
    return "fits none of the " + std::to_string(terms_.size()) + " terms of the pod's node affinity";
  for (const auto& rule : terms_[0].labels) {
    if (!holds(rule, node)) return labelText(node, rule.requirement.key);
  }
  return "the pod's node affinity picks nodes by name";
}

bool samePlacement(Json oldSpec, Json newSpec) {
  return oldSpec["nodeName"].text() == newSpec["nodeName"].text() &&
         kube::Labels(oldSpec["nodeSelector"]) == kube::Labels(newSpec["nodeSelector"]) &&
         sameAffinity(requiredAffinity(oldSpec), requiredAffinity(newSpec)) &&
         comparedTolerations(oldSpec) == comparedTolerations(newSpec) && sameRequests(oldSpec, newSpec);
}

}  // namespace driftbar::scheduling
