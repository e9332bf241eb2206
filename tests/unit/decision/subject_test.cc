// What is judged, and when: workloads by their templates, nodes, and what is asked of a pod, each request
// against a policy and the text that people get.
#include "decision/subject.h"

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
{apiVersion: v1, kind: Node, metadata: {name: gpu-01, labels: {pool: h100}}, status: {allocatable: {nvidia.com/gpu: "8", pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: gpu-07, labels: {pool: a100, driftbar.io/drift: major}}, status: {allocatable: {nvidia.com/gpu: "8", pods: "110"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: ml}}
)";

World worldOf(const std::string& spec) {
  World world;
  auto loaded = policy::load({makeSource(
      "p.yaml", "apiVersion: driftbar.io/v1alpha1\nkind: Policy\nmetadata: {name: p}\nspec:\n" + spec)});
  if (loaded.set == nullptr) throw std::runtime_error(render(loaded.diagnostics));
  world.policies = loaded.set;
  const auto inventory = inventory::readInventory(std::vector<Source>{makeSource("nodes.yaml", kNodes)});
  if (!inventory) throw std::runtime_error(render(inventory.errors()));
  world.inventory = inventory->snapshot;
  return world;
}

std::string json(const std::string& yaml) {
  if (yaml == "null") return yaml;
  const auto parsed = yaml::parse(makeSource("o.yaml", yaml));
  if (!parsed || parsed->size() != 1) throw std::runtime_error(yaml);
  return yaml::toJsonText(parsed->front());
}

struct Asked {
  std::string group, kind, resource;  // jobs
  std::string object = "null", oldObject = "null";
  std::string operation = "CREATE";
  std::string subResource = {};
  std::string name = {};
  std::string user = "{username: alice, groups: [ml]}";
};

std::string bodyOf(const Asked& asked) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"group":")" +
         asked.group + R"(","version":"v1","kind":")" + asked.kind + R"("},"resource":{"group":")" +
         asked.group + R"(","version":"v1","resource":")" + asked.resource + R"("},"subResource":")" +
         asked.subResource + R"(","name":")" + asked.name + R"(","namespace":"ml","operation":")" +
         asked.operation + R"(","userInfo":)" + json(asked.user) + R"(,"object":)" + json(asked.object) +
         R"(,"oldObject":)" + json(asked.oldObject) + "}}";
}

Verdict judged(const Asked& asked, const World& world, const Found& found = {}) {
  const std::string body = bodyOf(asked);
  const auto review = kube::Review::parse(body);
  if (!review) throw std::runtime_error(render(review.errors()) + body);
  return judge(review->request(), world, found, *parseInstant("2026-12-01T10:00:00Z"));
}

std::string told(const Asked& asked, const World& world, const Found& found = {}) {
  const auto verdict = judged(asked, world, found);
  std::string out = refusal(verdict);
  for (const auto& warning : warnings(verdict)) out += (out.empty() ? "" : "\n") + ("warning: " + warning);
  return out;
}

std::string exempting(const std::string& rules, const std::string& match, const std::string& expires) {
  return "---\napiVersion: driftbar.io/v1alpha1\nkind: Exemption\nmetadata: {name: inc-1}\nspec: {reason: a "
         "trial, expires: " +
         expires + ", rules: [" + rules + "], match: " + match + "}\n";
}

// ---- workloads

std::string jobOf(const std::string& pod, const std::string& spec = {}, const std::string& metadata = {}) {
  return "{metadata: {name: bert" + (metadata.empty() ? "" : ", " + metadata) + "}, spec: {" +
         (spec.empty() ? "" : spec + ", ") + "template: {metadata: {labels: {team: nlp}}, spec: {" + pod +
         "containers: [{name: trainer, image: x, resources: {limits: {nvidia.com/gpu: 8}}}]}}}}";
}

Asked job(const std::string& object, const std::string& old = "null") {
  return {"batch", "Job", "jobs", object, old, old == "null" ? "CREATE" : "UPDATE"};
}

