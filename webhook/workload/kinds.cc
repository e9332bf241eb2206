// THE TABLE OF KINDS. A new kind is one row here and one fixture in tests/unit/workload, or a document of
// kind WorkloadKind in policies/workload-kinds.
//
// Sources are the projects' own API types and defaults: k8s.io/api apps/v1 and batch/v1; jobset.x-k8s.io
// v1alpha2; kubeflow.org v1 (training-operator) and v2beta1 (mpi-operator); trainer.kubeflow.org v1alpha1;
// ray.io v1; leaderworkerset.x-k8s.io v1; batch.volcano.sh v1alpha1. A number of pods is what runs at once,
// as the controllers count it: a Job's parallelism and never more than its completions, KubeRay's replicas
// between its bounds.
#include <algorithm>
#include <cassert>
#include <utility>

#include "workload/workload.h"

namespace driftbar::workload {
namespace {

std::vector<TemplateWords> scaled() {
  return {{.path = "spec.template", .replicas = {{.value = "spec.replicas"}}}};
}

// Of a Job's own spec at this path.
FactorWords jobPods(const std::string& spec) {
  return {.value = spec + ".parallelism", .atMost = spec + ".completions"};
}

// A map of roles, each with `replicas` and `template`: Kubeflow's jobs.
std::vector<TemplateWords> roles(const std::string& map, std::vector<std::string> notRanks = {},
                                 std::string ranksWhen = {}) {
  return {{.path = map + "[*].template",
           .replicas = {{.value = map + "[*].replicas"}},
           .notRanks = std::move(notRanks),
           .ranksWhen = std::move(ranksWhen)}};
}

KindWords kubeflow(std::string kind, std::vector<TemplateWords> templates) {
  return {.group = "kubeflow.org",
          .kind = std::move(kind),
          .templates = std::move(templates),
          .suspend = {"spec.runPolicy.suspend"},
          .startsTogether = true};
}

// TFJob as of v1alpha1 has a list of roles; a cluster may still hold some.
std::vector<TemplateWords> tensorFlow() {
  // A parameter server and an evaluator take no part in collectives.
  auto all = roles("spec.tfReplicaSpecs", {"PS", "Evaluator"});
  all.push_back({.path = "spec.replicaSpecs[*].template",
                 .replicas = {{.value = "spec.replicaSpecs[*].replicas"}},
                 .notRanks = {"PS", "Evaluator"},
                 .role = "spec.replicaSpecs[*].tfReplicaType"});
  return all;
}

// The replicated jobs of a JobSet's spec. The names are those that Kubeflow's Trainer gives to what is no
// rank.
std::vector<TemplateWords> replicatedJobs(const std::string& spec) {
  const std::string job = spec + ".replicatedJobs[*]";
  return {{.path = job + ".template.spec.template",
           .replicas = {{.value = job + ".replicas"}, jobPods(job + ".template.spec")},
           .notRanks = {"launcher", "dataset-initializer", "model-initializer"}}};
}

std::vector<TemplateWords> rayCluster(const std::string& spec) {
  const std::string group = spec + ".workerGroupSpecs[*]";
  return {{.path = spec + ".headGroupSpec.template",
           .replicas = {{.value = "1"}},
           .ranks = false,
           .role = "head"},
          {.path = group + ".template",
           .replicas = {{.value = group + ".replicas",
                         .otherwise = 0,
                         .atLeast = group + ".minReplicas",
                         .atMost = group + ".maxReplicas"},
                        {.value = group + ".numOfHosts"}}}};
}

std::vector<TemplateWords> rayJob() {
  auto all = rayCluster("spec.rayClusterSpec");
  all.push_back({.path = "spec.submitterPodTemplate",
                 .replicas = {{.value = "1"}},
                 .ranks = false,
                 .role = "submitter"});
  return all;
}

// A group's leader has a template of its own or is made of the workers'.
std::vector<TemplateWords> leaderAndWorkers() {
  const std::string group = "spec.leaderWorkerTemplate";
  return {{.path = group + ".leaderTemplate", .replicas = {{.value = "spec.replicas"}}, .role = "leader"},
          {.path = group + ".workerTemplate",
           .replicas = {{.value = "spec.replicas"},
                        {.value = group + ".size", .lessOneWith = group + ".leaderTemplate"}},
           .role = "worker"}};
}

// Volcano has no word for a task's part in the job; these are the names of its own examples and plugins.
std::vector<TemplateWords> volcanoTasks() {
  return {{.path = "spec.tasks[*].template",
           .replicas = {{.value = "spec.tasks[*].replicas", .otherwise = 0}},
           .notRanks = {"mpimaster", "launcher", "ps", "evaluator", "scheduler", "server"}}};
}

std::vector<KindWords> rows() {
  const std::string trainer = "trainer.kubeflow.org";
  return {
      {.group = "apps", .kind = "Deployment", .templates = scaled()},
      {.group = "apps", .kind = "ReplicaSet", .templates = scaled()},
      {.group = "", .kind = "ReplicationController", .templates = scaled()},
      {.group = "apps", .kind = "StatefulSet", .templates = scaled()},
      {.group = "apps", .kind = "DaemonSet", .templates = {{.path = "spec.template"}}},
      {.group = "batch",
       .kind = "Job",
       .templates = {{.path = "spec.template", .replicas = {jobPods("spec")}}},
       .suspend = {"spec.suspend"}},
      {.group = "batch",
       .kind = "CronJob",
       .templates = {{.path = "spec.jobTemplate.spec.template",
                      .replicas = {jobPods("spec.jobTemplate.spec")}}},
       .suspend = {"spec.suspend", "spec.jobTemplate.spec.suspend"}},
      {.group = "jobset.x-k8s.io",
       .kind = "JobSet",
       .templates = replicatedJobs("spec"),
       .suspend = {"spec.suspend"},
       .startsTogether = true},
      kubeflow("PyTorchJob", roles("spec.pytorchReplicaSpecs")),
      kubeflow("TFJob", tensorFlow()),
      kubeflow("MPIJob", roles("spec.mpiReplicaSpecs", {"Launcher"}, "spec.runLauncherAsWorker")),
      kubeflow("XGBoostJob", roles("spec.xgbReplicaSpecs")),
      kubeflow("JAXJob", roles("spec.jaxReplicaSpecs")),
      {.group = trainer,
       .kind = "TrainJob",
       .suspend = {"spec.suspend"},
       .startsTogether = true,
       .runtime = RuntimeWords{"spec.runtimeRef", trainer, "ClusterTrainingRuntime"}},
      {.group = trainer,
       .kind = "TrainingRuntime",
       .templates = replicatedJobs("spec.template.spec"),
       .startsTogether = true,
       .blueprint = true},
      {.group = trainer,
       .kind = "ClusterTrainingRuntime",
       .templates = replicatedJobs("spec.template.spec"),
       .startsTogether = true,
       .blueprint = true},
      {.group = "ray.io", .kind = "RayJob", .templates = rayJob(), .suspend = {"spec.suspend"}},
      {.group = "ray.io", .kind = "RayCluster", .templates = rayCluster("spec"), .suspend = {"spec.suspend"}},
      {.group = "ray.io",
       .kind = "RayService",
       .templates = rayCluster("spec.rayClusterConfig"),
       .suspend = {"spec.rayClusterConfig.suspend"}},
      {.group = "leaderworkerset.x-k8s.io",
       .kind = "LeaderWorkerSet",
       .templates = leaderAndWorkers(),
       .startsTogether = true},
      {.group = "batch.volcano.sh",
       .kind = "Job",
       .templates = volcanoTasks(),
       .minAvailable = "spec.minAvailable",
       .startsTogether = true},
  };
}

std::vector<Kind> made() {
  std::vector<Kind> kinds;
  for (const KindWords& words : rows()) {
    auto kind = Kind::of(words);
    assert(kind.ok());  // the words are constants, and a test reads them all
    if (kind) kinds.push_back(*std::move(kind));
  }
  return kinds;
}

bool is(const Kind& row, std::string_view group, std::string_view kind) {
  return row.kind == kind && row.group == group;
}

}  // namespace

const Kinds& Kinds::builtIn() {
  static const Kinds table = Kinds().with(made());
  return table;
}

Kinds Kinds::with(std::vector<Kind> added) const {
  Kinds all = *this;
  for (Kind& kind : added) {
    const auto old = std::find_if(all.kinds_.begin(), all.kinds_.end(),
                                  [&](const Kind& row) { return is(row, kind.group, kind.kind); });
    if (old != all.kinds_.end()) {
      *old = std::move(kind);
    } else {
      all.kinds_.push_back(std::move(kind));
    }
  }
  return all;
}

const Kind* Kinds::find(std::string_view group, std::string_view kind) const {
  const auto row =
      std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& each) { return is(each, group, kind); });
  return row == kinds_.end() ? nullptr : &*row;
}

const Kind* Kinds::ofResource(std::string_view group, std::string_view resource) const {
  const auto row = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& each) {
    return each.resource == resource && each.group == group;
  });
  return row == kinds_.end() ? nullptr : &*row;
}

}  // namespace driftbar::workload
