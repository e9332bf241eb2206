// What judging says: evidence, what an update brings in, what cannot be told, and that a kept rule costs no
// memory.
#include <cstdlib>
#include <new>

#include "policy/value.h"
#include "unit/policy/fixture.h"

namespace {
thread_local std::size_t allocations = 0;
}

// Counted here for the whole test program; nothing else is changed. Not inlined, for the compiler would see
// the malloc and take the pair for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace driftbar::policy {
namespace {

using namespace testing;

std::string judged(std::string_view rule, std::string_view pod) {
  const auto set = loaded(ruleOf(rule));
  return shown(evaluate(set->policies()[0].rules[0], PodRequest(pod).facts()));
}

TEST(Evidence, OfAllIsWhatEachPartSays) {
  EXPECT_EQ(judged("deny: [{field: pod.spec.nodeName, exists: true}, {label: a, equals: b}]",
                   R"({"metadata":{"labels":{"a":"b"}},"spec":{"nodeName":"n"}})"),
            R"(broken: spec.nodeName=n: spec.nodeName is "n", must not be there; )"
            R"(metadata.labels.a=b: label a is "b", must not be "b")");
}

TEST(Evidence, OfAnyIsOnlyWhatSpeaksAgainstTheObject) {
  EXPECT_EQ(judged("deny: {any: [{label: a}, {label: b}]}", R"({"metadata":{"labels":{"b":"1"}}})"),
            R"(broken: metadata.labels.b=1: label b is "1", must not be there)");
  EXPECT_EQ(judged("require: [{label: a}, {label: b}]", R"({"metadata":{"labels":{"b":"1"}}})"),
            "broken: metadata.labels.a: label a is missing, must be there");
  EXPECT_EQ(judged("require: {any: [{label: a, equals: x}, {label: b, equals: y}]}",
                   R"({"metadata":{"labels":{"b":"1"}}})"),
            R"(broken: metadata.labels.a: label a is missing, must be "x"; )"
            R"(metadata.labels.b=1: label b is "1", must be "y")");
}

TEST(Evidence, EveryValueThatBreaksTheRuleIsNamed) {
  EXPECT_EQ(
      judged(
          "require: {field: \"pod.containers[*].image\", startsWith: registry/}",
          R"({"spec":{"containers":[{"name":"a","image":"x"},{"name":"b","image":"registry/y"},{"name":"c"}]}})"),
      R"(broken: spec.containers["a"].image=x: spec.containers["a"].image is "x", must start with "registry/"; )"
      R"(spec.containers["c"].image: spec.containers["c"].image is "" (not written), must start with "registry/")");
}

TEST(Evidence, SomeTiesLeavesToOneElement) {
  constexpr std::string_view kRule =
      "deny: {some: pod.spec.tolerations, where: [{field: operator, equals: Exists}, {field: key, in: "
      "[\"\"]}]}";
  EXPECT_EQ(
      judged(kRule, R"({"spec":{"tolerations":[{"key":"a","operator":"Exists"},{"key":"","value":"x"}]}})"),
      "kept");
  EXPECT_EQ(
      judged(kRule, R"({"spec":{"tolerations":[{"key":"a"},{"operator":"Exists"}]}})"),
      R"(broken: spec.tolerations[1].operator=Exists: spec.tolerations[1].operator is "Exists", must not be "Exists"; )"
      R"(spec.tolerations[1].key: spec.tolerations[1].key is "" (not written), must not be "")");
  EXPECT_EQ(judged(kRule, "{}"), "kept");
}

TEST(Evidence, ContainersGoByNameInsideOfWhere) {
  EXPECT_EQ(
      judged(
          "deny: {some: pod.containers, where: [{field: securityContext.privileged, equals: true}, {field: "
          "command, "
          "contains: sysctl}]}",
          R"({"spec":{"initContainers":[{"name":"tune","command":["sysctl -w"],"securityContext":{"privileged":true}}]}})"),
      R"(broken: spec.initContainers["tune"].securityContext.privileged=true: )"
      R"(spec.initContainers["tune"].securityContext.privileged is true, must not be true; )"
      R"(spec.initContainers["tune"].command=["sysctl -w"]: spec.initContainers["tune"].command is ["sysctl -w"], )"
      R"(must not contain "sysctl")");
}

TEST(Evidence, EveryAsksEachElementAndNothingOfNone) {
  constexpr std::string_view kRule =
      "require: {every: pod.containers, where: {field: securityContext.privileged, equals: false}}";
  EXPECT_EQ(judged(kRule, R"({"spec":{"containers":[{"name":"a"}]}})"), "kept");
  EXPECT_EQ(judged(kRule, "{}"), "kept");
  EXPECT_EQ(judged("deny: {every: pod.containers, where: {field: name, equals: a}}", "{}"), "kept");
  EXPECT_EQ(
      judged(kRule,
             R"({"spec":{"containers":[{"name":"a"},{"name":"b","securityContext":{"privileged":true}}]}})"),
      R"(broken: spec.containers["b"].securityContext.privileged=true: )"
      R"(spec.containers["b"].securityContext.privileged is true, must be false)");
}

TEST(Evidence, ShowsNothingRawToATerminal) {
  EXPECT_EQ(judged("deny: {annotation: a}", R"({"metadata":{"annotations":{"a":"\u001b[31m\n"}}})"),
            "broken: metadata.annotations.a=\x1b[31m\n: annotation a is \"\\x1b[31m\\n\", must not be there");
}

TEST(Evidence, ALongValueIsCutInTheSentenceOnly) {
  const std::string value(1000, 'x');
  const auto set = loaded(ruleOf("deny: {annotation: a}"));
  const PodRequest pod(R"({"metadata":{"annotations":{"a":")" + value + "\"}}}");
  const auto judgement = evaluate(set->policies()[0].rules[0], pod.facts());
  ASSERT_EQ(judgement.evidence.size(), 1U);
  EXPECT_EQ(judgement.evidence[0].value, value);
  EXPECT_LT(judgement.evidence[0].sentence.size(), 120U);
}

TEST(Evidence, NullIsAbsentAsToKubernetes) {
  EXPECT_EQ(judged("deny: {field: pod.spec.nodeName, exists: true}", R"({"spec":{"nodeName":null}})"),
            "kept");
}

// ---- what an update brings in

std::string brought(std::string_view rule, std::string_view before, std::string_view after) {
  const auto set = loaded(ruleOf(rule));
  const Rule& only = set->policies()[0].rules[0];
  const PodRequest old(before), now(after);
  std::string out;
  for (const auto& e : broughtIn(evaluate(only, now.facts()), evaluate(only, old.facts())))
    out += e.place + "=" + e.value + ";";
  return out;
}

TEST(BroughtIn, IsWhatTheOldObjectDidNotHave) {
  constexpr std::string_view kImages = "deny: {field: \"pod.containers[*].image\", startsWith: bad}";
  constexpr std::string_view kOld = R"({"spec":{"containers":[{"name":"a","image":"bad:1"}]}})";
  EXPECT_EQ(brought(kImages, kOld, kOld), "");
  EXPECT_EQ(
      brought(kImages, kOld,
              R"({"metadata":{"labels":{"x":"y"}},"spec":{"containers":[{"name":"a","image":"bad:1"}]}})"),
      "");
  EXPECT_EQ(brought(kImages, kOld, R"({"spec":{"containers":[{"name":"a","image":"bad:2"}]}})"),
            "spec.containers[\"a\"].image=bad:2;");
  EXPECT_EQ(brought(kImages, kOld,
                    R"({"spec":{"containers":[{"name":"b","image":"bad:3"},{"name":"a","image":"bad:1"}]}})"),
            "spec.containers[\"b\"].image=bad:3;");
}

TEST(BroughtIn, WhatIsMissingGoesByItsPlace) {
  EXPECT_EQ(brought("require: {label: team}", "{}", "{}"), "");
  EXPECT_EQ(brought("require: {label: team, equals: a}", "{}", R"({"metadata":{"labels":{"team":"b"}}})"),
            "metadata.labels.team=b;");
  EXPECT_EQ(brought("require: {label: team, equals: a}", R"({"metadata":{"labels":{"team":""}}})", "{}"),
            "metadata.labels.team=;");
}

// ---- what cannot be told

TEST(Unknown, IsAThirdAnswer) {
  constexpr std::string_view kPod = R"({"metadata":{"labels":{"a":"1"}}})";
  constexpr std::string_view kUnknown = "{label: team, of: namespace, equals: x}";
  const auto rule = [&](std::string_view verb, std::string_view with) {
    return judged(std::string(verb) + ": {" + std::string(with) + ": [" + std::string(kUnknown) +
                      ", {label: a}]}",
                  kPod)
        .substr(0, 7);
  };
  EXPECT_EQ(rule("deny", "any"), "broken:");
  EXPECT_EQ(rule("deny", "all"), "unknown");
  EXPECT_EQ(rule("require", "any"), "kept");
  EXPECT_EQ(rule("require", "all"), "unknown");
}

TEST(Unknown, WhatIsInNoNamespaceHasNoLabelsOfOne) {
  const auto set = loaded(ruleOf("deny: {label: team, of: namespace, exists: false}"));
  PodRequest pod("{}");
  pod.request().ns = "";
  EXPECT_EQ(shown(evaluate(set->policies()[0].rules[0], pod.facts()).broken), "broken");
}

TEST(Unknown, LabelsOfAKnownNamespaceAreRead) {
  const auto set = loaded(ruleOf(
      "deny: [{label: team, of: namespace, equals: ml}, {field: namespace.metadata.name, equals: ml}]"));
  const PodRequest pod("{}");
  const auto object = PodRequest::parsed(R"({"metadata":{"name":"ml","labels":{"team":"ml"}}})");
  const kube::Labels labels(object.root()["metadata"]["labels"]);
  Facts facts = pod.facts();
  facts.namespaceLabels = &labels;
  facts.namespaceObject = object.root();
  EXPECT_EQ(shown(evaluate(set->policies()[0].rules[0], facts)),
            R"(broken: namespace.metadata.labels.team=ml: namespace label team is "ml", must not be "ml"; )"
            R"(namespace.metadata.name=ml: namespace.metadata.name is "ml", must not be "ml")");
}

// ---- total, and cheap where it is kept

TEST(Evaluation, NeverFailsOnWhatIsNoPod) {
  const char* rules[] = {"deny: {label: [\"*\", x], matches: .*}",
                         "require: {field: \"pod.containers[*].env[*].name\", atLeast: 1}",
                         "deny: {not: {some: pod.spec.tolerations, where: {field: key, version: \">=1\"}}}",
                         "deny: {field: object.spec, equals: x}",
                         "deny: {field: 'object.spec.containers[\"a\"].x[3][*]', exists: false}",
                         "require: {env: [A, \"B*\"], equals: x}",
                         "require: {env: A, equals: x, of: init}",
                         "require: {rankEnv: \"*\", agree: true}",
                         "require: {resource: cpu, equals: 3}",
                         "require: {resource: \"*\", equals: 3}",
                         "require: {image: x}",
                         "require: {hostPath: /x, readOnly: false}",
                         "require: {capability: NET_RAW}",
                         "require: {sysctl: a.b}",
                         "deny: {hostNamespace: pid}",
                         "require: {privileged: true}"};
  const char* pods[] = {
      "{}",
      "[]",
      "1",
      "null",
      R"({"metadata":[],"spec":"x"})",
      R"({"metadata":{"labels":[1]},"spec":{"containers":{"a":1}}})",
      R"({"metadata":{"labels":{"a":{}}},"spec":{"tolerations":[1,null,[],"x"],"containers":[null,[],{"env":3}]}})",
      R"({"spec":{"hostPID":"x","securityContext":{"sysctls":[null,{},{"name":3}]},"volumes":[null,{"hostPath":1},{"hostPath":{}}],
        "containers":[{"name":1,"image":2,"env":[null,{"name":null},{"name":"A","value":3,"valueFrom":1}],"envFrom":[1],
          "command":[null,1,{}],"args":"x","resources":{"limits":{"cpu":[]}},"volumeMounts":[1,{}],
          "securityContext":{"privileged":"x","capabilities":{"add":[1,null,"ALL"]}}}]}})"};
  for (const auto* rule : rules) {
    const auto set = loaded(ruleOf(rule, "{resources: [\"*\"]}"));
    for (const auto* pod : pods) {
      const PodRequest request(pod);
      const auto judgement = evaluate(set->policies()[0].rules[0], request.facts());
      EXPECT_EQ(judgement.evidence.empty(), judgement.broken == Truth::kFalse) << rule << " of " << pod;
    }
  }
}

