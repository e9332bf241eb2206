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
  const auto node = nodeOf(R"({"metadata":{"name":"n","labels":{"driftbar.io/drift":"critical",
      "nvidia.com/gpu-driver-upgrade-state":"upgrade-done","nvidia.com/ofed-driver-upgrade-state":"cordon-required"}},
      "status":{"conditions":[{"type":"XIDErrors","status":"True"},{"type":"KernelReady","status":"True"}]}})");
  std::string out;
  for (const auto& rule : policy->rules) out += rule.id + " " + shown(evaluate(rule, *node, Facts{})) + "\n";
  EXPECT_EQ(out,
            "training-nodes/drifted broken: metadata.labels[\"driftbar.io/drift\"]=critical: label "
            "driftbar.io/drift is "
            "\"critical\", must not be there\n"
            "training-nodes/unhealthy broken: status.conditions[\"XIDErrors\"]=True: condition XIDErrors is "
            "\"True\", "
            "must not be \"True\"\n"
            "training-nodes/being-changed broken: metadata.labels[\"nvidia.com/ofed-driver-upgrade-state\"]="
            "cordon-required: label nvidia.com/ofed-driver-upgrade-state is \"cordon-required\", must not be "
            "there or "
            "must be \"upgrade-done\"\n");
  const auto clean = nodeOf(R"({"metadata":{"name":"n"}})");
  for (const auto& rule : policy->rules) EXPECT_EQ(shown(evaluate(rule, *clean, Facts{})), "kept");
}

}  // namespace
}  // namespace driftbar::policy
