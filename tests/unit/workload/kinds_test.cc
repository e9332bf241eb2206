// Every row of the table, and every shipped WorkloadKind, on a small object of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/shipped_kinds.h"
#include "workload/workload.h"

namespace driftbar::workload {
namespace {

struct Row {
  const char* name;
  const char* group;
  const char* kind;
  const char* resource;
  const char* object;
  const char* templates;  // `place role ×replicas`, `-` before what is no rank
  const char* traits = "";
};

constexpr Row kRows[] = {
    {"Deployment", "apps", "Deployment", "deployments", R"({"spec":{"replicas":3,"template":{"spec":{}}}})",
     "spec.template ×3"},
    {"ReplicaSet", "apps", "ReplicaSet", "replicasets", R"({"spec":{"template":{"spec":{}}}})",
     "spec.template ×1"},
    {"ReplicationController", "", "ReplicationController", "replicationcontrollers",
     R"({"spec":{"replicas":0,"template":{}}})", "spec.template ×0"},
    {"StatefulSet", "apps", "StatefulSet", "statefulsets", R"({"spec":{"replicas":null,"template":{}}})",
     "spec.template ×1"},
    {"DaemonSet", "apps", "DaemonSet", "daemonsets", R"({"spec":{"template":{}}})", "spec.template ×?"},
    {"Job", "batch", "Job", "jobs",
     R"({"spec":{"suspend":true,"parallelism":4,"completions":3,"template":{}}})", "spec.template ×3",
     "suspended"},
    {"JobWithoutCompletions", "batch", "Job", "jobs",
     R"({"spec":{"suspend":false,"parallelism":4,"template":{}}})", "spec.template ×4"},
    {"JobWithoutParallelism", "batch", "Job", "jobs", R"({"spec":{"completions":8,"template":{}}})",
     "spec.template ×1"},
    {"CronJob", "batch", "CronJob", "cronjobs",
     R"({"spec":{"jobTemplate":{"spec":{"parallelism":2,"template":{}}}}})",
     "spec.jobTemplate.spec.template ×2"},
    {"CronJobOfSuspendedJobs", "batch", "CronJob", "cronjobs",
     R"({"spec":{"suspend":false,"jobTemplate":{"spec":{"suspend":true,"template":{}}}}})",
     "spec.jobTemplate.spec.template ×1", "suspended"},
    {"JobSet", "jobset.x-k8s.io", "JobSet", "jobsets",
     R"({"spec":{"suspend":true,"replicatedJobs":[
         {"name":"launcher","template":{"spec":{"template":{}}}},
         {"name":"workers","replicas":2,"template":{"spec":{"parallelism":4,"completions":4,"template":{}}}}]}})",
     R"(-spec.replicatedJobs["launcher"].template.spec.template launcher ×1; )"
     R"(spec.replicatedJobs["workers"].template.spec.template workers ×8)",
     "suspended together"},
    {"PyTorchJob", "kubeflow.org", "PyTorchJob", "pytorchjobs",
     R"({"spec":{"runPolicy":{"suspend":true},"pytorchReplicaSpecs":{"Master":{"template":{}},"Worker":{"replicas":7,"template":{}}}}})",
     "spec.pytorchReplicaSpecs.Master.template Master ×1; spec.pytorchReplicaSpecs.Worker.template Worker ×7",
     "suspended together"},
    {"TFJob", "kubeflow.org", "TFJob", "tfjobs",
     R"({"spec":{"tfReplicaSpecs":{"PS":{"replicas":2,"template":{}},"Worker":{"replicas":4,"template":{}}}}})",
     "-spec.tfReplicaSpecs.PS.template PS ×2; spec.tfReplicaSpecs.Worker.template Worker ×4", "together"},
    {"TFJobOfV1alpha1", "kubeflow.org", "TFJob", "tfjobs",
     R"({"spec":{"replicaSpecs":[{"tfReplicaType":"MASTER","template":{}},{"tfReplicaType":"PS","replicas":2,"template":{}}]}})",
     "spec.replicaSpecs[0].template MASTER ×1; -spec.replicaSpecs[1].template PS ×2", "together"},
    {"MPIJob", "kubeflow.org", "MPIJob", "mpijobs",
     R"({"spec":{"mpiReplicaSpecs":{"Launcher":{"template":{}},"Worker":{"replicas":2,"template":{}}}}})",
     "-spec.mpiReplicaSpecs.Launcher.template Launcher ×1; spec.mpiReplicaSpecs.Worker.template Worker ×2",
     "together"},
    {"MPIJobWhoseLauncherWorks", "kubeflow.org", "MPIJob", "mpijobs",
     R"({"spec":{"runLauncherAsWorker":true,"mpiReplicaSpecs":{"Launcher":{"template":{}}}}})",
     "spec.mpiReplicaSpecs.Launcher.template Launcher ×1", "together"},
    {"XGBoostJob", "kubeflow.org", "XGBoostJob", "xgboostjobs",
     R"({"spec":{"xgbReplicaSpecs":{"Master":{"template":{}}}}})",
     "spec.xgbReplicaSpecs.Master.template Master ×1", "together"},
    {"JAXJob", "kubeflow.org", "JAXJob", "jaxjobs",
     R"({"spec":{"jaxReplicaSpecs":{"Worker":{"template":{}}}}})",
     "spec.jaxReplicaSpecs.Worker.template Worker ×1", "together"},
    {"PaddleJob", "kubeflow.org", "PaddleJob", "paddlejobs",
     R"({"spec":{"paddleReplicaSpecs":{"Worker":{"replicas":3,"template":{}}}}})",
     "spec.paddleReplicaSpecs.Worker.template Worker ×3", "together"},
    {"MXJob", "kubeflow.org", "MXJob", "mxjobs",
     R"({"spec":{"runPolicy":{"suspend":true},"mxReplicaSpecs":{"Scheduler":{"template":{}},"Worker":{"template":{}}}}})",
     "-spec.mxReplicaSpecs.Scheduler.template Scheduler ×1; spec.mxReplicaSpecs.Worker.template Worker ×1",
     "suspended together"},
    {"TrainJob", "trainer.kubeflow.org", "TrainJob", "trainjobs",
     R"({"spec":{"suspend":true,"runtimeRef":{"name":"torch"},"podTemplateOverrides":[{"spec":{}}]}})", "",
     "suspended together runtime=trainer.kubeflow.org/ClusterTrainingRuntime/torch"},
    {"TrainJobOfANamespacedRuntime", "trainer.kubeflow.org", "TrainJob", "trainjobs",
     R"({"spec":{"runtimeRef":{"kind":"TrainingRuntime","name":"own"}}})", "",
     "together runtime=trainer.kubeflow.org/TrainingRuntime/own"},
    {"TrainingRuntime", "trainer.kubeflow.org", "TrainingRuntime", "trainingruntimes",
     R"({"spec":{"template":{"spec":{"replicatedJobs":[{"name":"node","template":{"spec":{"template":{}}}}]}}}})",
     R"(spec.template.spec.replicatedJobs["node"].template.spec.template node ×1)", "together blueprint"},
    {"ClusterTrainingRuntime", "trainer.kubeflow.org", "ClusterTrainingRuntime", "clustertrainingruntimes",
     R"({"spec":{"template":{"spec":{"replicatedJobs":[{"name":"dataset-initializer","template":{"spec":{"template":{}}}}]}}}})",
     R"(-spec.template.spec.replicatedJobs["dataset-initializer"].template.spec.template dataset-initializer ×1)",
     "together blueprint"},
    {"RayCluster", "ray.io", "RayCluster", "rayclusters",
     R"({"spec":{"suspend":true,"headGroupSpec":{"template":{}},"workerGroupSpecs":[
         {"groupName":"gpu","replicas":2,"numOfHosts":4,"template":{}},{"groupName":"more","minReplicas":3,"template":{}},
         {"groupName":"less","replicas":9,"maxReplicas":5,"template":{}},{"groupName":"none","template":{}}]}})",
     R"(-spec.headGroupSpec.template head ×1; spec.workerGroupSpecs["gpu"].template gpu ×8; )"
     R"(spec.workerGroupSpecs["more"].template more ×3; spec.workerGroupSpecs["less"].template less ×5; )"
     R"(spec.workerGroupSpecs["none"].template none ×0)",
     "suspended"},
    {"RayJob", "ray.io", "RayJob", "rayjobs",
     R"({"spec":{"submitterPodTemplate":{},"rayClusterSpec":{"headGroupSpec":{"template":{}}}}})",
     "-spec.rayClusterSpec.headGroupSpec.template head ×1; -spec.submitterPodTemplate submitter ×1"},
    {"RayService", "ray.io", "RayService", "rayservices",
     R"({"spec":{"rayClusterConfig":{"workerGroupSpecs":[{"groupName":"w","replicas":1,"template":{}}]}}})",
     R"(spec.rayClusterConfig.workerGroupSpecs["w"].template w ×1)"},
    {"RayCronJob", "ray.io", "RayCronJob", "raycronjobs",
     R"({"spec":{"suspend":true,"jobTemplate":{"submitterPodTemplate":{},"rayClusterSpec":{"headGroupSpec":{"template":{}},
         "workerGroupSpecs":[{"groupName":"w","replicas":2,"numOfHosts":2,"template":{}}]}}}})",
     R"(-spec.jobTemplate.rayClusterSpec.headGroupSpec.template head ×1; )"
     R"(spec.jobTemplate.rayClusterSpec.workerGroupSpecs["w"].template w ×4; )"
     R"(-spec.jobTemplate.submitterPodTemplate submitter ×1)",
     "suspended"},
    {"LeaderWorkerSet", "leaderworkerset.x-k8s.io", "LeaderWorkerSet", "leaderworkersets",
     R"({"spec":{"replicas":2,"leaderWorkerTemplate":{"size":4,"leaderTemplate":{},"workerTemplate":{}}}})",
     "spec.leaderWorkerTemplate.leaderTemplate leader ×2; spec.leaderWorkerTemplate.workerTemplate worker ×6",
     "together"},
    {"LeaderWorkerSetOfOneTemplate", "leaderworkerset.x-k8s.io", "LeaderWorkerSet", "leaderworkersets",
     R"({"spec":{"replicas":2,"leaderWorkerTemplate":{"size":4,"workerTemplate":{}}}})",
     "spec.leaderWorkerTemplate.workerTemplate worker ×8", "together"},
    {"VolcanoJob", "batch.volcano.sh", "Job", "jobs",
     R"({"spec":{"minAvailable":3,"tasks":[{"name":"mpimaster","replicas":1,"template":{}},{"replicas":2,"template":{}}]}})",
     R"(-spec.tasks["mpimaster"].template mpimaster ×1; spec.tasks[1].template 1 ×2)", "together least=3"},
    {"VolcanoJobThatSaysNothing", "batch.volcano.sh", "Job", "jobs",
     R"({"spec":{"minAvailable":0,"tasks":[{"name":"w","template":{}}]}})",
     R"(spec.tasks["w"].template w ×0)", "together"},
    {"VolcanoCronJob", "batch.volcano.sh", "CronJob", "cronjobs",
     R"({"spec":{"suspend":true,"jobTemplate":{"spec":{"minAvailable":1,"tasks":[{"name":"w","replicas":1,"template":{}}]}}}})",
     R"(spec.jobTemplate.spec.tasks["w"].template w ×1)", "suspended together least=1"},
    {"VolcanoJobTemplate", "flow.volcano.sh", "JobTemplate", "jobtemplates",
     R"({"spec":{"tasks":[{"name":"ps","replicas":1,"template":{}}]}})",
     R"(-spec.tasks["ps"].template ps ×1)", "together blueprint"},
    {"HyperPodPyTorchJob", "sagemaker.amazonaws.com", "HyperPodPyTorchJob", "hyperpodpytorchjobs",
     R"({"spec":{"runPolicy":{"suspend":true},"replicaSpecs":[{"name":"pod","replicas":16,"template":{}}]}})",
     R"(spec.replicaSpecs["pod"].template pod ×16)", "suspended together"},
};