std::string torchJob(const std::string& master, const std::string& worker) {
  const auto replica = [](const std::string& pod) {
    return "{replicas: 1, template: {spec: {" + pod +
           "containers: [{name: pytorch, image: x, resources: {limits: {nvidia.com/gpu: 8}}}]}}}";
  };
  return "{metadata: {name: bert}, spec: {pytorchReplicaSpecs: {Master: " + replica(master) +
         ", Worker: " + replica(worker) + "}}}";
}

Asked pytorch(const std::string& object) {
  return {"kubeflow.org", "PyTorchJob", "pytorchjobs", object};
}

TEST(Workload, IsJudgedAsItsPodsWouldBe) {
  const auto world = worldOf(
      "  match: {workload: training}\n  rules:\n    - {name: r, deny: {field: pod.spec.hostNetwork, equals: "
      "true}}\n");
  EXPECT_EQ(told(job(jobOf("")), world), "");
  EXPECT_EQ(told(job(jobOf("hostNetwork: true, ")), world),
            "p/r: Job \"bert\": spec.template.spec.hostNetwork is true, must not be true");
}

TEST(Workload, NamesTheTemplateThatBreaksTheRule) {
  const auto world = worldOf(
      "  match: {workload: training}\n  rules:\n    - {name: r, deny: {field: pod.spec.hostNetwork, equals: "
      "true}}\n");
  EXPECT_EQ(told(pytorch(torchJob("", "hostNetwork: true, ")), world),
            "p/r: PyTorchJob \"bert\" (Worker): spec.pytorchReplicaSpecs.Worker.template.spec.hostNetwork is "
            "true, must not be true");
  EXPECT_EQ(told(pytorch(torchJob("hostNetwork: true, ", "hostNetwork: true, ")), world),
            "p/r: PyTorchJob \"bert\" (Master): spec.pytorchReplicaSpecs.Master.template.spec.hostNetwork is "
            "true, must not be true (and 1 more)\n"
            "  Worker  spec.pytorchReplicaSpecs.Worker.template.spec.hostNetwork is true, must not be true");
}

TEST(Workload, WhatIsOfTheObjectIsToldOnce) {
  const auto world = worldOf(
      "  match: {kinds: [PyTorchJob]}\n  rules:\n    - {name: r, require: {label: cost-center, of: "
      "object}}\n");
  EXPECT_EQ(told(pytorch(torchJob("", "")), world),
            "p/r: PyTorchJob \"bert\": label cost-center of the PyTorchJob itself is missing, must be there");
}

TEST(Workload, TemplatesThatDisagreeAreNamed) {
  const auto world = worldOf(
      "  match: {workload: training}\n  rules:\n    - {name: r, require: {field: "
      "'ranks[*].spec.schedulerName', agree: true}}\n");
  EXPECT_EQ(told(pytorch(torchJob("", "")), world), "");
  EXPECT_EQ(
      told(pytorch(torchJob("schedulerName: kai, ", "schedulerName: volcano, ")), world),
      "p/r: PyTorchJob \"bert\": "
      "spec.pytorchReplicaSpecs.Master.template.spec.schedulerName is \"kai\" in Master, \"volcano\" in "
      "Worker, must be the same everywhere");
}

TEST(Workload, PodsWrittenOutLeavesParentsAside) {
  const auto world = worldOf(
      "  match: {resources: [pods]}\n  rules:\n    - {name: r, deny: {field: pod.spec.hostNetwork, equals: "
      "true}}\n");
  EXPECT_EQ(told(job(jobOf("hostNetwork: true, ")), world), "");
}

TEST(Workload, ADeploymentServesUnlessItSaysOtherwise) {
  const auto world =
      worldOf("  match: {workload: training}\n  rules:\n    - {name: r, deny: {label: team}}\n");
  const Asked deployment{"apps", "Deployment", "deployments", jobOf("")};
  EXPECT_EQ(told(deployment, world), "");
  EXPECT_EQ(told(job(jobOf("")), world),
            "p/r: Job \"bert\": label team of the pod template is \"nlp\", must not be there");
}

