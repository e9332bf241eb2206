// What the gate says, in whole: each test is a request, the world it is judged against, and the text people
// get.
#include "decision/judge.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "inventory/file.h"
#include "kube/review.h"

namespace driftbar::decision {
namespace {

constexpr const char* kNodes = R"(
{apiVersion: v1, kind: Node, metadata: {name: gpu-01, labels: {pool: h100}}, status: {allocatable: {nvidia.com/gpu: "8", pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: gpu-03, labels: {pool: h100, driftbar.io/drift: critical}}, status: {allocatable: {nvidia.com/gpu: "8", pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: gpu-07, labels: {pool: a100, driftbar.io/drift: major}}, status: {allocatable: {nvidia.com/gpu: "8", pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: gpu-09, labels: {pool: a100, driftbar.io/drift: major, health: bad}}, status: {allocatable: {nvidia.com/gpu: "8", pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: cpu-01}, status: {allocatable: {pods: "110"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: ml, labels: {team: nlp}}}
)";

std::string policyOf(const std::string& spec) {
  return "apiVersion: driftbar.io/v1alpha1\nkind: Policy\nmetadata: {name: p}\nspec:\n" + spec;
}

// A policy with one rule `r` that avoids drifted nodes; `more` stands beside the verb.
std::string avoiding(const std::string& more = {}) {
  return policyOf(
      "  match: {workload: training}\n  rules:\n    - name: r\n      avoidNodes: {label: "
      "driftbar.io/drift}\n" +
      more);
}

std::string requiring(const std::string& condition, const std::string& more = {}) {
  return policyOf("  rules:\n    - name: r\n      " + condition + "\n" + more);
}

World worldOf(const std::string& policy, const std::string& nodes = kNodes) {
  World world;
  auto loaded = policy::load({makeSource("policy.yaml", policy)});
  if (loaded.set == nullptr) throw std::runtime_error(render(loaded.diagnostics));
  world.policies = loaded.set;
  const std::vector<Source> sources{makeSource("nodes.yaml", nodes)};
  const auto inventory = inventory::readInventory(sources);
  EXPECT_TRUE(inventory.ok());
  if (inventory) world.inventory = inventory->snapshot;
  return world;
}

// A training pod's metadata and spec, in JSON; `spec` and `metadata` are what stands in them besides.
std::string podOf(const std::string& spec = {}, const std::string& metadata = {}) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"bert-0","namespace":"ml")" +
         (metadata.empty() ? "" : "," + metadata) + R"(},"spec":{)" + (spec.empty() ? "" : spec + ",") +
         R"("containers":[{"name":"trainer","image":"x","resources":{"limits":{"nvidia.com/gpu":"8"}}}]}})";
}

struct Asked {
  std::string object, oldObject = "null";
  std::string operation = "CREATE";
  std::string subResource = "";
  std::string user = R"({"username":"alice","groups":["ml"]})";
};

// What is told: the refusal, then each warning behind `warning: `, then each audited rule behind `audit: `.
std::string told(const Asked& asked, const World& world) {
  const std::string body =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":)"
      R"({"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},)"
      R"("subResource":")" +
      asked.subResource + R"(","namespace":"ml","operation":")" + asked.operation + R"(","userInfo":)" +
      asked.user + R"(,"object":)" + asked.object + R"(,"oldObject":)" + asked.oldObject + "}}";
  const auto review = kube::Review::parse(body);
  EXPECT_TRUE(review.ok()) << body;
  if (!review) return {};
  const auto verdict = judge(review->request(), world, *parseInstant("2026-12-01T10:00:00Z"));
  std::string out = refusal(verdict);
  for (const auto& warning : warnings(verdict)) out += (out.empty() ? "" : "\n") + ("warning: " + warning);
  for (const auto& finding : verdict.audited)
    out += (out.empty() ? "" : "\n") + ("audit: " + finding.rule + ": " + finding.sentence);
  return out;
}

// ---- placement

