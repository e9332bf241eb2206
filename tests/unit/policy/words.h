// What the tests of the tables of words share: a pod, a node, rows of cases, and how a rule is judged on
// them.
#pragma once

#include <map>
#include <set>

#include "policy/subject_table.h"
#include "unit/policy/fixture.h"

namespace driftbar::policy::testing {

inline constexpr std::string_view kPod =
    R"({"metadata":{"name":"bert-0","labels":{"pool":"h100","size":"512Mi"},
  "annotations":{"example.com/owner":"ann"},"ownerReferences":[{"kind":"Job","uid":"1"}]},
  "spec":{"nodeName":"gpu-07","priority":1000,"hostNetwork":true,
    "containers":[{"name":"trainer","image":"registry/a:1","command":["sysctl","-w"],
      "resources":{"limits":{"cpu":"500m"}},"securityContext":{"privileged":true}},
      {"name":"logger","image":"registry/b:2","command":["sh"]}],
    "initContainers":[{"name":"setup","image":"other/c:3"}],
    "tolerations":[{"operator":"Exists"},{"key":"gpu","effect":"NoSchedule"}]}})";

inline constexpr std::string_view kNode =
    R"({"metadata":{"name":"gpu-07","labels":{"pool":"h100","driver":"535.104.05",
    "nvidia.com/gpu.count":"8","nvidia.com/gpu.product":"H100"},"annotations":{"note":"swap the NIC",
    "driftbar.io/facts":"{\"at\":\"2026-12-01T09:59:00Z\",\"sysctl:net.core.rmem_max\":\"212992\",\"gpu.driver\":\"535.104.05\",\"nic.mtu\":9000,\"kernel.cmdline[iommu]\":\"soft\"}"}},
  "spec":{"unschedulable":true,"taints":[{"key":"gpu","value":"bad","effect":"NoSchedule"},
    {"key":"gpu","effect":"NoExecute"},{"key":"drain","effect":"NoSchedule"}]},
  "status":{"allocatable":{"nvidia.com/gpu":"8","memory":"512Mi"},
    "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-12-01T09:00:00Z"},
      {"type":"GPUMissing","status":"False","lastTransitionTime":"2026-12-01T09:55:00Z"},
      {"type":"NoTime","status":"True"}]}})";

enum class Case { kHolds, kFails, kAbsent, kOther };

struct Row {
  std::string_view word;  // of the table that the row is a case of
  Case kind;
  std::string_view rule;
  std::string_view said;
  std::string_view pod = kPod;
};

// A cluster with the one node, which every pod can land on.
class OneNode final : public Beyond {
 public:
  NodeFound node(std::string_view name) const override {
    return {name == node_->name() ? node_.get() : nullptr, true};
  }
  NamespaceFound ns(std::string_view) const override { return {}; }
  ObjectFound owner(Json, std::string_view) const override { return {}; }
  Truth canLandOn(const PodTemplate&, const kube::LabelSelector& nodes) const override {
    return truthOf(nodes.matches(node_->labels()));
  }

 private:
  std::shared_ptr<const kube::Node> node_ = nodeOf(kNode);
};

// What the pod of an update was before: another label, and one more.
inline constexpr std::string_view kOldPod =
    R"({"metadata":{"name":"bert-0","labels":{"pool":"a100","old":"1"}}})";

// `avoidNodes` is asked of kNode, `changed` of an update of the pod, all else of the pod.
inline std::string judged(std::string_view rule, std::string_view pod = kPod) {
  const bool path = rule.find("avoidNodes") == std::string_view::npos;
  // What `object` looks like is known where one resource is named, and then no value is of a wrong type.
  const bool object = rule.find("field: 'object.") != std::string_view::npos ||
                      rule.find("field: object.") != std::string_view::npos;
  const auto set = loaded(ruleOf(rule, object ? "{resources: [\"*\"]}"
                                       : path ? "{resources: [pods]}"
                                              : "{}"));
  if (set->policies().empty()) return "not loaded";
  const Rule& only = set->policies()[0].rules[0];
  if (only.verb == Verb::kAvoidNodes)
    return shown(evaluate(only, *nodeOf(kNode), factsAt(*parseInstant(kNow))));
  const bool update = rule.find("changed") != std::string_view::npos;
  const PodRequest request(pod, update ? kOldPod : "",
                           update ? kube::Operation::kUpdate : kube::Operation::kCreate);
  const OneNode cluster;
  Facts facts = request.facts();
  facts.beyond = &cluster;
  return shown(evaluate(only, facts));
}

// Of two rows of one name the one about nodes alone is `NAME of nodes`.
template <typename Table, typename Each>
std::string wordOf(const Table& table, const Each& row) {
  std::size_t same = 0;
  for (const auto& other : table) same += other.name == row.name ? 1 : 0;
  std::string word(row.name);
  if constexpr (requires { row.about; }) {
    if (same > 1 && row.about == SubjectRow::kNodes) word += " of nodes";
  }
  return word;
}

template <typename Table>
void expectCases(const Table& table, std::span<const Row> rows) {
  std::map<std::string, std::set<Case>> cases;
  for (const auto& row : rows) cases[std::string(row.word)].insert(row.kind);
  for (const auto& row : table) {
    const std::string word = wordOf(table, row);
    for (const Case kind : {Case::kHolds, Case::kFails, Case::kAbsent})
      EXPECT_TRUE(cases[word].contains(kind)) << word << " lacks a case";
    cases.erase(word);
  }
  EXPECT_TRUE(cases.empty()) << "a case of no row: " << cases.begin()->first;
}

}  // namespace driftbar::policy::testing
