#include "policy/workload_class.h"

#include <algorithm>
#include <utility>

#include "base/glob.h"
#include "kube/accelerator.h"
#include "kube/environment.h"
#include "kube/pod.h"
#include "policy/condition.h"

namespace driftbar::policy {
namespace {

struct OwnerKind {
  std::string_view group, kind;
};
constexpr OwnerKind kServingOwners[] = {{"apps", "Deployment"},
                                        {"apps", "StatefulSet"},
                                        {"ray.io", "RayService"},
                                        {"leaderworkerset.x-k8s.io", "LeaderWorkerSet"},
                                        {"serving.kserve.io", "InferenceService"}};
constexpr OwnerKind kDaemonSet[] = {{"apps", "DaemonSet"}};
// Set by the controllers of training jobs on their pods: Kubeflow's training operator and trainer, its MPI
// operator, Volcano, and what the older operators of Kubeflow set.
constexpr std::string_view kTrainingLabels[] = {
    "training.kubeflow.org/*", "trainer.kubeflow.org/*", "mpi-job-name", "pytorch-job-name", "tf-job-name",
    "volcano.sh/job-name"};
constexpr std::string_view kTrainingVariables[] = {"NCCL_*", "MASTER_ADDR", "WORLD_SIZE"};
constexpr std::string_view kSystemNamespaces = "kube-*";
constexpr std::string_view kWorkloadLabel = "driftbar.io/workload";
constexpr std::string_view kContainerLists[] = {"initContainers", "containers", "ephemeralContainers"};

bool anyFits(std::span<const std::string_view> globs, std::string_view text) {
  return std::any_of(globs.begin(), globs.end(), [&](auto glob) { return globFits(glob, text); });
}

// Whether `fits` holds for any container of any kind. No list is made: this runs for every pod.
template <typename Fits>
bool anyContainer(Json pod, const Fits& fits) {
  for (const auto list : kContainerLists) {
    for (const Json container : pod["spec"][list].items()) {
      if (fits(container)) return true;
    }
  }
  return false;
}

// The device class of a claim is written in the claim, which a pod only names.
Truth asksForAccelerator(Json pod) {
  if (anyContainer(pod, kube::asksForAccelerator)) return Truth::kTrue;
  return pod["spec"]["resourceClaims"].size() > 0 ? Truth::kUnknown : Truth::kFalse;
}

// The pods of a template will be owned by the object that it sits in, and by the controller of that.
bool hasOwner(const Facts& facts, std::span<const OwnerKind> kinds) {
  const bool isTemplate = !facts.pod.place.empty();
  const Json pod = facts.pod.pod, owned = isTemplate ? facts.object : pod;
  const auto& kind = facts.request->kind;
  // As kube::Pod::ownerKinds: only a Deployment's ReplicaSet puts this label on its pods.
  const bool deployed = kube::controlledBy(owned, "apps", "ReplicaSet") &&
                        pod["metadata"]["labels"]["pod-template-hash"].exists();
  return std::any_of(kinds.begin(), kinds.end(), [&](const OwnerKind& one) {
    return (isTemplate && kind.group == one.group && kind.kind == one.kind) ||
           kube::controlledBy(owned, one.group, one.kind) || (deployed && one.kind == "Deployment");
  });
}

// The controllers of these groups set such a label on every pod that they make.
constexpr std::string_view kTrainingGroups[] = {"kubeflow.org", "trainer.kubeflow.org", "batch.volcano.sh",
                                                "sagemaker.amazonaws.com"};

bool hasTrainingLabel(const Facts& facts) {
  if (!facts.pod.place.empty() && anyFits(kTrainingGroups, facts.request->kind.group)) return true;
  const Json pod = facts.pod.pod;
  for (const auto& [key, value] : pod["metadata"]["labels"].entries()) {
    if (anyFits(kTrainingLabels, key)) return true;
  }
  return false;
}

// Reading a command line costs; most speak of none of the variables.
bool speaksOf(Json container, std::span<const std::string_view> names) {
  for (const auto list : {"command", "args"}) {
    for (const Json word : container[list].items()) {
      const bool speaks = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        return word.text().find(name.substr(0, name.find('*'))) != std::string_view::npos;
      });
      if (speaks) return true;
    }
  }
  return false;
}

