// Placement: on which nodes a pod could land, judged as the scheduler's filters do from what is fixed for the
// pod's life.
//
// The way in is Placement::of. It reads a pod spec once and can't fail; asking it about a node then only
// compares. Asked are nodeSelector, required node affinity, taints, unschedulable, and the node's allocatable
// against what the pod asks for. Not asked is what changes by the minute or is not written on the two of
// them: free room, other pods (pod affinity, spread, ports), volumes, the scheduler's own configuration,
// devices that DRA hands out for an extended resource.
//
// The rules are those of component-helpers nodeaffinity and of the plugins nodename, nodeunschedulable,
// tainttoleration and noderesources/fit of kube-scheduler; tests/oracle compares with their code.
#pragma once

#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "kube/label_selector.h"
#include "kube/node.h"
#include "kube/pod.h"

namespace driftbar::scheduling {

enum class ObstacleKind { kOtherNode, kUnschedulable, kSelector, kAffinity, kTaint, kResource };

// Why a pod can't land on a node: `taint dedicated=infra:NoSchedule`, `label pool is "a100"`,
// `nvidia.com/gpu: asks for 8, has 4`. The text is printable.
struct Obstacle {
  ObstacleKind kind;
  std::string text;
};

// Holds views into the pod's document, so it must not outlive that. Asking is safe from many threads and
// allocates nothing, but for the texts of obstacles.
class Placement {
 public:
  static Placement of(const kube::Pod& pod);

  // Whether the pod could land there. With spec.nodeName the scheduler is not asked: that node alone,
  // whatever else is said. Taints whose key begins with `forgivenTaints` don't count; an empty one forgives
  // none.
  bool admits(const kube::Node& node, std::string_view forgivenTaints = {}) const;

  // What stands in the way, one of a kind, in the order of ObstacleKind; empty exactly where admits() holds.
  std::vector<Obstacle> obstacles(const kube::Node& node) const;
  // The first of them.
  std::optional<Obstacle> obstacle(const kube::Node& node) const;

  // Whether there is a node that a term of required node affinity could fit. There is none for a term that is
  // empty or has a requirement that Kubernetes can't read (a Gt that is no integer).
  static bool canMatch(Json nodeSelectorTerm) { return term(nodeSelectorTerm).has_value(); }

  // spec.nodeName; empty where the scheduler will choose.
  std::string_view nodeName() const { return nodeName_; }

 private:
  struct LabelPair {
    std::string_view key, value;
    std::uint32_t hash;
  };
  struct LabelRule {
    kube::Requirement requirement;
    std::uint32_t keyHash;
  };
  struct FieldRule {
    std::string_view key, value;
    bool equal;
  };
  struct Term {
    std::vector<LabelRule> labels;
    std::vector<FieldRule> fields;
  };
  // The node has enough exactly if its allocatable is more than `below`: the next smaller amount in the whole
  // units that the scheduler counts in.
  struct Need {
    std::string name;
    kube::Quantity asked, below;
  };

  static std::optional<Term> term(Json json);
  static bool holds(const LabelRule& rule, const kube::Node& node);
  static bool holds(const FieldRule& rule, const kube::Node& node);
  static bool holds(const Term& term, const kube::Node& node);

  void readSelector(Json nodeSelector);
  void readAffinity(Json required);
  void readNeeds(Json spec);

  const LabelPair* missedPair(const kube::Node& node) const;
  bool fitsAffinity(const kube::Node& node) const;
  const kube::Taint* closingTaint(const kube::Node& node, std::string_view forgiven) const;
  bool closedToNew(const kube::Node& node) const;
  const Need* unmetNeed(const kube::Node& node) const;

  std::string affinityText(const kube::Node& node) const;

  std::string_view nodeName_;
  std::vector<LabelPair> nodeSelector_;
  bool hasAffinity_ = false;
  std::vector<Term> terms_;  // only those that can match
  std::vector<kube::Toleration> tolerations_;
  bool toleratesUnschedulable_ = false;
  std::vector<Need> needs_;  // sorted by name, as a node's allocatable is
};

// Of a range of pointers to nodes, those where the pod could land, in their order.
template <std::ranges::input_range Nodes>
std::vector<const kube::Node*> candidates(const Placement& placement, const Nodes& nodes,
                                          std::string_view forgivenTaints = {}) {
  std::vector<const kube::Node*> found;
  for (const auto& node : nodes) {
    if (placement.admits(*node, forgivenTaints)) found.push_back(&*node);
  }
  return found;
}

// Whether two pod specs say the same about where the pod may go: nodeName, nodeSelector, required node
// affinity, tolerations (in any order, their seconds aside) and what it asks for. An affinity that only says
// the same in another order counts as another.
bool samePlacement(Json oldSpec, Json newSpec);

}  // namespace driftbar::scheduling