TEST(Evaluation, AllocatesNothingWhereTheRuleIsKept) {
  const auto set = loaded(
      policyOf("  match: {workload: training, namespaces: [\"m*\"], requestedBy: {groups: [\"*\"]}}\n "
               " except: [{ownedBy: [CronJob], namespaces: [x]}]\n  rules:\n"
               "    - {name: a, deny: [{label: a, equals: b}, {field: \"pod.containers[*].image\", "
               "startsWith: bad}]}\n"
               "    - {name: b, require: {some: pod.containers, where: {field: name, in: "
               "[a-name-that-is-too-long-to-sit-in-a-string]}}}\n"
               "    - {name: c, require: {field: pod.spec.restartPolicy, equals: Always}}\n"
               "    - {name: d, require: [{env: NCCL_DEBUG, equals: WARN}, {image: \"go*\"}, {hostPath: "
               "\"/mnt*\"}, {capability: [NET_RAW, \"SYS_*\"]}, {sysctl: \"net.*\"}]}\n"
               "    - {name: e, deny: {any: [{env: [A, B]}, {resource: nvidia.com/gpu, moreThan: 1}, "
               "{resource: memory}, {hostNamespace: pid}, {privileged: true}, {sysctl: unsafe}]}}\n"));
  const PodRequest pod(
      R"({"metadata":{"labels":{"c":"d"}},"spec":{"containers":[{"name":"a-name-that-is-too-long-to-sit-in-a-string","image":"good","resources":{"limits":{"nvidia.com/gpu":"1"}},
        "env":[{"name":"NCCL_DEBUG","value":"WARN"}],"command":["python","train.py"],"securityContext":{"capabilities":{"add":["NET_RAW"]}}}],
        "volumes":[{"name":"data","hostPath":{"path":"/mnt/data"}}],
        "securityContext":{"sysctls":[{"name":"net.ipv4.tcp_rmem","value":"4096"}]}}})");
  const auto nodes =
      loaded(ruleOf("avoidNodes: {any: [{label: [a, \"b*\"], equals: x}, {taint: t}, {condition: [A, B], "
                    "equals: True, for: 1m}, {field: node.spec.unschedulable, equals: true}]}"));
  const auto node = nodeOf(
      R"({"metadata":{"name":"n","labels":{"a":"b"}},"spec":{"taints":[{"key":"u","effect":"NoSchedule"}]},"status":{"conditions":[{"type":"A","status":"False"}]}})");
  const Facts facts = pod.facts();
  Truth looks = Truth::kFalse, broken = Truth::kFalse, unsafe = Truth::kFalse;
  const auto judge = [&] {
    looks = set->policies()[0].looksAt(facts);
    broken = Truth::kFalse;
    for (const auto& rule : set->policies()[0].rules) broken = either(broken, evaluate(rule, facts).broken);
    unsafe = evaluate(nodes->policies()[0].rules[0], *node, facts).broken;
  };
  judge();  // what is made once a process, whatever it judges, is made now
  const std::size_t before = allocations;
  judge();
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_EQ(looks, Truth::kTrue);
  EXPECT_EQ(broken, Truth::kFalse);
  EXPECT_EQ(unsafe, Truth::kFalse);
}