const Kinds& allKinds() {
  static const Kinds kinds = Kinds::builtIn().with(shipped::kinds());
  return kinds;
}

std::string shown(const std::vector<Template>& templates) {
  std::string out;
  for (const auto& each : templates) {
    out += (out.empty() ? "" : "; ") + std::string(each.ranks ? "" : "-") + each.place;
    out += (each.role.empty() ? "" : " ") + each.role;
    out += " ×" + (each.replicas ? std::to_string(*each.replicas) : "?");
  }
  return out;
}

std::string traits(const Kind& kind, Json object) {
  std::string out;
  if (suspended(kind, object)) out += " suspended";
  if (kind.startsTogether) out += " together";
  if (kind.blueprint) out += " blueprint";
  if (const auto least = minAvailable(kind, object)) out += " least=" + std::to_string(*least);
  if (const auto runtime = runtimeOf(kind, object))
    out += " runtime=" + std::string(runtime->group) + "/" + std::string(runtime->kind) + "/" +
           std::string(runtime->name);
  return out.empty() ? out : out.substr(1);
}

class OfKind : public testing::TestWithParam<Row> {};

TEST_P(OfKind, TemplatesAreWhereTheControllerFindsThem) {
  const Row& row = GetParam();
  const Kind* kind = allKinds().find(row.group, row.kind);
  ASSERT_NE(kind, nullptr);
  EXPECT_EQ(allKinds().ofResource(row.group, row.resource), kind);
  const auto document = JsonDocument::parse(row.object);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(shown(templatesOf(*kind, document->root())), row.templates);
  EXPECT_EQ(traits(*kind, document->root()), row.traits);
}