TEST(Placement, RefusedWhereEveryCandidateHasDrifted) {
  EXPECT_EQ(told({podOf(R"("nodeSelector":{"pool":"a100"})")},
                 worldOf(avoiding("      fix: ask the node team\n      docs: https://wiki/drift\n"))),
            "p/r: Pod \"bert-0\" can only land on drifted nodes (2 of 2)\n"
            "  gpu-07  label driftbar.io/drift is \"major\"\n"
            "  gpu-09  label driftbar.io/drift is \"major\"\n"
            "  fix: ask the node team\n"
            "  docs: https://wiki/drift");
}

TEST(Placement, KeptWhileOneGoodNodeIsLeft) {
  EXPECT_EQ(told({podOf(R"("nodeSelector":{"pool":"h100"})")}, worldOf(avoiding())), "");
}

TEST(Placement, PinnedToADriftedNode) {
  EXPECT_EQ(told({podOf(R"("nodeName":"gpu-03")")}, worldOf(avoiding())),
            "p/r: Pod \"bert-0\" can only land on drifted nodes (1 of 1)\n"
            "  gpu-03  label driftbar.io/drift is \"critical\"");
}

TEST(Placement, PinnedToANodeThatIsNotThere) {
  EXPECT_EQ(told({podOf(R"("nodeName":"gpu-99")")}, worldOf(avoiding())),
            "p/r: Pod \"bert-0\" is pinned to node \"gpu-99\", which the inventory does not have\n"
            "  fix: check the node's name; one that has just joined is known within seconds");
  EXPECT_EQ(told({podOf(R"("nodeName":"gpu-99")")}, worldOf(avoiding("      onUnknown: warn\n"))),
            "warning: p/r: Pod \"bert-0\" is pinned to node \"gpu-99\", which the inventory does not have");
  EXPECT_EQ(told({podOf(R"("nodeName":"gpu-99")")}, worldOf(avoiding("      onUnknown: allow\n"))), "");
}

TEST(Placement, NodesThatCannotGiveWhatIsAskedForDoNotCount) {
  // cpu-01 is clean, but has no GPU: without the fit the pod would pass.
  EXPECT_EQ(told({podOf(R"("nodeSelector":{"pool":"a100"})")}, worldOf(avoiding())).substr(0, 65),
            "p/r: Pod \"bert-0\" can only land on drifted nodes (2 of 2)\n  gpu-0");
  const std::string driftedOnly = R"(
{apiVersion: v1, kind: Node, metadata: {name: gpu-07, labels: {driftbar.io/drift: major}}, status: {allocatable: {nvidia.com/gpu: "8", pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: cpu-01}, status: {allocatable: {pods: "110"}}}
)";
  EXPECT_EQ(told({podOf()}, worldOf(avoiding(), driftedOnly)),
            "p/r: Pod \"bert-0\" can only land on drifted nodes (1 of 1)\n"
            "  gpu-07  label driftbar.io/drift is \"major\"");
}

TEST(Placement, NoCandidateIsNotThisRulesMatter) {
  EXPECT_EQ(told({podOf(R"("nodeSelector":{"pool":"b200"})")}, worldOf(avoiding())),
            "warning: driftbar: Pod \"bert-0\" fits none of 5 nodes: 5 are excluded by its nodeSelector, 1 "
            "by what it "
            "asks for; nearest: label pool is \"a100\" (2 nodes)");
}

TEST(Placement, NoCandidateIsSaidOnce) {
  const auto policy = policyOf(
      "  match: {workload: training}\n  rules:\n    - name: a\n      avoidNodes: {label: one}\n    - name: "
      "b\n "
      "     avoidNodes: {label: two}\n");
  EXPECT_EQ(told({podOf(R"("nodeSelector":{"pool":"b200"})")}, worldOf(policy)),
            "warning: driftbar: Pod \"bert-0\" fits none of 5 nodes: 5 are excluded by its nodeSelector, 1 "
            "by what it "
            "asks for; nearest: label pool is \"a100\" (2 nodes)");
}

