#include "scheduling/placement.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace driftbar::scheduling {
namespace {

JsonDocument json(std::string_view text) {
  auto document = JsonDocument::parse(text);
  EXPECT_TRUE(document.ok()) << text;
  return std::move(document).value();
}

std::shared_ptr<const kube::Node> nodeOf(const std::string& text) {
  return kube::Node::parse(json(text).root()).value();
}

// A node of 8 GPUs with the label pool=h100.
std::string nodeText(const std::string& spec = "{}",
                     const std::string& labels = R"({"pool":"h100","n":"5"})") {
  return R"({"metadata":{"name":"gpu-07","labels":)" + labels + R"(},"spec":)" + spec +
         R"(,"status":{"allocatable":{"cpu":"64","memory":"512Gi","pods":"110","nvidia.com/gpu":"8"}}})";
}

struct Row {
  const char* name;
  std::string podSpec, nodeSpec;
  const char* obstacles;  // each ended by a line end; empty: the pod could land there
};

std::string affinity(const std::string& terms) {
  return R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)" +
         terms + "]}}}}";
}

std::string expression(const std::string& key, const std::string& op, const std::string& values = "") {
  return R"({"matchExpressions":[{"key":")" + key + R"(","operator":")" + op + R"(","values":[)" + values +
         "]}]}";
}

std::string asking(const std::string& requests) {
  return R"({"containers":[{"resources":{"requests":)" + requests + "}}]}";
}