// Whether a container sets one of the variables, in `env` or on its command line. What an envFrom may bring
// does not count: those who serve have one as often as those who train.
bool sets(Json container, std::span<const std::string_view> names) {
  for (const Json variable : container["env"].items()) {
    if (anyFits(names, variable["name"].text())) return true;
  }
  if (!speaksOf(container, names)) return false;
  const auto environment = kube::Environment::of(container);
  const auto settings = environment.settings();
  return std::any_of(settings.begin(), settings.end(),
                     [&](const auto& one) { return anyFits(names, one.name); });
}

bool setsVariable(Json pod, std::span<const std::string_view> names) {
  return anyContainer(pod, [&](Json container) { return sets(container, names); });
}

bool isSystem(const Facts& facts) {
  return globFits(kSystemNamespaces, facts.ns) || anyFits(facts.systemNamespaces, facts.ns);
}

// In the order of the contract: the label `training` beats all, a controller's label the label `serving`,
// that one the variables, and those the owner.
Truth isTraining(const Facts& facts) {
  const Json pod = facts.pod.pod;
  if (isSystem(facts) || hasOwner(facts, kDaemonSet)) return Truth::kFalse;
  const auto label = pod["metadata"]["labels"][kWorkloadLabel].text();
  if (label == "training") return Truth::kTrue;
  const Truth asks = asksForAccelerator(pod);
  if (asks == Truth::kFalse || hasTrainingLabel(facts)) return asks;
  if (label == "serving") return Truth::kFalse;
  if (setsVariable(pod, kTrainingVariables)) return asks;
  return hasOwner(facts, kServingOwners) ? Truth::kFalse : asks;
}

// ---- rdma-training

constexpr std::string_view kFabricDevices[] = {"*rdma*",
                                               "*roce*",
                                               "*sriov*",
                                               "vpc.amazonaws.com/efa",
                                               "nvidia.com/*ib*",
                                               "nvidia.com/mlnx*",
                                               "nvidia.com/hostdev*",
                                               "mellanox.com/*",
                                               "openshift.io/*"};
constexpr std::string_view kFabricVariables[] = {"NCCL_IB_*", "UCX_NET_DEVICES", "FI_PROVIDER"};

bool asksForFabric(Json pod) {
  return anyContainer(pod, [](Json container) { return kube::asksFor(container, kFabricDevices); });
}

Truth isRdmaTraining(const Facts& facts) {
  const Json pod = facts.pod.pod;
  const bool fabric = asksForFabric(pod) || setsVariable(pod, kFabricVariables);
  return fabric ? isTraining(facts) : Truth::kFalse;
}

struct Row {
  std::string_view name;
  std::string_view doc;
  Truth (*has)(const Facts& facts);
  std::vector<std::string> sensitiveTo;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows{
      {"training",
       "pods that ask for an accelerator and do not serve; never those of DaemonSets or system namespaces",
       isTraining,
       {"gpu", "driver", "kernel", "os", "storage", "security"}},
      {"rdma-training",
       "training pods that ask for RDMA devices or set variables of the fabric",
       isRdmaTraining,
       {"rdma", "nccl"}},
  };
  return kRows;
}

}  // namespace

Truth WorkloadClass::has(const Facts& facts) const {
  if (!facts.podKnown) return Truth::kUnknown;
  if (!facts.pod.pod.exists()) return Truth::kFalse;
  return builtIn != nullptr ? builtIn(facts) : policy::holds(*condition, facts);
}

WorkloadClasses::WorkloadClasses() {
  for (const auto& row : rows()) {
    put({std::string(row.name), std::string(row.doc), row.sensitiveTo, row.has, nullptr});
  }
}

void WorkloadClasses::put(WorkloadClass made) {
  auto& place = byName_[made.name];
  if (place && made.builtIn == nullptr && !made.condition) {
    made.builtIn = place->builtIn;
    made.condition = place->condition;
  }
  place = std::make_shared<const WorkloadClass>(std::move(made));
}

std::shared_ptr<const WorkloadClass> WorkloadClasses::find(std::string_view name) const {
  const auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : found->second;
}

std::vector<std::string_view> WorkloadClasses::names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, row] : byName_) names.push_back(name);
  return names;
}

std::vector<std::shared_ptr<const WorkloadClass>> WorkloadClasses::all() const {
  std::vector<std::shared_ptr<const WorkloadClass>> rows;
  for (const auto& [name, row] : byName_) rows.push_back(row);
  return rows;
}

}  // namespace driftbar::policy
