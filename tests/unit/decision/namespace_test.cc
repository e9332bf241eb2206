// The namespace of a request: what is asked of it, when it is looked up, and what is said where nobody knows
// it.
#include "unit/decision/fixture.h"

namespace driftbar::decision {
namespace {

constexpr const char* kCluster = R"(
{apiVersion: v1, kind: Node, metadata: {name: gpu-07}, status: {allocatable: {nvidia.com/gpu: "8", pods: "110"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: old, labels: {team: research}}}
)";

using testing::json;

std::string exempting(const std::string& match) {
  return testing::exempting("p/r", match);
}

World worldOf(const std::string& spec) {
  return testing::worldOf(testing::policyOf(spec), kCluster);
}

struct Asked {
  std::string ns = "fresh";
  std::string object = "{metadata: {name: bert-0}, spec: {containers: [{name: t}]}}";
  std::string oldObject = "null";
  std::string kind = "Pod", resource = "pods", subResource = {};
};

testing::Asked request(const Asked& asked) {
  const std::string operation = asked.object == "null"      ? "DELETE"
                                : asked.oldObject == "null" ? "CREATE"
                                                            : "UPDATE";
  return {
      "", asked.kind,          asked.resource, asked.object, asked.oldObject, operation, asked.subResource,
      "", "{username: alice}", asked.ns};
}

Verdict judged(const Asked& asked, const World& world, const Found& found = {}) {
  return testing::judged(request(asked), world, found);
}

std::string told(const Asked& asked, const World& world, const Found& found = {}) {
  return testing::told(request(asked), world, found);
}

std::vector<std::string> needs(const Asked& asked, const World& world, const Found& found = {}) {
  std::vector<std::string> out;
  for (const auto& need : judged(asked, world, found).needs) out.push_back(shown(need));
  return out;
}

Found answering(Answer answer) {
  Found found;
  found.add(Need::nameSpace("fresh"), std::move(answer));
  return found;
}

Found labelled(const std::string& team) {
  const std::string text = R"({"kind":"Namespace","metadata":{"name":"fresh","labels":{"team":")" + team +
                           R"("},"annotations":{"tier":"gold"}}})";
  return answering(Answer::found(*JsonDocument::parse(text), text.size()));
}

const std::vector<std::string> kItself{"Namespace fresh"}, kNothing;

constexpr const char* kMeant =
    "  match: {namespaceSelector: {matchLabels: {team: research}}}\n"
    "  rules:\n    - {name: r, require: {label: cost-center}}\n";
constexpr const char* kRefusal = "p/r: Pod \"bert-0\": label cost-center is missing, must be there";

// ---- what it decides

TEST(FreshNamespace, DecidesWhatAPolicyIsMeantFor) {
  const auto world = worldOf(kMeant);
  EXPECT_EQ(needs({}, world), kItself);
  EXPECT_EQ(told({}, world, labelled("research")), kRefusal);
  EXPECT_EQ(told({}, world, labelled("shop")), "");
  EXPECT_EQ(needs({}, world, labelled("shop")), kNothing);
  EXPECT_EQ(told({.ns = "old"}, world), kRefusal) << "the inventory has it";
  EXPECT_EQ(needs({.ns = "old"}, world), kNothing);
}

TEST(FreshNamespace, DecidesWhatIsExcepted) {
  const auto world = worldOf(
      "  except: [{namespaceSelector: {matchLabels: {team: research}}}]\n"
      "  rules:\n    - {name: r, require: {label: cost-center}}\n");
  EXPECT_EQ(needs({}, world), kItself);
  EXPECT_EQ(told({}, world, labelled("research")), "");
  EXPECT_EQ(told({}, world, labelled("shop")), kRefusal);
}

TEST(FreshNamespace, DecidesWhatAnExemptionLifts) {
  const auto world = worldOf("  rules:\n    - {name: r, require: {label: cost-center}}\n" +
                             exempting("{namespaceSelector: {matchLabels: {team: research}}}"));
  EXPECT_EQ(needs({}, world), kItself);
  EXPECT_EQ(told({}, world, labelled("research")),
            "warning: p/r: lifted by exemption inc-1 until 2026-12-24: Pod \"bert-0\": label cost-center is "
            "missing, must be there");
  EXPECT_EQ(told({}, world, labelled("shop")), kRefusal);
}

