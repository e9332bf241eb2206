// Every row of the tables of tests, match keys and classes, with a case that holds, one that does not and one
// where there is no value; and the tables themselves: a row without a case fails. Subjects: subjects_test.
#include <map>
#include <set>

#include "policy/match_table.h"
#include "policy/subject_table.h"
#include "policy/test_table.h"
#include "policy/workload_class.h"
#include "unit/policy/words.h"

namespace driftbar::policy {
namespace {

using namespace testing;

// ---- tests

constexpr Row kTests[] = {
    {"exists", Case::kHolds, "deny: {label: pool, exists: true}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must not be there)"},
    {"exists", Case::kFails, "deny: {label: pool, exists: false}", "kept"},
    {"exists", Case::kAbsent, "deny: {label: team, exists: false}",
     "broken: metadata.labels.team: label team is missing, must be there"},
    {"equals", Case::kHolds, "deny: {field: pod.spec.priority, equals: 1e3}",
     "broken: spec.priority=1000: spec.priority is 1000, must not be 1000"},
    {"equals", Case::kFails, "deny: {label: pool, equals: h1}", "kept"},
    {"equals", Case::kAbsent, "deny: {label: team, equals: \"\"}", "kept"},
    {"equals", Case::kOther, "deny: {field: pod.spec.hostNetwork, equals: \"true\"}",
     R"(broken: spec.hostNetwork=true: spec.hostNetwork is true, must not be "true")"},
    {"equals", Case::kOther, "avoidNodes: {field: 'node.status.allocatable[\"nvidia.com/gpu\"]', equals: 8}",
     R"(broken: status.allocatable["nvidia.com/gpu"]=8: status.allocatable["nvidia.com/gpu"] is "8", must not be 8)"},
    {"equals", Case::kOther, "require: {field: 'object.spec.containers[\"trainer\"].command', equals: sh}",
     R"(broken: spec.containers["trainer"].command=["sysctl","-w"]: spec.containers["trainer"].command is ["sysctl","-w"], must be a single value)"},
    {"notEquals", Case::kHolds, "deny: {label: pool, notEquals: a100}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must be "a100")"},
    {"notEquals", Case::kFails, "deny: {label: pool, notEquals: h100}", "kept"},
    {"notEquals", Case::kAbsent, "deny: {label: team, notEquals: a}",
     R"(broken: metadata.labels.team: label team is missing, must be "a")"},
    {"in", Case::kHolds, "deny: {label: pool, in: [a100, h100]}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must not be "h100")"},
    {"in", Case::kFails, "deny: {label: pool, in: [a100]}", "kept"},
    {"in", Case::kAbsent, "require: {label: team, in: [a, b]}",
     R"(broken: metadata.labels.team: label team is missing, must be one of "a", "b")"},
    {"in", Case::kOther, "require: {label: pool, in: [a, b, c, d, e, f, g, h, i, j]}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must be one of "a", "b", "c", "d" and 6 more)"},
    {"notIn", Case::kHolds, "deny: {label: pool, notIn: [a100]}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must be "a100")"},
    {"notIn", Case::kFails, "require: {label: pool, notIn: [h100, a]}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must not be "h100")"},
    {"notIn", Case::kAbsent, "deny: {label: team, notIn: [a]}",
     R"(broken: metadata.labels.team: label team is missing, must be "a")"},
    {"matches", Case::kHolds, "deny: {label: pool, matches: 'h\\d+'}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must not match ^h\d+$)"},
    {"matches", Case::kFails, "deny: {label: pool, matches: h1}", "kept"},  // the whole value
    {"matches", Case::kAbsent, "require: {label: team, matches: '.*'}",
     "broken: metadata.labels.team: label team is missing, must match ^.*$"},
    {"matches", Case::kOther, "deny: {field: object.spec.priority, matches: x}",
     "broken: spec.priority=1000: spec.priority is 1000, must be text"},
    {"notMatches", Case::kHolds, "deny: {label: pool, notMatches: a.*}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must match ^a.*$)"},
    {"notMatches", Case::kFails, "require: {label: pool, notMatches: h.*}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must not match ^h.*$)"},
    {"notMatches", Case::kAbsent, "deny: {label: team, notMatches: a}",
     "broken: metadata.labels.team: label team is missing, must match ^a$"},
    {"notMatches", Case::kOther, "require: {label: pool, matches: 'a100|b200'}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must match ^(a100|b200)$)"},
    {"startsWith", Case::kHolds, "deny: {label: pool, startsWith: h}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must not start with "h")"},
    {"startsWith", Case::kFails, "deny: {label: pool, startsWith: 1}", "kept"},
    {"startsWith", Case::kAbsent, "require: {label: team, startsWith: a}",
     R"(broken: metadata.labels.team: label team is missing, must start with "a")"},
    {"endsWith", Case::kHolds, "deny: {label: pool, endsWith: 100}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must not end with "100")"},
    {"endsWith", Case::kFails, "deny: {label: pool, endsWith: h}", "kept"},
    {"endsWith", Case::kAbsent, "deny: {label: team, endsWith: a}", "kept"},
    {"contains", Case::kHolds, "deny: {field: \"pod.containers[*].command\", contains: sysc}",
     R"(broken: spec.containers["trainer"].command=["sysctl","-w"]: spec.containers["trainer"].command is ["sysctl","-w"], must not contain "sysc")"},
    {"contains", Case::kFails, "deny: {label: pool, contains: x}", "kept"},
    {"contains", Case::kAbsent, "deny: {label: team, contains: a}", "kept"},
    {"contains", Case::kOther, "require: {field: object.spec.priority, contains: a}",
     "broken: spec.priority=1000: spec.priority is 1000, must be text or a list"},
    {"atLeast", Case::kHolds, "deny: {label: size, atLeast: 0.5Gi}",
     R"(broken: metadata.labels.size=512Mi: label size is "512Mi", must be less than 0.5Gi)"},
    {"atLeast", Case::kFails, "require: {label: size, atLeast: 513Mi}",
     R"(broken: metadata.labels.size=512Mi: label size is "512Mi", must be at least 513Mi)"},
    {"atLeast", Case::kAbsent, "deny: {label: team, atLeast: 0}", "kept"},
    {"atLeast", Case::kOther, "require: {label: pool, atLeast: 1}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must be a number or a quantity)"},
    {"atLeast", Case::kOther, "deny: {label: pool, atLeast: 1}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must be a number or a quantity)"},
    {"atLeast", Case::kOther, "deny: {not: {label: pool, atLeast: 1}}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must be a number or a quantity)"},
    {"atMost", Case::kHolds,
     "deny: {field: 'pod.spec.containers[\"trainer\"].resources.limits.cpu', atMost: 0.5}",
     R"(broken: spec.containers["trainer"].resources.limits.cpu=500m: spec.containers["trainer"].resources.limits.cpu is "500m", must be more than 0.5)"},
    {"atMost", Case::kFails, "deny: {field: pod.spec.priority, atMost: 999}", "kept"},
    {"atMost", Case::kAbsent, "deny: {label: team, atMost: 0}", "kept"},
    {"moreThan", Case::kHolds, "deny: {field: pod.spec.priority, moreThan: 999}",
     "broken: spec.priority=1000: spec.priority is 1000, must be at most 999"},
    {"moreThan", Case::kFails, "deny: {field: pod.spec.priority, moreThan: 1k}", "kept"},
    {"moreThan", Case::kAbsent, "deny: {label: team, moreThan: 0}", "kept"},
    {"lessThan", Case::kHolds, "deny: {field: pod.spec.priority, lessThan: 1001}",
     "broken: spec.priority=1000: spec.priority is 1000, must be at least 1001"},
    {"lessThan", Case::kFails, "deny: {field: pod.spec.priority, lessThan: 1000}", "kept"},
    {"lessThan", Case::kAbsent, "deny: {label: team, lessThan: 5}", "kept"},
    {"version", Case::kHolds, "avoidNodes: {label: driver, version: \">=535.104 <550\"}",
     R"(broken: metadata.labels.driver=535.104.05: label driver is "535.104.05", must not be a version >=535.104 <550)"},
    {"version", Case::kFails, "avoidNodes: {label: driver, version: \">=550\"}", "kept"},
    {"version", Case::kAbsent, "avoidNodes: {label: other, version: \">=1\"}", "kept"},
    {"version", Case::kOther, "avoidNodes: {not: {label: pool, version: \">=1\"}}",
     R"(broken: metadata.labels.pool=h100: label pool is "h100", must be a dotted version)"},
    {"agree", Case::kHolds, "deny: {field: 'pod.spec.containers[*].imagePullPolicy', agree: true}",
     R"(broken: spec.containers["trainer"].imagePullPolicy=
: spec.containers["trainer"].imagePullPolicy is missing, must differ)"},
    {"agree", Case::kFails, "require: {field: 'pod.spec.containers[*].name', agree: true}",
     R"(broken: spec.containers["trainer"].name==logger
=trainer
: spec.containers["trainer"].name is "trainer", "logger", must be the same everywhere)"},
    {"agree", Case::kAbsent, "deny: {field: 'pod.spec.containers[*].image', agree: true}", "kept"},
    {"for", Case::kHolds, "avoidNodes: {condition: Ready, equals: \"True\", for: 10m}",
     R"(broken: status.conditions["Ready"]=True: condition Ready is "True" for 1h, must not be "True" or must not last for 10m)"},
    {"for", Case::kFails, "avoidNodes: {condition: GPUMissing, equals: False, for: 10m}", "kept"},
    {"for", Case::kAbsent, "avoidNodes: {condition: Other, for: 10m}", "kept"},
    {"for", Case::kOther, "avoidNodes: {condition: NoTime, equals: True, for: 10m}",
     R"(unknown: status.conditions["NoTime"]=True: condition NoTime is "True" since an unknown time, must not be "True" or must not last for 10m)"},
};

TEST(Words, EveryTestJudges) {
  for (const auto& row : kTests) EXPECT_EQ(judged(row.rule), row.said) << row.rule;
}

TEST(Words, EveryTestHasItsCases) {
  expectCases(testTable(), kTests);
}

TEST(Words, EveryRowIsDocumentedWithAnExampleThatLoads) {
  for (const auto& row : subjectTable()) {
    EXPECT_FALSE(row.doc.empty()) << row.name;
    const bool nodes = row.about == SubjectRow::kNodes || row.example.find("node.") != std::string_view::npos;
    loaded(
        ruleOf("deny: " + std::string(row.example), nodes ? "{resources: [nodes]}" : "{resources: [pods]}"));
  }
  for (const auto& row : testTable()) {
    EXPECT_FALSE(row.doc.empty()) << row.name;
    const std::string leaf = row.name == "for"     ? "{condition: Ready, "
                             : row.name == "agree" ? "{annotation: a, "
                                                   : "{label: a, ";
    loaded(ruleOf("avoidNodes: " + leaf + std::string(row.name) + ": " + std::string(row.example) + "}"));
  }
  for (const auto& row : matchTable()) {
    EXPECT_FALSE(row.doc.empty()) << row.name;
    loaded(ruleOf("deny: {label: a}", "{" + std::string(row.name) + ": " + std::string(row.example) + "}"));
  }
  for (const auto& word : words()) EXPECT_FALSE(word.doc.empty()) << word.of << " " << word.name;
}

TEST(Words, NoWordIsInTheLanguageAndNotYet) {
  for (const auto& key : laterSubjects()) EXPECT_EQ(subjectRow(key.name), nullptr) << key.name;
  for (const auto& key : laterTests()) EXPECT_EQ(testRow(key.name), nullptr) << key.name;
}

// ---- versions

TEST(Versions, AreReadAsPeopleWriteThem) {
  struct Pair {
    std::string_view low, high;
  };
  const Pair rows[] = {
      {"535.104", "535.104.5"}, {"9.9", "10"}, {"v1.29.3+k3s1", "1.30"}, {"5.15.0-1034-aws", "5.15.1"}};
  for (const auto& row : rows) EXPECT_LT(*parseVersion(row.low), *parseVersion(row.high)) << row.low;
  EXPECT_EQ(parseVersion("1.2"), parseVersion("v1.2.0-rc1"));
  for (const auto wrong :
       {"", "v", "1.", ".1", "1.x", "abc", "1 2", "1.2.3.4.5.6.7.8.9", "99999999999999999999"})
    EXPECT_FALSE(parseVersion(wrong).has_value()) << wrong;
}

// ---- zero values

TEST(ZeroValues, AbsenceReadsAsTheValueThatItMeans) {
  struct Row {
    std::string_view path, value;
  };
  constexpr Row kRows[] = {
      {"spec.restartPolicy", "Always"},
      {"spec.hostNetwork", "false"},
      {"spec.terminationGracePeriodSeconds", "30"},
      {"spec.enableServiceLinks", "true"},
      {"spec.tolerations[*].operator", "Equal"},
      {"spec.topologySpreadConstraints[*].nodeTaintsPolicy", "Ignore"},
      {"spec.securityContext.runAsNonRoot", "false"},
      {"spec.containers[*].securityContext.allowPrivilegeEscalation", "true"},
      {"spec.containers[*].livenessProbe.periodSeconds", "10"},
      {"spec.containers[*].ports[*].protocol", "TCP"},
      {"spec.volumes[*].hostPath.type", "''"},
      {"spec.volumes[*].emptyDir.medium", "''"},
  };
  for (const auto& row : kRows) {
    const auto set = loaded(ruleOf("deny: {field: \"pod." + std::string(row.path) +
                                   "\", equals: " + std::string(row.value) + "}"));
    const Rule& rule = set->policies()[0].rules[0];
    const PodRequest pod(R"({"spec":{"tolerations":[{}],"topologySpreadConstraints":[{}],"containers":[
      {"name":"c","ports":[{}],"livenessProbe":{}}],"volumes":[{"hostPath":{},"emptyDir":{}}]}})");
    EXPECT_EQ(shown(evaluate(rule, pod.facts()).broken), "broken") << row.path;
    const PodRequest other(R"({"spec":{"hostUsers":false}})");
    const bool below = row.path.find("[*]") != std::string_view::npos;
    EXPECT_EQ(shown(evaluate(rule, other.facts()).broken), below ? "kept" : "broken") << row.path;
  }
  EXPECT_EQ(
      judged("avoidNodes: {field: \"node.spec.taints[*].value\", equals: \"\"}"),
      R"(broken: spec.taints["gpu"].value: spec.taints["gpu"].value is "" (not written), must not be ""; )"
      R"(spec.taints["drain"].value: spec.taints["drain"].value is "" (not written), must not be "")");
}