TEST(Placement, NamesTheFirstFewNodesAndCountsTheRest) {
  std::string nodes;
  for (int i = 10; i < 22; ++i) {
    nodes += "---\n{apiVersion: v1, kind: Node, metadata: {name: gpu-" + std::to_string(i) +
             ", labels: {driftbar.io/drift: major}}, status: {allocatable: {nvidia.com/gpu: \"8\", pods: "
             "\"110\"}}}\n";
  }
  EXPECT_EQ(told({podOf()}, worldOf(avoiding(), nodes)),
            "p/r: Pod \"bert-0\" can only land on drifted nodes (12 of 12)\n"
            "  gpu-10  label driftbar.io/drift is \"major\"\n"
            "  gpu-11  label driftbar.io/drift is \"major\"\n"
            "  gpu-12  label driftbar.io/drift is \"major\"\n"
            "  gpu-13  label driftbar.io/drift is \"major\"\n"
            "  gpu-14  label driftbar.io/drift is \"major\"\n"
            "  and 7 more");
}

TEST(Placement, AnotherMarkMakesANodeUnsafeAndNotDrifted) {
  const auto policy = policyOf(
      "  match: {workload: training}\n  rules:\n    - name: r\n      avoidNodes: {label: health, equals: "
      "bad}\n");
  EXPECT_EQ(told({podOf(R"("nodeName":"gpu-09")")}, worldOf(policy)),
            "p/r: Pod \"bert-0\" can only land on unsafe nodes (1 of 1)\n"
            "  gpu-09  label health is \"bad\"");
}

