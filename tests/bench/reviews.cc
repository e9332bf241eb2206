#include "bench/reviews.h"

#include <nlohmann/json.hpp>
#include <string>

namespace driftbar::bench {
namespace {

using Json = nlohmann::ordered_json;

Json container() {
  Json env = Json::array();
  for (const char* name :
       {"NCCL_IB_HCA", "NCCL_SOCKET_IFNAME", "NCCL_IB_GID_INDEX", "NCCL_IB_TC", "FI_PROVIDER"}) {
    env.push_back({{"name", name}, {"value", "mlx5_0,mlx5_1"}});
  }
  return {{"name", "trainer"},
          {"image", "registry.corp.example/ml/bert:1.4"},
          {"command", {"torchrun", "--nproc-per-node=8", "train.py"}},
          {"env", env},
          {"resources",
           {{"limits", {{"nvidia.com/gpu", "8"}, {"cpu", "90"}, {"memory", "900Gi"}}},
            {"requests", {{"nvidia.com/gpu", "8"}, {"cpu", "90"}, {"memory", "900Gi"}}}}},
          {"securityContext", {{"privileged", false}}},
          {"volumeMounts",
           {{{"name", "shm"}, {"mountPath", "/dev/shm"}}, {{"name", "data"}, {"mountPath", "/data"}}}}};
}

Json pod() {
  Json labels{{"team", "nlp"},
              {"training.kubeflow.org/job-name", "bert"},
              {"training.kubeflow.org/replica-index", "0"}};
  Json spec{{"containers", {container()}},
            {"nodeSelector", {{"pool", "pool-last"}}},
            {"tolerations", {{{"key", "nvidia.com/gpu"}, {"operator", "Exists"}, {"effect", "NoSchedule"}}}},
            {"volumes",
             {{{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}}}},
              {{"name", "data"}, {"emptyDir", Json::object()}}}},
            {"serviceAccountName", "trainer"},
            {"restartPolicy", "Never"}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", "bert-0"}, {"namespace", "ml"}, {"labels", labels}, {"managedFields", Json::array()}}},
          {"spec", spec}};
}

}  // namespace

std::string trainingReview(std::size_t bytes) {
  Json review{{"apiVersion", "admission.k8s.io/v1"},
              {"kind", "AdmissionReview"},
              {"request",
               {{"uid", "705ab4f5-6393-11e8-b7cc-42010a800002"},
                {"kind", {{"group", ""}, {"version", "v1"}, {"kind", "Pod"}}},
                {"resource", {{"group", ""}, {"version", "v1"}, {"resource", "pods"}}},
                {"name", "bert-0"},
                {"namespace", "ml"},
                {"operation", "CREATE"},
                {"userInfo", {{"username", "alice"}, {"groups", {"ml", "system:authenticated"}}}},
                {"object", pod()},
                {"oldObject", nullptr},
                {"dryRun", false}}}};
  // managedFields is what a real object is filled with, and what nobody judges.
  auto& fields = review["request"]["object"]["metadata"]["managedFields"];
  while (review.dump().size() < bytes) {
    Json owned;
    for (int i = 0; i < 20; ++i)
      owned["k:{\"name\":\"field-" + std::to_string(i) + "\"}"] = {{".", Json::object()},
                                                                   {"f:value", Json::object()}};
    fields.push_back({{"manager", "kubectl-create"},
                      {"operation", "Update"},
                      {"apiVersion", "v1"},
                      {"fieldsV1", {{"f:spec", owned}}}});
  }
  return review.dump();
}

std::string staticPolicy() {
  return R"(apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: six-rules}
spec:
  match: {workload: training}
  rules:
    - name: team
      require: {label: team}
    - name: registry
      require: {field: "pod.containers[*].image", startsWith: registry.corp.example/}
    - name: unprivileged
      deny: {field: "pod.containers[*].securityContext.privileged", equals: true}
    - name: own-account
      deny: {field: pod.spec.serviceAccountName, in: ["", default]}
    - name: no-host-network
      deny: {field: pod.spec.hostNetwork, equals: true}
    - name: tagged
      deny: {field: "pod.containers[*].image", matches: ".*:latest"}
)";
}

std::string placementPolicy() {
  return R"(apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: placement}
spec:
  match: {workload: training}
  rules:
    - name: drifted
      avoidNodes: {label: driftbar.io/drift, exists: true}
)";
}

std::string nodes(int count) {
  Json items = Json::array();
  for (int i = 0; i < count; ++i) {
    const bool last = i + 100 >= count;
    Json labels{{"kubernetes.io/hostname", "gpu-" + std::to_string(i)},
                {"pool", last ? "pool-last" : "pool-" + std::to_string(i / 100)}};
    for (int l = 0; l < 30; ++l)
      labels["feature.node.kubernetes.io/cpu-cpuid.F" + std::to_string(l)] = "true";
    if (i % 10 == 0) labels["driftbar.io/drift"] = "major";
    items.push_back({{"apiVersion", "v1"},
                     {"kind", "Node"},
                     {"metadata", {{"name", "gpu-" + std::to_string(i)}, {"labels", labels}}},
                     {"status",
                      {{"allocatable",
                        {{"cpu", "96"}, {"memory", "1000Gi"}, {"pods", "110"}, {"nvidia.com/gpu", "8"}}}}}});
  }
  return Json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}}.dump();
}

}  // namespace driftbar::bench