TEST(Workload, AnUpdateIsJudgedByWhatItBringsIn) {
  const auto world = worldOf(
      "  rules:\n    - {name: r, deny: {field: pod.spec.hostNetwork, equals: true}}\n    - {name: s, deny: "
      "{field: 'pod.spec.hostPID', equals: true}}\n");
  const std::string old = jobOf("hostNetwork: true, ");
  EXPECT_EQ(told(job(jobOf("hostNetwork: true, ", "parallelism: 4"), old), world), "");
  EXPECT_EQ(told(job(jobOf("hostNetwork: true, hostPID: true, "), old), world),
            "p/s: Job \"bert\": spec.template.spec.hostPID is true, must not be true");
}

// The old object's own values were the same; only what else there might be was not known.
TEST(Workload, WhatCouldNotBeToldBeforeDoesNotExcuseWhatIsBrokenNow) {
  const auto world = worldOf(
      "  match: {resources: [jobs.batch]}\n  rules:\n    - {name: r, deny: {rankEnv: NCCL_DEBUG, agree: "
      "true}}\n");
  const std::string mayBe =
      "initContainers: [{name: setup, image: x, envFrom: [{configMapRef: {name: c}}], "
      "resources: {limits: {nvidia.com/gpu: 8}}}], ";
  const auto trainer = [](std::string object) {
    object.insert(object.find("image: x, resources: {limits: {nvidia.com/gpu: 8}}}]}}}}"),
                  "env: [{name: NCCL_DEBUG, value: INFO}], ");
    return object;
  };
  EXPECT_EQ(told(job(trainer(jobOf(mayBe, "parallelism: 4")), trainer(jobOf(mayBe))), world), "");
  EXPECT_EQ(told(job(trainer(jobOf("")), trainer(jobOf(mayBe))), world),
            "p/r: Job \"bert\": env NCCL_DEBUG is \"INFO\" in trainer, must differ");
}

TEST(Workload, OfMoreTemplatesThanAnyoneRunsIsNotJudgedInSilence) {
  std::string tasks;
  for (int i = 0; i < 300; ++i)
    tasks += (i > 0 ? ", " : "") + ("{name: t" + std::to_string(i)) +
             ", template: {spec: {containers: [{name: c}]}}}";
  const Asked many{"batch.volcano.sh", "Job", "jobs",
                   "{metadata: {name: many}, spec: {tasks: [" + tasks + "]}}"};
  EXPECT_EQ(
      told(many, worldOf("  rules:\n    - {name: r, require: {field: 'ranks[*].spec.schedulerName', agree: "
                         "true}}\n")),
      "p/r: Job \"many\" could not be judged: it has 300 pod templates, and "
      "at most 200 are judged");
}

// Quadratic in the number of places, it would take a minute; there is no clock to be asked here.
TEST(Workload, OfAnyNumberOfPlacesIsJudgedInOnePass) {
  std::string variables;
  for (int i = 0; i < 50000; ++i)
    variables += (i > 0 ? ",{\"name\":\"A" : "{\"name\":\"A") + std::to_string(i) + "\",\"value\":\"b\"}";
  const std::string spec =
      R"({"spec": {"containers": [{"name": "t", "image": "x", "env": [)" + variables + "]}]}}";
  const Asked pod{"", "Pod", "pods", R"({"metadata":{"name":"many"},)" + spec.substr(1)};
  const auto refused =
      judged(pod, worldOf("  rules:\n    - {name: r, deny: {env: 'A*', equals: b}}\n")).refused;
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].more + refused[0].details.size(), 49999U);
  Asked edit = pod;
  edit.operation = "UPDATE";
  edit.oldObject = pod.object;
  edit.object.insert(edit.object.find("\"name\":\"many\"}") + 13, ",\"labels\":{\"a\":\"b\"}");
  EXPECT_TRUE(
      judged(edit, worldOf("  rules:\n    - {name: r, deny: {env: 'A*', equals: b}}\n")).refused.empty());
}

TEST(Workload, WithoutATemplateOnlyItsOwnIsJudged) {
  const auto world = worldOf(
      "  rules:\n    - {name: r, require: {label: team}}\n    - {name: s, require: {label: a, of: "
      "object}}\n");
  EXPECT_EQ(told(pytorch("{metadata: {name: bert}}"), world),
            "p/s: PyTorchJob \"bert\": label a of the PyTorchJob itself is missing, must be there");
}