TEST(Placement, RulesThatLeaveNoNodeTogetherAreAllNamed) {
  const std::string nodes = R"(
{apiVersion: v1, kind: Node, metadata: {name: a, labels: {driftbar.io/drift: major}}, status: {allocatable: {nvidia.com/gpu: "8", pods: "9"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: b, labels: {health: bad}}, status: {allocatable: {nvidia.com/gpu: "8", pods: "9"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: c, labels: {health: bad}}, status: {allocatable: {nvidia.com/gpu: "8", pods: "9"}}}
)";
  const std::string rules =
      "  match: {workload: training}\n  rules:\n    - name: drift\n      avoidNodes: {label: "
      "driftbar.io/drift}\n"
      "    - name: health\n      avoidNodes: {label: health, equals: bad}\n";
  EXPECT_EQ(told({podOf()}, worldOf(policyOf(rules), nodes)),
            "p/drift: Pod \"bert-0\" can land on no safe node: 1 of 3 is drifted, the rest break p/health\n"
            "  a  label driftbar.io/drift is \"major\"\n"
            "p/health: Pod \"bert-0\" can land on no safe node: 2 of 3 are unsafe, the rest break p/drift\n"
            "  b  label health is \"bad\"\n"
            "  c  label health is \"bad\"");
  EXPECT_EQ(told({podOf()}, worldOf(policyOf(rules + "      mode: warn\n"), nodes)), "")
      << "a rule in warn closes nothing";
  const std::string third =
      "---\n{apiVersion: v1, kind: Node, metadata: {name: d}, status: {allocatable: {nvidia.com/gpu: \"8\", "
      "pods: \"9\"}}}\n";
  EXPECT_EQ(told({podOf()}, worldOf(policyOf(rules), nodes + third)), "");
}

TEST(Placement, MinSafe) {
  EXPECT_EQ(told({podOf(R"("nodeSelector":{"pool":"h100"})")}, worldOf(avoiding("      minSafe: 2\n"))),
            "p/r: Pod \"bert-0\" needs 2 safe nodes to choose from; 1 of 2 are drifted\n"
            "  gpu-03  label driftbar.io/drift is \"critical\"");
  EXPECT_EQ(told({podOf(R"("nodeSelector":{"pool":"h100"})")}, worldOf(avoiding("      minSafe: 3\n"))),
            "warning: p/r: Pod \"bert-0\" fits 2 nodes, and the rule wants 3 safe ones");
}

TEST(Placement, WhenAny) {
  EXPECT_EQ(told({podOf(R"("nodeSelector":{"pool":"h100"})")}, worldOf(avoiding("      when: any\n"))),
            "p/r: Pod \"bert-0\" could land on drifted nodes (1 of 2)\n"
            "  gpu-03  label driftbar.io/drift is \"critical\"");
}

TEST(Placement, ModesTellTheSameElsewhere) {
  const Asked pinned{podOf(R"("nodeName":"gpu-03")")};
  EXPECT_EQ(told(pinned, worldOf(avoiding("      mode: warn\n"))),
            "warning: p/r: Pod \"bert-0\" can only land on drifted nodes (1 of 1): gpu-03 (label "
            "driftbar.io/drift is \"critical\")");
  EXPECT_EQ(told(pinned, worldOf(avoiding("      mode: audit\n"))),
            "audit: p/r: Pod \"bert-0\" can only land on drifted nodes (1 of 1)");
}

TEST(Placement, OwnMessageKeepsTheListAndTheFix) {
  EXPECT_EQ(told({podOf(R"("nodeName":"gpu-03")")},
                 worldOf(avoiding("      message: \"{pod} of {user} in {namespace}: {nodes} has {value}, see "
                                  "{rule}\"\n      fix: call us\n"))),
            "p/r: Pod \"bert-0\" of alice in ml: gpu-03 has critical, see p/r\n"
            "  gpu-03  label driftbar.io/drift is \"critical\"\n"
            "  fix: call us");
}

TEST(Placement, WithoutAnInventoryNothingIsKnown) {
  World world = worldOf(avoiding());
  world.inventory = nullptr;
  EXPECT_EQ(told({podOf()}, world),
            "warning: p/r: cannot be told of Pod \"bert-0\": there is no inventory of nodes");
}

TEST(Placement, AStaleInventoryRefusesInEnforceAndWarnsElsewhere) {
  World world = worldOf(avoiding());
  world.outOfTouch = std::chrono::seconds(200);
  const std::string said =
      "p/r: where Pod \"bert-0\" could land cannot be judged: no word of the nodes for 3m20s";
  EXPECT_EQ(told({podOf()}, world), said +
                                        "\n  fix: try again; if it stays so, driftbar does not reach the API "
                                        "server: its /readyz?verbose says why");
  world = worldOf(avoiding("      mode: warn\n"));
  world.outOfTouch = std::chrono::seconds(200);
  EXPECT_EQ(told({podOf()}, world), "warning: " + said);
  world = worldOf(avoiding("      staleInventory: allow\n"));
  world.outOfTouch = std::chrono::seconds(200);
  EXPECT_EQ(told({podOf()}, world), "");
}

TEST(Placement, StalenessIsSaidOnceARequest) {
  World world = worldOf(policyOf(
      "  match: {workload: training}\n  rules:\n    - name: a\n      mode: warn\n      avoidNodes: {label: "
      "one}\n"
      "    - name: b\n      avoidNodes: {label: one}\n    - name: c\n      avoidNodes: {label: two}\n"));
  world.outOfTouch = std::chrono::seconds(200);
  const std::string said = "where Pod \"bert-0\" could land cannot be judged: no word of the nodes for 3m20s";
  EXPECT_EQ(told({podOf()}, world),
            "p/b: " + said +
                "\n  fix: try again; if it stays so, driftbar does not reach the API server: its "
                "/readyz?verbose says why\nwarning: p/a: " +
                said);
}

// ---- which requests settle a placement

struct Settling {
  const char* what;
  Asked asked;
  bool judged;
};

TEST(Placement, IsJudgedWhereItIsSettled) {
  const std::string open = podOf(R"("nodeSelector":{"pool":"a100"})");
  const std::string gated = podOf(R"("nodeSelector":{"pool":"a100"},"schedulingGates":[{"name":"kueue"}])");
  const std::string bound = podOf(R"("nodeSelector":{"pool":"a100"},"nodeName":"gpu-07")");
  const std::string anywhere = podOf();
  const std::string tolerant =
      podOf(R"("nodeSelector":{"pool":"a100"},"tolerations":[{"operator":"Exists"}])");
  const std::string labelled = podOf(R"("nodeSelector":{"pool":"a100"})", R"("labels":{"a":"b"})");
  const Settling rows[] = {
      {"create", {open}, true},
      {"create of a gated pod", {gated}, false},
      {"the last gate goes", {open, gated, "UPDATE"}, true},
      {"a gated pod is changed", {gated, podOf(R"("schedulingGates":[{"name":"kueue"}])"), "UPDATE"}, false},
      {"a selector is added to an unbound pod", {open, anywhere, "UPDATE"}, true},
      {"a toleration is added to an unbound pod", {tolerant, open, "UPDATE"}, true},
      {"a label is added", {labelled, open, "UPDATE"}, false},
      {"a bound pod gets a toleration",
       {podOf(R"("nodeName":"gpu-07","tolerations":[{"operator":"Exists"}])"), bound, "UPDATE"},
       false},
      {"delete", {"null", open, "DELETE"}, false},
      {"an ephemeral container on a bound pod", {bound, bound, "UPDATE", "ephemeralcontainers"}, false},
      {"a subresource that carries no pod",
       {R"({"kind":"Eviction","metadata":{"name":"bert-0"}})", "null", "CREATE", "eviction"},
       false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(!told(row.asked, worldOf(avoiding())).empty(), row.judged) << row.what;
  }
}

TEST(Placement, OfAPodThatOnlySaysItIsOfADaemonSetIsJudged) {
  for (const auto* owner :
       {R"({"apiVersion":"evil.example/v1","kind":"DaemonSet","name":"d","uid":"1","controller":true})",
        R"({"apiVersion":"apps/v1","kind":"DaemonSet","name":"d","uid":"1"})"}) {
    const auto pod = podOf(R"("nodeName":"gpu-03")", std::string(R"("ownerReferences":[)") + owner + "]");
    EXPECT_NE(
        told({pod}, worldOf(policyOf("  rules: [{name: r, avoidNodes: {label: driftbar.io/drift}}]\n"))), "")
        << owner;
  }
}

TEST(Placement, DaemonSetsAreLeftAloneUnlessMeant) {
  const std::string pod = podOf(
      R"("nodeName":"gpu-03")",
      R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"d","uid":"1","controller":true}])");
  const std::string rules = "  rules:\n    - name: r\n      avoidNodes: {label: driftbar.io/drift}\n";
  EXPECT_EQ(told({pod}, worldOf(policyOf(rules))), "");
  EXPECT_NE(told({pod}, worldOf(policyOf("  match: {ownedBy: [DaemonSet]}\n" + rules))), "");
}

