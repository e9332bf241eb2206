// A workload of several pod templates: what is said of one does not hide what is to be said of another.
#include "unit/decision/fixture.h"

namespace driftbar::decision {
namespace {

using namespace testing;

World worldOf(const std::string& documents) {
  return testing::worldOf(documents, kNodes);
}

std::string ruled(const std::string& rule, const std::string& others = {}) {
  return policyOf("  rules: [{name: r, " + rule + "}]\n" + others);
}

const std::string kExemption = exempting("p/r", "{podServiceAccounts: [ml/trial]}");

// A PyTorchJob whose Master and Worker have these in their pods' specs.
std::string toldOfJob(const World& world, const std::string& master, const std::string& worker) {
  return told(torchJob(master, worker), world);
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
  const Asked driver{
      "apps", "DaemonSet", "daemonsets",
      "{metadata: {name: driver}, spec: {template: {spec: {containers: [{name: d, image: x}]}}}}"};
  const Asked pod{
      "", "Pod", "pods",
      "{metadata: {name: driver-x, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: driver, "
      "uid: u1, controller: true}]}, spec: {containers: [{name: d, image: x}]}}"};
  const std::string rule =
      "  rules: [{name: r, deny: {canLandOn: {matchExpressions: [{key: driftbar.io/drift, operator: "
      "Exists}]}}}]\n";
  const std::string finding = "it can land on a node with driftbar.io/drift, must be kept off such nodes";
  EXPECT_EQ(told(driver, worldOf(policyOf(rule))), "");
  EXPECT_EQ(told(pod, worldOf(policyOf(rule))), "");
  EXPECT_EQ(told(driver, worldOf(policyOf("  match: {kinds: [DaemonSet]}\n" + rule))),
            "p/r: DaemonSet \"driver\": " + finding);
  EXPECT_EQ(told(pod, worldOf(policyOf("  match: {ownedBy: [DaemonSet]}\n" + rule))),
            "p/r: Pod \"driver-x\": " + finding);
}

}  // namespace
}  // namespace driftbar::decision
