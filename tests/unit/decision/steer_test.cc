// What pods are steered to: the patch of each request, and that the pod it makes is judged as it should be.
#include "decision/steer.h"

#include <nlohmann/json.hpp>

#include "unit/decision/fixture.h"

namespace driftbar::decision {
namespace {

using namespace testing;

// gpu-01 is clean, gpu-02 has drifted by a label, gpu-03 by a condition.
constexpr const char* kPool = R"(
{apiVersion: v1, kind: Node, metadata: {name: gpu-01, labels: {pool: h100}}, status: {allocatable: {pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: gpu-02, labels: {pool: h100, drift: major}}, status: {allocatable: {pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: gpu-03, labels: {pool: h100}}, status: {allocatable: {pods: "110"}, conditions: [{type: Rdma, status: "False"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: gpu-04, labels: {pool: a100, drift: minor}}, status: {allocatable: {pods: "110"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: ml}}
)";

const std::string kByLabel = "    - {name: label, avoidNodes: {label: drift}}\n";
const std::string kByCondition = "    - {name: rdma, avoidNodes: {condition: Rdma, equals: 'False'}}\n";

World worldOfRules(const std::string& rules) {
  return worldOf(policyOf("  match: {resources: [pods]}\n  rules:\n" + rules), kPool);
}

Asked pod(const std::string& spec, const std::string& metadata = "name: bert-0") {
  return {"", "Pod", "pods", "{metadata: {" + metadata + "}, spec: {" + spec + "}}"};
}

Verdict steeredBy(const Asked& asked, const World& world) {
  const std::string body = bodyOf(asked);
  const auto review = kube::Review::parse(body);
  return steer(review->request(), world, {}, *parseInstant("2026-12-01T10:00:00Z"));
}

std::string patchOf(const Asked& asked, const World& world) {
  return steeredBy(asked, world).patch;
}

// The refusal and the warnings that the pod gets once it has been steered.
std::string toldAfter(Asked asked, const World& world) {
  if (const auto patch = patchOf(asked, world); !patch.empty())
    asked.object = nlohmann::json::parse(json(asked.object)).patch(nlohmann::json::parse(patch)).dump();
  return told(asked, world);
}

std::string affinity(const std::string& terms) {
  return R"([{"op":"add","path":"/spec/affinity","value":{"nodeAffinity":)"
         R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)" +
         terms + "}}}}]";
}

constexpr const char* kNoDrift = R"({"key":"drift","operator":"DoesNotExist"})";

TEST(Steer, SaysInLabelsWhatLabelsSay) {
  const auto world = worldOfRules(kByLabel);
  const auto verdict = steeredBy(pod(""), world);
  EXPECT_EQ(verdict.patch, affinity(std::string(R"([{"matchExpressions":[)") + kNoDrift + "]}]"));
  EXPECT_EQ(verdict.steered, std::vector<std::string>{"p/label"});
  EXPECT_TRUE(verdict.allowed());
  EXPECT_EQ(toldAfter(pod(""), world), "");
}

TEST(Steer, HoldsForNodesThatDriftLater) {
  const auto clean =
      worldOf(policyOf("  match: {resources: [pods]}\n  rules:\n" + kByLabel),
              "{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {pods: 1}}}");
  EXPECT_EQ(patchOf(pod(""), clean), affinity(std::string(R"([{"matchExpressions":[)") + kNoDrift + "]}]"));
  World blind = clean;
  blind.inventory = nullptr;
  EXPECT_EQ(patchOf(pod(""), blind), affinity(std::string(R"([{"matchExpressions":[)") + kNoDrift + "]}]"));
}

TEST(Steer, NamesTheNodesThatNoLabelTells) {
  EXPECT_EQ(
      patchOf(pod(""), worldOfRules(kByCondition)),
      affinity(R"([{"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["gpu-03"]}]}])"));
  // gpu-02 and gpu-04 are closed by the label already.
  EXPECT_EQ(
      patchOf(pod(""), worldOfRules(kByLabel + kByCondition)),
      affinity(std::string(R"([{"matchExpressions":[)") + kNoDrift +
               R"(],"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["gpu-03"]}]}])"));
}