TEST(Mirror, IsItsOwnNodesMatterAndNobodyElses) {
  const std::string pod =
      podOf(R"("nodeName":"gpu-03")", R"("annotations":{"kubernetes.io/config.mirror":"x"})");
  const auto world =
      worldOf(policyOf("  rules:\n    - name: r\n      deny: {field: pod.spec.nodeName, exists: true}\n"));
  const std::string node = R"({"username":"system:node:gpu-03","groups":["system:nodes"]})";
  EXPECT_EQ(told({pod, "null", "CREATE", "", node}, world), "");
  EXPECT_NE(
      told({pod, "null", "CREATE", "", R"({"username":"system:node:gpu-01","groups":["system:nodes"]})"},
           world),
      "");
  EXPECT_NE(told({pod, "null", "CREATE", "", R"({"username":"system:node:gpu-03","groups":["ml"]})"}, world),
            "");
  EXPECT_NE(told({pod}, world), "");
  EXPECT_NE(told({podOf(R"("nodeName":"gpu-03")"), "null", "CREATE", "", node}, world), "");
}

// ---- content

TEST(Content, TellsWhatIsWrongAndWhatWouldBeRight) {
  EXPECT_EQ(told({podOf()}, worldOf(requiring("require: {label: team}", "      fix: add the label\n"))),
            "p/r: Pod \"bert-0\": label team is missing, must be there\n  fix: add the label");
}