TEST(ZeroValues, ExistsLooksAtWhatIsWritten) {
  EXPECT_EQ(
      judged("deny: {field: \"pod.spec.tolerations[*].operator\", exists: false}"),
      R"(broken: spec.tolerations[1].operator: spec.tolerations[1].operator is "Equal" (not written), must be there)");
}

TEST(ZeroValues, WhatIsNotThereHasNoFields) {
  EXPECT_EQ(judged("deny: {field: 'pod.spec.containers[\"nobody\"].tty', equals: false}"), "kept");
  EXPECT_EQ(judged("deny: {field: \"pod.spec.tolerations[7].key\", equals: \"\"}"), "kept");
}

// ---- match

struct MatchCase {
  std::string_view key;
  std::string_view match;
  Truth fits;
};

constexpr MatchCase kMatches[] = {
    {"resources", "{resources: [pods]}", Truth::kTrue},
    {"operations", "{operations: [CREATE]}", Truth::kTrue},
    {"operations", "{operations: [update, delete]}", Truth::kFalse},
    {"workload", "{workload: training}", Truth::kFalse},
    {"kinds", "{kinds: [Pod]}", Truth::kTrue},
    {"ownedBy", "{ownedBy: [Job]}", Truth::kTrue},
    {"ownedBy", "{ownedBy: DaemonSet}", Truth::kFalse},
    {"resources", "{resources: [jobs.batch]}", Truth::kFalse},
    {"resources", "{resources: [\"*\"]}", Truth::kTrue},
    {"kinds", "{kinds: [Job]}", Truth::kFalse},
    {"requestedBy", "{requestedBy: {onOwnNode: true}}", Truth::kFalse},
    {"ownedBy", "{ownedBy: [CronJob]}", Truth::kUnknown},  // the Job's owner is not on the pod
    {"namespaces", "{namespaces: [\"m*\"]}", Truth::kTrue},
    {"namespaces", "{namespaces: [kube-system]}", Truth::kFalse},
    {"names", "{names: [\"bert-*\"]}", Truth::kTrue},
    {"names", "{names: [bert]}", Truth::kFalse},
    {"namespaceSelector", "{namespaceSelector: {matchLabels: {team: ml}}}", Truth::kUnknown},
    {"labelSelector", "{labelSelector: {matchLabels: {pool: h100}}}", Truth::kTrue},
    {"labelSelector", "{labelSelector: {matchExpressions: [{key: pool, operator: DoesNotExist}]}}",
     Truth::kFalse},
    {"podServiceAccounts", "{podServiceAccounts: [ml/default]}", Truth::kTrue},
    {"podServiceAccounts", "{podServiceAccounts: [\"*/runner\"]}", Truth::kFalse},
    {"requestedBy", "{requestedBy: {groups: [ml-users]}}", Truth::kTrue},
    {"requestedBy", "{requestedBy: {serviceAccounts: [\"*/*\"]}}", Truth::kFalse},
    {"", "{}", Truth::kTrue},
    {"", "{namespaces: [ml], names: [other]}", Truth::kFalse},
    {"", "{namespaceSelector: {matchLabels: {team: ml}}, namespaces: [other]}", Truth::kFalse},
};

