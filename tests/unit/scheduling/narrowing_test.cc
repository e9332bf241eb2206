// What may keep a pod off nodes that are not excluded by what is judged: a row of the table each.
#include "scheduling/narrowing.h"

#include <gmock/gmock.h>

namespace driftbar::scheduling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> of(const std::string& spec) {
  const auto document = JsonDocument::parse(spec);
  EXPECT_TRUE(document) << spec;
  return narrowedBy(document->root());
}

constexpr const char* kTerm =
    R"({"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname"}]})";

TEST(Narrowing, EachOfTheTable) {
  EXPECT_THAT(of(std::string(R"({"affinity":{"podAffinity":)") + kTerm + "}}"), ElementsAre("pod affinity"));
  EXPECT_THAT(of(std::string(R"({"affinity":{"podAntiAffinity":)") + kTerm + "}}"),
              ElementsAre("pod anti-affinity"));
  EXPECT_THAT(
      of(R"({"topologySpreadConstraints":[{"topologyKey":"rack","whenUnsatisfiable":"DoNotSchedule"}]})"),
      ElementsAre("topology spread over rack"));
  EXPECT_THAT(
      of(R"({"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"c"}},{"name":"e","ephemeral":{}},)"
         R"({"name":"f","csi":{"driver":"x"}}]})"),
      ElementsAre("volume d (persistentVolumeClaim)", "volume e (ephemeral)", "volume f (csi)"));
  EXPECT_THAT(of(R"({"resourceClaims":[{"name":"imex"}]})"), ElementsAre("resource claim imex"));
  EXPECT_THAT(of(R"({"containers":[{"ports":[{"containerPort":80,"hostPort":8080},{"containerPort":81}]}]})"),
              ElementsAre("host port 8080"));
  EXPECT_THAT(of(R"({"hostNetwork":true,"containers":[{"ports":[{"containerPort":80}]}]})"),
              ElementsAre("host port 80"));
  EXPECT_THAT(of(R"({"schedulerName":"kai"})"),
              ElementsAre("scheduler kai, which may filter by its own rules"));
}

TEST(Narrowing, WhatIsOnlyPreferredOrOnThePodAlone) {
  EXPECT_THAT(
      of(R"({"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1}]}},)"
         R"("topologySpreadConstraints":[{"topologyKey":"rack","whenUnsatisfiable":"ScheduleAnyway"}],)"
         R"("volumes":[{"name":"t","emptyDir":{}},{"name":"h","hostPath":{"path":"/x"}}],)"
         R"("schedulerName":"default-scheduler","containers":[{"ports":[{"containerPort":80}]}]})"),
      IsEmpty());
  EXPECT_THAT(of("{}"), IsEmpty());
}

}  // namespace
}  // namespace driftbar::scheduling
