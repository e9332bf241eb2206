// Random conditions over random pods and nodes, judged by the program and by the naive evaluator. The seed is
// printed with a difference; DRIFTBAR_SEED=N repeats it, DRIFTBAR_CONDITIONS=N sets how many are tried.
#include <cstdlib>
#include <random>

#include "unit/policy/fixture.h"
#include "unit/policy/naive_evaluator.h"

namespace driftbar::policy {
namespace {

using namespace testing;
using nlohmann::json;

unsigned fromEnvironment(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

// Few names and values, so that things meet.
class Chance {
 public:
  explicit Chance(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(engine_); }
  bool once(unsigned in) { return below(in) == 0; }
  template <typename T>
  T oneOf(std::initializer_list<T> all) {
    return *(all.begin() + below(static_cast<unsigned>(all.size())));
  }
  template <typename T>
  void shuffle(T& list) {
    std::shuffle(list.begin(), list.end(), engine_);
  }

 private:
  std::mt19937 engine_;
};

std::string text(Chance& chance) {
  return chance.oneOf<const char*>({"a", "b", "8", "500m", "1Gi", "true", "", "a-b"});
}

json labels(Chance& chance) {
  json map = json::object();
  for (const auto key : {"pool", "team", "x.io/a", "x.io/b"}) {
    if (chance.once(2)) map[key] = text(chance);
  }
  return map;
}

json container(Chance& chance, const char* name) {
  json one = {{"name", name}};
  if (chance.once(2)) one["image"] = chance.oneOf<const char*>({"a", "a-b", "b"});
  if (chance.once(3)) one["command"] = json::array({text(chance), text(chance)});
  if (chance.once(3)) one["securityContext"] = json::object();
  if (chance.once(3)) one["securityContext"]["privileged"] = chance.once(2);
  if (chance.once(4)) one["weird"] = chance.oneOf<json>({true, "a", 8, json::array()});  // of any type
  return one;
}

json pod(Chance& chance) {
  json pod = {{"metadata", json::object()}, {"spec", json::object()}};
  if (!chance.once(4)) pod["metadata"]["labels"] = labels(chance);
  if (chance.once(2)) pod["metadata"]["annotations"] = labels(chance);
  json& spec = pod["spec"];
  if (chance.once(2)) spec["restartPolicy"] = chance.oneOf<const char*>({"Always", "Never", "a"});
  if (chance.once(3)) spec["hostNetwork"] = chance.once(2);
  if (chance.once(3)) spec["priority"] = chance.oneOf<json>({8, 0, -1, 0.5});
  if (!chance.once(4)) spec["containers"] = json::array();
  for (const auto name : {"main", "side"}) {
    if (spec.contains("containers") && chance.once(2)) spec["containers"].push_back(container(chance, name));
  }
  if (chance.once(3)) spec["initContainers"] = json::array({container(chance, "setup")});
  for (unsigned i = chance.below(3); i > 0; --i) {
    json toleration = json::object();
    if (chance.once(2)) toleration["key"] = text(chance);
    if (chance.once(2)) toleration["operator"] = chance.oneOf<const char*>({"Exists", "Equal"});
    spec["tolerations"].push_back(toleration);
  }
  return pod;
}

json node(Chance& chance) {
  json node = {{"metadata", {{"name", "n"}, {"labels", labels(chance)}}}, {"spec", json::object()}};
  if (chance.once(2)) node["metadata"]["annotations"] = labels(chance);
  if (chance.once(3)) node["spec"]["unschedulable"] = chance.once(2);
  for (const auto key : {"pool", "x.io/a"}) {
    if (chance.once(3))
      node["spec"]["taints"].push_back(
          {{"key", key}, {"value", chance.oneOf<const char*>({"a", "8", ""})}, {"effect", "NoSchedule"}});
  }
  for (const auto type : {"Ready", "Ill"}) {
    if (chance.once(2))
      node["status"]["conditions"].push_back(
          {{"type", type}, {"status", chance.oneOf<const char*>({"True", "False", "Unknown"})}});
  }
  if (chance.once(2)) node["status"]["allocatable"] = {{"cpu", chance.oneOf<const char*>({"500m", "8"})}};
  return node;
}

// ---- conditions

json operandOf(Chance& chance, const std::string& test, bool status) {
  if (test == "exists") return chance.once(2);
  const auto one = [&]() -> json {
    if (status) return chance.oneOf<const char*>({"True", "False", "Unknown"});
    if (chance.once(6)) return chance.oneOf<json>({8, true, false, 0.5});
    return text(chance);
  };
  if (test == "in" || test == "notIn") return json::array({one(), one()});
  if (test == "matches" || test == "notMatches")
    return chance.oneOf<const char*>({"a.*", "[ab]", ".*", "8|true"});
  if (test == "atLeast" || test == "atMost" || test == "moreThan" || test == "lessThan")
    return chance.oneOf<json>({8, 0, 0.5, "500m", "1Gi", "8k"});
  if (test == "startsWith" || test == "endsWith" || test == "contains")
    return chance.oneOf<const char*>({"a", "b", "8", "-"});
  return one();
}

json name(Chance& chance) {
  if (chance.once(4)) return json::array({"pool", "x.io/a"});
  return chance.oneOf<const char*>({"pool", "team", "x.io/a", "none", "x.io/*", "*o*"});
}

void addTests(Chance& chance, json& leaf, bool status) {
  for (unsigned i = chance.below(3); i > 0; --i) {
    const std::string test =
        status ? chance.oneOf<const char*>({"exists", "equals", "notEquals", "in", "notIn"})
               : chance.oneOf<const char*>({"exists", "equals", "notEquals", "in", "notIn", "matches",
                                            "notMatches", "startsWith", "endsWith", "contains", "atLeast",
                                            "atMost", "moreThan", "lessThan"});
    leaf[test] = operandOf(chance, test, status);
  }
}

json leaf(Chance& chance, bool candidate, bool element) {
  json leaf = json::object();
  if (element) {
    leaf["field"] = chance.oneOf<const char*>(
        {"key", "operator", "name", "image", "command", "securityContext.privileged", "weird"});
  } else if (candidate) {
    switch (chance.below(5)) {
      case 0:
        leaf["label"] = name(chance);
        break;
      case 1:
        leaf["annotation"] = name(chance);
        break;
      case 2:
        leaf["taint"] = name(chance);
        break;
      case 3:
        leaf["condition"] = chance.oneOf<json>({"Ready", "Ill", "None", json::array({"Ready", "Ill"})});
        break;
      default:
        leaf["field"] =
            chance.oneOf<const char*>({"node.spec.unschedulable", "node.status.allocatable[\"cpu\"]",
                                       "node.metadata.labels[*]", "node.metadata.labels[\"x.io/a\"]"});
    }
  } else {
    switch (chance.below(6)) {
      case 0:
        leaf["label"] = name(chance);
        break;
      case 1:
        leaf["annotation"] = name(chance);
        break;
      case 2:
        return {{"requestedBy", {{"groups", {chance.oneOf<const char*>({"g*", "h", "g1"})}}}}};
      case 3:
        leaf = {{"label", name(chance)}, {"of", "namespace"}};
        break;
      default:
        leaf["field"] = chance.oneOf<const char*>(
            {"pod.spec.restartPolicy", "pod.spec.hostNetwork", "pod.spec.priority", "pod.spec.nodeName.x",
             "pod.spec.tolerations[*].key", "pod.spec.tolerations[*].operator",
             "pod.spec.containers[*].image", "pod.containers[*].securityContext.privileged",
             "pod.containers[*].command", "pod.containers[*].command[*]",
             "pod.spec.containers[\"main\"].image",
             "pod.spec.containers[\"main\"].securityContext.privileged", "pod.containers[*].weird",
             "pod.metadata.labels[*]", "pod.metadata.labels[\"x.io/a\"]"});
    }
  }
  addTests(chance, leaf, leaf.contains("condition"));
  if (leaf.contains("field") && leaf.size() == 1) leaf["exists"] = chance.once(2);
  return leaf;
}

json condition(Chance& chance, bool candidate, bool element, unsigned depth) {
  if (depth == 0 || chance.once(3)) return leaf(chance, candidate, element);
  const auto part = [&] { return condition(chance, candidate, element, depth - 1); };
  switch (chance.below(element || candidate ? 4 : 5)) {
    case 0:
      return json::array({part(), part()});
    case 1:
      return {{"all", json::array({part(), part()})}};
    case 2:
      return {{"any", json::array({part(), part()})}};
    case 3:
      return {{"not", part()}};
    default:
      return {{chance.oneOf<const char*>({"some", "every"}),
               chance.oneOf<const char*>({"pod.spec.tolerations", "pod.containers", "pod.spec.containers"})},
              {"where", condition(chance, candidate, true, depth - 1)}};
  }
}

// ---- judged twice

std::string_view shown(naive::Answer answer) {
  return answer == naive::Answer::kYes ? "broken" : answer == naive::Answer::kNo ? "kept" : "unknown";
}

class Random : public ::testing::Test {
 protected:
  const unsigned seed_ = fromEnvironment("DRIFTBAR_SEED", std::random_device{}());
  const unsigned conditions_ = fromEnvironment("DRIFTBAR_CONDITIONS", 1000);
  static constexpr unsigned kObjects = 12;
  Chance chance_{seed_};

  // Null where the loader rejects it, as it does with what can never match.
  std::shared_ptr<const PolicySet> program(const std::string& verb, const json& condition) {
    return loadText(ruleOf(verb + ": " + condition.dump())).set;
  }

  naive::World podWorld() {
    naive::World world;
    world.pod = pod(chance_);
    world.request = {
        {"groups", chance_.oneOf<json>({json::array({"g1"}), json::array({"h", "i"}), json::array()})}};
    if (chance_.once(2)) world.namespaceLabels = labels(chance_);
    return world;
  }

  static Judgement judge(const Rule& rule, const naive::World& world) {
    PodRequest request(world.pod.dump());
    std::vector<std::string> groups = world.request["groups"];
    request.request().user.groups.assign(groups.begin(), groups.end());
    Facts facts = request.facts();
    std::optional<JsonDocument> document;
    kube::Labels known;
    if (world.namespaceLabels) {
      document = PodRequest::parsed(world.namespaceLabels->dump());
      known = kube::Labels(document->root());
      facts.namespaceLabels = &known;
    }
    return evaluate(rule, facts);
  }
};

TEST_F(Random, BothEvaluatorsAgreeOnPods) {
  unsigned judged = 0, outcomes[3] = {0, 0, 0};
  for (unsigned i = 0; i < conditions_; ++i) {
    const std::string verb = chance_.oneOf<const char*>({"deny", "require"});
    const json what = condition(chance_, false, false, 3);
    const auto set = program(verb, what);
    if (!set) continue;
    const Rule& rule = set->policies()[0].rules[0];
    for (unsigned j = 0; j < kObjects; ++j) {
      const auto world = podWorld();
      const auto ours = judge(rule, world);
      const auto theirs = naive::broken(verb, what, world);
      ASSERT_EQ(testing::shown(ours.broken), shown(theirs))
          << "DRIFTBAR_SEED=" << seed_ << "\n"
          << verb << ": " << what.dump() << "\npod: " << world.pod.dump()
          << "\nrequest: " << world.request.dump() << "\nours: " << testing::shown(ours);
      ASSERT_EQ(ours.evidence.empty(), ours.broken == Truth::kFalse) << "DRIFTBAR_SEED=" << seed_ << "\n"
                                                                     << what.dump();
      ++judged;
      ++outcomes[static_cast<int>(ours.broken)];
    }
  }
  EXPECT_GT(judged, conditions_ * kObjects / 3) << "too many conditions are rejected for this to say much";
  for (const unsigned count : outcomes) EXPECT_GT(count, judged / 100) << "one outcome hardly ever came";
}

TEST_F(Random, BothEvaluatorsAgreeOnNodes) {
  unsigned judged = 0;
  for (unsigned i = 0; i < conditions_; ++i) {
    const json what = condition(chance_, true, false, 3);
    const auto set = program("avoidNodes", what);
    if (!set) continue;
    for (unsigned j = 0; j < kObjects; ++j) {
      naive::World world;
      world.node = node(chance_);
      const auto ours = evaluate(set->policies()[0].rules[0], *nodeOf(world.node.dump()), Facts{});
      ASSERT_EQ(testing::shown(ours.broken), shown(naive::broken("avoidNodes", what, world)))
          << "DRIFTBAR_SEED=" << seed_ << "\navoidNodes: " << what.dump() << "\nnode: " << world.node.dump()
          << "\nours: " << testing::shown(ours);
      ++judged;
    }
  }
  EXPECT_GT(judged, conditions_ * kObjects / 3);
}

TEST_F(Random, RequireIsDenyOfNot) {
  for (unsigned i = 0; i < conditions_; ++i) {
    const json what = condition(chance_, false, false, 3);
    const auto require = program("require", what), deny = program("deny", {{"not", what}});
    ASSERT_EQ(require == nullptr, deny == nullptr) << what.dump();
    if (!require) continue;
    const auto world = podWorld();
    EXPECT_EQ(testing::shown(judge(require->policies()[0].rules[0], world)),
              testing::shown(judge(deny->policies()[0].rules[0], world)))
        << "DRIFTBAR_SEED=" << seed_ << "\n"
        << what.dump() << "\n"
        << world.pod.dump();
  }
}

TEST_F(Random, AnUpdateThatChangesNothingBringsNothingIn) {
  for (unsigned i = 0; i < conditions_; ++i) {
    const auto set = program("deny", condition(chance_, false, false, 3));
    if (!set) continue;
    const auto world = podWorld();
    const auto judgement = judge(set->policies()[0].rules[0], world);
    EXPECT_TRUE(broughtIn(judgement, judgement).empty()) << "DRIFTBAR_SEED=" << seed_;
  }
}

TEST_F(Random, TheOrderOfElementsMeansNothing) {
  for (unsigned i = 0; i < conditions_; ++i) {
    const auto set = program("deny", condition(chance_, false, false, 3));
    if (!set) continue;
    auto world = podWorld();
    const auto before = judge(set->policies()[0].rules[0], world).broken;
    for (const auto list : {"containers", "tolerations"}) {
      if (world.pod["spec"].contains(list)) chance_.shuffle(world.pod["spec"][list]);
    }
    EXPECT_EQ(judge(set->policies()[0].rules[0], world).broken, before) << "DRIFTBAR_SEED=" << seed_;
  }
}

}  // namespace
}  // namespace driftbar::policy
