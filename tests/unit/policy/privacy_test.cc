// What people see of values that are not theirs to see: nothing, whatever the way to them.
#include "policy/privacy.h"

#include "kube/review.h"
#include "unit/policy/words.h"

namespace driftbar::policy {
namespace {

using namespace testing;

constexpr std::string_view kSecret = "hush";

constexpr std::string_view kPod = R"x({"metadata":{"name":"bert-0","annotations":{
    "kubectl.kubernetes.io/last-applied-configuration":"{\"env\":[{\"name\":\"TOKEN\",\"value\":\"hush\"}]}"}},
  "spec":{"entrypoint":"TOKEN=hush ray","runtimeEnvYAML":"env_vars: {TOKEN: hush}","envVars":{"TOKEN":"hush","NCCL_DEBUG":"INFO"},
    "environment":["TOKEN=hush"],"words":{"size":1,"args":"TOKEN=hush"},"things":[{"name":"a","env":[{"name":"TOKEN","value":"hush"}]}],
    "containers":[{"name":"trainer","command":["bash","-c","export TOKEN=hush NCCL_DEBUG=INFO"],"args":["TOKEN=hush","--x"],
      "lifecycle":{"postStart":{"exec":{"command":["sh","-c","TOKEN=\"hush\" go"]}}},
      "env":[{"name":"TOKEN","value":"hush"},{"name":"NCCL_DEBUG","value":"INFO"},{"name":"NCCL_AUTH_TOKEN","value":"hush"},
        {"name":"REF","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}},{"value":"hush"}]},
      {"name":"other","env":[{"name":"TOKEN","value":"hush hush"}]}]}})x";

struct PrivacyRow {
  std::string_view rule;
  std::string_view sentences;  // of all evidence, one a line
};

constexpr PrivacyRow kRows[] = {
    {"deny: {env: TOKEN}",
     "env TOKEN of container trainer is (hidden)\n"
     "env TOKEN of container other is (hidden)\n"},
    {"deny: {env: TOKEN, containers: [trainer]}", "env TOKEN of container trainer is (hidden)\n"},
    {"deny: {env: \"*\", containers: [trainer]}",
     "env NCCL_AUTH_TOKEN of container trainer is (hidden)\n"
     R"x(env NCCL_DEBUG of container trainer is "INFO")x"
     "\n"
     "env REF of container trainer is there, and its value is not known: it comes from a Secret\n"
     "env TOKEN of container trainer is (hidden)\n"},
    {"deny: {env: TOKEN, atLeast: 3, containers: [trainer]}", "env TOKEN of container trainer is (hidden)\n"},
    {"require: {env: TOKEN, agree: true}", "env TOKEN is (hidden) in trainer, another (hidden) in other\n"},
    {"require: {rankEnv: \"TOKEN\", agree: true}",
     "env TOKEN is (hidden) in trainer, another (hidden) in other\n"},
    {"deny: {field: 'pod.spec.containers[\"trainer\"].env[*].value', exists: true}",
     R"x(spec.containers["trainer"].env["TOKEN"].value is (hidden))x"
     "\n"
     R"x(spec.containers["trainer"].env["NCCL_DEBUG"].value is "INFO")x"
     "\n"
     R"x(spec.containers["trainer"].env["NCCL_AUTH_TOKEN"].value is (hidden))x"
     "\n"
     R"x(spec.containers["trainer"].env[4].value is (hidden))x"
     "\n"},
    {"deny: {field: 'pod.spec.containers[0].env[1].value', exists: true}",
     "spec.containers[0].env[1].value is (hidden)\n"},
    {"deny: {field: 'object.spec.containers[\"trainer\"].env[*].name', exists: true}",
     R"x(spec.containers["trainer"].env["TOKEN"].name is "TOKEN")x"
     "\n"
     R"x(spec.containers["trainer"].env["NCCL_DEBUG"].name is "NCCL_DEBUG")x"
     "\n"
     R"x(spec.containers["trainer"].env["NCCL_AUTH_TOKEN"].name is "NCCL_AUTH_TOKEN")x"
     "\n"
     R"x(spec.containers["trainer"].env["REF"].name is "REF")x"
     "\n"},
    {"deny: {field: 'object.spec.containers[\"trainer\"].env[*].valueFrom.secretKeyRef.name', exists: true}",
     R"x(spec.containers["trainer"].env["REF"].valueFrom.secretKeyRef.name is "s")x"
     "\n"},
    {"deny: {field: 'object.spec.containers[\"trainer\"].env[\"TOKEN\"]', exists: true}",
     R"x(spec.containers["trainer"].env["TOKEN"] is (hidden))x"
     "\n"},
    {"deny: {field: 'object.spec.containers[\"trainer\"].env[\"NCCL_DEBUG\"]', exists: true}",
     R"x(spec.containers["trainer"].env["NCCL_DEBUG"] is {"name":"NCCL_DEBUG","value":"INFO"})x"
     "\n"},
    {"deny: {field: 'object.spec.containers[\"trainer\"].env', exists: true}",
     R"x(spec.containers["trainer"].env is a list of 5)x"
     "\n"},
    {"deny: {field: 'object.spec.containers[\"trainer\"].command', exists: true}",
     R"x(spec.containers["trainer"].command is ["bash","-c","export TOKEN=(hidden) NCCL_DEBUG=INFO"])x"
     "\n"},
    {"deny: {field: 'object.spec.containers[\"trainer\"].command[2]', exists: true}",
     R"x(spec.containers["trainer"].command[2] is "export TOKEN=(hidden) NCCL_DEBUG=INFO")x"
     "\n"},
    {"deny: {field: 'object.spec.containers[\"trainer\"].args[*]', exists: true}",
     R"x(spec.containers["trainer"].args[0] is "TOKEN=(hidden)")x"
     "\n"
     R"x(spec.containers["trainer"].args[1] is "--x")x"
     "\n"},
    {"deny: {field: 'object.spec.containers[\"trainer\"].lifecycle.postStart.exec.command', exists: true}",
     R"x(spec.containers["trainer"].lifecycle.postStart.exec.command is ["sh","-c","TOKEN=(hidden)"])x"
     "\n"},
    {"deny: {field: 'object.spec.containers[\"trainer\"].lifecycle.postStart.exec', exists: true}",
     R"x(spec.containers["trainer"].lifecycle.postStart.exec is a map of 1)x"
     "\n"},
    {"deny: {field: object.spec.containers, exists: true}", "spec.containers is a list of 2\n"},
    {"deny: {field: object.spec, exists: true}", "spec is a map of 7\n"},
    {"deny: {field: 'object.spec.things[*]', exists: true}", "spec.things[0] is a map of 2\n"},
    {"deny: {field: 'object.spec.envVars[*]', exists: true}",
     "spec.envVars.TOKEN is (hidden)\n"
     R"x(spec.envVars.NCCL_DEBUG is "INFO")x"
     "\n"},
    {"deny: {field: object.spec.envVars, exists: true}", "spec.envVars is a map of 2\n"},
    {"deny: {field: object.spec.entrypoint, exists: true}", R"x(spec.entrypoint is "TOKEN=(hidden)")x"
                                                            "\n"},
    {"deny: {field: object.spec.runtimeEnvYAML, exists: true}", "spec.runtimeEnvYAML is (hidden)\n"},
    {"deny: {field: object.spec.environment, exists: true}", "spec.environment is a list of 1\n"},
    {"deny: {field: 'object.spec.environment[*]', exists: true}", "spec.environment[0] is (hidden)\n"},
    {"deny: {field: 'object.spec.words', exists: true}", "spec.words is a map of 2\n"},
    {"deny: {changed: object.spec}",
     "spec.containers is added\n"
     R"x(spec.entrypoint is added as "TOKEN=(hidden)")x"
     "\n"
     "spec.envVars is added\n"
     "spec.environment is added\n"
     "spec.runtimeEnvYAML is added as (hidden)\n"
     "spec.things is added\n"
     "spec.words is added\n"},
    {"deny: {annotation: \"*\"}",
     "annotation kubectl.kubernetes.io/last-applied-configuration is (hidden)\n"},
    {"deny: {field: 'object.metadata.annotations[*]', exists: true}",
     R"x(metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"] is (hidden))x"
     "\n"},
    {"deny: {field: object.metadata.annotations, exists: true}", "metadata.annotations is a map of 1\n"},
    {"deny: {some: 'pod.spec.containers[*].env', where: {field: value, exists: true}}",
     R"x(spec.containers["trainer"].env["TOKEN"].value is (hidden))x"
     "\n"
     R"x(spec.containers["trainer"].env["NCCL_DEBUG"].value is "INFO")x"
     "\n"
     R"x(spec.containers["trainer"].env["NCCL_AUTH_TOKEN"].value is (hidden))x"
     "\n"
     R"x(spec.containers["trainer"].env[4].value is (hidden))x"
     "\n"
     R"x(spec.containers["other"].env["TOKEN"].value is (hidden))x"
     "\n"},
    {"deny: {some: pod.containers, where: {field: 'env[\"TOKEN\"].value', exists: true}}",
     R"x(spec.containers["trainer"].env["TOKEN"].value is (hidden))x"
     "\n"
     R"x(spec.containers["other"].env["TOKEN"].value is (hidden))x"
     "\n"},
    {"deny: {changed: pod.spec.containers}", R"x(spec.containers["other"] is added)x"
                                             "\n"
                                             R"x(spec.containers["trainer"] is added)x"
                                             "\n"},
    {"deny: {changed: 'pod.spec.containers[\"trainer\"].env'}",
     R"x(spec.containers["trainer"].env[""] is added)x"
     "\n"
     R"x(spec.containers["trainer"].env["NCCL_AUTH_TOKEN"] is added)x"
     "\n"
     R"x(spec.containers["trainer"].env["NCCL_DEBUG"] is added)x"
     "\n"
     R"x(spec.containers["trainer"].env["REF"] is added)x"
     "\n"
     R"x(spec.containers["trainer"].env["TOKEN"] is added)x"
     "\n"},
    {"deny: {changed: 'pod.spec.containers[\"trainer\"].env[*].value'}",
     R"x(spec.containers["trainer"].env["NCCL_AUTH_TOKEN"].value is added as (hidden))x"
     "\n"
     R"x(spec.containers["trainer"].env["NCCL_DEBUG"].value is added as "INFO")x"
     "\n"
     R"x(spec.containers["trainer"].env["TOKEN"].value is added as (hidden))x"
     "\n"
     R"x(spec.containers["trainer"].env[4].value is added as (hidden))x"
     "\n"},
    {"deny: {changed: 'pod.spec.containers[\"trainer\"].command'}",
     R"x(spec.containers["trainer"].command["-c"] is added as "-c")x"
     "\n"
     R"x(spec.containers["trainer"].command["bash"] is added as "bash")x"
     "\n"
     R"x(spec.containers["trainer"].command["export TOKEN=(hidden) NCCL_DEBUG=INFO"] is added as "export TOKEN=(hidden) NCCL_DEBUG=INFO")x"
     "\n"},
    {"deny: {changed: 'pod.spec.containers[\"trainer\"].args[0]'}",
     R"x(spec.containers["trainer"].args[0] is added as "TOKEN=(hidden)")x"
     "\n"},
    {"deny: {changed: object.spec.things}", "spec.things[a map of 2] is added\n"},
    {"deny: {changed: object.spec.envVars}", R"x(spec.envVars.NCCL_DEBUG is added as "INFO")x"
                                             "\n"
                                             "spec.envVars.TOKEN is added as (hidden)\n"},
    {"deny: {changed: object.metadata.annotations}",
     "annotation kubectl.kubernetes.io/last-applied-configuration is added as (hidden)\n"},
};