// The walk of this room and FieldPath's own go the same ways.
TEST(Walk, GoesWhereFieldPathGoes) {
  const auto document =
      PodRequest::parsed(R"({"metadata":{"labels":{"a.b/c":"1","d":"2"}},"spec":{"containers":[
      {"name":"x","env":[{"name":"A","value":"1"},{"name":"B"}],"args":["p","q"]},{"env":[]},{"name":"y \"q\""}],
      "taints":[{"key":"k"}],"tolerations":[{"key":"k"},{}]},"0":{"a":null}})");
  for (const auto* path :
       {"metadata.labels[*]", "metadata.labels[\"a.b/c\"]", "spec.containers[*].env[*].value",
        "spec.containers[\"x\"].args[1]", "spec.containers[\"x\"].env[\"B\"].value",
        "spec.containers[\"none\"].env[*].name", "spec.containers[0].args[*]", "spec.containers[9].name",
        "spec.taints[\"k\"].effect", "spec.tolerations[\"k\"].key", "spec.tolerations[*].key", "[\"0\"].a",
        "nothing[*].x", "spec[*][*]"}) {
    const auto parsed = FieldPath::parse(path);
    ASSERT_TRUE(parsed) << path;
    std::string theirs, ours;
    parsed->each(document.root(),
                 [&](const std::string& place, Json value) { theirs += place + "=" + value.dump() + "\n"; });
    walk(parsed->steps(), {}, document.root(), Trail{}, [&](Json value, const Trail& trail) {
      ours += trail.toString() + "=" + value.dump() + "\n";
      return true;
    });
    EXPECT_EQ(ours, theirs) << path;
  }
}

}  // namespace
}  // namespace driftbar::policy