TEST(Match, EveryKeyJudges) {
  std::set<std::string_view> seen;
  for (const auto& row : kMatches) {
    const auto set = loaded(ruleOf("deny: {label: a}", row.match));
    EXPECT_EQ(set->policies()[0].match.fits(PodRequest(kPod).facts()), row.fits) << row.match;
    seen.insert(row.key);
  }
  for (const auto& row : matchTable()) EXPECT_TRUE(seen.contains(row.name)) << row.name << " lacks a case";
}

TEST(Match, LooksAtPodsAndWhatChangesTheirSpec) {
  const auto set = loaded(ruleOf("deny: {label: a}", "{resources: [pods]}"));
  PodRequest pod(kPod);
  for (const auto& [subresource, looks] : std::map<std::string_view, bool>{{"", true},
                                                                           {"status", true},
                                                                           {"resize", true},
                                                                           {"ephemeralcontainers", true},
                                                                           {"binding", false},
                                                                           {"exec", false},
                                                                           {"eviction", false}}) {
    pod.request().subResource = subresource;
    EXPECT_EQ(set->policies()[0].match.fits(pod.facts()), truthOf(looks)) << subresource;
  }
  pod.request().subResource = "";
  pod.request().operation = kube::Operation::kDelete;
  EXPECT_EQ(set->policies()[0].match.fits(pod.facts()), Truth::kFalse);
  pod.request().operation = kube::Operation::kCreate;
  pod.request().resource.group = "metrics.k8s.io";
  EXPECT_EQ(set->policies()[0].match.fits(pod.facts()), Truth::kFalse);
}