TEST(FreshNamespace, IsWhatConditionsAskAbout) {
  const std::pair<const char*, const char*> rows[] = {
      {"{label: team, of: namespace, equals: research}",
       "namespace label team is \"research\", must not be \"research\""},
      {"{annotation: tier, of: namespace, equals: gold}",
       "namespace annotation tier is \"gold\", must not be \"gold\""},
      {"{field: 'namespace.metadata.labels.team', equals: research}",
       "namespace.metadata.labels.team is \"research\", must not be \"research\""},
  };
  for (const auto& [condition, sentence] : rows) {
    const auto world = worldOf(
        "  match: {resources: [pods]}\n  rules:\n    - {name: r, deny: " + std::string(condition) + "}\n");
    EXPECT_EQ(needs({}, world), kItself) << condition;
    EXPECT_EQ(told({}, world, labelled("research")), "p/r: Pod \"bert-0\": " + std::string(sentence));
    EXPECT_EQ(needs({}, world, labelled("research")), kNothing) << condition;
  }
}

// ---- where nothing is looked up

TEST(FreshNamespace, IsLeftAloneWhereNothingHangsOnIt) {
  const std::pair<const char*, std::string> rows[] = {
      {"nobody asks", "  rules:\n    - {name: r, require: {label: cost-center}}\n"},
      {"another key rules the request out, wherever it stands",
       "  match: {namespaceSelector: {matchLabels: {a: b}}, labelSelector: {matchLabels: {app: x}}}\n"
       "  rules:\n    - {name: r, deny: {label: a}}\n"},
      {"an exception does",
       "  match: {namespaceSelector: {matchLabels: {a: b}}}\n  except: [{namespaces: [fresh]}]\n"
       "  rules:\n    - {name: r, require: {label: a}}\n"},
      {"one exception does, after one that asks",
       "  except: [{namespaceSelector: {matchLabels: {a: b}}}, {namespaces: [fresh]}]\n"
       "  rules:\n    - {name: r, require: {label: a}}\n"},
      {"the rules are about nodes",
       "  match: {namespaceSelector: {matchLabels: {a: b}}}\n"
       "  rules:\n    - {name: r, deny: {condition: Ready, equals: false}}\n"},
      {"the exempted rule is kept", "  rules:\n    - {name: r, deny: {label: cost-center}}\n" +
                                        exempting("{namespaceSelector: {matchLabels: {team: research}}}")},
      {"the exemption is of another kind",
       "  rules:\n    - {name: r, require: {label: cost-center}}\n" +
           exempting("{namespaceSelector: {matchLabels: {team: research}}, kinds: [Job]}")},
  };
  for (const auto& [name, spec] : rows) EXPECT_EQ(needs({}, worldOf(spec)), kNothing) << name;
}

TEST(FreshNamespace, OfTheSystemIsNotLookedUpForTraining) {
  const auto world = worldOf(
      "  match: {namespaceSelector: {matchLabels: {a: b}}, workload: training}\n"
      "  rules:\n    - {name: r, require: {label: cost-center}}\n");
  const std::string pod =
      "{metadata: {name: bert-0, labels: {driftbar.io/workload: training}}, spec: {containers: [{name: t}]}}";
  EXPECT_EQ(needs({.ns = "fresh", .object = pod}, world), kItself);
  EXPECT_EQ(needs({.ns = "kube-fresh", .object = pod}, world), kNothing);
}

TEST(FreshNamespace, IsNotLookedUpForWhatIsLetBe) {
  const auto world = worldOf(kMeant);
  EXPECT_EQ(needs({.kind = "ConfigMap", .resource = "configmaps"}, world), kNothing);
  EXPECT_EQ(needs({.object = "{metadata: {name: a, finalizers: []}}",
                   .oldObject = "{metadata: {name: a, deletionTimestamp: '2026-12-01T09:00:00Z'}}"},
                  world),
            kNothing);
}

// ---- a request about a namespace

TEST(NamespaceItself, IsWhatTheRequestCarries) {
  const auto world = worldOf(
      "  match: {resources: [namespaces], operations: [create, update, delete], namespaceSelector: "
      "{matchLabels: {team: research}}}\n"
      "  rules:\n    - {name: r, require: {annotation: owner, of: namespace}}\n");
  const std::string meant = "{metadata: {name: fresh, labels: {team: research}}}",
                    other = "{metadata: {name: fresh, labels: {team: shop}}}",
                    owned = "{metadata: {name: fresh, labels: {team: research}, annotations: {owner: a}}}";
  const auto about = [](const std::string& object, const std::string& old = "null",
                        const std::string& subResource = {}, const std::string& ns = "fresh") {
    return Asked{ns, object, old, "Namespace", "namespaces", subResource};
  };
  const std::string refusal =
      "p/r: Namespace \"fresh\": namespace annotation owner is missing, must be there";
  const std::pair<Asked, std::string> rows[] = {
      {about(meant), refusal},
      {about(other), ""},
      {about(owned), ""},
      {about(meant, other), ""},  // brings in the label, and lacks the annotation as before
      {about(meant, owned), refusal},
      {about(other, meant), ""},
      {about("null", meant), refusal},
      {about("null", other), ""},
      {about("{metadata: {generateName: fresh-, labels: {team: research}}}", "null", "", ""),
       "p/r: Namespace \"fresh-*\": namespace annotation owner is missing, must be there"},
  };
  for (const auto& [asked, text] : rows) {
    EXPECT_EQ(told(asked, world), text) << asked.object << asked.oldObject;
    EXPECT_EQ(needs(asked, world), kNothing) << asked.object << asked.oldObject;
  }
}

