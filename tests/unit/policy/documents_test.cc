// What documents beside policies declare: classes, kinds, exemptions and baselines, and what a set makes of
// them. The mistakes in them are rows of tests/golden/lint.
#include <gmock/gmock.h>

#include <map>

#include "policy/condition.h"
#include "policy/documents.h"
#include "policy/exemption.h"
#include "policy/workload_class.h"
#include "unit/policy/fixture.h"

namespace driftbar::policy {
namespace {

using namespace testing;

std::string document(std::string_view kind, std::string_view name, std::string_view spec) {
  return "---\napiVersion: driftbar.io/v1alpha1\nkind: " + std::string(kind) +
         "\nmetadata: {name: " + std::string(name) + "}\nspec:\n" + std::string(spec);
}

const std::string kPolicy = policyOf("  rules: [{name: drifted, deny: {label: a}}]\n", "nodes");

std::string warnings(const Loaded& loaded) {
  std::string said;
  for (const auto& d : loaded.diagnostics) said += d.id + " ";
  return said;
}

TEST(DocumentKinds, EachIsTold) {
  for (const auto& row : documentTable()) {
    EXPECT_FALSE(row.doc.empty()) << row.name;
    EXPECT_TRUE(row.of.ends_with(row.name)) << row.name;
    EXPECT_TRUE(row.specHelp.starts_with("write `spec:`")) << row.name;
  }
}

// ---- classes

const std::string kClass = document("WorkloadClass", "sequence-parallel",
                                    "  any:\n    - {label: team.example.com/parallel, equals: sequence}\n"
                                    "  sensitiveTo: [gpu, nccl]\n");
const std::string kOfClass =
    policyOf("  match: {workload: sequence-parallel}\n  rules: [{name: r, deny: {label: a}}]\n");
const PodRequest kSequence(R"({"metadata":{"labels":{"team.example.com/parallel":"sequence"}}})");
const PodRequest kOther(R"({"metadata":{"labels":{"team.example.com/parallel":"tensor"}}})");
const PodRequest kGpu(R"({"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"1"}}}]}})");

TEST(WorkloadClasses, AreFoundWhateverTheOrderOfFiles) {
  const auto one = makeSource("a.yaml", kClass), other = makeSource("b.yaml", kOfClass);
  for (const auto& sources : {std::vector{one, other}, std::vector{other, one}}) {
    const auto loaded = load(sources);
    ASSERT_TRUE(loaded.set) << render(loaded.diagnostics);
    EXPECT_EQ(warnings(loaded), "");
    const Match& match = loaded.set->find("p")->match;
    EXPECT_EQ(match.fits(kSequence.facts()), Truth::kTrue);
    EXPECT_EQ(match.fits(kOther.facts()), Truth::kFalse);
    EXPECT_THAT(loaded.set->classes().find("sequence-parallel")->sensitiveTo,
                ::testing::ElementsAre("gpu", "nccl"));
  }
}

TEST(WorkloadClasses, AClassOfAPodThatIsNotKnownIsUnknown) {
  const auto set = loaded(kOfClass + kClass);
  Facts facts = kSequence.facts();
  facts.podKnown = false;
  EXPECT_EQ(set->find("p")->match.fits(facts), Truth::kUnknown);
}

TEST(WorkloadClasses, OneWithOnlySensitiveToKeepsWhoBelongs) {
  const auto set =
      loaded(policyOf("  match: {workload: training}\n  rules: [{name: r, deny: {label: a}}]\n") +
             document("WorkloadClass", "training", "  sensitiveTo: [gpu]\n"));
  EXPECT_EQ(set->find("p")->match.fits(kGpu.facts()), Truth::kTrue);
  EXPECT_EQ(set->find("p")->match.fits(kSequence.facts()), Truth::kFalse);
  EXPECT_THAT(set->classes().find("training")->sensitiveTo, ::testing::ElementsAre("gpu"));
}