TEST(Match, AnyEntryOfExceptTakesTheRequestOut) {
  const auto set = loaded(
      policyOf("  except:\n    - namespaces: [burn-in]\n    - {names: [\"bert-*\"], requestedBy: {users: "
               "[alice]}}\n  rules: [{name: r, deny: {label: a}}]\n"));
  const Policy& policy = set->policies()[0];
  EXPECT_EQ(policy.looksAt(PodRequest(kPod).facts()), Truth::kFalse);
  EXPECT_EQ(policy.looksAt(PodRequest(R"({"metadata":{"name":"eval"}})").facts()), Truth::kTrue);
}

// An exception that can't be told does not take the request out.
TEST(Match, AnUnknownExceptionLeavesTheRequestIn) {
  const auto set =
      loaded(policyOf("  except: [{namespaceSelector: {matchLabels: {a: b}}}]\n  rules: [{name: r, deny: "
                      "{label: a}}]\n"));
  EXPECT_EQ(set->policies()[0].looksAt(PodRequest(kPod).facts()), Truth::kUnknown);
}

TEST(Match, ANameThatIsYetToBeMadeFitsByItsBeginning) {
  const PodRequest pod(R"({"metadata":{"generateName":"bert-"}})");
  for (const auto& [glob, fits] : std::map<std::string, bool>{
           {"bert-*", true}, {"*", true}, {"bert-", false}, {"bert-0", false}, {"eval-*", false}}) {
    const auto set = loaded(ruleOf("deny: {label: a}", "{names: [\"" + glob + "\"]}"));
    EXPECT_EQ(set->policies()[0].match.fits(pod.facts()), truthOf(fits)) << glob;
  }
}

