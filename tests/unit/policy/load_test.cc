// What a loaded policy holds, and that rules as people write them load.
#include "unit/policy/fixture.h"

namespace driftbar::policy {
namespace {

using namespace testing;

TEST(Load, KeepsWhatIsWritten) {
  const auto set = loaded(policyOf(R"(  description: Training runs only on good nodes.
  mode: warn
  rules:
    - name: a
      avoidNodes: {label: bad}
      minSafe: 3
      when: any
      steer: none
      onUnknown: allow
      staleInventory: warn
      onError: allow
      message: >-
        {pod} must keep off
        {nodes}
      fix: widen the nodeSelector
      docs: https://example.com/a
    - name: b
      mode: enforce
      require: {label: team}
      onUpdate: always
)",
                                   "training-nodes"));
  ASSERT_EQ(set->policies().size(), 1U);
  const Policy& policy = set->policies()[0];
  EXPECT_EQ(policy.name, "training-nodes");
  EXPECT_EQ(policy.description, "Training runs only on good nodes.");
  EXPECT_EQ(toString(policy.mode), "warn");
  EXPECT_EQ(policy.where.line, 3);
  const Rule &a = policy.rules[0], &b = policy.rules[1];
  EXPECT_EQ(a.id, "training-nodes/a");
  EXPECT_EQ(toString(a.verb), "avoidNodes");
  EXPECT_EQ(a.mode, Mode::kWarn);
  EXPECT_EQ(a.minSafe, 3);
  EXPECT_TRUE(a.whenAny);
  EXPECT_EQ(a.onUnknown, OnUnknown::kAllow);
  EXPECT_EQ(a.staleInventory, OnUnknown::kWarn);
  EXPECT_EQ(a.onError, OnError::kAllow);
  EXPECT_EQ(a.message, "{pod} must keep off {nodes}");
  EXPECT_EQ(a.fix, "widen the nodeSelector");
  EXPECT_EQ(a.docs, "https://example.com/a");
  EXPECT_EQ(a.where.line, 8);
  EXPECT_EQ(b.mode, Mode::kEnforce);
  EXPECT_EQ(b.onUpdate, OnUpdate::kAlways);
  EXPECT_EQ(b.onUnknown, std::nullopt);
  EXPECT_EQ(b.minSafe, std::nullopt);
  EXPECT_EQ(b.onError, OnError::kDeny);
  EXPECT_EQ(set->ruleCount(), 2U);
  EXPECT_EQ(set->find("training-nodes"), &policy);
  EXPECT_EQ(set->find("other"), nullptr);
}

TEST(Load, TheOrderOfFilesMeansNothing) {
  const auto a = makeSource("a.yaml", policyOf("  rules: [{name: r, deny: {label: a}}]\n", "a"));
  const auto b = makeSource("b.yaml", policyOf("  rules: [{name: r, deny: {label: a}}]\n", "b"));
  for (const auto& sources : {std::vector{a, b}, std::vector{b, a}}) {
    const auto set = load(sources).set;
    ASSERT_TRUE(set);
    EXPECT_EQ(set->policies()[0].name, "a");
    EXPECT_EQ(set->policies()[1].name, "b");
  }
}

TEST(Load, TakesWhatAClusterAddsToAnObject) {
  loaded(R"(apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata:
  name: p
  uid: 1-2
  resourceVersion: "7"
  generation: 1
  creationTimestamp: "2026-12-01T10:00:00Z"
  managedFields: []
  annotations: {a: b}
spec: {rules: [{name: r, deny: {label: a}}]}
status: {}
)");
}

TEST(Load, TakesJson) {
  loaded(R"({"apiVersion": "driftbar.io/v1alpha1", "kind": "Policy", "metadata": {"name": "p"},
    "spec": {"rules": [{"name": "r", "deny": {"label": "a"}}]}})");
}

// Rules from the cookbook that this version has all words of.
TEST(Load, RulesAsPeopleWriteThemLoadWithoutAWord) {
  const char* specs[] = {
      R"(  match: {workload: training}
  rules:
    - name: bad-node
      avoidNodes:
        any:
          - {label: health, equals: bad}
          - {condition: GPUMissing, equals: "True", for: 10m}
)",
      R"(  match: {namespaces: ["ml*"]}
  rules:
    - name: tolerates-all
      deny:
        some: pod.spec.tolerations
        where:
          - {field: operator, equals: Exists}
          - {field: key, in: [""]}        # "" and a missing key are the same to Kubernetes and here
)",
      R"(  except:
    - namespaces: [kube-system, gpu-operator, network-operator]
  rules:
    - name: sysctl-write
      deny:
        some: pod.containers
        where:
          - {field: securityContext.privileged, equals: true}
          - {field: command, contains: sysctl}
)",
      R"(  match: {workload: training}
  rules:
    - name: upgrading
      avoidNodes: {label: nvidia.com/gpu-driver-upgrade-state, exists: true, notEquals: upgrade-done}
)",
      R"(  description: Training runs only on nodes that are as they were declared.
  mode: enforce
  match:
    workload: training
  except:
    - namespaces: [burn-in]
  rules:
    - name: drifted
      avoidNodes:
        any:
          - label: driftbar.io/drift
            exists: true
          - condition: RdmaHealthy
            in: ["False", Unknown]
      fix: ask the node team to repair the pool, or widen the nodeSelector
)"};
  for (const auto* spec : specs) EXPECT_EQ(render(loadText(policyOf(spec)).diagnostics), "");
}

// The whole of a leaf is as good in block form, in any order of keys.
TEST(Load, TheOrderOfKeysMeansNothing) {
  const auto pod = PodRequest(R"({"metadata":{"labels":{"a":"x"}}})");
  for (const auto* leaf :
       {"{label: a, exists: true, notEquals: y}", "{notEquals: y, label: a, exists: true}"}) {
    const auto set = loaded(ruleOf("deny: " + std::string(leaf)));
    EXPECT_EQ(shown(evaluate(set->policies()[0].rules[0], pod.facts()).broken), "broken") << leaf;
  }
}

}  // namespace
}  // namespace driftbar::policy