TEST(WorkloadClasses, OneWithAConditionReplacesWhoBelongs) {
  const auto set = loaded(
      policyOf("  match: {workload: training}\n  rules: [{name: r, deny: {label: a}}]\n") +
      document("WorkloadClass", "training", "  label: team.example.com/parallel\n  sensitiveTo: []\n"));
  EXPECT_EQ(set->find("p")->match.fits(kGpu.facts()), Truth::kFalse);
  EXPECT_EQ(set->find("p")->match.fits(kSequence.facts()), Truth::kTrue);
  EXPECT_TRUE(set->classes().find("training")->sensitiveTo.empty());
}

TEST(WorkloadClasses, ThoseBuiltInAreThereWithoutDocuments) {
  const PolicySet empty(std::vector<Policy>{});
  EXPECT_NE(empty.classes().find("training"), nullptr);
  EXPECT_NE(empty.classes().find("rdma-training"), nullptr);
  EXPECT_EQ(empty.classes().find("sequence-parallel"), nullptr);
}

// ---- kinds

TEST(WorkloadKinds, ShippedDocumentsAreRows) {
  const auto set = loaded(kPolicy);
  for (const auto& [group, kind] :
       std::map<std::string_view, std::string_view>{{"sagemaker.amazonaws.com", "HyperPodPyTorchJob"},
                                                    {"kubeflow.org", "MXJob"},
                                                    {"ray.io", "RayCronJob"},
                                                    {"batch.volcano.sh", "CronJob"},
                                                    {"flow.volcano.sh", "JobTemplate"},
                                                    {"batch", "Job"}})
    EXPECT_NE(set->kinds().find(group, kind), nullptr) << kind;
  EXPECT_NE(set->kinds().find("kubeflow.org", "PaddleJob"), nullptr);
  EXPECT_EQ(set->kinds().find("flow.volcano.sh", "JobTemplate")->blueprint, true);
  EXPECT_EQ(set->kinds().find("sim.example.com", "RoundTable"), nullptr);
}

TEST(WorkloadKinds, ADocumentAddsARow) {
  const auto set = loaded(kPolicy + document("WorkloadKind", "roundtables", R"(  group: sim.example.com
  kind: RoundTable
  templates:
    - path: spec.roles[*].template
      ranks: true
      replicas: spec.roles[*].replicas
    - path: spec.launcher
      ranks: false
      replicas: 1
      role: launcher
  suspend: spec.suspend
)"));
  const auto* kind = set->kinds().find("sim.example.com", "RoundTable");
  ASSERT_NE(kind, nullptr);
  EXPECT_EQ(kind->resource, "roundtables");
  const auto object = PodRequest::parsed(R"({"spec":{"suspend":true,
      "roles":[{"name":"knights","replicas":12,"template":{"spec":{}}}],"launcher":{"spec":{}}}})");
  const auto templates = workload::templatesOf(*kind, object.root());
  ASSERT_EQ(templates.size(), 2U);
  EXPECT_EQ(templates[0].replicas, 12U);
  EXPECT_TRUE(templates[0].ranks);
  EXPECT_FALSE(templates[1].ranks);
  EXPECT_EQ(templates[1].role, "launcher");
  EXPECT_TRUE(workload::suspended(*kind, object.root()));
}