Judgement judgedPrivately(std::string_view rule) {
  // Of `"*"` it is not known which fields there are.
  const auto set = loaded(ruleOf(rule, "{resources: [\"*\"]}"));
  if (set->policies().empty()) return {};
  const bool update = rule.find("changed") != std::string_view::npos;
  const PodRequest request(kPod, update ? R"({"metadata":{"name":"bert-0"}})" : "",
                           update ? kube::Operation::kUpdate : kube::Operation::kCreate);
  return evaluate(set->policies()[0].rules[0], request.facts());
}

TEST(Privacy, WhateverTheWayToAValue) {
  for (const auto& row : kRows) {
    const auto judgement = judgedPrivately(row.rule);
    std::string sentences;
    for (const auto& e : judgement.evidence) {
      for (const auto& seen : {e.place, e.shown, e.sentence, e.expected})
        EXPECT_EQ(seen.find(kSecret), std::string::npos) << row.rule << "\n" << seen;
      sentences += e.sentence + "\n";
    }
    EXPECT_EQ(sentences, row.sentences) << row.rule;
  }
}

TEST(Privacy, WhatIsComparedIsWhole) {
  const auto judgement = judgedPrivately("deny: {field: object.spec.entrypoint, exists: true}");
  ASSERT_EQ(judgement.evidence.size(), 1U);
  EXPECT_EQ(judgement.evidence[0].value, "TOKEN=hush ray");
  EXPECT_EQ(judgement.evidence[0].shown, "TOKEN=(hidden)");
}

