// Explain: every node of a pod's world with its reason, and every rule with what became of it. Whole answers
// of the program are in tests/golden/cli/explain-*; here is what no example there shows.
#include "decision/explain.h"

#include <gmock/gmock.h>

#include "inventory/file.h"

namespace driftbar::decision {
namespace {

constexpr std::string_view kPolicies = R"(apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: nodes}
spec:
  match: {resources: [pods]}
  rules:
    - {name: bad, avoidNodes: {label: health, equals: bad}}
    - {name: fabric, onUnknown: deny, avoidNodes: {condition: RdmaHealthy, equals: "False", for: 5m}}
    - {name: aged, mode: warn, avoidNodes: {label: age, exists: true}}
)";

constexpr std::string_view kNodes = R"(apiVersion: v1
kind: Node
metadata: {name: bad, labels: {health: bad, age: "9"}}
status: {allocatable: {cpu: 8, pods: 10}}
---
apiVersion: v1
kind: Node
metadata: {name: old, labels: {age: "9"}}
status: {allocatable: {cpu: 8, pods: 10}}
---
apiVersion: v1
kind: Node
metadata: {name: small}
status: {allocatable: {cpu: 1, pods: 10}}
---
apiVersion: v1
kind: Node
metadata: {name: untold}
status: {allocatable: {cpu: 8, pods: 10}, conditions: [{type: RdmaHealthy, status: "False"}]}
)";

std::string review(const std::string& metadata) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"group":"","version":)"
         R"("v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},"namespace":"ml","operation":)"
         R"("CREATE","userInfo":{"username":"alice"},"object":{"kind":"Pod","metadata":{"name":"x","namespace":"ml")" +
         metadata + R"(},"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}]}}}})";
}

Explanation explained(const std::string& metadata = "") {
  World world;
  world.policies = policy::load({makeSource("p.yaml", std::string(kPolicies))}).set;
  EXPECT_NE(world.policies, nullptr);
  const Source nodes = makeSource("n.yaml", std::string(kNodes));
  world.inventory = inventory::readInventory(std::span(&nodes, 1))->snapshot;
  const auto parsed = kube::Review::parse(review(metadata));
  EXPECT_TRUE(parsed);
  const auto& request = parsed->request();
  return explain(request, world, Found(), Instant{}, judge(request, world, Found(), Instant{}));
}

std::string shown(const NodeExplained& node) {
  std::string out = node.name + (node.safe() ? " safe" : node.open() ? " unsafe" : " out");
  for (const auto& obstacle : node.obstacles) out += "; " + obstacle;
  for (const auto& finding : node.findings)
    out +=
        "; " + finding.rule + (finding.unknown ? "?" : "") + (finding.counts ? "!" : "") + " " + finding.why;
  return out;
}

TEST(Explain, EveryNodeAndWhatRulesFindOnThoseThatAreOpen) {
  const auto all = explained();
  ASSERT_EQ(all.pods.size(), 1u);
  const auto& pod = all.pods[0];
  std::vector<std::string> nodes;
  for (const auto& node : pod.nodes) nodes.push_back(shown(node));
  EXPECT_THAT(nodes,
              ::testing::ElementsAre(
                  "bad unsafe; nodes/bad! label health is \"bad\"; nodes/aged! label age is \"9\"",
                  "old safe; nodes/aged! label age is \"9\"", "small out; cpu: asks for 2, has 1",
                  "untold unsafe; nodes/fabric?! condition RdmaHealthy is \"False\" since an unknown time"));
  EXPECT_EQ(pod.open, 3u);
  EXPECT_EQ(pod.safe, 1u);
  EXPECT_TRUE(pod.settled);
}

// The scheduler is not asked where a DaemonSet's pod goes, and no rule is.
TEST(Explain, APodOfADaemonSetIsLeftOut) {
  const auto all = explained(
      R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"d","uid":"u","controller":true}])");
  ASSERT_EQ(all.rules.size(), 3u);
  for (const auto& rule : all.rules) {
    EXPECT_EQ(rule.state, kLeftOut) << rule.rule;
    EXPECT_EQ(rule.why, "by being of a DaemonSet") << rule.rule;
  }
  for (const auto& node : all.pods.at(0).nodes) EXPECT_TRUE(node.findings.empty()) << node.name;
}

}  // namespace
}  // namespace driftbar::decision
