// Nodes, what is asked of a pod, who asks and who owns: each request against a policy, and the text that
// people get.
#include "decision/subject.h"

#include "unit/decision/fixture.h"

namespace driftbar::decision {
namespace {

using namespace testing;

World worldOf(const std::string& spec) {
  return testing::worldOf(policyOf(spec), kNodes);
}

constexpr const char* kAvoid =
    "  match: {workload: training}\n  rules:\n    - {name: r, avoidNodes: {label: driftbar.io/drift}}\n";

// ---- nodes

Asked node(const std::string& object, const std::string& old = "null", const std::string& user = {}) {
  Asked asked{"", "Node", "nodes", object, old, old == "null" ? "CREATE" : "UPDATE"};
  asked.name = "gpu-07";
  if (!user.empty()) asked.user = user;
  return asked;
}

constexpr const char* kEdits =
    "  match: {resources: [nodes]}\n"
    "  except: [{requestedBy: {groups: [node-admins], onOwnNode: true}}]\n"
    "  rules:\n"
    "    - {name: labels, deny: {changed: node.metadata.labels, keys: ['nvidia.com/*', pool]}}\n"
    "    - {name: taints, deny: {changed: node.spec.taints}}\n";

TEST(NodeEdit, IsRefusedWhereAGuardedKeyChanges) {
  const std::string old = "{metadata: {name: gpu-07, labels: {pool: h100, a: b}}}";
  EXPECT_EQ(
      told(node("{metadata: {name: gpu-07, labels: {pool: a100, a: c}}}", old), worldOf(kEdits)),
      "p/labels: Node \"gpu-07\": label pool is changed from \"h100\" to \"a100\", must not be changed");
  EXPECT_EQ(told(node("{metadata: {name: gpu-07, labels: {pool: h100, a: c}}}", old), worldOf(kEdits)), "");
  EXPECT_EQ(told(node("{metadata: {name: gpu-07}}", old), worldOf(kEdits)),
            "p/labels: Node \"gpu-07\": label pool is taken off; it was \"h100\", must not be changed");
  EXPECT_EQ(told(node("{metadata: {name: gpu-07, labels: {pool: a100}}}", old,
                      "{username: bob, groups: [node-admins]}"),
                 worldOf(kEdits)),
            "");
  EXPECT_EQ(told(node("{metadata: {name: gpu-07, labels: {pool: a100}}}", old,
                      "{username: 'system:node:gpu-07', groups: ['system:nodes']}"),
                 worldOf(kEdits)),
            "");
  EXPECT_NE(told(node("{metadata: {name: gpu-07, labels: {pool: a100}}}", old,
                      "{username: 'system:node:gpu-08', groups: ['system:nodes']}"),
                 worldOf(kEdits)),
            "");
}

// Absence and `false` mean the same to Kubernetes.
TEST(NodeEdit, OfNoMeaningIsNone) {
  const auto world = worldOf("  rules:\n    - {name: r, deny: {changed: node.spec.unschedulable}}\n");
  const auto spec = [](const std::string& text) {
    return node("{metadata: {name: gpu-07}, spec: " + text + "}");
  };
  const auto edit = [&](const std::string& from, const std::string& to) {
    return told(node(spec(to).object, spec(from).object), world);
  };
  EXPECT_EQ(edit("{}", "{unschedulable: false}"), "");
  EXPECT_EQ(edit("{unschedulable: false}", "{}"), "");
  EXPECT_EQ(edit("{}", "{unschedulable: true}"),
            "p/r: Node \"gpu-07\": spec.unschedulable is added as true, must not be changed");
  EXPECT_EQ(edit("{unschedulable: false}", "{unschedulable: true}"),
            "p/r: Node \"gpu-07\": spec.unschedulable is changed from false to true, must not be changed");
  EXPECT_EQ(edit("{unschedulable: true}", "{}"),
            "p/r: Node \"gpu-07\": spec.unschedulable is taken off; it was true, must not be changed");
  EXPECT_EQ(edit("{unschedulable: true}", "{unschedulable: false}"),
            "p/r: Node \"gpu-07\": spec.unschedulable is changed from true to false, must not be changed");
}

TEST(NodeEdit, TaintsCountByKeyAndEffectAndKubernetesOwnDoNot) {
  const std::string old =
      "{metadata: {name: gpu-07}, spec: {taints: [{key: a, effect: NoSchedule}, {key: b, effect: "
      "NoExecute}]}}";
  EXPECT_EQ(
      told(node("{metadata: {name: gpu-07}, spec: {taints: [{key: b, effect: NoExecute}, {key: a, effect: "
                "NoSchedule}]}}",
                old),
           worldOf(kEdits)),
      "");
  EXPECT_EQ(
      told(node("{metadata: {name: gpu-07}, spec: {taints: [{key: a, effect: NoSchedule}, {key: b, effect: "
                "NoExecute}, {key: node.kubernetes.io/not-ready, effect: NoExecute}]}}",
                old),
           worldOf(kEdits)),
      "");
  EXPECT_EQ(told(node("{metadata: {name: gpu-07}, spec: {taints: [{key: a, effect: NoSchedule}]}}", old),
                 worldOf(kEdits)),
            "p/taints: Node \"gpu-07\": taint b:NoExecute is taken off, must not be changed");
}

TEST(NodeEdit, CreatingANodeChangesNothing) {
  EXPECT_EQ(told(node("{metadata: {name: gpu-07, labels: {pool: a100}}}"), worldOf(kEdits)), "");
}

TEST(Node, RulesOnNodesNeedNoResources) {
  const auto world =
      worldOf("  rules:\n    - {name: r, deny: [{taint: gpu, equals: bad}, {label: pool, equals: h100}]}\n");
  EXPECT_EQ(
      told(node("{metadata: {name: gpu-07, labels: {pool: h100}}, spec: {taints: [{key: gpu, value: bad, "
                "effect: NoSchedule}]}}"),
           world),
      "p/r: Node \"gpu-07\": taint gpu:NoSchedule is \"bad\" while label pool is \"h100\"\n"
      "  either taint gpu:NoSchedule must not be \"bad\"\n"
      "  or label pool must not be \"h100\"");
}

TEST(Node, IsNamedInWordsOfTheRule) {
  const auto world = worldOf(
      "  rules:\n    - {name: r, deny: {taint: gpu, equals: bad}, message: '{node} is {value} ({field})'}\n");
  EXPECT_EQ(
      told(node("{metadata: {name: gpu-07}, spec: {taints: [{key: gpu, value: bad, effect: NoSchedule}]}}"),
           world),
      "p/r: gpu-07 is bad (spec.taints[\"gpu:NoSchedule\"])\n"
      "  taint gpu:NoSchedule is \"bad\", must not be \"bad\"");
}

// ---- what is asked of a pod

constexpr const char* kExec =
    "  match: {resources: [pods/exec], workload: training}\n"
    "  rules:\n    - {name: exec, require: {requestedBy: {groups: [oncall]}}}\n";

Asked exec() {
  Asked asked{"", "PodExecOptions", "pods", "{command: [sh]}"};
  asked.operation = "CONNECT";
  asked.subResource = "exec";
  asked.name = "bert-0";
  return asked;
}

Found holding(const std::string& pod) {
  Found found;
  const std::string text = json(pod);
  found.add(Need::pod("ml", "bert-0"), Answer::found(*JsonDocument::parse(text), text.size()));
  return found;
}

constexpr const char* kTrainingPod =
    "{metadata: {name: bert-0}, spec: {nodeName: gpu-07, containers: [{name: t, resources: {limits: "
    "{nvidia.com/gpu: 8}}}]}}";

TEST(Exec, NeedsThePod) {
  const auto verdict = judged(exec(), worldOf(kExec));
  ASSERT_EQ(verdict.needs.size(), 1U);
  EXPECT_EQ(shown(verdict.needs[0]), "Pod ml/bert-0");
}

TEST(Exec, IsJudgedByThePodThatWasLookedUp) {
  EXPECT_EQ(
      told(exec(), worldOf(kExec), holding(kTrainingPod)),
      "p/exec: exec into Pod \"bert-0\": the request comes from \"alice\", must come from group oncall");
  EXPECT_EQ(
      told(exec(), worldOf(kExec), holding("{metadata: {name: bert-0}, spec: {containers: [{name: t}]}}")),
      "");
}

TEST(Exec, OfAPodThatIsNotKnownCountsAsFittingTheMatch) {
  Found none;
  none.add(Need::pod("ml", "bert-0"), Answer::notFound());
  EXPECT_EQ(
      told(exec(), worldOf(kExec), none),
      "p/exec: exec into Pod \"bert-0\": the request comes from \"alice\", must come from group oncall");
}

TEST(Exec, KnowsTheNodeThatThePodIsOn) {
  const auto world = worldOf(
      "  match: {resources: [pods/exec]}\n  rules:\n    - {name: r, deny: {onNode: {label: pool, equals: "
      "a100}}}\n");
  EXPECT_EQ(told(exec(), world, holding(kTrainingPod)),
            "p/r: exec into Pod \"bert-0\": node gpu-07: label pool is \"a100\", must not be \"a100\"");
  EXPECT_EQ(told(exec(), world, holding("{metadata: {name: bert-0}, spec: {containers: [{name: t}]}}")), "");
  EXPECT_EQ(told(exec(), world, Found()),
            "warning: p/r: cannot be told of exec into Pod \"bert-0\": the pod is not known");
}

TEST(Exec, OfNoPolicysConcernLooksNothingUp) {
  const auto verdict = judged(exec(), worldOf(kAvoid));
  EXPECT_TRUE(verdict.allowed());
  EXPECT_TRUE(verdict.needs.empty());
}

TEST(OnNode, OfANodeThatNobodyKnowsIsRefusedUnlessTheRuleSaysOtherwise) {
  Asked pod{"", "Pod", "pods",
            "{metadata: {name: bert-0}, spec: {nodeName: gpu-99, containers: [{name: t}]}}"};
  const std::string rule = "  rules:\n    - {name: r, deny: {onNode: {label: pool}}";
  Found none;
  none.add(Need::node("gpu-99"), Answer::notFound());
  EXPECT_EQ(told(pod, worldOf(rule + "}\n"), none),
            "p/r: cannot be told of Pod \"bert-0\": node gpu-99 is not known");
  EXPECT_EQ(told(pod, worldOf(rule + ", onUnknown: warn}\n"), none),
            "warning: p/r: cannot be told of Pod \"bert-0\": node gpu-99 is not known");
  EXPECT_EQ(shown(judged(pod, worldOf(rule + "}\n")).needs.at(0)), "Node gpu-99");
}

// ---- who asks

TEST(WhoAsks, CountsOnEveryUpdateThatChangesSomething) {
  const auto world = worldOf(
      "  match: {resources: [nodes]}\n  rules:\n    - {name: r, require: {requestedBy: {groups: "
      "[node-admins]}}}\n");
  const std::string old = "{metadata: {name: gpu-07}}";
  EXPECT_EQ(told(node("{metadata: {name: gpu-07, labels: {a: b}}}", old), world),
            "p/r: Node \"gpu-07\": the request comes from \"alice\", must come from group node-admins");
  EXPECT_EQ(told(node(old, old), world), "");
}

TEST(WhoAsks, BesideTheObjectThatMustBeNew) {
  const auto world = worldOf(
      "  match: {resources: [nodes]}\n  rules:\n    - {name: r, deny: [{label: a}, {requestedBy: {groups: "
      "[ml]}}]}\n");
  const std::string old = "{metadata: {name: gpu-07, labels: {a: b}}}";
  EXPECT_EQ(told(node("{metadata: {name: gpu-07, labels: {a: b, c: d}}}", old), world), "");
  EXPECT_NE(told(node("{metadata: {name: gpu-07, labels: {a: c}}}", old), world), "");
}

// ---- owners

TEST(OwnedBy, FollowsTheChain) {
  const auto world =
      worldOf("  match: {ownedBy: [CronJob]}\n  rules:\n    - {name: r, deny: {label: team}}\n");
  Asked pod{
      "", "Pod", "pods",
      "{metadata: {name: bert-0, labels: {team: nlp}, ownerReferences: [{apiVersion: batch/v1, kind: Job, "
      "name: bert, uid: u1}]}}"};
  const auto first = judged(pod, world);
  ASSERT_EQ(first.needs.size(), 1U);
  EXPECT_EQ(shown(first.needs[0]), "Job ml/bert");
  const auto with = [&](const std::string& owner) {
    Found found;
    const std::string text = json(owner);
    found.add(first.needs[0], Answer::found(*JsonDocument::parse(text), text.size()));
    return found;
  };
  EXPECT_EQ(
      told(pod, world,
           with("{metadata: {name: bert, uid: u1, ownerReferences: [{apiVersion: batch/v1, kind: CronJob, "
                "name: nightly, uid: u2}]}}")),
      "p/r: Pod \"bert-0\": label team is \"nlp\", must not be there");
  EXPECT_EQ(told(pod, world, with("{metadata: {name: bert, uid: u1}}")), "");
}

// ---- a pinned pod

TEST(Pinned, ToANodeThatHasJustJoinedIsLookedUp) {
  const auto world = worldOf(kAvoid);
  Asked pod{"", "Pod", "pods",
            "{metadata: {name: bert-0}, spec: {nodeName: gpu-99, containers: [{name: t, resources: {limits: "
            "{nvidia.com/gpu: 8}}}]}}"};
  ASSERT_EQ(judged(pod, world).needs.size(), 1U);
  EXPECT_EQ(shown(judged(pod, world).needs[0]), "Node gpu-99");
  Found found;
  const std::string text = json("{metadata: {name: gpu-99, labels: {driftbar.io/drift: minor}}}");
  found.add(Need::node("gpu-99"), Answer::found(*JsonDocument::parse(text), text.size()));
  EXPECT_EQ(told(pod, world, found),
            "p/r: Pod \"bert-0\" can only land on drifted nodes (1 of 1)\n"
            "  gpu-99  label driftbar.io/drift is \"minor\"");
}

// ---- on its way out

TEST(OnItsWayOut, OnlyMetadataAndStatusMayDiffer) {
  const auto world = worldOf("  rules:\n    - {name: r, onUpdate: always, deny: {label: a, of: object}}\n");
  const std::string old =
      "{metadata: {name: bert, labels: {a: b}, deletionTimestamp: '2026-12-01T09:00:00Z', finalizers: [x]}, "
      "spec: {parallelism: 1}}";
  EXPECT_EQ(
      told(job("{metadata: {name: bert, labels: {a: b}}, spec: {parallelism: 1}, status: {active: 1}}", old),
           world),
      "");
  EXPECT_NE(told(job("{metadata: {name: bert, labels: {a: b}}, spec: {parallelism: 2}}", old), world), "");
}

// ---- what is asked, for the log

TEST(WhatIsAsked, IsSaidAsPeopleSayIt) {
  struct Row {
    Asked asked;
    std::string_view said;
  };
  const Row rows[] = {
      {{"", "Pod", "pods", "{}"}, "Pod"},
      {{"", "PodExecOptions", "pods", "{}", "null", "CONNECT", "exec"}, "exec into Pod"},
      {{"", "PodAttachOptions", "pods", "{}", "null", "CONNECT", "attach"}, "attach to Pod"},
      {{"", "PodPortForwardOptions", "pods", "{}", "null", "CONNECT", "portforward"}, "port-forward to Pod"},
      {{"", "PodProxyOptions", "pods", "{}", "null", "CONNECT", "proxy"}, "proxy to Pod"},
      {{"", "NodeProxyOptions", "nodes", "{}", "null", "CONNECT", "proxy"}, "proxy to Node"},
      {{"", "Eviction", "pods", "{}", "null", "CREATE", "eviction"}, "eviction of Pod"},
      {{"", "Binding", "pods", "{}", "null", "CREATE", "binding"}, "binding of Pod"},
      {{"", "Binding", "bindings", "{}"}, "binding of Pod"},
      {{"", "Pod", "pods", "{}", "{}", "UPDATE", "ephemeralcontainers"}, "ephemeral containers of Pod"},
      {{"", "Pod", "pods", "{}", "{}", "UPDATE", "resize"}, "resize of Pod"},
      {{"", "Node", "nodes", "{}", "{}", "UPDATE", "status"}, "status of Node"},
      {{"apps", "Scale", "deployments", "{}", "{}", "UPDATE", "scale"}, "deployments/scale"},
      {{"apps", "Deployment", "deployments", "{}"}, "Deployment"},
  };
  for (const auto& row : rows) {
    const auto review = kube::Review::parse(bodyOf(row.asked));
    ASSERT_TRUE(review);
    EXPECT_EQ(whatIsAsked(review->request()), row.said);
  }
}

}  // namespace
}  // namespace driftbar::decision