TEST(Steer, StandsBesideTheAuthorsAffinity) {
  EXPECT_EQ(
      patchOf(
          pod("affinity: {podAffinity: {}, nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
              "{nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: Exists}]}]}}}"),
          worldOfRules(kByLabel)),
      std::string(
          R"([{"op":"add","path":"/spec/affinity/nodeAffinity","value":)"
          R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":)"
          R"([{"key":"pool","operator":"Exists"},)") +
          kNoDrift + "]}]}}}]");
}

// With no safe node the pod stays as it is: the refusal is to name the nodes.
TEST(Steer, LeavesAPodThatWillBeRefused) {
  const auto world = worldOfRules(kByLabel + kByCondition);
  const auto doomed = pod("nodeSelector: {pool: a100}");
  EXPECT_EQ(patchOf(doomed, world), "");
  EXPECT_EQ(
      toldAfter(doomed, world),
      "p/label: Pod \"bert-0\" can only land on unsafe nodes (1 of 1)\n  gpu-04  label drift is \"minor\"");
}

TEST(Steer, LeavesAPodThatRulesCloseTogether) {
  const auto world =
      worldOfRules(kByLabel + "    - {name: first, avoidNodes: {label: pool, equals: h100}}\n");
  EXPECT_EQ(patchOf(pod(""), world), "");
  EXPECT_EQ(toldAfter(pod(""), world),
            "p/label: Pod \"bert-0\" can land on no safe node: 2 of 4 are unsafe, the rest break p/first\n"
            "  gpu-02  label drift is \"major\"\n"
            "  gpu-04  label drift is \"minor\"\n"
            "p/first: Pod \"bert-0\" can land on no safe node: 3 of 4 are unsafe, the rest break p/label\n"
            "  gpu-01  label pool is \"h100\"\n"
            "  gpu-02  label pool is \"h100\"\n"
            "  gpu-03  label pool is \"h100\"");
}

TEST(Steer, KeepsARuleThatRefusesNothingOutOfTheWay) {
  const auto world = worldOfRules(
      kByLabel +
      "    - {name: told, mode: warn, steer: required, avoidNodes: {label: pool, equals: h100}}\n");
  EXPECT_EQ(steeredBy(pod(""), world).steered, std::vector<std::string>{"p/label"});
}

TEST(Steer, LeavesAPodThatHasTooFewSafeNodes) {
  const auto world = worldOfRules("    - {name: r, minSafe: 3, avoidNodes: {label: drift}}\n");
  EXPECT_EQ(patchOf(pod(""), world), "");
  EXPECT_EQ(toldAfter(pod(""), world),
            "p/r: Pod \"bert-0\" needs 3 safe nodes to choose from; 2 of 4 are unsafe\n"
            "  gpu-02  label drift is \"major\"\n"
            "  gpu-04  label drift is \"minor\"");
  const auto two = worldOfRules("    - {name: r, minSafe: 2, avoidNodes: {label: drift}}\n");
  EXPECT_NE(patchOf(pod(""), two), "");
  EXPECT_EQ(toldAfter(pod(""), two), "");
}

TEST(Steer, KeepsWhenAnyByClosingTheRest) {
  const auto world = worldOfRules("    - {name: r, when: any, avoidNodes: {label: drift}}\n");
  EXPECT_NE(told(pod(""), world), "");
  EXPECT_EQ(toldAfter(pod(""), world), "");
  const auto preferred =
      worldOfRules("    - {name: r, when: any, steer: preferred, avoidNodes: {label: drift}}\n");
  EXPECT_NE(toldAfter(pod(""), preferred), "") << "what is preferred closes no node";
}

