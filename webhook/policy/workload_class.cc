#include "policy/workload_class.h"

#include <algorithm>

#include "base/glob.h"
#include "kube/quantity.h"

namespace driftbar::policy {
namespace {

constexpr std::string_view kAccelerators[] = {
    "nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-*",       "gpu.intel.com/*",   "amd.com/gpu",
    "google.com/tpu", "habana.ai/gaudi",       "aws.amazon.com/neuron*", "huawei.com/Ascend*"};
constexpr std::string_view kServingOwners[] = {"Deployment", "StatefulSet", "RayService", "LeaderWorkerSet",
                                               "InferenceService"};
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

// An amount of 0 asks for none.
bool asksIn(Json resources) {
  for (const auto& [name, amount] : resources.entries()) {
    if (!anyFits(kAccelerators, name)) continue;
    const auto quantity = kube::Quantity::read(amount);
    if (!quantity || *quantity > kube::Quantity()) return true;
  }
  return false;
}

// The device class of a claim is written in the claim, which a pod only names.
Truth asksForAccelerator(Json pod) {
  const bool asks = anyContainer(pod, [](Json container) {
    const Json resources = container["resources"];
    return asksIn(resources["limits"]) || asksIn(resources["requests"]);
  });
  if (asks) return Truth::kTrue;
  return pod["spec"]["resourceClaims"].size() > 0 ? Truth::kUnknown : Truth::kFalse;
}

bool hasOwner(Json pod, std::span<const std::string_view> kinds) {
  const auto named = [&](std::string_view kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  for (const Json owner : pod["metadata"]["ownerReferences"].items()) {
    const auto kind = owner["kind"].text();
    if (named(kind)) return true;
    // As kube::Pod::ownerKinds: only a Deployment's ReplicaSet puts this label on its pods.
    if (kind == "ReplicaSet" && pod["metadata"]["labels"]["pod-template-hash"].exists() &&
        named("Deployment"))
      return true;
  }
  return false;
}

bool hasTrainingLabel(Json pod) {
  for (const auto& [key, value] : pod["metadata"]["labels"].entries()) {
    if (anyFits(kTrainingLabels, key)) return true;
  }
  return false;
}

bool setsTrainingVariable(Json pod) {
  return anyContainer(pod, [](Json container) {
    for (const Json variable : container["env"].items()) {
      if (anyFits(kTrainingVariables, variable["name"].text())) return true;
    }
    return false;
  });
}

bool isSystem(const Facts& facts) {
  return globFits(kSystemNamespaces, facts.ns) || anyFits(facts.systemNamespaces, facts.ns);
}

// In the order of the contract: the label `training` beats all, a controller's label the label `serving`,
// that one the variables, and those the owner.
Truth isTraining(const Facts& facts) {
  constexpr std::string_view kDaemonSet[] = {"DaemonSet"};
  const Json pod = facts.pod;
  if (isSystem(facts) || hasOwner(pod, kDaemonSet)) return Truth::kFalse;
  const auto label = pod["metadata"]["labels"][kWorkloadLabel].text();
  if (label == "training") return Truth::kTrue;
  const Truth asks = asksForAccelerator(pod);
  if (asks == Truth::kFalse || hasTrainingLabel(pod)) return asks;
  if (label == "serving") return Truth::kFalse;
  if (setsTrainingVariable(pod)) return asks;
  return hasOwner(pod, kServingOwners) ? Truth::kFalse : asks;
}

constexpr WorkloadClassRow kClasses[] = {
    {"training",
     "pods that ask for an accelerator and do not serve; never those of DaemonSets or system namespaces",
     isTraining},
    {"rdma-training", "training pods that ask for RDMA devices or set variables of the fabric", nullptr},
};

}  // namespace

std::span<const WorkloadClassRow> workloadClasses() {
  return kClasses;
}

}  // namespace driftbar::policy
