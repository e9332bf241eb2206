// Which rules a request is judged by, for who counts the rules that were ever kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "decision/judge.h"

namespace driftbar::decision {
namespace {

constexpr char kPolicies[] = R"(apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: ml}
spec:
  match: {namespaces: [ml]}
  rules: [{name: a, deny: {label: a}}, {name: b, avoidNodes: {label: b}}]
---
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: shop}
spec:
  match: {namespaces: [shop]}
  rules: [{name: a, deny: {label: a}}]
---
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: teams}
spec:
  match: {namespaceSelector: {matchLabels: {team: nlp}}}
  rules: [{name: a, deny: {label: a}}]
)";

struct Names {
  std::vector<std::string> asked, unsettled;
};

Names rulesFor(const std::string& resource, const std::string& object) {
  World world;
  world.policies = policy::load({makeSource("p.yaml", kPolicies)}).set;
  const auto review = kube::Review::parse(
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"group":"","version":"v1",)"
      R"("kind":"Pod"},"resource":{"group":"","version":"v1","resource":")" +
      resource + R"("},"namespace":"ml","operation":"CREATE","userInfo":{"username":"alice"},"object":)" +
      object + "}}");
  EXPECT_TRUE(review);
  const auto rules = askedRules(review->request(), world, Found(), Instant{});
  return {{rules.asked.begin(), rules.asked.end()}, {rules.unsettled.begin(), rules.unsettled.end()}};
}

std::vector<std::string> asked(const std::string& resource, const std::string& object) {
  return rulesFor(resource, object).asked;
}

// The labels of the namespace are not known, which takes no policy out.
TEST(AskedRules, OfThePoliciesThatLookAtTheRequest) {
  EXPECT_THAT(asked("pods", R"({"kind":"Pod","metadata":{"name":"x"}})"),
              ::testing::ElementsAre("ml/a", "ml/b", "teams/a"));
}

TEST(AskedRules, OfPlacementOnlyWhereItIsSettled) {
  EXPECT_THAT(
      asked("pods",
            R"({"kind":"Pod","metadata":{"name":"x"},"spec":{"schedulingGates":[{"name":"kueue"}]}})"),
      ::testing::ElementsAre("ml/a", "teams/a"));
  EXPECT_THAT(
      asked("pods", R"({"kind":"Pod","metadata":{"name":"x","ownerReferences":[{"apiVersion":"apps/v1",)"
                    R"("kind":"DaemonSet","name":"d","controller":true}]}})"),
      ::testing::ElementsAre("ml/a", "teams/a"));
}

TEST(AskedRules, ThoseOfAPlacementThatIsNotSettledAreTold) {
  EXPECT_THAT(
      rulesFor("pods",
               R"({"kind":"Pod","metadata":{"name":"x"},"spec":{"schedulingGates":[{"name":"kueue"}]}})")
          .unsettled,
      ::testing::ElementsAre("ml/b"));
  EXPECT_THAT(rulesFor("pods", R"({"kind":"Pod","metadata":{"name":"x"}})").unsettled, ::testing::IsEmpty());
}

TEST(AskedRules, NoneWhereTheRequestIsLetBe) {
  EXPECT_THAT(asked("configmaps", R"({"kind":"ConfigMap","metadata":{"name":"x"}})"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace driftbar::decision
