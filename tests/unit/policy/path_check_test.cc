// Paths against what Kubernetes has: what is let pass, what the annotation says, objects of one kind. What
// people are told of mistakes is in tests/golden/lint.
#include "policy/path_check.h"

#include "policy/field.h"
#include "schema/follow.h"
#include "unit/policy/fixture.h"

namespace driftbar::policy {
namespace {

using namespace testing;

std::string said(std::string_view verbs, std::string_view annotation = {}, std::string_view match = "{}") {
  std::string text = ruleOf(verbs, match);
  if (!annotation.empty()) {
    const std::string name = "name: p";
    const auto at = text.find(name);
    EXPECT_NE(at, std::string::npos);
    text.insert(at + name.size(),
                ", annotations: {driftbar.io/kubernetes: \"" + std::string(annotation) + "\"}");
  }
  std::string all;
  for (const auto& d : loadText(text).diagnostics)
    all += std::string(toString(d.severity)) + " " + d.id + ";";
  return all;
}

TEST(PathCheck, PathsThatKubernetesHasAreLetPass) {
  const char* conditions[] = {
      "{field: pod.metadata.labels.app, equals: a}",
      "{field: 'pod.metadata.labels[\"example.com/a\"]', equals: a}",
      "{field: 'pod.spec.nodeSelector[\"x/y\"]', exists: true}",
      "{field: \"pod.spec.nodeSelector[*]\", equals: a}",
      "{field: 'pod.spec.containers[\"trainer\"].env[\"NCCL_DEBUG\"].value', equals: INFO}",
      "{field: \"pod.spec.volumes[0].hostPath.path\", startsWith: /}",
      "{field: \"pod.containers[*].targetContainerName\", exists: true}",  // ephemeral ones alone have it
      "{field: \"pod.containers[*].resizePolicy[*].resourceName\", equals: cpu}",
      "{field: \"pod.containers[*].command\", contains: sh}",
      "{field: \"pod.spec.tolerations[*].effect\", equals: \"\"}",  // what absence means
      "{field: \"pod.spec.volumes[*].hostPath.type\", in: [\"\", Directory]}",
      "{field: \"pod.containers[*].livenessProbe.httpGet.port\", equals: http}",
      "{field: \"pod.containers[*].livenessProbe.httpGet.port\", atLeast: 80}",
      "{field: \"pod.metadata.managedFields[*].fieldsV1.a.b[2]\", exists: true}",
      "{field: \"pod.containers[*].securityContext.privileged\", equals: \"true\"}",
      "{field: pod.spec.priority, equals: \"1000\"}",
      "{field: pod.spec.restartPolicy, matches: On.*}",
      "{some: pod.spec.tolerations, where: {field: key, equals: a}}",
      "{field: 'ranks[\"worker\"].containers[*].image', exists: true}",
      "{field: \"templates[*].spec.nodeName\", exists: true}",
  };
  for (const auto* condition : conditions)
    EXPECT_EQ(said("deny: " + std::string(condition)), "") << condition;
  const char* ofRequests[] = {
      "{field: request.userInfo.extra, exists: true}",
      "{field: request.object.anything.at.all, equals: 1}",
      "{field: object.anything.at.all, equals: 1}",
      "{field: namespace.metadata.annotations.a, exists: true}",
  };
  for (const auto* condition : ofRequests)
    EXPECT_EQ(said("deny: " + std::string(condition), {}, "{resources: [\"*\"]}"), "") << condition;
}

TEST(PathCheck, WhatOnlyNewerReleasesHaveIsAWarningUntilThePolicySaysThatTheClusterIsNew) {
  const char* rules[] = {
      "deny: {field: pod.spec.schedulingGroup.podGroupName, exists: true}",
      "deny: {field: \"pod.containers[*].volumeMounts[*].bindMountOptions\", exists: true}",
      "deny: {some: pod.spec.evictionResponders, where: {field: name, equals: a}}"};
  for (const auto* rule : rules) {
    EXPECT_EQ(said(rule), "warning newer-field;") << rule;
    EXPECT_EQ(said(rule, "1.35"), "warning newer-field;") << rule;
    EXPECT_EQ(said(rule, "1.37"), "") << rule;
    EXPECT_EQ(said(rule, "v1.38.0"), "") << rule;
  }
}

TEST(PathCheck, NothingIsAnErrorInAClusterBeyondWhatIsKnown) {
  const std::string rule = "deny: {field: pod.spec.brandNew.field, equals: true}";
  EXPECT_EQ(said(rule), "error unknown-field;");
  EXPECT_EQ(said(rule, "1.37"), "error unknown-field;");
  EXPECT_EQ(said(rule, "1.38"), "warning unknown-field;");
}

TEST(PathCheck, VersionsAreThoseOfKubernetes) {
  for (const auto* wrong : {"1", "2.0", "1.x", "1.37x", "1.-1", "newest", "1."})
    EXPECT_EQ(said("deny: {label: a}", wrong), "error bad-version;") << wrong;
}

TEST(PathCheck, PlacesAreRightBehindKeysThatHoldBracketsAndQuotes) {
  const auto result = loadText(ruleOf(R"(deny: {field: 'pod.metadata.labels["a]b\"c.d"].x', exists: true})"));
  EXPECT_EQ(render(result.diagnostics),
            R"(p.yaml:7:64: error: `pod.metadata.labels["a]b\"c.d"]` is text, and has no fields [bad-path]
  7 |     - {name: r, deny: {field: 'pod.metadata.labels["a]b\"c.d"].x', exists: true}}
    |                                                                ^
  help: end the path before it
)");
}

// An object is looked at where it can be of one kind only.
TEST(PathCheck, TheObjectIsOfTheKindThatThePolicyNames) {
  const auto checked = [](std::string_view path, const schema::Shape* object) {
    yaml::Node node;
    node.kind = yaml::Node::Kind::kText;
    node.scalar = path;
    Problems problems;
    Surroundings around;
    around.object = object;
    const auto field = Field::parse(node, "field", around, false, problems);
    const auto all = problems.take();
    EXPECT_EQ(field.has_value(), all.empty()) << path;
    return all.empty() ? std::string() : all.front().message;
  };
  const schema::Shape* job = schema::kind("batch", "Job");
  EXPECT_EQ(checked("object.spec.template.spec.containers[*].image", job), "");
  EXPECT_EQ(checked("oldObject.spec.paralelism", job), "`oldObject.spec` has no field `paralelism`");
  EXPECT_EQ(checked("object.spec.paralelism", nullptr), "");
  const std::string misspelt = "deny: {field: object.spec.paralelism, atLeast: 1}";
  EXPECT_EQ(said(misspelt, {}, "{resources: [jobs.batch]}"), "error unknown-field;");
  EXPECT_EQ(said(misspelt, {}, "{resources: [jobs.batch, pytorchjobs.kubeflow.org]}"), "");
  EXPECT_EQ(checked("object.comand", schema::resource("", "pods/exec")), "`object` has no field `comand`");
}

TEST(PathCheck, QuantitiesEqualByValue) {
  const auto broken = [](std::string_view rule) {
    const auto set = loaded(ruleOf(rule));
    const PodRequest pod(
        R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"memory":"1Gi","cpu":"500m"}}}]}})");
    return evaluate(set->policies()[0].rules[0], pod.facts()).broken == Truth::kTrue;
  };
  EXPECT_TRUE(broken("deny: {field: \"pod.containers[*].resources.limits.memory\", equals: 1024Mi}"));
  EXPECT_TRUE(broken("deny: {field: \"pod.containers[*].resources.limits.cpu\", in: [\"0.5\", 4]}"));
  EXPECT_FALSE(broken("deny: {field: \"pod.containers[*].resources.limits.memory\", equals: 1G}"));
  EXPECT_FALSE(broken("deny: {field: \"pod.containers[*].resources.limits.memory\", notEquals: 1024Mi}"));
}

}  // namespace
}  // namespace driftbar::policy