// ---- placement of workloads

constexpr const char* kAvoid =
    "  match: {workload: training}\n  rules:\n    - {name: r, avoidNodes: {label: driftbar.io/drift}}\n";
const std::string kOnDrifted = "nodeSelector: {pool: a100}, ";

TEST(WorkloadPlacement, IsJudgedWhereTheJobIsMade) {
  EXPECT_EQ(told(job(jobOf(kOnDrifted)), worldOf(kAvoid)),
            "p/r: Job \"bert\" can only land on drifted nodes (1 of 1)\n"
            "  gpu-07  label driftbar.io/drift is \"major\"");
  EXPECT_EQ(told(job(jobOf("")), worldOf(kAvoid)), "");
  EXPECT_EQ(told(pytorch(torchJob("", kOnDrifted)), worldOf(kAvoid)),
            "p/r: PyTorchJob \"bert\" (Worker) can only land on drifted nodes (1 of 1)\n"
            "  gpu-07  label driftbar.io/drift is \"major\"");
}

TEST(WorkloadPlacement, OfASuspendedJobIsJudgedWhenItIsResumed) {
  const std::string suspended = jobOf(kOnDrifted, "suspend: true");
  const std::string resumed = jobOf(kOnDrifted, "suspend: false");
  EXPECT_EQ(told(job(suspended), worldOf(kAvoid)), "");
  EXPECT_EQ(told(job(suspended, suspended), worldOf(kAvoid)), "");
  EXPECT_NE(told(job(resumed, suspended), worldOf(kAvoid)), "");
  EXPECT_EQ(told(job(resumed, resumed), worldOf(kAvoid)), "");
  EXPECT_NE(told(job(resumed, jobOf("")), worldOf(kAvoid)), "");
}

TEST(WorkloadPlacement, OfADaemonSetIsLeftAloneUnlessItIsNamed) {
  const Asked daemonSet{"apps", "DaemonSet", "daemonsets", jobOf(kOnDrifted)};
  const std::string landing = "rules: [{name: r, deny: {canLandOn: {matchLabels: {pool: a100}}}}]\n";
  EXPECT_EQ(told(daemonSet, worldOf("  " + landing)), "");
  EXPECT_NE(told(daemonSet, worldOf("  match: {kinds: [DaemonSet]}\n  " + landing)), "");
  EXPECT_EQ(told(daemonSet, worldOf("  rules:\n    - {name: r, avoidNodes: {label: driftbar.io/drift}}\n")),
            "");
  EXPECT_NE(told(daemonSet, worldOf("  match: {kinds: [DaemonSet]}\n  rules:\n    - {name: r, avoidNodes: "
                                    "{label: driftbar.io/drift}}\n")),
            "");
}

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
      "p/r: Node \"gpu-07\": taint gpu:NoSchedule is \"bad\", must not be \"bad\" (and 1 more)\n"
      "  label pool is \"h100\", must not be \"h100\"");
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

// ---- exemptions

TEST(Exemption, LiftsItsRuleForThoseItMatches) {
  const std::string rules =
      "  match: {workload: training}\n  rules:\n    - {name: r, deny: {label: team}}\n    - {name: s, deny: "
      "{label: team, equals: nlp}}\n";
  const auto lifted = worldOf(rules + exempting("p/r", "{namespaces: [ml]}", "2026-12-24"));
  EXPECT_EQ(told(job(jobOf("")), lifted),
            "p/s: Job \"bert\": label team of the pod template is \"nlp\", must not be \"nlp\"\n"
            "warning: p/r: lifted by exemption inc-1 until 2026-12-24: Job \"bert\": label team of the pod template is "
            "\"nlp\", "
            "must not be there");
  const auto verdict = judged(job(jobOf("")), lifted);
  ASSERT_EQ(verdict.exempted.size(), 1U);
  EXPECT_EQ(verdict.exempted[0].rule, "p/r");
  EXPECT_EQ(verdict.exempted[0].exemption, "inc-1");
  for (const auto& other : {exempting("p/r", "{namespaces: [prod]}", "2026-12-24"),
                            exempting("p/r", "{namespaces: [ml]}", "2026-11-30"),
                            // What can't be told lifts nothing.
                            exempting("p/r", "{namespaceSelector: {matchLabels: {a: b}}}", "2026-12-24")}) {
    EXPECT_EQ(judged(job(jobOf("")), worldOf(rules + other)).refused.size(), 2U) << other;
  }
}

