// A workload of several pod templates: what is said of one does not hide what is to be said of another.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "decision/judge.h"
#include "inventory/file.h"
#include "yaml/yaml.h"

namespace driftbar::decision {
namespace {

constexpr const char* kNodes = R"(
{apiVersion: v1, kind: Node, metadata: {name: gpu-01, labels: {pool: h100}}, status: {allocatable: {pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: gpu-07, labels: {pool: a100, driftbar.io/drift: major}}, status: {allocatable: {pods: "110"}}}
)";

World worldOf(const std::string& documents) {
  World world;
  const auto loaded = policy::load({makeSource("p.yaml", documents)});
  if (loaded.set == nullptr) throw std::runtime_error(render(loaded.diagnostics));
  world.policies = loaded.set;
  const auto inventory = inventory::readInventory(std::vector<Source>{makeSource("nodes.yaml", kNodes)});
  if (!inventory) throw std::runtime_error(render(inventory.errors()));
  world.inventory = inventory->snapshot;
  return world;
}

std::string ruled(const std::string& rule, const std::string& others = {}) {
  return "apiVersion: driftbar.io/v1alpha1\nkind: Policy\nmetadata: {name: p}\nspec: {rules: [{name: r, " +
         rule + "}]}\n" + others;
}

const std::string kExemption =
    "---\napiVersion: driftbar.io/v1alpha1\nkind: Exemption\nmetadata: {name: inc-1}\nspec: {reason: a "
    "trial, expires: 2026-12-24, rules: [p/r], match: {podServiceAccounts: [ml/trial]}}\n";

std::string told(const World& world, const std::string& kind, const std::string& object) {
  const auto parsed = yaml::parse(makeSource(
      "o.yaml",
      "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, namespace: ml, operation: "
      "CREATE, userInfo: {username: alice}, " +
          kind + ", object: " + object + "}}"));
  if (!parsed) throw std::runtime_error(render(parsed.errors()));
  const auto review = kube::Review::parse(yaml::toJsonText(parsed->front()));
  if (!review) throw std::runtime_error(render(review.errors()));
  const auto verdict = judge(review->request(), world, *parseInstant("2026-12-01T10:00:00Z"));
  std::string out = refusal(verdict);
  for (const auto& warning : warnings(verdict)) out += (out.empty() ? "" : "\n") + ("warning: " + warning);
  return out;
}

// A PyTorchJob whose Master and Worker have these in their pods' specs.
std::string toldOfJob(const World& world, const std::string& master, const std::string& worker) {
  const auto replica = [](const std::string& pod) {
    return "{replicas: 1, template: {spec: {" + pod + "containers: [{name: pytorch, image: x}]}}}";
  };
  return told(world,
              "kind: {group: kubeflow.org, version: v1, kind: PyTorchJob}, resource: {group: kubeflow.org, "
              "version: v1, resource: pytorchjobs}",
              "{metadata: {name: bert}, spec: {pytorchReplicaSpecs: {Master: " + replica(master) +
                  ", Worker: " + replica(worker) + "}}}");
}

TEST(Templates, AnExemptionOfOneDoesNotLiftAnother) {
  const auto world = worldOf(ruled("deny: {field: pod.spec.hostNetwork, equals: true}", kExemption));
  EXPECT_EQ(toldOfJob(world, "hostNetwork: true, serviceAccountName: trial, ", "hostNetwork: true, "),
            "p/r: PyTorchJob \"bert\" (Worker): spec.pytorchReplicaSpecs.Worker.template.spec.hostNetwork is "
            "true, must not be true");
  EXPECT_EQ(toldOfJob(world, "hostNetwork: true, serviceAccountName: trial, ", ""),
            "warning: p/r: lifted by exemption inc-1 until 2026-12-24: PyTorchJob \"bert\" (Master): "
            "spec.pytorchReplicaSpecs.Master.template.spec.hostNetwork is true, must not be true");
}

TEST(Templates, AnExemptionOfOneDoesNotLetAnotherOntoADriftedNode) {
  const auto world = worldOf(ruled("avoidNodes: {label: driftbar.io/drift}", kExemption));
  const std::string drifted = "nodeSelector: {pool: a100}, ";
  EXPECT_EQ(toldOfJob(world, drifted + "serviceAccountName: trial, ", drifted),
            "p/r: PyTorchJob \"bert\" (Worker) can only land on drifted nodes (1 of 1)\n"
            "  gpu-07  label driftbar.io/drift is \"major\"");
  EXPECT_EQ(toldOfJob(world, drifted + "serviceAccountName: trial, ", ""),
            "warning: p/r: lifted by exemption inc-1 until 2026-12-24: PyTorchJob \"bert\" (Master) can only "
            "land on drifted nodes (1 of 1)");
}

TEST(Templates, ThatOneFitsNoNodeIsToldBesideARefusalOfAnother) {
  const auto world = worldOf(ruled("avoidNodes: {label: driftbar.io/drift}"));
  EXPECT_EQ(toldOfJob(world, "nodeSelector: {pool: a100}, ", "nodeSelector: {pool: none}, "),
            "p/r: PyTorchJob \"bert\" (Master) can only land on drifted nodes (1 of 1)\n"
            "  gpu-07  label driftbar.io/drift is \"major\"\n"
            "warning: driftbar: PyTorchJob \"bert\" (Worker) fits none of 2 nodes: 2 are excluded by its "
            "nodeSelector; nearest: label pool is \"a100\" (1 node)");
}

TEST(Templates, OfACustomResourceHaveTheTypesThatPodsHave) {
  EXPECT_EQ(toldOfJob(worldOf(ruled("deny: {privileged: true}")), "", "priority: '1', "),
            "p/r: PyTorchJob \"bert\" could not be judged: "
            "spec.pytorchReplicaSpecs.Worker.template.spec.priority is text, and must be a whole number");
}

TEST(Templates, WhereADaemonSetCanLandIsAskedOnlyWhereItIsNamed) {
  const std::string kind =
      "kind: {group: apps, version: v1, kind: DaemonSet}, resource: {group: apps, version: v1, resource: "
      "daemonsets}";
  const std::string driver =
      "{metadata: {name: driver}, spec: {template: {spec: {containers: [{name: d, image: x}]}}}}";
  const std::string pod =
      "{metadata: {name: driver-x, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: driver, "
      "uid: u1, controller: true}]}, spec: {containers: [{name: d, image: x}]}}";
  const std::string podKind =
      "kind: {group: '', version: v1, kind: Pod}, resource: {group: '', version: v1, resource: pods}";
  const std::string rule =
      "{rules: [{name: r, deny: {canLandOn: {matchExpressions: [{key: driftbar.io/drift, operator: "
      "Exists}]}}}]";
  const std::string policy =
      "apiVersion: driftbar.io/v1alpha1\nkind: Policy\nmetadata: {name: p}\nspec: " + rule;
  EXPECT_EQ(told(worldOf(policy + "}"), kind, driver), "");
  EXPECT_EQ(told(worldOf(policy + "}"), podKind, pod), "");
  EXPECT_EQ(
      told(worldOf(policy + ", match: {kinds: [DaemonSet]}}"), kind, driver),
      "p/r: DaemonSet \"driver\": it can land on a node with driftbar.io/drift, must be kept off such nodes");
  EXPECT_EQ(
      told(worldOf(policy + ", match: {ownedBy: [DaemonSet]}}"), podKind, pod),
      "p/r: Pod \"driver-x\": it can land on a node with driftbar.io/drift, must be kept off such nodes");
}

}  // namespace
}  // namespace driftbar::decision
