// What steering writes into a pod, pinned whole; and what it means, as a property over random pods and nodes.
#include "scheduling/steering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "kube/node.h"
#include "scheduling/placement.h"

namespace driftbar::scheduling {
namespace {

JsonDocument json(const std::string& text) {
  auto document = JsonDocument::parse(text);
  EXPECT_TRUE(document.ok()) << text;
  return std::move(document).value();
}

kube::Requirement requirement(const std::string& text) {
  auto read = kube::Requirement::parse(json(text).root(), {}, kube::Requirement::Of::kNodeSelector);
  EXPECT_TRUE(read.ok()) << text;
  return std::move(read).value();
}

const kube::Clause kNoDrift = {requirement(R"({"key":"drift","operator":"DoesNotExist"})")};
// The opposite of `exists: true, notEquals: done`.
const kube::Clause kUpgraded = {requirement(R"({"key":"upgrade","operator":"DoesNotExist"})"),
                                requirement(R"({"key":"upgrade","operator":"In","values":["done"]})")};

// Of a pod with this node affinity; `null` for none.
Steered steer(const std::string& affinity, const Wanted& required, std::span<const Wanted> preferred = {},
              bool onlyAppends = false) {
  const auto spec = json(R"({"affinity":{"nodeAffinity":)" + affinity + "}}");
  return steered(spec.root(), required, preferred, onlyAppends);
}

std::string requiredOf(const std::string& terms) {
  return R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)" + terms + "}}";
}

TEST(Steering, MakesATermWhereThereIsNone) {
  EXPECT_EQ(
      steer("null", {{kNoDrift}, {"gpu-07"}}).affinity,
      requiredOf(R"([{"matchExpressions":[{"key":"drift","operator":"DoesNotExist"}],)"
                 R"("matchFields":[{"key":"metadata.name","operator":"NotIn","values":["gpu-07"]}]}])"));
}

TEST(Steering, GoesIntoEveryTermThatCanMatch) {
  EXPECT_EQ(
      steer(requiredOf(R"([{"matchExpressions":[{"key":"pool","operator":"In","values":["a"]}]},{},)"
                       R"({"matchExpressions":[{"key":"n","operator":"Gt","values":["x"]}]},)"
                       R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["gpu-01"]}]}])"),
            {{kNoDrift}, {}})
          .affinity,
      requiredOf(R"([{"matchExpressions":[{"key":"pool","operator":"In","values":["a"]},)"
                 R"({"key":"drift","operator":"DoesNotExist"}]},{},)"
                 R"({"matchExpressions":[{"key":"n","operator":"Gt","values":["x"]}]},)"
                 R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["gpu-01"]}],)"
                 R"("matchExpressions":[{"key":"drift","operator":"DoesNotExist"}]}])"));
}

TEST(Steering, DoublesTermsForAClauseOfTwo) {
  EXPECT_EQ(steer("null", {{kUpgraded}, {}}).affinity,
            requiredOf(R"([{"matchExpressions":[{"key":"upgrade","operator":"DoesNotExist"}]},)"
                       R"({"matchExpressions":[{"key":"upgrade","operator":"In","values":["done"]}]}])"));
}

TEST(Steering, MakesNoMoreThanSixteenTerms) {
  Wanted wanted;
  for (const char* key : {"a", "b", "c", "d", "e"}) {
    auto clause = kUpgraded;
    for (auto& one : clause) one.key = key;
    wanted.clauses.push_back(clause);
  }
  const auto out = steer("null", wanted);
  ASSERT_EQ(out.left.size(), 1U);
  EXPECT_EQ(out.left[0][0].key, "e");
}

TEST(Steering, OnlyAppendsWhereSchedulingGatesGo) {
  const auto some = requiredOf(R"([{"matchExpressions":[{"key":"pool","operator":"Exists"}]}])");
  const auto out = steer(some, {{kUpgraded, kNoDrift}, {}}, {}, true);
  EXPECT_EQ(out.left, std::vector<kube::Clause>{kUpgraded});
  EXPECT_EQ(out.affinity, requiredOf(R"([{"matchExpressions":[{"key":"pool","operator":"Exists"},)"
                                     R"({"key":"drift","operator":"DoesNotExist"}]}])"));
  EXPECT_TRUE(steer("null", {{kUpgraded}, {}}, {}, true).left.empty())
      << "where there was no term, any may be made";
}

TEST(Steering, PrefersWithTheHighestWeight) {
  const Wanted wish{{kUpgraded, kNoDrift}, {}};
  EXPECT_EQ(
      steer("null", {}, {&wish, 1}).affinity,
      R"({"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"preference":{"matchExpressions":[)"
      R"({"key":"upgrade","operator":"DoesNotExist"},{"key":"drift","operator":"DoesNotExist"}]}},)"
      R"({"weight":100,"preference":{"matchExpressions":[{"key":"upgrade","operator":"In","values":["done"]},)"
      R"({"key":"drift","operator":"DoesNotExist"}]}}]})");
}

TEST(Steering, LeavesWhatMatchesNothing) {
  EXPECT_FALSE(steer(requiredOf("[{}]"), {{kNoDrift, kUpgraded}, {"gpu-07"}}).affinity);
  EXPECT_FALSE(steer("null", {}).affinity);
}

TEST(Steering, KnowsWhatIsThereInAnotherOrder) {
  EXPECT_FALSE(
      steer(requiredOf(R"([{"matchExpressions":[{"operator":"NotIn","values":["y","x"],"key":"drift"}]}])"),
            {{{requirement(R"({"key":"drift","operator":"NotIn","values":["x","y"]})")}}, {}})
          .affinity);
}

// ---- the property

class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  bool often() { return below(2) == 0; }
  template <typename T>
  T of(std::initializer_list<T> list) {
    return *(list.begin() + below(list.size()));
  }

 private:
  std::mt19937 random_;
};