TEST(Match, OnUpdateTheOldLabelsCountToo) {
  const auto set = loaded(ruleOf("deny: {label: a}", "{labelSelector: {matchLabels: {pool: h100}}}"));
  const PodRequest pod(R"({"metadata":{}})", kPod, kube::Operation::kUpdate);
  EXPECT_EQ(set->policies()[0].match.fits(pod.facts()), Truth::kTrue);
}

TEST(Match, SaysWhetherItNamesDaemonSets) {
  EXPECT_TRUE(loaded(ruleOf("deny: {label: a}", "{ownedBy: [Job, DaemonSet]}"))
                  ->policies()[0]
                  .rules[0]
                  .meansDaemonSets);
  EXPECT_TRUE(
      loaded(ruleOf("deny: {label: a}", "{ownedBy: DaemonSet}"))->policies()[0].rules[0].meansDaemonSets);
  EXPECT_FALSE(loaded(ruleOf("deny: {label: a}", "{ownedBy: Job}"))->policies()[0].rules[0].meansDaemonSets);
}

// ---- training

struct TrainingCase {
  std::string_view what;
  std::string_view metadata, spec;
  Truth belongs;
  std::string_view ns = "ml";
};

constexpr std::string_view kGpu = R"({"containers":[{"resources":{"limits":{"nvidia.com/gpu":"1"}}}]})";

