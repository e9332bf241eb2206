// The shipped policy loads without a word, and judges nodes as its README says.
#include "policy/policy.h"
#include "unit/policy/fixture.h"

namespace driftbar::policy {
namespace {

using namespace testing;

TEST(ShippedPolicy, TrainingNodesLoadsAndJudgesNodes) {
  const std::string path = inSource("policies/training-nodes/policy.yaml");
  const auto result = loadText(fileText(path));
  ASSERT_TRUE(result.set) << render(result.diagnostics);
  EXPECT_EQ(render(result.diagnostics), "");
  const Policy* policy = result.set->find("training-nodes");
  ASSERT_NE(policy, nullptr);
  const auto node = nodeOf(R"({"metadata":{"name":"n","labels":{"driftbar.io/drift":"critical"}},
      "spec":{"unschedulable":true},
      "status":{"conditions":[{"type":"DiskPressure","status":"True","lastTransitionTime":"2026-12-01T09:00:00Z"},
                              {"type":"Ready","status":"True"}]}})");
  Facts facts;
  facts.now = *parseInstant("2026-12-01T10:00:00Z");
  std::string out;
  for (const auto& rule : policy->rules) out += rule.id + " " + shown(evaluate(rule, *node, facts)) + "\n";
  EXPECT_EQ(out,
            "training-nodes/drifted broken: metadata.labels[\"driftbar.io/drift\"]=critical: label "
            "driftbar.io/drift is "
            "\"critical\", must not be there\n"
            "training-nodes/unhealthy broken: status.conditions[\"DiskPressure\"]=True: condition "
            "DiskPressure is \"True\" for "
            "1h, must not be \"True\" or must not last for 5m\n"
            "training-nodes/being-changed broken: spec.unschedulable=true: spec.unschedulable is true, must "
            "not be true\n");
  const auto clean = nodeOf(R"({"metadata":{"name":"n"}})");
  for (const auto& rule : policy->rules) EXPECT_EQ(shown(evaluate(rule, *clean, Facts{})), "kept");
}

}  // namespace
}  // namespace driftbar::policy
