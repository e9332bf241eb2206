#include "kube/label_selector.h"

#include <gtest/gtest.h>

#include <string>

namespace driftbar::kube {
namespace {

JsonDocument json(std::string_view text) {
  auto document = JsonDocument::parse(text);
  EXPECT_TRUE(document.ok()) << text;
  return std::move(document).value();
}

struct MatchRow {
  const char* name;
  const char* selector;
  const char* labels;
  bool matches;
};

class Match : public testing::TestWithParam<MatchRow> {};

TEST_P(Match, AsKubernetes) {
  const auto selectorDoc = json(GetParam().selector), labelsDoc = json(GetParam().labels);
  const auto selector = LabelSelector::parse(selectorDoc.root(), "selector");
  ASSERT_TRUE(selector.ok()) << render(selector.errors());
  EXPECT_EQ(selector->matches(Labels(labelsDoc.root())), GetParam().matches);
}

constexpr MatchRow kMatches[] = {
    {"EmptyFitsAll", "{}", R"({"a":"1"})", true},
    {"EmptyFitsNoLabels", "{}", "{}", true},
    {"NullMapsAreEmpty", R"({"matchLabels":null,"matchExpressions":null})", "{}", true},
    {"PairHolds", R"({"matchLabels":{"a":"1"}})", R"({"a":"1","b":"2"})", true},
    {"PairOtherValue", R"({"matchLabels":{"a":"1"}})", R"({"a":"2"})", false},
    {"PairMissing", R"({"matchLabels":{"a":""}})", "{}", false},
    {"PairEmptyValue", R"({"matchLabels":{"a":""}})", R"({"a":""})", true},
    {"AllPairsMustHold", R"({"matchLabels":{"a":"1","b":"2"}})", R"({"a":"1"})", false},
    {"InHolds", R"({"matchExpressions":[{"key":"a","operator":"In","values":["1","2"]}]})", R"({"a":"2"})",
     true},
    {"InMissing", R"({"matchExpressions":[{"key":"a","operator":"In","values":[""]}]})", "{}", false},
    {"NotInMissingHolds", R"({"matchExpressions":[{"key":"a","operator":"NotIn","values":["1"]}]})", "{}",
     true},
    {"NotInListed", R"({"matchExpressions":[{"key":"a","operator":"NotIn","values":["1"]}]})", R"({"a":"1"})",
     false},
    {"Exists", R"({"matchExpressions":[{"key":"a","operator":"Exists"}]})", R"({"a":""})", true},
    {"ExistsMissing", R"({"matchExpressions":[{"key":"a","operator":"Exists"}]})", "{}", false},
    {"DoesNotExist", R"({"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]})", R"({"a":""})", false},
    {"DoesNotExistMissing", R"({"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]})", "{}", true},
    {"BothMustHold", R"({"matchLabels":{"a":"1"},"matchExpressions":[{"key":"b","operator":"Exists"}]})",
     R"({"a":"1"})", false},
};

INSTANTIATE_TEST_SUITE_P(LabelSelector, Match, testing::ValuesIn(kMatches),
                         [](const auto& row) { return row.param.name; });

struct NumberRow {
  const char* op;
  const char* bound;
  std::optional<std::string_view> label;
  bool matches;
};

