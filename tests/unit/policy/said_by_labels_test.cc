// What a condition on nodes says of their labels: as text, and held to the condition itself over all nodes of
// a few labels.
#include "policy/said_by_labels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/source.h"
#include "base/text.h"
#include "kube/node.h"
#include "policy/policy.h"

namespace driftbar::policy {
namespace {

Rule ruleOf(const std::string& condition) {
  const auto loaded = load({makeSource(
      "p.yaml",
      "apiVersion: driftbar.io/v1alpha1\nkind: Policy\nmetadata: {name: p}\nspec:\n  rules:\n    - name: r\n"
      "      steer: required\n      avoidNodes: " +
          condition + "\n")});
  EXPECT_NE(loaded.set, nullptr) << render(loaded.diagnostics);
  return loaded.set->policies().front().rules.front();
}

std::string shown(const kube::Requirement& one) {
  std::string out = one.key + " " + std::string(kube::toString(one.op));
  for (const auto& value : one.values) out += " " + value;
  return out;
}

std::string shown(const SaidByLabels& said) {
  std::string out;
  for (const auto& clause : said.clauses) {
    out += out.empty() ? "" : "; ";
    for (std::size_t i = 0; i < clause.size(); ++i) out += (i == 0 ? "" : " or ") + shown(clause[i]);
  }
  return out + (said.whole ? "" : out.empty() ? "nothing" : "; not all");
}

struct Row {
  const char *condition, *said;
};

constexpr Row kRows[] = {
    {"{label: a}", "a DoesNotExist"},
    {"{label: a, exists: false}", "a Exists"},
    {"{label: a, equals: x}", "a NotIn x"},
    {"{label: a, notEquals: x}", "a In x"},
    {"{label: a, in: [x, y]}", "a NotIn x y"},
    {"{label: a, notIn: [x, y]}", "a In x y"},
    {"{label: a, exists: true, notEquals: x}", "a DoesNotExist or a In x"},
    {"{not: {label: a, equals: x}}", "a In x"},
    {"{not: {label: a, exists: true, notEquals: x}}", "a Exists; a NotIn x"},
    {"{any: [{label: a}, {label: b, equals: x}]}", "a DoesNotExist; b NotIn x"},
    {"[{label: a}, {label: b, equals: x}]", "a DoesNotExist or b NotIn x"},
    {"{not: {any: [{label: a}, {label: b}]}}", "a Exists or b Exists"},
    {"{not: [{label: a}, {label: b}]}", "a Exists; b Exists"},
    {"{any: [{label: a}, [{label: b}, {not: {any: [{label: c}, {label: a, equals: x}]}}]]}",
     "a DoesNotExist; b DoesNotExist or c Exists or a In x"},
    {"{label: [a, b], equals: x}", "a NotIn x or a DoesNotExist; b NotIn x or b DoesNotExist"},
    {"{label: [a, b], notEquals: x}", "a In x or a DoesNotExist; b In x or b DoesNotExist"},
    {"{not: {label: [a, b], equals: x}}", "a In x or a DoesNotExist; b In x or b DoesNotExist"},
    // What no requirement says.
    {"{label: a, matches: 'x.*'}", "nothing"},
    {"{label: 'a*'}", "nothing"},
    {"{condition: Ready, equals: 'False'}", "nothing"},
    {"{annotation: a}", "nothing"},
    {"{taint: a}", "nothing"},
    {"[{label: a}, {condition: Ready, equals: 'False'}]", "nothing"},
    {"{not: {any: [{label: a}, {condition: Ready, equals: 'False'}]}}", "nothing"},
    {"{any: [{label: a}, {condition: Ready, equals: 'False'}]}", "a DoesNotExist; not all"},
    {"{any: [{any: [{label: a}, {annotation: b}]}, {label: b}]}", "a DoesNotExist; b DoesNotExist; not all"},
};

std::vector<std::shared_ptr<const kube::Node>> allNodes() {
  std::vector<std::shared_ptr<const kube::Node>> nodes;
  const std::vector<std::string> values = {"", "x", "y"};
  for (const auto& a : values) {
    for (const auto& b : values) {
      for (const auto& c : values) {
        std::string labels;
        for (const auto& [key, value] : {std::pair("a", a), std::pair("b", b), std::pair("c", c)}) {
          if (!value.empty())
            labels += (labels.empty() ? "\"" : ",\"") + std::string(key) + "\":\"" + value + "\"";
        }
        const auto document = JsonDocument::parse(R"({"metadata":{"name":"n","labels":{)" + labels + "}}}");
        nodes.push_back(kube::Node::parse(document->root()).value());
      }
    }
  }
  return nodes;
}

bool meets(const kube::Node& node, const kube::Clause& clause) {
  return std::any_of(clause.begin(), clause.end(),
                     [&](const kube::Requirement& one) { return one.matches(node.labels().find(one.key)); });
}

TEST(SaidByLabels, IsTheOppositeOfTheCondition) {
  const auto nodes = allNodes();
  for (const auto& row : kRows) {
    const Rule rule = ruleOf(row.condition);
    EXPECT_EQ(shown(rule.labels), row.said) << row.condition;
    for (const auto& node : nodes) {
      const bool met = std::all_of(rule.labels.clauses.begin(), rule.labels.clauses.end(),
                                   [&](const kube::Clause& clause) { return meets(*node, clause); });
      const bool isUnsafe = unsafe(rule, *node, Facts{}) == Truth::kTrue;
      if (rule.labels.whole) {
        EXPECT_EQ(met, !isUnsafe) << row.condition;
      } else if (!met) {
        EXPECT_TRUE(isUnsafe) << row.condition;
      }
    }
  }
}

TEST(SaidByLabels, GivesUpOnWhatTakesTooManyRequirements) {
  std::string all = "[";
  for (int i = 0; i < 17; ++i)
    all += (i == 0 ? "" : ", ") + std::string("{label: l") + std::to_string(i) + "}";
  EXPECT_EQ(shown(ruleOf(all + "]").labels), "nothing");
}

TEST(Steer, IsRequiredInEnforceAndNoneOtherwise) {
  const auto steerOf = [](const std::string& keys) {
    const auto loaded = load(
        {makeSource("p.yaml",
                    "apiVersion: driftbar.io/v1alpha1\nkind: Policy\nmetadata: {name: p}\nspec:\n  rules:\n"
                    "    - {name: r, avoidNodes: {label: a}" +
                        keys + "}\n")});
    return loaded.set->policies().front().rules.front().steer;
  };
  EXPECT_EQ(steerOf(""), Steer::kRequired);
  EXPECT_EQ(steerOf(", mode: warn"), Steer::kNone);
  EXPECT_EQ(steerOf(", mode: audit"), Steer::kNone);
  EXPECT_EQ(steerOf(", mode: warn, steer: required"), Steer::kRequired);
  EXPECT_EQ(steerOf(", steer: preferred"), Steer::kPreferred);
  EXPECT_EQ(steerOf(", steer: none"), Steer::kNone);
}

}  // namespace
}  // namespace driftbar::policy