const Row kRows[] = {
    {"NothingAsked", "{}", "{}", ""},
    {"SelectorHolds", R"({"nodeSelector":{"pool":"h100"}})", "{}", ""},
    {"SelectorOtherValue", R"({"nodeSelector":{"pool":"a100"}})", "{}", "label pool is \"h100\"\n"},
    {"SelectorMissing", R"({"nodeSelector":{"rack":""}})", "{}", "no label rack\n"},
    {"TermsAreOred", affinity(expression("pool", "In", "\"a100\"") + "," + expression("pool", "Exists")),
     "{}", ""},
    {"NoneOfTheTerms", affinity(expression("pool", "In", "\"a100\"") + "," + expression("x", "Exists")), "{}",
     "fits none of the 2 terms of the pod's node affinity\n"},
    {"OneTerm", affinity(expression("pool", "NotIn", "\"h100\"")), "{}", "label pool is \"h100\"\n"},
    {"NotInMissing", affinity(expression("rack", "NotIn", "\"a\"")), "{}", ""},
    {"Greater", affinity(expression("n", "Gt", "\"4\"")), "{}", ""},
    {"GreaterOfNoInteger", affinity(expression("pool", "Gt", "\"4\"")), "{}", "label pool is \"h100\"\n"},
    {"EmptyTermFitsNothing", affinity("{}"), "{}", "the pod's node affinity fits no node\n"},
    {"NullTermFitsNothing", affinity("null"), "{}", "the pod's node affinity fits no node\n"},
    {"NoTermsFitNothing", affinity(""), "{}", "the pod's node affinity fits no node\n"},
    {"NullAffinityIsNone",
     R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":null}}})", "{}", ""},
    {"TermThatCantBeReadFitsNothing", affinity(expression("n", "Gt", "\"four\"")), "{}",
     "the pod's node affinity fits no node\n"},
    {"OtherTermsStillCan", affinity(expression("n", "Gt", "\"four\"") + "," + expression("pool", "Exists")),
     "{}", ""},
    {"UnknownOperatorFitsNothing", affinity(expression("pool", "Is", "\"h100\"")), "{}",
     "the pod's node affinity fits no node\n"},
    {"ByName", affinity(R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["gpu-07"]}]})"),
     "{}", ""},
    {"ByOtherName",
     affinity(R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["gpu-08"]}]})"), "{}",
     "the pod's node affinity picks nodes by name\n"},
    {"NotByName",
     affinity(R"({"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["gpu-07"]}]})"), "{}",
     "the pod's node affinity picks nodes by name\n"},
    {"TwoNamesCantBeRead",
     affinity(R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["gpu-07","gpu-08"]}]})"),
     "{}", "the pod's node affinity fits no node\n"},
    {"FieldsAndExpressionsMustBothHold",
     affinity(R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["gpu-07"]}],)"
              R"("matchExpressions":[{"key":"rack","operator":"Exists"}]})"),
     "{}", "no label rack\n"},
    {"UnknownFieldReadsAsEmpty",
     affinity(R"({"matchFields":[{"key":"metadata.uid","operator":"NotIn","values":["x"]}]})"), "{}", ""},
    {"Taint", "{}", R"({"taints":[{"key":"dedicated","value":"infra","effect":"NoSchedule"}]})",
     "taint dedicated=infra:NoSchedule\n"},
    {"TaintNoExecute", "{}", R"({"taints":[{"key":"x","effect":"NoExecute"}]})", "taint x:NoExecute\n"},
    {"SoftTaint", "{}", R"({"taints":[{"key":"x","effect":"PreferNoSchedule"}]})", ""},
    {"Tolerated", R"({"tolerations":[{"key":"dedicated","operator":"Exists"}]})",
     R"({"taints":[{"key":"dedicated","value":"infra","effect":"NoSchedule"}]})", ""},
    {"Cordoned", "{}", R"({"unschedulable":true})", "unschedulable\n"},
    {"CordonTolerated", R"({"tolerations":[{"operator":"Exists"}]})", R"({"unschedulable":true})", ""},
    {"CordonToleratedForAnotherEffect",
     R"({"tolerations":[{"key":"node.kubernetes.io/unschedulable","operator":"Exists","effect":"NoExecute"}]})",
     R"({"unschedulable":true})", "unschedulable\n"},
    {"Fits", asking(R"({"cpu":"64","memory":"512Gi","nvidia.com/gpu":8})"), "{}", ""},
    {"TooManyGpus", asking(R"({"nvidia.com/gpu":"9"})"), "{}", "nvidia.com/gpu: asks for 9, has 8\n"},
    {"CpuIsCountedInThousandths", asking(R"({"cpu":"64000001u"})"), "{}",
     "cpu: asks for 64000001u, has 64\n"},
    {"ResourceThatIsNotThere", asking(R"({"rdma/hca":"1"})"), "{}", "rdma/hca: asks for 1, has none\n"},
    {"NoneAskedOfWhatIsNotThere", asking(R"({"rdma/hca":"0"})"), "{}", ""},
    {"ResourceThatTheSchedulerIgnores", asking(R"({"gpus":"1"})"), "{}", ""},
    {"PinnedAsksNobody", R"({"nodeName":"gpu-07","nodeSelector":{"x":"y"}})", R"({"unschedulable":true})",
     ""},
    {"PinnedElsewhere", R"({"nodeName":"gpu-08"})", "{}", "the pod is pinned to gpu-08\n"},
    {"AllObstaclesAtOnce",
     R"({"nodeSelector":{"pool":"\u001b"},"containers":[{"resources":{"limits":{"nvidia.com/gpu":16}}}],
       "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
       {"matchExpressions":[{"key":"zone","operator":"Exists"}]}]}}}})",
     R"({"unschedulable":true,"taints":[{"key":"x\u001b","effect":"NoSchedule"}]})",
     "unschedulable\nlabel pool is \"h100\"\nno label zone\ntaint x\\x1b:NoSchedule\n"
     "nvidia.com/gpu: asks for 16, has 8\n"},
};

class Lands : public testing::TestWithParam<Row> {};

TEST_P(Lands, AsTheSchedulerDecides) {
  const auto podDoc = json(R"({"spec":)" + GetParam().podSpec + "}");
  const auto node = nodeOf(nodeText(GetParam().nodeSpec));
  const auto placement = Placement::of(kube::Pod(podDoc.root()));
  std::string shown;
  for (const auto& obstacle : placement.obstacles(*node)) shown += obstacle.text + "\n";
  EXPECT_EQ(shown, GetParam().obstacles);
  EXPECT_EQ(placement.admits(*node), shown.empty());
  const auto first = placement.obstacle(*node);
  EXPECT_EQ(first ? first->text : "", shown.substr(0, shown.find('\n')));
}