std::string randomExpression(Chance& chance) {
  const std::string key = chance.of<const char*>({"a", "b", "c"});
  const std::string op = chance.of<const char*>({"In", "NotIn", "Exists", "DoesNotExist", "Gt"});
  std::string values;
  if (op == "In" || op == "NotIn") values = chance.of<const char*>({R"("1")", R"("2")", R"("1","2")"});
  if (op == "Gt") values = chance.of<const char*>({R"("1")", R"("x")"});
  return R"({"key":")" + key + R"(","operator":")" + op + R"(","values":[)" + values + "]}";
}

std::string randomName(Chance& chance) {
  return std::string("n") + static_cast<char>('0' + chance.below(4));
}

std::string randomTerm(Chance& chance) {
  std::string expressions, fields;
  for (std::size_t i = chance.below(3); i > 0; --i)
    expressions += (expressions.empty() ? "" : ",") + randomExpression(chance);
  if (chance.below(4) == 0) {
    fields = R"({"key":"metadata.name","operator":")" + chance.of<std::string>({"In", "NotIn"}) +
             R"(","values":[")" + randomName(chance) + "\"]}";
  }
  return R"({"matchExpressions":[)" + expressions + R"(],"matchFields":[)" + fields + "]}";
}

std::string randomSpec(Chance& chance) {
  if (chance.below(4) == 0) return "{}";
  std::string terms;
  for (std::size_t i = 1 + chance.below(3); i > 0; --i)
    terms += (terms.empty() ? "" : ",") + randomTerm(chance);
  return R"({"affinity":{"podAffinity":{},"nodeAffinity":)" + requiredOf("[" + terms + "]") + "}}";
}

Wanted randomWanted(Chance& chance) {
  Wanted wanted;
  for (std::size_t i = chance.below(4); i > 0; --i) {
    kube::Clause clause;
    while (clause.size() < 1 + chance.below(2)) {
      auto read = kube::Requirement::parse(json(randomExpression(chance)).root(), {},
                                           kube::Requirement::Of::kNodeSelector);
      if (read) clause.push_back(std::move(read).value());
    }
    wanted.clauses.push_back(std::move(clause));
  }
  for (std::size_t i = chance.below(2); i > 0; --i) wanted.notOn.push_back(randomName(chance));
  return wanted;
}

std::vector<std::shared_ptr<const kube::Node>> allNodes() {
  std::vector<std::shared_ptr<const kube::Node>> nodes;
  for (int i = 0; i < 4 * 27; ++i) {
    std::string labels;
    int rest = i / 4;
    for (const char* key : {"a", "b", "c"}) {
      const int value = rest % 3;
      rest /= 3;
      if (value > 0)
        labels += (labels.empty() ? "\"" : ",\"") + std::string(key) + "\":\"" + std::to_string(value) + "\"";
    }
    const auto text = R"({"metadata":{"name":"n)" + std::to_string(i % 4) + R"(","labels":{)" + labels +
                      R"(}},"status":{"allocatable":{"pods":"1"}}})";
    nodes.push_back(kube::Node::parse(json(text).root()).value());
  }
  return nodes;
}

bool isWanted(const kube::Node& node, const Wanted& wanted, const std::vector<kube::Clause>& left) {
  const auto holds = [&](const kube::Clause& clause) {
    return std::find(left.begin(), left.end(), clause) != left.end() ||
           std::any_of(clause.begin(), clause.end(), [&](const kube::Requirement& one) {
             return one.matches(node.labels().find(one.key));
           });
  };
  return std::all_of(wanted.clauses.begin(), wanted.clauses.end(), holds) &&
         std::find(wanted.notOn.begin(), wanted.notOn.end(), node.name()) == wanted.notOn.end();
}

std::string withAffinity(const std::string& spec, const std::string& affinity) {
  auto made = nlohmann::ordered_json::parse(spec);
  made["affinity"]["nodeAffinity"] = nlohmann::ordered_json::parse(affinity);
  return made.dump();
}

// The nodes that are open afterwards are the wanted ones among those that were open before; a second time
// changes nothing; and what may only be appended to is only appended to.
TEST(Steering, OpensTheWantedNodesAmongThoseThatWereOpen) {
  Chance chance(20261201);
  const auto nodes = allNodes();
  int changed = 0, leftOver = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string spec = randomSpec(chance);
    const Wanted wanted = randomWanted(chance);
    const bool onlyAppends = chance.below(4) == 0;
    const auto before = json(R"({"spec":)" + spec + "}");
    const auto out = steered(before.root()["spec"], wanted, {}, onlyAppends);
    const std::string afterSpec = out.affinity ? withAffinity(spec, *out.affinity) : spec;
    const auto after = json(R"({"spec":)" + afterSpec + "}");
    const auto was = Placement::of(kube::Pod(before.root())), is = Placement::of(kube::Pod(after.root()));
    for (const auto& node : nodes) {
      const bool open = was.admits(*node) && isWanted(*node, wanted, out.left);
      ASSERT_EQ(is.admits(*node), open) << spec << "\n" << afterSpec << "\n" << node->name();
    }
    const auto again = steered(after.root()["spec"], wanted, {}, onlyAppends);
    ASSERT_FALSE(again.affinity) << afterSpec << "\n" << *again.affinity;
    changed += out.affinity ? 1 : 0;
    leftOver += out.left.empty() ? 0 : 1;
  }
  EXPECT_GT(changed, 5000);
  EXPECT_GT(leftOver, 100);
}

}  // namespace
}  // namespace driftbar::scheduling