TEST(Requirement, ComparesWholeNumbersOf64Bits) {
  const NumberRow rows[] = {{"Gt", "5", "6", true},
                            {"Gt", "5", "5", false},
                            {"Lt", "5", "4", true},
                            {"Lt", "5", "5", false},
                            {"Gt", "5", std::nullopt, false},
                            {"Lt", "5", std::nullopt, false},
                            {"Gt", "5", "", false},
                            {"Gt", "5", "x", false},
                            {"Gt", "5", "6.0", false},
                            {"Gt", "005", "06", true},
                            {"Lt", "5", "-1", true},
                            {"Gt", "5", "+6", true},
                            {"Gt", "5", "+-6", false},
                            {"Gt", "5", " 6", false},
                            {"Gt", "9223372036854775806", "9223372036854775807", true},
                            {"Gt", "5", "9223372036854775808", false}};
  for (const auto& row : rows) {
    const auto doc =
        json(std::string(R"({"key":"n","operator":")") + row.op + R"(","values":[")" + row.bound + R"("]})");
    const auto requirement = Requirement::parse(doc.root(), "x", Requirement::Of::kNodeSelector);
    ASSERT_TRUE(requirement.ok()) << render(requirement.errors());
    EXPECT_EQ(requirement->matches(row.label), row.matches) << row.op << row.bound << row.label.value_or("-");
  }
}

TEST(Requirement, RefusesABoundThatIsNoInteger) {
  const auto doc = json(R"({"key":"n","operator":"Gt","values":["1.5"]})");
  const auto requirement = Requirement::parse(doc.root(), "e", Requirement::Of::kNodeSelector);
  ASSERT_FALSE(requirement.ok());
  EXPECT_EQ(
      render(requirement.errors()),
      "e.values[0]: error: `Gt` compares whole numbers of 64 bits, and \"1.5\" is none [not-an-integer]\n");
}

TEST(LabelSelector, ShowsAllThatIsWrong) {
  const auto doc = json(R"({
    "matchLabel": {},
    "matchLabels": {"a b": "1", "c": "x y", "d": 1},
    "matchExpressions": [
      {"key": "a", "operator": "in", "values": ["1"]},
      {"key": "a", "operator": "In"},
      {"key": "a", "operator": "Exists", "values": ["1"]},
      {"key": "a", "operator": "Gt", "values": ["1"]},
      {"key": "", "operator": "In", "value": ["1"], "values": [2]},
      {"key": "a"},
      "b"]})");
  const auto selector = LabelSelector::parse(doc.root(), "match.labelSelector");
  ASSERT_FALSE(selector.ok());
  const std::string key =
      "  help: at most 63 letters, digits, `-`, `_` and `.`, the first and the last a letter or digit; "
      "before "
      "it, with a `/`, a DNS name in lower case may stand\n";
  const std::string p = "match.labelSelector";
  EXPECT_EQ(render(selector.errors()),
            p + ": error: unknown key `matchLabel` [unknown-key]\n  help: did you mean `matchLabels`?\n" + p +
                ".matchLabels.d: error: the value of \"d\" must be text, and is 1 [not-text]\n"
                "  help: put it in quotes: \"1\"\n" +
                p +
                ".matchExpressions[0].operator: error: unknown operator `in` [unknown-operator]\n"
                "  help: did you mean `In`?\n" +
                p + ".matchExpressions[1].values: error: `In` needs values [too-few-values]\n" + p +
                ".matchExpressions[2].values: error: `Exists` takes no values [too-many-values]\n" + p +
                ".matchExpressions[3].operator: error: the operator `Gt` is for node affinity only "
                "[unknown-operator]\n"
                "  help: one of `In`, `NotIn`, `Exists` or `DoesNotExist`\n" +
                p +
                ".matchExpressions[4]: error: unknown key `value` [unknown-key]\n  help: did you mean "
                "`values`?\n" +
                p + ".matchExpressions[4].key: error: \"\" can't be the key of a label [bad-label-key]\n" +
                key + p + ".matchExpressions[4].values[0]: error: must be text, and is 2 [not-text]\n" + p +
                ".matchExpressions[5].operator: error: an operator is missing [unknown-operator]\n"
                "  help: one of `In`, `NotIn`, `Exists` or `DoesNotExist`\n" +
                p + ".matchExpressions[6]: error: must be a map of key, operator and values [not-a-map]\n");
}

TEST(LabelSelector, RefusesPairsThatNoObjectCanHave) {
  const auto doc = json(R"({"matchLabels": {"a b": "1", "c": "x y"}})");
  const auto selector = LabelSelector::parse(doc.root(), "s");
  ASSERT_FALSE(selector.ok());
  ASSERT_EQ(selector.errors().size(), 2U);
  EXPECT_EQ(summary(selector.errors()[0]), "s.matchLabels: \"a b\" can't be the key of a label");
  EXPECT_EQ(summary(selector.errors()[1]), "s.matchLabels: \"x y\" can't be the value of a label");
}

TEST(LabelSelector, ThatIsNotThereIsAnError) {
  for (const char* text : {"null", "[]", "\"a=b\""}) {
    const auto selector = LabelSelector::parse(json(text).root(), "s");
    ASSERT_FALSE(selector.ok());
    EXPECT_EQ(render(selector.errors()),
              "s: error: a label selector must be a map of matchLabels and matchExpressions [not-a-map]\n");
  }
}

}  // namespace
}  // namespace driftbar::kube
