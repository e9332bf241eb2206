#include "kube/labels.h"

#include <gtest/gtest.h>

#include <string>

namespace driftbar::kube {
namespace {

JsonDocument json(std::string_view text) {
  auto document = JsonDocument::parse(text);
  EXPECT_TRUE(document.ok()) << text;
  return std::move(document).value();
}

TEST(Labels, AreFoundAndSorted) {
  const auto doc = json(R"({"pool":"h100","app":"","zone/a":"z"})");
  const Labels labels(doc.root());
  EXPECT_EQ(labels.find("pool"), "h100");
  EXPECT_EQ(labels.find("app"), "");
  EXPECT_FALSE(labels.has("zone"));
  ASSERT_EQ(labels.pairs().size(), 3U);
  EXPECT_EQ(labels.pairs()[0].first, "app");
  EXPECT_EQ(labels.pairs()[2].first, "zone/a");
}

TEST(Labels, PairsAreFoundWhole) {
  const auto doc = json(R"({"pool":"h100","app":""})");
  const Labels labels(doc.root());
  const auto has = [&](std::string_view key, std::string_view value) {
    return labels.hasPair(key, value, Labels::hash(key, value));
  };
  EXPECT_TRUE(has("pool", "h100"));
  EXPECT_TRUE(has("app", ""));
  EXPECT_FALSE(has("pool", "a100"));
  EXPECT_FALSE(has("h100", "pool"));
  EXPECT_FALSE(labels.hasPair("pool", "a100", Labels::hash("pool", "h100")));
}

TEST(Labels, OfNothingAreEmpty) {
  EXPECT_TRUE(Labels(Json()).empty());
  EXPECT_TRUE(Labels(json("null").root()).empty());
  EXPECT_TRUE(Labels::checked(json("null").root(), "x").ok());
}

TEST(Labels, LeaveOutWhatIsNotText) {
  const auto doc = json(R"({"a":"1","b":true})");
  EXPECT_FALSE(Labels(doc.root()).has("b"));
}

TEST(Labels, CheckedRefusesEachValueThatIsNotText) {
  const auto doc = json(R"({"gpu":true,"n":8,"ok":"x","example.com/x":{}})");
  const auto labels = Labels::checked(doc.root(), "metadata.labels");
  ASSERT_FALSE(labels.ok());
  EXPECT_EQ(
      render(labels.errors()),
      "metadata.labels.gpu: error: the value of \"gpu\" must be text, and is true [not-text]\n"
      "  help: put it in quotes: \"true\"\n"
      "metadata.labels.n: error: the value of \"n\" must be text, and is 8 [not-text]\n"
      "  help: put it in quotes: \"8\"\n"
      "metadata.labels[\"example.com/x\"]: error: the value of \"example.com/x\" must be text, and is {} "
      "[not-text]\n");
}

TEST(Labels, CheckedRefusesWhatIsNoMap) {
  const auto labels = Labels::checked(json("[]").root(), "metadata.labels");
  ASSERT_FALSE(labels.ok());
  EXPECT_EQ(render(labels.errors()), "metadata.labels: error: must be a map from text to text [not-a-map]\n");
}

struct KeyRow {
  std::string key;
  bool good;
};

TEST(Labels, KeysAreWhatTheApiServerTakes) {
  const std::string long63(63, 'a'), long64(64, 'a'), prefix253(253, 'a'), prefix254(254, 'a');
  const KeyRow rows[] = {{"pool", true},
                         {"example.com/pool", true},
                         {"A.b_c-9", true},
                         {long63, true},
                         {prefix253 + "/x", true},
                         {"0", true},
                         {"", false},
                         {"/pool", false},
                         {"pool/", false},
                         {"a/b/c", false},
                         {"Example.com/x", false},
                         {"-a", false},
                         {"a-", false},
                         {"a b", false},
                         {long64, false},
                         {prefix254 + "/x", false},
                         {"a..b/x", false},
                         {"a.-b/x", false},
                         {"a\n", false},
                         {".a", false}};
  for (const auto& row : rows) EXPECT_EQ(isLabelKey(row.key), row.good) << row.key;
}

TEST(Labels, ValuesAreWhatTheApiServerTakes) {
  EXPECT_TRUE(isLabelValue(""));
  EXPECT_TRUE(isLabelValue("NVIDIA-H100-80GB-HBM3"));
  EXPECT_FALSE(isLabelValue("a/b"));
  EXPECT_FALSE(isLabelValue("-5"));
  EXPECT_FALSE(isLabelValue(std::string(64, 'a')));
}

}  // namespace
}  // namespace driftbar::kube
