#include "kube/pod.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <string>

namespace driftbar::kube {
namespace {

JsonDocument json(std::string_view text) {
  auto document = JsonDocument::parse(text);
  EXPECT_TRUE(document.ok()) << text;
  return std::move(document).value();
}

TEST(Pod, IsShownByNameOrByWhatItsNameWillBeginWith) {
  EXPECT_EQ(Pod(json(R"({"metadata":{"name":"bert-0","generateName":"bert-"}})").root()).shownName(),
            "bert-0");
  EXPECT_EQ(Pod(json(R"({"metadata":{"generateName":"bert-"}})").root()).shownName(), "bert-*");
  EXPECT_EQ(Pod(json(R"({"metadata":{"name":"","generateName":"bert-"}})").root()).shownName(), "bert-*");
}

TEST(Pod, OfATemplateHasAReplicaSetAndItsDeploymentAsOwners) {
  const auto doc = json(R"({"metadata":{"labels":{"pod-template-hash":"abc"},
    "ownerReferences":[{"kind":"ReplicaSet"},{"kind":"Job"}]}})");
  const std::vector<std::string_view> wanted{"ReplicaSet", "Deployment", "Job"};
  EXPECT_EQ(Pod(doc.root()).ownerKinds(), wanted);
  const auto bare = json(R"({"metadata":{"ownerReferences":[{"kind":"ReplicaSet"}]}})");
  EXPECT_EQ(Pod(bare.root()).ownerKinds(), std::vector<std::string_view>{"ReplicaSet"});
}

TEST(Pod, HasAServiceAccount) {
  EXPECT_EQ(
      Pod(json(R"({"spec":{"serviceAccountName":"a","serviceAccount":"b"}})").root()).serviceAccount("ml"),
      "ml/a");
  EXPECT_EQ(Pod(json(R"({"spec":{"serviceAccount":"b"}})").root()).serviceAccount("ml"), "ml/b");
  EXPECT_EQ(Pod(json(R"({"spec":{}})").root()).serviceAccount("ml"), "ml/default");
}

TEST(Pod, ClaimsToBeAMirrorByItsAnnotation) {
  EXPECT_TRUE(Pod(json(R"({"metadata":{"annotations":{"kubernetes.io/config.mirror":""}}})").root())
                  .claimsToBeMirror());
  EXPECT_FALSE(Pod(json(R"({"metadata":{"annotations":{}}})").root()).claimsToBeMirror());
}

TEST(Pod, ListsContainersOfAllKinds) {
  const auto doc = json(R"({"spec":{"nodeName":"n","schedulingGates":[{"name":"g"}],
    "containers":[{"name":"a"},{"name":"b"}],"initContainers":[{"name":"i","restartPolicy":"Always"}],
    "ephemeralContainers":[{"name":"e"}],"tolerations":[{"operator":"Exists"}]}})");
  const Pod pod(doc.root());
  std::string seen;
  for (const auto& c : pod.containers())
    seen += std::string(c.name()) + std::to_string(c.index) + (c.restartsAlways() ? "! " : " ");
  EXPECT_EQ(seen, "i0! a0 b1 e0 ");
  EXPECT_EQ(pod.containers()[3].kind, ContainerKind::kEphemeral);
  EXPECT_EQ(pod.nodeName(), "n");
  EXPECT_TRUE(pod.gated());
  EXPECT_EQ(pod.tolerations().size(), 1U);
}

struct RequestRow {
  const char* name;
  const char* spec;
  const char* wanted;
};

constexpr RequestRow kRequests[] = {
    {"Nothing", R"({})", ""},
    {"ContainersAddUp",
     R"({"containers":[{"resources":{"requests":{"cpu":"1","nvidia.com/gpu":"4"}}},{"resources":{"requests":{"cpu":"500m"}}}]})",
     "cpu=1500m nvidia.com/gpu=4 "},
    {"ALimitStandsForAnAbsentRequest",
     R"({"containers":[{"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2","nvidia.com/gpu":8}}}]})",
     "cpu=1 nvidia.com/gpu=8 "},
    {"InitContainersByMaximum",
     R"({"containers":[{"resources":{"requests":{"cpu":"2"}}}],"initContainers":[{"resources":{"requests":{"cpu":"3"}}},{"resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]})",
     "cpu=3 memory=1Gi "},
    {"SidecarsAddToContainersAndToLaterInits",
     R"({"containers":[{"resources":{"requests":{"cpu":"2"}}}],"initContainers":[{"resources":{"requests":{"cpu":"4"}}},
       {"restartPolicy":"Always","resources":{"requests":{"cpu":"1"}}},{"resources":{"requests":{"cpu":"3500m"}}}]})",
     "cpu=4500m "},
    {"EphemeralContainersCountNothing",
     R"({"containers":[],"ephemeralContainers":[{"resources":{"requests":{"cpu":"2"}}}]})", ""},
    {"OverheadIsAdded",
     R"({"containers":[{"resources":{"requests":{"cpu":"2"}}}],"overhead":{"cpu":"250m","memory":"64Mi"}})",
     "cpu=2250m memory=64Mi "},
    {"PodLevelRequestsReplaceCpuAndMemoryOnly",
     R"({"containers":[{"resources":{"requests":{"cpu":"2","nvidia.com/gpu":"1"}}}],"resources":{"requests":{"cpu":"8","nvidia.com/gpu":"4"}},"overhead":{"cpu":"1"}})",
     "cpu=9 nvidia.com/gpu=1 "},
    {"APodLevelLimitStandsWhereNobodyAsks",
     R"({"containers":[{"resources":{"requests":{"cpu":"2"}}}],"resources":{"limits":{"cpu":"8","memory":"4Gi","hugepages-2Mi":"2Mi"}}})",
     "cpu=2 hugepages-2Mi=2Mi memory=4Gi "},
    {"WhatIsNoQuantityIsLeftOut", R"({"containers":[{"resources":{"requests":{"cpu":"x","memory":null}}}]})",
     "memory=0 "},
};

class Requests : public testing::TestWithParam<RequestRow> {};

TEST_P(Requests, AsTheSchedulerCounts) {
  std::string shown;
  for (const auto& [name, amount] : effectiveRequests(json(GetParam().spec).root()))
    shown += name + "=" + amount.toString() + " ";
  EXPECT_EQ(shown, GetParam().wanted);
}

TEST_P(Requests, OfOneResourceAreTheSame) {
  const auto spec = json(GetParam().spec);
  const auto all = effectiveRequests(spec.root());
  for (const std::string_view name : {"cpu", "memory", "nvidia.com/gpu", "hugepages-2Mi", "other"}) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    EXPECT_EQ(effectiveRequest(spec.root(), name), at == all.end() ? Quantity() : at->amount) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Pod, Requests, testing::ValuesIn(kRequests),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace driftbar::kube
