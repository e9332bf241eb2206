#include "kube/taint.h"

#include <gtest/gtest.h>

#include <string>

namespace driftbar::kube {
namespace {

struct Row {
  const char* name;
  Toleration toleration;
  Taint taint;
  bool tolerated;
};

// Toleration: key, operator, value, effect. Taint: key, value, effect.
constexpr Row kRows[] = {
    {"SameKeyValueEffect", {"k", "Equal", "v", "NoSchedule"}, {"k", "v", "NoSchedule"}, true},
    {"NoOperatorMeansEqual", {"k", "", "v", "NoSchedule"}, {"k", "v", "NoSchedule"}, true},
    {"OtherValue", {"k", "", "w", "NoSchedule"}, {"k", "v", "NoSchedule"}, false},
    {"NoValueIsAValue", {"k", "", "", ""}, {"k", "v", "NoSchedule"}, false},
    {"ExistsIgnoresValue", {"k", "Exists", "w", "NoSchedule"}, {"k", "v", "NoSchedule"}, true},
    {"OtherEffect", {"k", "Exists", "", "NoExecute"}, {"k", "v", "NoSchedule"}, false},
    {"NoEffectMeansAll", {"k", "Exists", "", ""}, {"k", "v", "NoExecute"}, true},
    {"OtherKey", {"k", "Exists", "", ""}, {"l", "v", "NoExecute"}, false},
    {"NoKeyMeansAll", {"", "Exists", "", ""}, {"l", "v", "NoExecute"}, true},
    {"NoKeyWithEqualComparesValues", {"", "Equal", "v", ""}, {"l", "v", "NoExecute"}, true},
    {"GreaterIsAlphaAndOff", {"k", "Gt", "1", ""}, {"k", "2", "NoSchedule"}, false},
    {"LessIsAlphaAndOff", {"k", "Lt", "2", ""}, {"k", "1", "NoSchedule"}, false},
    {"UnknownOperator", {"k", "equal", "v", ""}, {"k", "v", "NoSchedule"}, false},
};

class Tolerates : public testing::TestWithParam<Row> {};

TEST_P(Tolerates, AsKubernetes) {
  EXPECT_EQ(GetParam().toleration.tolerates(GetParam().taint), GetParam().tolerated);
}

INSTANTIATE_TEST_SUITE_P(Toleration, Tolerates, testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(Taint, OnlyTwoEffectsCloseANode) {
  EXPECT_TRUE(closes({"k", "", "NoSchedule"}));
  EXPECT_TRUE(closes({"k", "", "NoExecute"}));
  EXPECT_FALSE(closes({"k", "", "PreferNoSchedule"}));
}

TEST(Taint, TheFirstThatClosesIsNamed) {
  const Taint taints[] = {{"soft", "", "PreferNoSchedule"}, {"a", "", "NoSchedule"}, {"b", "", "NoSchedule"}};
  const Toleration tolerations[] = {{"a", "Exists", "", ""}};
  ASSERT_EQ(untolerated(taints, tolerations), &taints[2]);
  EXPECT_EQ(untolerated(taints, {}), &taints[1]);
  EXPECT_EQ(untolerated({}, {}), nullptr);
}

TEST(Taint, IsReadFromJson) {
  const auto doc = JsonDocument::parse(
      R"({"taints":[{"key":"k","effect":"NoSchedule"}],"tolerations":[{"operator":"Exists","tolerationSeconds":5}]})");
  ASSERT_TRUE(doc.ok());
  const auto taints = Taint::listOf(doc->root()["taints"]);
  ASSERT_EQ(taints.size(), 1U);
  EXPECT_EQ(taints[0].effect, "NoSchedule");
  EXPECT_EQ(untolerated(taints, Toleration::listOf(doc->root()["tolerations"])), nullptr);
  EXPECT_TRUE(Taint::listOf(Json()).empty());
}

}  // namespace
}  // namespace driftbar::kube