TEST(Content, TellsAllBrokenRulesAtOnce) {
  const auto policy = policyOf(
      "  rules:\n    - name: a\n      require: {label: team}\n    - name: b\n      deny: {field: "
      "\"pod.spec.containers[*].image\", equals: x}\n");
  const auto text = told({podOf()}, worldOf(policy));
  EXPECT_NE(text.find("p/a: "), std::string::npos) << text;
  EXPECT_NE(text.find("\np/b: "), std::string::npos) << text;
}

TEST(Content, AnUpdateIsJudgedByWhatItBringsIn) {
  const auto world = worldOf(requiring("deny: {label: banned}"));
  const std::string banned = podOf("", R"("labels":{"banned":"a"})");
  EXPECT_EQ(told({podOf("", R"("labels":{"banned":"a","other":"b"})"), banned, "UPDATE"}, world), "")
      << "it had it before";
  EXPECT_NE(told({podOf("", R"("labels":{"banned":"b"})"), banned, "UPDATE"}, world), "") << "another value";
  EXPECT_NE(told({banned, podOf(), "UPDATE"}, world), "") << "new";
  const auto always = worldOf(requiring("deny: {label: banned}", "      onUpdate: always\n"));
  EXPECT_NE(told({banned, banned, "UPDATE"}, always), "");
}

TEST(Content, AMissingLabelThatWasMissingBeforeIsNotHeldAgainstAnUpdate) {
  const auto world = worldOf(requiring("require: {label: team}"));
  EXPECT_EQ(told({podOf("", R"("labels":{"x":"y"})"), podOf(), "UPDATE"}, world), "");
  EXPECT_NE(told({podOf(), podOf("", R"("labels":{"team":"y"})"), "UPDATE"}, world), "") << "taken off";
}

TEST(Content, WhatIsOnItsWayOutMayLetGo) {
  const auto world = worldOf(requiring("deny: {label: banned}", "      onUpdate: always\n"));
  const std::string leaving =
      podOf("", R"("labels":{"banned":"a"},"deletionTimestamp":"2026-12-01T09:00:00Z","finalizers":["x"])");
  const std::string letGo =
      podOf("", R"("labels":{"banned":"a"},"deletionTimestamp":"2026-12-01T09:00:00Z")");
  EXPECT_EQ(told({letGo, leaving, "UPDATE"}, world), "");
  const std::string changed = podOf(R"("activeDeadlineSeconds":1)",
                                    R"("labels":{"banned":"a"},"deletionTimestamp":"2026-12-01T09:00:00Z")");
  EXPECT_NE(told({changed, leaving, "UPDATE"}, world), "");
}

TEST(Content, NothingReachesATerminalRaw) {
  const auto world = worldOf(requiring("deny: {annotation: note, contains: x}"));
  const auto text = told({podOf("", R"("annotations":{"note":"x\u001b[31m\nred"})")}, world);
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_NE(text.find("\\x1b[31m\\nred"), std::string::npos) << text;
}

TEST(Content, AnEphemeralContainerIsSeen) {
  const auto world =
      worldOf(requiring("deny: {field: \"pod.containers[*].securityContext.privileged\", equals: true}"));
  const std::string before = podOf();
  const std::string after = podOf(
      R"("ephemeralContainers":[{"name":"debugger","image":"x","securityContext":{"privileged":true}}])");
  EXPECT_NE(told({after, before, "UPDATE", "ephemeralcontainers"}, world), "");
}

TEST(Judge, OtherKindsAreNotItsMatter) {
  const auto world = worldOf(avoiding());
  const std::string body =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"group":"","version":"v1","kind":"ConfigMap"},)"
      R"("resource":{"group":"","version":"v1","resource":"configmaps"},"operation":"CREATE","userInfo":{},"object":{"kind":"ConfigMap"}}})";
  const auto review = kube::Review::parse(body);
  ASSERT_TRUE(review.ok());
  EXPECT_FALSE(concerns(review->request(), world));
  EXPECT_TRUE(judge(review->request(), world, Instant{}).allowed());
}

}  // namespace
}  // namespace driftbar::decision