TEST(WorkloadKinds, ADocumentReplacesARow) {
  const auto set = loaded(kPolicy + document("WorkloadKind", "jobs", R"(  group: batch
  kind: Job
  resource: jobs
  templates: [{path: spec.other, replicas: {path: spec.count, default: 3, atLeast: spec.least}}]
  minAvailable: spec.min
  startsTogether: true
)"));
  const auto* kind = set->kinds().find("batch", "Job");
  ASSERT_EQ(kind->templates.size(), 1U);
  EXPECT_TRUE(kind->startsTogether);
  const auto object = PodRequest::parsed(R"({"spec":{"other":{"spec":{}},"least":5,"min":2}})");
  const auto templates = workload::templatesOf(*kind, object.root());
  ASSERT_EQ(templates.size(), 1U);
  EXPECT_EQ(templates[0].replicas, 5U);
  EXPECT_EQ(workload::minAvailable(*kind, object.root()), 2U);
  EXPECT_FALSE(loaded(kPolicy)->kinds().find("batch", "Job")->startsTogether);
}

// ---- exemptions

TEST(Exemptions, EndWithTheDayOrAtTheTime) {
  const std::map<std::string, std::string> rows{{"2026-12-24", "2026-12-25T00:00:00Z"},
                                                {"2026-12-31", "2027-01-01T00:00:00Z"},
                                                {"2028-02-29", "2028-03-01T00:00:00Z"},
                                                {"2026-12-24T18:00:00Z", "2026-12-24T18:00:00Z"},
                                                {"2026-12-24T18:00:00+02:00", "2026-12-24T16:00:00Z"}};
  for (const auto& [text, end] : rows) {
    ASSERT_TRUE(endOf(text)) << text;
    EXPECT_EQ(driftbar::toString(*endOf(text)), end) << text;
  }
  for (const auto* wrong :
       {"", "2026-2-4", "2026-02-30", "2026-13-01", "24.12.2026", "2026-12-24T18", "tomorrow!!"})
    EXPECT_FALSE(endOf(wrong)) << wrong;
}

std::string exemption(std::string_view name, std::string_view expires, std::string_view rules,
                      std::string_view match) {
  return document("Exemption", name,
                  "  reason: why " + std::string(name) + "\n  expires: " + std::string(expires) +
                      "\n  rules: " + std::string(rules) + "\n  match: " + std::string(match) + "\n");
}

TEST(Exemptions, AreSortedByTheirEndAndThenByName) {
  const auto set = loaded(kPolicy + exemption("z", "2026-12-24", "[nodes/drifted]", "{names: [a]}") +
                          exemption("late", "2027-12-24", "nodes/*", "{names: [a]}") +
                          exemption("a", "2026-12-24", "[nodes/drifted]", "{names: [a]}"));
  std::string names;
  for (const auto& one : set->exemptions()) names += one.name + " ";
  EXPECT_EQ(names, "a z late ");
  EXPECT_EQ(set->exemptions()[0].reason, "why a");
  EXPECT_EQ(driftbar::toString(set->exemptions()[0].expires), "2026-12-25T00:00:00Z");
}

// Judged at kNow, for the pod bert-0 in namespace ml that alice makes.
struct Lifting {
  std::string_view what, expires, rules, match, rule;
  bool lifts;
};

constexpr Lifting kLiftings[] = {
    {"by name", "2026-12-24", "[nodes/drifted]", "{namespaces: [ml]}", "nodes/drifted", true},
    {"one rule as a word", "2026-12-24", "nodes/drifted", "{namespaces: [ml]}", "nodes/drifted", true},
    {"all of the policy", "2026-12-24", "[nodes/*]", "{namespaces: [ml]}", "nodes/drifted", true},
    {"everything", "2026-12-24", "[\"*\"]", "{namespaces: [ml]}", "nodes/drifted", true},
    {"another rule", "2026-12-24", "[nodes/drifted]", "{namespaces: [ml]}", "nodes/other", false},
    {"another policy", "2026-12-24", "[nodes/*]", "{namespaces: [ml]}", "pods/drifted", false},
    {"never break-glass", "2026-12-24", "[\"*\"]", "{namespaces: [ml]}", "nodes/break-glass", false},
    {"another namespace", "2026-12-24", "[nodes/drifted]", "{namespaces: [eval]}", "nodes/drifted", false},
    {"who asks", "2026-12-24", "[nodes/drifted]", "{requestedBy: {users: [alice]}}", "nodes/drifted", true},
    {"both keys must hold", "2026-12-24", "[nodes/drifted]", "{namespaces: [ml], names: [x]}",
     "nodes/drifted", false},
    {"what can't be told lifts nothing", "2026-12-24", "[nodes/drifted]",
     "{namespaceSelector: {matchLabels: {a: b}}}", "nodes/drifted", false},
    {"no default for operations", "2026-12-24", "[nodes/drifted]", "{operations: [delete]}", "nodes/drifted",
     false},
    {"today", "2026-12-01", "[nodes/drifted]", "{namespaces: [ml]}", "nodes/drifted", true},
    {"yesterday", "2026-11-30", "[nodes/drifted]", "{namespaces: [ml]}", "nodes/drifted", false},
    {"a second later", "2026-12-01T10:00:01Z", "[nodes/drifted]", "{namespaces: [ml]}", "nodes/drifted",
     true},
    {"this very moment", "2026-12-01T10:00:00Z", "[nodes/drifted]", "{namespaces: [ml]}", "nodes/drifted",
     false},
};

const PodRequest kBert(R"({"metadata":{"name":"bert-0"}})");

TEST(Exemptions, LiftWhatTheyNameForWhomTheyName) {
  for (const auto& row : kLiftings) {
    const auto set = loaded(kPolicy + exemption("e", row.expires, row.rules, row.match));
    EXPECT_EQ(set->exemptionFor(row.rule, kBert.facts()) != nullptr, row.lifts) << row.what;
  }
}

TEST(Exemptions, OfSeveralTheOneThatEndsFirstIsNamed) {
  const auto set = loaded(kPolicy + exemption("later", "2026-12-24", "[nodes/*]", "{names: [\"bert-*\"]}") +
                          exemption("ended", "2026-11-24", "[nodes/*]", "{names: [\"bert-*\"]}") +
                          exemption("elsewhere", "2026-12-02", "[nodes/*]", "{names: [x]}") +
                          exemption("sooner", "2026-12-03", "[nodes/*]", "{names: [\"bert-*\"]}"));
  const Exemption* found = set->exemptionFor("nodes/drifted", kBert.facts());
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "sooner");
}