INSTANTIATE_TEST_SUITE_P(Placement, Lands, testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(Placement, NeedsRoomForAPodAtLeast) {
  const auto placement = Placement::of(kube::Pod(json("{}").root()));
  EXPECT_EQ(placement.obstacle(*nodeOf(R"({"metadata":{"name":"a"}})"))->text, "pods: asks for 1, has none");
  EXPECT_EQ(
      placement.obstacle(*nodeOf(R"({"metadata":{"name":"a"},"status":{"allocatable":{"pods":"0"}}})"))->text,
      "pods: asks for 1, has 0");
}

TEST(Placement, ForgivesTaintsByPrefix) {
  const auto placement = Placement::of(kube::Pod(json("{}").root()));
  const auto gated =
      nodeOf(nodeText(R"({"taints":[{"key":"drift.driftbar.io/gpu","effect":"NoSchedule"}]})"));
  const auto both = nodeOf(nodeText(
      R"({"taints":[{"key":"drift.driftbar.io/gpu","effect":"NoSchedule"},{"key":"x","effect":"NoSchedule"}]})"));
  EXPECT_FALSE(placement.admits(*gated));
  EXPECT_TRUE(placement.admits(*gated, "drift.driftbar.io/"));
  EXPECT_FALSE(placement.admits(*both, "drift.driftbar.io/"));
}

TEST(Placement, FindsCandidatesInTheirOrder) {
  const auto podDoc = json(R"({"spec":{"nodeSelector":{"pool":"h100"}}})");
  const std::vector<std::shared_ptr<const kube::Node>> nodes{
      nodeOf(nodeText()), nodeOf(nodeText("{}", R"({"pool":"a100"})")), nodeOf(nodeText())};
  const auto found = candidates(Placement::of(kube::Pod(podDoc.root())), nodes);
  EXPECT_EQ(found, (std::vector<const kube::Node*>{nodes[0].get(), nodes[2].get()}));
}

TEST(Placement, KnowsTermsThatCantMatch) {
  EXPECT_FALSE(Placement::canMatch(json("{}").root()));
  EXPECT_FALSE(Placement::canMatch(json(expression("n", "Lt", "\"x\"")).root()));
  EXPECT_TRUE(Placement::canMatch(json(expression("n", "Exists")).root()));
}

struct SameRow {
  const char *a, *b;
  bool same;
};

TEST(SamePlacement, LooksAtWhatDecidesWhereAPodMayGo) {
  const SameRow rows[] = {
      {R"({})", R"({"priority":5,"containers":[{"image":"x"}]})", true},
      {R"({"nodeName":"a"})", R"({"nodeName":"b"})", false},
      {R"({"nodeSelector":{"a":"1","b":"2"}})", R"({"nodeSelector":{"b":"2","a":"1"}})", true},
      {R"({"nodeSelector":{"a":"1"}})", R"({"nodeSelector":{"a":"1","b":"2"}})", false},
      {R"({"nodeSelector":{}})", R"({})", true},
      {R"({"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[]}}})", R"({})",
       true},
      {R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{}}}})", R"({})",
       false},
      {R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":null}}})", R"({})",
       true},
      {R"({"tolerations":[{"key":"a","operator":"Equal","value":"1"},{"key":"b"}]})",
       R"({"tolerations":[{"key":"b"},{"key":"a","value":"1","tolerationSeconds":9}]})", true},
      {R"({"tolerations":[]})", R"({"tolerations":[{"operator":"Exists"}]})", false},
      {R"({"containers":[{"resources":{"requests":{"cpu":"1"}}}]})",
       R"({"containers":[{"resources":{"requests":{"cpu":"500m"}}},{"resources":{"requests":{"cpu":0.5}}}]})",
       true},
      {R"({"containers":[{"resources":{"requests":{"cpu":"1"}}}]})",
       R"({"containers":[{"resources":{"requests":{"cpu":"2"}}}]})", false},
  };
  for (const auto& row : rows)
    EXPECT_EQ(samePlacement(json(row.a).root(), json(row.b).root()), row.same) << row.a << row.b;
}

}  // namespace
}  // namespace driftbar::scheduling
