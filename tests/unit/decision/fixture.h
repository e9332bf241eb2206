// What tests of the decision room stand on: a world from text, a request from YAML, and the text that people
// get.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "decision/judge.h"
#include "inventory/file.h"
#include "yaml/yaml.h"

namespace driftbar::decision::testing {

// A Policy `p` of this spec, the spec indented by two.
inline std::string policyOf(const std::string& spec) {
  return "apiVersion: driftbar.io/v1alpha1\nkind: Policy\nmetadata: {name: p}\nspec:\n" + spec;
}

// An Exemption `inc-1`, to follow a policy.
inline std::string exempting(const std::string& rules, const std::string& match,
                             const std::string& expires = "2026-12-24") {
  return "---\napiVersion: driftbar.io/v1alpha1\nkind: Exemption\nmetadata: {name: inc-1}\nspec: {reason: a "
         "trial, expires: " +
         expires + ", rules: [" + rules + "], match: " + match + "}\n";
}

inline World worldOf(const std::string& documents, const std::string& cluster) {
  World world;
  auto loaded = policy::load({makeSource("p.yaml", documents)});
  if (loaded.set == nullptr) throw std::runtime_error(render(loaded.diagnostics));
  world.policies = loaded.set;
  const auto inventory = inventory::readInventory(std::vector<Source>{makeSource("nodes.yaml", cluster)});
  if (!inventory) throw std::runtime_error(render(inventory.errors()));
  world.inventory = inventory->snapshot;
  return world;
}

inline std::string json(const std::string& yaml) {
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
  std::string ns = "ml";
};

inline std::string bodyOf(const Asked& asked) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"group":")" +
         asked.group + R"(","version":"v1","kind":")" + asked.kind + R"("},"resource":{"group":")" +
         asked.group + R"(","version":"v1","resource":")" + asked.resource + R"("},"subResource":")" +
         asked.subResource + R"(","name":")" + asked.name + R"(","namespace":")" + asked.ns +
         R"(","operation":")" + asked.operation + R"(","userInfo":)" + json(asked.user) + R"(,"object":)" +
         json(asked.object) + R"(,"oldObject":)" + json(asked.oldObject) + "}}";
}

inline Verdict judged(const Asked& asked, const World& world, const Found& found = {}) {
  const std::string body = bodyOf(asked);
  const auto review = kube::Review::parse(body);
  if (!review) throw std::runtime_error(render(review.errors()) + body);
  return judge(review->request(), world, found, *parseInstant("2026-12-01T10:00:00Z"));
}

// The refusal, and the warnings below it.
inline std::string told(const Asked& asked, const World& world, const Found& found = {}) {
  const auto verdict = judged(asked, world, found);
  std::string out = refusal(verdict);
  for (const auto& warning : warnings(verdict)) out += (out.empty() ? "" : "\n") + ("warning: " + warning);
  return out;
}

inline Asked job(const std::string& object, const std::string& old = "null") {
  return {"batch", "Job", "jobs", object, old, old == "null" ? "CREATE" : "UPDATE"};
}

// A PyTorchJob `bert`: what stands in its pods' specs before their one container, which asks for 8 GPUs.
inline Asked torchJob(const std::string& master, const std::string& worker) {
  const auto replica = [](const std::string& pod) {
    return "{replicas: 1, template: {spec: {" + pod +
           "containers: [{name: pytorch, image: x, resources: {limits: {nvidia.com/gpu: 8}}}]}}}";
  };
  return {"kubeflow.org", "PyTorchJob", "pytorchjobs",
          "{metadata: {name: bert}, spec: {pytorchReplicaSpecs: {Master: " + replica(master) +
              ", Worker: " + replica(worker) + "}}}"};
}

// A drifted pool and a clean one.
inline constexpr const char* kNodes = R"(
{apiVersion: v1, kind: Node, metadata: {name: gpu-01, labels: {pool: h100}}, status: {allocatable: {nvidia.com/gpu: "8", pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: gpu-07, labels: {pool: a100, driftbar.io/drift: major}}, status: {allocatable: {nvidia.com/gpu: "8", pods: "110"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: ml}}
)";

}  // namespace driftbar::decision::testing
