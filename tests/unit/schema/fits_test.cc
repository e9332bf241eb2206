#include "schema/fits.h"

#include <gtest/gtest.h>

#include <string>

namespace driftbar::schema {
namespace {

std::string wrongWith(const std::string& pod) {
  const auto document = JsonDocument::parse(pod);
  if (!document) return "no JSON";
  const auto wrong = misfit(podTemplate(), document->root());
  if (!wrong) return "";
  return wrong->place + ": " + std::string(describe(wrong->found)) + " for " +
         std::string(describe(wrong->wanted));
}

TEST(Fits, FindsTheFirstValueOfAnotherType) {
  struct {
    const char *pod, *wrong;
  } rows[] = {
      {R"({"metadata":{"labels":{"a":"b"}},"spec":{"priority":1,"containers":[{"name":"a","securityContext":{"privileged":true}}]}})",
       ""},
      {R"({"spec":{"containers":[{"name":"a"},{"securityContext":{"privileged":"true"}}]}})",
       "spec.containers[1].securityContext.privileged: text for a boolean"},
      {R"({"spec":{"hostPID":1}})", "spec.hostPID: a number for a boolean"},
      {R"({"spec":{"containers":{"a":1}}})", "spec.containers: a map for a list"},
      {R"({"spec":{"containers":[{"env":[{"name":"A","value":1}]}]}})",
       "spec.containers[0].env[0].value: a number for text"},
      {R"({"spec":{"containers":[{"env":["A=1"]}]}})", "spec.containers[0].env[0]: text for a map"},
      {R"({"spec":{"volumes":[{"hostPath":"/etc"}]}})", "spec.volumes[0].hostPath: text for a map"},
      {R"({"metadata":{"labels":{"a.b/c":1}}})", "metadata.labels[\"a.b/c\"]: a number for text"},
      {R"({"spec":[]})", "spec: a list for a map"},
      {R"([])", ": a list for a map"},
  };
  for (const auto& row : rows) EXPECT_EQ(wrongWith(row.pod), row.wrong) << row.pod;
}

TEST(Fits, PassesOverWhatMeansNothingOrManyThings) {
  for (
      const auto* pod :
      {R"({"spec":{"containers":null,"hostPID":null,"unheardOf":[1]}})",
       R"({"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":8,"cpu":"1","memory":1.5}}}]}})",
       R"({"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":80}}},{"livenessProbe":{"httpGet":{"port":"web"}}}]}})"})
    EXPECT_EQ(wrongWith(pod), "") << pod;
}

}  // namespace
}  // namespace driftbar::schema