INSTANTIATE_TEST_SUITE_P(Workload, OfKind, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Kinds, EachHasARowHere) {
  for (const Kind& kind : allKinds().all()) {
    EXPECT_TRUE(std::any_of(std::begin(kRows), std::end(kRows),
                            [&](const Row& row) { return kind.group == row.group && kind.kind == row.kind; }))
        << kind.group << " " << kind.kind;
  }
}

TEST(Kinds, OneOfTheSameGroupAndKindTakesTheOthersPlace) {
  auto own = Kind::of({.group = "batch", .kind = "Job", .templates = {{.path = "spec.other"}}});
  ASSERT_TRUE(own.ok());
  const auto kinds = Kinds::builtIn().with({*own});
  EXPECT_EQ(kinds.all().size(), Kinds::builtIn().all().size());
  EXPECT_EQ(kinds.find("batch", "Job")->templates[0].path.toString(), "spec.other");
  EXPECT_EQ(kinds.find("batch.volcano.sh", "Job")->templates[0].path.toString(), "spec.tasks[*].template");
  EXPECT_EQ(Kinds::builtIn().find("batch", "Job")->templates[0].path.toString(), "spec.template");
}

TEST(Kinds, UnknownOnesAreNotFound) {
  EXPECT_EQ(Kinds::builtIn().find("batch", "job"), nullptr);
  EXPECT_EQ(Kinds::builtIn().find("", "Pod"), nullptr);
  EXPECT_EQ(Kinds::builtIn().ofResource("apps", "jobs"), nullptr);
}

}  // namespace
}  // namespace driftbar::workload