constexpr TrainingCase kTraining[] = {
    {"asks for a GPU", "{}", kGpu, Truth::kTrue},
    {"asks for nothing", "{}", R"({"containers":[{}]})", Truth::kFalse},
    {"asks for no GPU, in words", "{}", R"({"containers":[{"resources":{"limits":{"nvidia.com/gpu":0}}}]})",
     Truth::kFalse},
    {"a slice of a GPU", "{}", R"({"containers":[{"resources":{"requests":{"nvidia.com/mig-1g.10gb":1}}}]})",
     Truth::kTrue},
    {"an init container asks", "{}", R"({"initContainers":[{"resources":{"limits":{"amd.com/gpu":"8"}}}]})",
     Truth::kTrue},
    {"other devices", "{}",
     R"({"containers":[{"resources":{"limits":{"nvidia.com/gpumem":"1","rdma/hca":"1"}}}]})", Truth::kFalse},
    {"a claim, whose class is written elsewhere", "{}", R"({"resourceClaims":[{"name":"x"}]})",
     Truth::kUnknown},
    {"a Deployment serves",
     R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","controller":true}],"labels":{"pod-template-hash":"x"}})",
     kGpu, Truth::kFalse},
    {"a ReplicaSet of its own",
     R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","controller":true}]})", kGpu,
     Truth::kTrue},
    {"a StatefulSet serves",
     R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","controller":true}]})", kGpu,
     Truth::kFalse},
    {"a Job trains", R"({"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","controller":true}]})",
     kGpu, Truth::kTrue},
    {"the label serving", R"({"labels":{"driftbar.io/workload":"serving"}})", kGpu, Truth::kFalse},
    {"the label training beats the owner",
     R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","controller":true}],"labels":{"driftbar.io/workload":"training"}})",
     kGpu, Truth::kTrue},
    {"the label training without a GPU", R"({"labels":{"driftbar.io/workload":"training"}})", "{}",
     Truth::kTrue},
    {"a controller's label beats the owner",
     R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","controller":true}],"labels":{"training.kubeflow.org/job-name":"x"}})",
     kGpu, Truth::kTrue},
    {"a controller's label beats the label serving",
     R"({"labels":{"training.kubeflow.org/job-name":"x","driftbar.io/workload":"serving"}})", kGpu,
     Truth::kTrue},
    {"variables beat the owner",
     R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","controller":true}]})",
     R"({"containers":[{"env":[{"name":"NCCL_DEBUG"}],"resources":{"limits":{"nvidia.com/gpu":"1"}}}]})",
     Truth::kTrue},
    {"the label serving beats variables", R"({"labels":{"driftbar.io/workload":"serving"}})",
     R"({"containers":[{"env":[{"name":"WORLD_SIZE"}],"resources":{"limits":{"nvidia.com/gpu":"1"}}}]})",
     Truth::kFalse},
    {"variables without a GPU", "{}", R"({"containers":[{"env":[{"name":"MASTER_ADDR"}]}]})", Truth::kFalse},
    {"a DaemonSet never",
     R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","controller":true}],"labels":{"driftbar.io/workload":"training"}})",
     kGpu, Truth::kFalse},
    {"a DaemonSet of another group, for there is none",
     R"({"ownerReferences":[{"apiVersion":"x.example/v1","kind":"DaemonSet","controller":true}]})", kGpu,
     Truth::kTrue},
    {"a DaemonSet that is not its controller",
     R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet"}]})", kGpu, Truth::kTrue},
    {"a StatefulSet that is not its controller",
     R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet"}]})", kGpu, Truth::kTrue},
    {"variables of the command line",
     R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","controller":true}]})",
     R"({"containers":[{"command":["bash","-c","export MASTER_ADDR=a; go"],"resources":{"limits":{"nvidia.com/gpu":"1"}}}]})",
     Truth::kTrue},
    {"variables that a command line speaks of",
     R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","controller":true}]})",
     R"({"containers":[{"command":["bash","-c","echo $MASTER_ADDR"],"resources":{"limits":{"nvidia.com/gpu":"1"}}}]})",
     Truth::kFalse},
    {"an envFrom, which those who serve have too",
     R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","controller":true}]})",
     R"({"containers":[{"envFrom":[{"configMapRef":{"name":"c"}}],"resources":{"limits":{"nvidia.com/gpu":"1"}}}]})",
     Truth::kFalse},
    {"a system namespace never", "{}", kGpu, Truth::kFalse, "kube-system"},
    {"the gate's own namespace never", "{}", kGpu, Truth::kFalse, "driftbar-system"},
};