// ---- where nobody knows

TEST(UnknownNamespace, IsNamedWithTheReason) {
  const auto world = worldOf(kMeant);
  const std::string hangs = std::string(kRefusal) + "\n  whether the rule is meant for it cannot be told: ";
  EXPECT_EQ(told({}, world, answering(Answer::notFound())), hangs + "namespace \"fresh\" was not found");
  EXPECT_EQ(
      told({}, world,
           answering(Answer::none(Answer::Silence::kForbidden,
                                  "permission is missing: the role of driftbar needs the verb get on "
                                  "namespaces"))),
      hangs +
          "namespace \"fresh\" could not be read: permission is missing: the role of driftbar needs the "
          "verb get on namespaces");
  EXPECT_EQ(told({}, world), hangs + "namespace \"fresh\" is not in the inventory")
      << "where nobody looks anything up";
  EXPECT_EQ(told({}, world, answering(Answer::found(*JsonDocument::parse("{}"), 2))),
            hangs + "namespace \"fresh\" could not be read: it is no namespace");
  EXPECT_EQ(told({.object = "{metadata: {name: a, labels: {cost-center: c}}}"}, world,
                 answering(Answer::notFound())),
            "")
      << "what is kept either way hangs on nothing";
}

TEST(UnknownNamespace, OfARuleInWarn) {
  EXPECT_EQ(told({}, worldOf(std::string("  mode: warn\n") + kMeant), answering(Answer::notFound())),
            "warning: " + std::string(kRefusal) +
                "; whether the rule is meant for it cannot be told: namespace \"fresh\" was not found");
}

TEST(UnknownNamespace, LiftsNothing) {
  const auto world = worldOf("  rules:\n    - {name: r, require: {label: cost-center}}\n" +
                             exempting("{namespaceSelector: {matchLabels: {team: research}}}"));
  EXPECT_EQ(told({}, world, answering(Answer::notFound())),
            std::string(kRefusal) +
                "\n  whether an exemption lifts it cannot be told: namespace \"fresh\" was not found");
}

TEST(UnknownNamespace, MakesAConditionUnknown) {
  const std::string rule = "{name: r, deny: {label: team, of: namespace, equals: research}";
  const std::string sentence =
      "p/r: cannot be told of Pod \"bert-0\": namespace label team is not known; it must "
      "not be \"research\"";
  const std::pair<std::string, std::string> rows[] = {
      {"}", "warning: " + sentence + "; namespace \"fresh\" was not found"},
      {", onUnknown: deny}", sentence + "\n  namespace \"fresh\" was not found"},
      {", onUnknown: allow}", ""},
  };
  for (const auto& [rest, text] : rows)
    EXPECT_EQ(told({}, worldOf("  rules:\n    - " + rule + rest + "\n"), answering(Answer::notFound())),
              text);
}

TEST(UnknownNamespace, UnderAvoidNodes) {
  const auto world = worldOf(
      "  match: {namespaceSelector: {matchLabels: {team: research}}}\n"
      "  rules:\n    - {name: r, avoidNodes: {label: clean, exists: false}, fix: wait}\n");
  const std::string refusal =
      "p/r: Pod \"bert-0\" can only land on unsafe nodes (1 of 1)\n"
      "  gpu-07  label clean is missing\n";
  EXPECT_EQ(told({}, world, labelled("research")), refusal + "  fix: wait");
  EXPECT_EQ(told({}, world, labelled("shop")), "");
  EXPECT_EQ(told({}, world, answering(Answer::notFound())),
            refusal +
                "  whether the rule is meant for it cannot be told: namespace \"fresh\" was not found\n"
                "  fix: wait");
}

}  // namespace
}  // namespace driftbar::decision