// A clock is not needed to load; without one nothing is said of the past.
TEST(Exemptions, ThatHaveEndedAreToldOnlyToWhoKnowsTheTime) {
  const std::string text = kPolicy + exemption("e", "2020-01-01", "[nodes/*]", "{names: [a]}");
  EXPECT_EQ(warnings(loadText(text)), "");
  const auto at = load({makeSource("p.yaml", text)}, {.now = parseInstant(kNow)});
  EXPECT_EQ(warnings(at), "expired ");
  EXPECT_TRUE(at.set) << "an exemption that has ended is no error";
}

// What is not read can't be looked up: no second error for a rule in a file that is broken.
TEST(Exemptions, AreNotHeldToRulesOfAFileThatCannotBeRead) {
  const auto loaded =
      load({makeSource("a.yaml", "a:\n\t- b\n"),
            makeSource("b.yaml", exemption("e", "2026-12-24", "[nodes/drifted]", "{names: [a]}"))});
  EXPECT_EQ(loaded.diagnostics.size(), 1U) << render(loaded.diagnostics);
}

TEST(Exemptions, AreKeptByASetOfSomeOfThePolicies) {
  const auto set = loaded(kPolicy + exemption("e", "2026-12-24", "[nodes/*]", "{names: [\"bert-*\"]}"));
  const PolicySet some({set->policies()[0]}, set->declared());
  EXPECT_NE(some.exemptionFor("nodes/drifted", kBert.facts()), nullptr);
  EXPECT_EQ(&some.kinds(), &set->kinds());
}

// ---- baselines