// All of a Secret but what every object has.
TEST(Privacy, OfASecret) {
  struct {
    std::string_view rule, sentences;
  } rows[] = {
      {"deny: {field: object.data, exists: true}", "data is (hidden)\n"},
      {"deny: {field: 'object.data[*]', exists: true}", "data.a is (hidden)\n"},
      {"deny: {field: 'object.stringData.token', exists: true}", "stringData.token is (hidden)\n"},
      {"deny: {field: request.object, exists: true}", "request.object is (hidden)\n"},
      {"deny: {field: 'request.object.data.a', exists: true}", "request.object.data.a is (hidden)\n"},
      {"deny: {field: object.metadata.name, exists: true}", "metadata.name is \"s\"\n"},
      {"deny: {field: object.type, exists: true}", "type is \"Opaque\"\n"},
      {"deny: {field: request.kind.kind, exists: true}", "request.kind.kind is \"Secret\"\n"},
  };
  for (const auto& row : rows) {
    const auto set = loaded(ruleOf(row.rule, "{resources: [secrets]}"));
    const auto review = kube::Review::parse(
        R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE",)"
        R"("kind":{"group":"","version":"v1","kind":"Secret"},"resource":{"group":"","version":"v1","resource":"secrets"},)"
        R"("userInfo":{"username":"a"},"object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"type":"Opaque",)"
        R"("data":{"a":"aHVzaA=="},"stringData":{"token":"hush"}}}})");
    ASSERT_TRUE(review);
    std::string sentences;
    for (const auto& e : evaluate(set->policies()[0].rules[0], Facts::of(review->request())).evidence)
      sentences += e.sentence + "\n";
    EXPECT_EQ(sentences, row.sentences) << row.rule;
  }
}

}  // namespace
}  // namespace driftbar::policy