TEST(WorkloadClass, TrainingIsWhoTrains) {
  const auto set = loaded(ruleOf("deny: {label: a}", "{workload: [training]}"));
  constexpr std::string_view kSystem[] = {"driftbar-*"};
  for (const auto& row : kTraining) {
    PodRequest pod(R"({"metadata":)" + std::string(row.metadata) + R"(,"spec":)" + std::string(row.spec) +
                   "}");
    pod.request().ns = row.ns;
    Facts facts = pod.facts();
    facts.systemNamespaces = kSystem;
    EXPECT_EQ(set->policies()[0].match.fits(facts), row.belongs) << row.what;
  }
}

struct FabricCase {
  std::string_view resource, variable;
  Truth belongs;
};

constexpr FabricCase kFabric[] = {
    {"cpu", "PATH", Truth::kFalse},
    {"rdma/hca", "PATH", Truth::kTrue},
    {"vpc.amazonaws.com/efa", "PATH", Truth::kTrue},
    {"nvidia.com/hostdev_ib", "PATH", Truth::kTrue},
    {"nvidia.com/roce_gdr", "PATH", Truth::kTrue},
    {"intel.com/intel_sriov_rdma", "PATH", Truth::kTrue},
    {"nvidia.com/gpu.shared", "PATH", Truth::kFalse},
    {"cpu", "NCCL_IB_HCA", Truth::kTrue},
    {"cpu", "NCCL_SOCKET_IFNAME", Truth::kFalse},
    {"cpu", "UCX_NET_DEVICES", Truth::kTrue},
    {"cpu", "FI_PROVIDER", Truth::kTrue},
    {"intel.com/intel_sriov_netdevice", "PATH", Truth::kTrue},
    {"mellanox.com/hca", "PATH", Truth::kTrue},
    {"nvidia.com/mlnxnics", "PATH", Truth::kTrue},
    {"nvidia.com/hostdev", "PATH", Truth::kTrue},
    {"aliyun/erdma", "PATH", Truth::kTrue},
};

TEST(WorkloadClass, RdmaTrainingAsksForTheFabric) {
  const auto set = loaded(ruleOf("deny: {label: a}", "{workload: rdma-training}"));
  for (const auto& row : kFabric) {
    const auto pod = [&](const std::string& gpus) {
      return PodRequest(R"({"metadata":{},"spec":{"containers":[{"env":[{"name":")" +
                        std::string(row.variable) +
                        R"(","value":"x"}],"resources":{"limits":{"nvidia.com/gpu":)" + gpus + R"(,")" +
                        std::string(row.resource) + R"(":"1"}}}]}})");
    };
    EXPECT_EQ(set->policies()[0].match.fits(pod("8").facts()), row.belongs) << row.resource << row.variable;
    EXPECT_EQ(set->policies()[0].match.fits(pod("0").facts()), Truth::kFalse) << "it does not train";
  }
}

}  // namespace
}  // namespace driftbar::policy