TEST(Baselines, KeepWhatIsWritten) {
  const auto loaded = loadText(kPolicy + document("NodeBaseline", "h100-pool",
                                                  R"(  nodes: {matchLabels: {pool: h100}, names: ["gpu-*"]}
  maxAge: 5m
  bootGrace: 10m
  expect:
    - label: nvidia.com/gpu.product
      equals: NVIDIA-H100-80GB-HBM3
      drift: {class: gpu, severity: critical}
    - field: node.status.nodeInfo.kernelVersion
      uniform: true             # no value declared: as most of the pool
      drift: {class: kernel, severity: major}
    - field: node.status.allocatable["nvidia.com/gpu"]
      equals: 8
      absent: ok
      drift: {class: gpu, severity: minor}
    - condition: Ready
      equals: "True"
      for: 10m
      absent: unknown
      drift: {class: os, severity: minor}
  quarantine:
    atLeast: critical
    classes: [gpu, driver]
    maxUnavailable: 10%
)"));
  ASSERT_TRUE(loaded.set) << render(loaded.diagnostics);
  EXPECT_EQ(warnings(loaded), "not-judged ");
  ASSERT_EQ(loaded.set->baselines().size(), 1U);
  const Baseline& pool = loaded.set->baselines()[0];
  EXPECT_EQ(pool.name, "h100-pool");
  EXPECT_EQ(pool.nodes.requirements().size(), 1U);
  EXPECT_THAT(pool.names, ::testing::ElementsAre("gpu-*"));
  EXPECT_EQ(pool.maxAge, std::chrono::minutes(5));
  EXPECT_EQ(pool.bootGrace, std::chrono::minutes(10));
  using Absent = Baseline::Expectation::Absent;
  ASSERT_EQ(pool.expect.size(), 4U);
  EXPECT_EQ(pool.expect[0].driftClass, "gpu");
  EXPECT_EQ(pool.expect[0].severity, DriftSeverity::kCritical);
  EXPECT_EQ(pool.expect[0].absent, Absent::kDrift);
  EXPECT_FALSE(pool.expect[0].uniform);
  EXPECT_EQ(pool.expect[0].leaf->tests.size(), 1U);
  EXPECT_TRUE(pool.expect[1].uniform);
  EXPECT_TRUE(pool.expect[1].leaf->tests.empty());
  EXPECT_EQ(pool.expect[1].severity, DriftSeverity::kMajor);
  EXPECT_EQ(pool.expect[2].absent, Absent::kOk);
  EXPECT_EQ(pool.expect[3].absent, Absent::kUnknown);
  EXPECT_EQ(pool.expect[3].leaf->tests.size(), 2U);
  ASSERT_TRUE(pool.quarantine);
  EXPECT_EQ(pool.quarantine->atLeast, DriftSeverity::kCritical);
  EXPECT_THAT(pool.quarantine->classes, ::testing::ElementsAre("gpu", "driver"));
  EXPECT_EQ(pool.quarantine->maxUnavailable, 10);
  EXPECT_TRUE(pool.quarantine->percent);
}

TEST(Baselines, WhatIsNotSaidIsNoLimit) {
  const auto set = loaded(kPolicy + document("NodeBaseline", "all", R"(  nodes: {}
  expect: [{label: a, drift: {class: gpu, severity: minor}}]
  quarantine: {atLeast: minor, maxUnavailable: 2}
)"));
  const Baseline& all = set->baselines()[0];
  EXPECT_TRUE(all.nodes.requirements().empty());
  EXPECT_TRUE(all.names.empty());
  EXPECT_FALSE(all.maxAge || all.bootGrace);
  EXPECT_TRUE(all.quarantine->classes.empty());
  EXPECT_EQ(all.quarantine->maxUnavailable, 2);
  EXPECT_FALSE(all.quarantine->percent);
  EXPECT_EQ(all.expect[0].leaf->tests.size(), 1U) << "a keyed subject means that it is there";
}

// ---- what is said of a right one

TEST(BreakGlass, ThatIsRightIsOnlyNotYet) {
  const auto loaded = loadText(
      policyOf("  breakGlass: {groups: [sre], users: [root], serviceAccounts: [ops/*], maxDuration: 4h}\n"
               "  rules: [{name: r, deny: {label: a}}]\n"));
  EXPECT_EQ(warnings(loaded), "not-yet ");
}

TEST(DriftClasses, OfATeamAreRightWhereTwoPlacesUseThem) {
  const auto loaded =
      loadText(kPolicy + document("WorkloadClass", "a", "  label: a\n  sensitiveTo: [thermal, gpu]\n") +
               document("WorkloadClass", "b", "  label: b\n  sensitiveTo: [thermal]\n"));
  EXPECT_EQ(warnings(loaded), "");
}

}  // namespace
}  // namespace driftbar::policy