// What is the same in every template is lifted only where all of them are exempted.
TEST(Exemption, OfTheWholeMustFitEachTemplate) {
  const std::string trial = "serviceAccountName: trial, ";
  const auto world = worldOf(
      "  match: {kinds: [PyTorchJob]}\n  rules:\n    - {name: r, require: {field: "
      "'ranks[*].spec.schedulerName', agree: true}}\n" +
      exempting("p/r", "{podServiceAccounts: [ml/trial]}", "2026-12-24"));
  EXPECT_EQ(judged(pytorch(torchJob(trial + "schedulerName: kai, ", trial)), world).refused.size(), 0U);
  EXPECT_EQ(judged(pytorch(torchJob(trial + "schedulerName: kai, ", "")), world).refused.size(), 1U);
  EXPECT_EQ(judged(pytorch(torchJob("schedulerName: kai, ", trial)), world).refused.size(), 1U);
}

TEST(Exemption, DoesNotSpeakForOtherRulesWhereAllMeetTheSame) {
  const std::string rules =
      "  match: {workload: training}\n  rules:\n    - {name: r, avoidNodes: {label: a}}\n    - {name: s, "
      "avoidNodes: {label: b}}\n";
  Asked pod{"", "Pod", "pods",
            "{metadata: {name: bert-0}, spec: {nodeName: gpu-99, containers: [{name: t, resources: {limits: "
            "{nvidia.com/gpu: 8}}}]}}"};
  Found none;
  none.add(Need::node("gpu-99"), Answer::notFound());
  const auto verdict =
      judged(pod, worldOf(rules + exempting("p/r", "{namespaces: [ml]}", "2026-12-24")), none);
  ASSERT_EQ(verdict.refused.size(), 1U);
  EXPECT_EQ(verdict.refused[0].rule, "p/s");
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

// ---- a kind whose paths lead nowhere

TEST(WorkloadKind, ThatLeadsToNoTemplateIsTold) {
  const auto world = [](const std::string& policy) {
    return worldOf(policy + R"(
---
apiVersion: driftbar.io/v1alpha1
kind: WorkloadKind
metadata: {name: swarmjob}
spec: {group: sim.example.com, kind: SwarmJob, templates: [{path: spec.roles.template}, {path: spec.main}]}
)");
  };
  const auto swarm = [](const std::string& spec) {
    return Asked{"sim.example.com", "SwarmJob", "swarmjobs", "{metadata: {name: a}, spec: " + spec + "}"};
  };
  const std::string listed = "{roles: [{template: {spec: {}}}]}";
  const std::string rule = "  rules: [{name: r, deny: {label: a}}]\n";
  const std::string warning =
      "warning: SwarmJob \"a\" has no pod template at spec.roles.template or spec.main (WorkloadKind "
      "swarmjob)";
  EXPECT_EQ(told(swarm(listed), world(rule)), warning);
  // A class is of pods, and here is none to tell by.
  EXPECT_EQ(told(swarm(listed), world("  match: {workload: training}\n" + rule)), warning);
  EXPECT_EQ(told(swarm("{main: {spec: {}}}"), world(rule)), "");
  // Nobody would look at them.
  EXPECT_EQ(told(swarm(listed), world("  match: {namespaces: [other]}\n" + rule)), "");
  EXPECT_EQ(told(swarm(listed), world("  match: {resources: [pods]}\n" + rule)), "");
  EXPECT_EQ(told(swarm(listed), world("  mode: audit\n" + rule)), "");
  EXPECT_EQ(told(swarm(listed), world("  rules: [{name: r, deny: {label: a, of: object}}]\n")), "");
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
