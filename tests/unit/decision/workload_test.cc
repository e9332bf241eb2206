// Workloads are judged by their templates, and exemptions lift of them what they fit: each request against a
// policy, and the text that people get.
#include "unit/decision/fixture.h"

namespace driftbar::decision {
namespace {

using namespace testing;

World worldOf(const std::string& spec) {
  return testing::worldOf(policyOf(spec), kNodes);
}

// ---- workloads

std::string jobOf(const std::string& pod, const std::string& spec = {}, const std::string& metadata = {}) {
  return "{metadata: {name: bert" + (metadata.empty() ? "" : ", " + metadata) + "}, spec: {" +
         (spec.empty() ? "" : spec + ", ") + "template: {metadata: {labels: {team: nlp}}, spec: {" + pod +
         "containers: [{name: trainer, image: x, resources: {limits: {nvidia.com/gpu: 8}}}]}}}}";
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
  EXPECT_EQ(told(torchJob("", "hostNetwork: true, "), world),
            "p/r: PyTorchJob \"bert\" (Worker): spec.pytorchReplicaSpecs.Worker.template.spec.hostNetwork is "
            "true, must not be true");
  EXPECT_EQ(told(torchJob("hostNetwork: true, ", "hostNetwork: true, "), world),
            "p/r: PyTorchJob \"bert\" (Master): spec.pytorchReplicaSpecs.Master.template.spec.hostNetwork is "
            "true, must not be true (and 1 more)\n"
            "  Worker  spec.pytorchReplicaSpecs.Worker.template.spec.hostNetwork is true, must not be true");
}

// Its fields stand right below the path; `pod.spec` is how rules call it, and no step of the way.
TEST(Workload, PlacesInABarePodSpecAreThoseOfTheObject) {
  constexpr const char* kTable =
      "---\napiVersion: driftbar.io/v1alpha1\nkind: WorkloadKind\nmetadata: {name: roundtables}\n"
      "spec: {group: sim.example.com, kind: RoundTable, templates: [{path: spec.seat}]}\n";
  const Asked table{
      "sim.example.com", "RoundTable", "roundtables",
      "{metadata: {name: bert}, spec: {seat: {hostPID: true, hostNetwork: true, containers: [{name: a, "
      "image: x, resources: {limits: {nvidia.com/gpu: 4}}, securityContext: {privileged: true}}]}}}"};
  struct Row {
    const char *condition, *found;
  };
  constexpr Row kPlaces[] = {
      {"{field: pod.spec.hostNetwork, equals: true}", "spec.seat.hostNetwork"},
      {"{field: 'pod.containers[*].image', equals: x}", "spec.seat.containers[\"a\"].image"},
      {"{field: 'templates[*].spec.hostPID', equals: true}", "spec.seat.hostPID"},
      {"{some: pod.spec.containers, where: [{field: image, equals: x}]}",
       "spec.seat.containers[\"a\"].image"},
      {"{hostNamespace: pid}", "spec.seat.hostPID"},
      {"{image: x}", "spec.seat.containers[\"a\"].image"},
      {"{privileged: true}", "spec.seat.containers[\"a\"].securityContext.privileged"},
      {"{resource: nvidia.com/gpu, equals: 4}",
       "spec.seat.containers[*].resources.requests[\"nvidia.com/gpu\"]"},
  };
  for (const auto& row : kPlaces) {
    const auto world =
        testing::worldOf(policyOf("  match: {kinds: [RoundTable]}\n  rules:\n    - {name: r, deny: " +
                                  std::string(row.condition) + ", message: '{field}'}\n") +
                             kTable,
                         kNodes);
    const auto text = told(table, world);
    EXPECT_EQ(text.substr(0, text.find('\n')), std::string("p/r: ") + row.found) << row.condition;
  }
}

TEST(Workload, WhatIsOfTheObjectIsToldOnce) {
  const auto world = worldOf(
      "  match: {kinds: [PyTorchJob]}\n  rules:\n    - {name: r, require: {label: cost-center, of: "
      "object}}\n");
  EXPECT_EQ(told(torchJob("", ""), world),
            "p/r: PyTorchJob \"bert\": label cost-center of the PyTorchJob itself is missing, must be there");
}

TEST(Workload, TemplatesThatDisagreeAreNamed) {
  const auto world = worldOf(
      "  match: {workload: training}\n  rules:\n    - {name: r, require: {field: "
      "'ranks[*].spec.schedulerName', agree: true}}\n");
  EXPECT_EQ(told(torchJob("", ""), world), "");
  EXPECT_EQ(
      told(torchJob("schedulerName: kai, ", "schedulerName: volcano, "), world),
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
  EXPECT_EQ(told(torchJob("", kOnDrifted), worldOf(kAvoid)),
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

// ---- exemptions

TEST(Exemption, LiftsItsRuleForThoseItMatches) {
  const std::string rules =
      "  match: {workload: training}\n  rules:\n    - {name: r, deny: {label: team}}\n    - {name: s, deny: "
      "{label: team, equals: nlp}}\n";
  const auto lifted = worldOf(rules + exempting("p/r", "{namespaces: [ml]}", "2026-12-24"));
  EXPECT_EQ(told(job(jobOf("")), lifted),
            "p/s: Job \"bert\": label team of the pod template is \"nlp\", must not be \"nlp\"\n"
            "warning: p/r: lifted by exemption inc-1 until 2026-12-24: Job \"bert\": label team of the pod "
            "template is "
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
  EXPECT_EQ(judged(torchJob(trial + "schedulerName: kai, ", trial), world).refused.size(), 0U);
  EXPECT_EQ(judged(torchJob(trial + "schedulerName: kai, ", ""), world).refused.size(), 1U);
  EXPECT_EQ(judged(torchJob("schedulerName: kai, ", trial), world).refused.size(), 1U);
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

}  // namespace
}  // namespace driftbar::decision