TEST(Steer, PrefersWhereTheRuleSaysSo) {
  EXPECT_EQ(patchOf(pod(""),
                    worldOfRules("    - {name: r, mode: warn, steer: preferred, avoidNodes: {any: [{label: "
                                 "drift}, {condition: Rdma, equals: 'False'}]}}\n")),
            std::string(R"([{"op":"add","path":"/spec/affinity","value":{"nodeAffinity":)"
                        R"({"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"preference":)"
                        R"({"matchExpressions":[)") +
                kNoDrift +
                R"(],"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["gpu-03"]}]}}]}}}])");
}

TEST(Steer, IsAskedOfWhatASchedulerWillPlace) {
  const auto world = worldOfRules(kByLabel);
  EXPECT_EQ(patchOf(pod("nodeName: gpu-01"), world), "");
  EXPECT_EQ(patchOf(pod("schedulingGates: [{name: queue}]"), world), "") << "not before its last gate goes";
  EXPECT_EQ(patchOf(pod("",
                        "name: bert-0, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, "
                        "controller: true, uid: u}]"),
                    world),
            "");
  auto edited = pod("");
  edited.operation = "UPDATE";
  edited.oldObject = edited.object;
  edited.object = "{metadata: {name: bert-0, labels: {a: b}}, spec: {}}";
  EXPECT_EQ(patchOf(edited, world), "") << "node affinity cannot change any more";
  edited.oldObject = "{metadata: {name: bert-0}, spec: {schedulingGates: [{name: queue}]}}";
  EXPECT_NE(patchOf(edited, world), "");
  EXPECT_EQ(patchOf(job("{metadata: {name: bert}, spec: {template: {spec: {}}}}"), world), "");
  EXPECT_EQ(patchOf(pod(""), worldOfRules("    - {name: r, mode: warn, avoidNodes: {label: drift}}\n")), "");
  EXPECT_EQ(patchOf(pod(""), worldOfRules("    - {name: r, steer: none, avoidNodes: {label: drift}}\n")), "");
  EXPECT_EQ(patchOf(pod(""), worldOf(policyOf("  match: {resources: [pods]}\n  rules:\n" + kByLabel) +
                                         exempting("p/label", "{namespaces: [ml]}"),
                                     kPool)),
            "");
}

TEST(Steer, ChangesNothingTheSecondTime) {
  const auto world = worldOfRules(
      kByLabel + kByCondition + "    - {name: r, avoidNodes: {label: up, exists: true, notEquals: done}}\n");
  auto asked = pod("");
  asked.object =
      nlohmann::json::parse(json(asked.object)).patch(nlohmann::json::parse(patchOf(asked, world))).dump();
  EXPECT_EQ(patchOf(asked, world), "");
}

TEST(Steer, NamesNoMoreThanSixtyFour) {
  std::string nodes =
      "{apiVersion: v1, kind: Node, metadata: {name: good}, status: {allocatable: {pods: 1}}}\n";
  for (int i = 0; i < 70; ++i) {
    nodes += "---\n{apiVersion: v1, kind: Node, metadata: {name: bad-" + std::to_string(i) +
             "}, status: {allocatable: {pods: 1}, conditions: [{type: Rdma, status: 'False'}]}}\n";
  }
  const auto world = worldOf(policyOf("  match: {resources: [pods]}\n  rules:\n" + kByCondition), nodes);
  const auto verdict = steeredBy(pod(""), world);
  std::size_t named = 0;
  for (auto at = verdict.patch.find("NotIn"); at != std::string::npos;
       at = verdict.patch.find("NotIn", at + 1))
    ++named;
  EXPECT_EQ(named, kMostNames);
  EXPECT_EQ(verdict.notes,
            std::vector<std::string>{"p/rdma: Pod \"bert-0\" is kept off 64 unsafe nodes by name, and may "
                                     "still land on 6 more"});
}

}  // namespace
}  // namespace driftbar::decision
