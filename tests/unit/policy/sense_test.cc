// What sense must not say: rules that look like a mistake and are none, each beside the mistake that it
// resembles. The mistakes themselves are rows of tests/golden/lint.
#include "unit/policy/fixture.h"

namespace driftbar::policy {
namespace {

using namespace testing;

struct Right {
  std::string_view what;
  std::string_view spec;
};

constexpr Right kRight[] = {
    {"another value of the condition",
     "  rules: [{name: a, deny: {label: x}}, {name: b, deny: {label: w}}]\n"},
    {"another verb", "  rules: [{name: a, deny: {label: x}}, {name: b, require: {label: x}}]\n"},
    {"more safe nodes in a warning",
     "  rules:\n    - {name: a, avoidNodes: {label: x}}\n"
     "    - {name: b, mode: warn, avoidNodes: {label: x}, minSafe: 3}\n"},
    {"unknown values in another way",
     "  rules:\n    - {name: a, deny: {label: x}, onUnknown: deny}\n"
     "    - {name: b, mode: warn, deny: {label: x}, onUnknown: allow}\n"},
    {"a warning beside a record",
     "  rules:\n    - {name: a, mode: warn, deny: {label: x}}\n"
     "    - {name: b, mode: audit, deny: {label: x}}\n"},
    {"an exception that is narrower",
     "  match: {namespaces: [\"ml-*\"]}\n  except: [{namespaces: [ml-a]}, {namespaces: [\"ml-*-x\"]}]\n"
     "  rules: [{name: a, deny: {label: x}}]\n"},
    {"an exception of fewer people",
     "  match: {requestedBy: {groups: [a, b]}}\n  except: [{requestedBy: {groups: [a]}}]\n"
     "  rules: [{name: a, deny: {label: x}}]\n"},
    {"an exception of all namespaces, where some things have none",
     "  except: [{namespaces: [\"*\"]}]\n  rules: [{name: a, deny: {label: x}}]\n"},
    {"an exception of all resources, which have no exec",
     "  match: {resources: [pods/exec]}\n  except: [{resources: [\"*\"]}]\n"
     "  rules: [{name: a, require: {requestedBy: {groups: [oncall]}}}]\n"},
    {"an exception of one operation",
     "  except: [{operations: [create]}]\n"
     "  rules: [{name: a, deny: {label: x}}]\n"},
    {"two labels", "  rules: [{name: a, deny: [{label: x, equals: a}, {label: w, equals: b}]}]\n"},
    {"labels of two objects",
     "  rules: [{name: a, deny: [{label: x, equals: a}, {label: x, of: namespace, equals: b}]}]\n"},
    {"lists that share a value",
     "  rules: [{name: a, deny: [{label: x, in: [a, b]}, {label: x, in: [b, c]}]}]\n"},
    {"a list less some of it",
     "  rules: [{name: a, deny: [{label: x, in: [a, b]}, {label: x, notEquals: a}]}]\n"},
    {"there, and another one", "  rules: [{name: a, deny: {label: x, exists: true, notEquals: done}}]\n"},
    {"absent or another one",
     "  rules: [{name: a, deny: {any: [{label: x, exists: false}, {label: x, notEquals: a}]}}]\n"},
    {"two values, either of them",
     "  rules: [{name: a, deny: {any: [{label: x, equals: a}, {label: x, equals: b}]}}]\n"},
    {"two values, of containers of which there are many",
     "  rules:\n    - name: a\n      deny:\n"
     "        - {field: \"pod.spec.containers[*].image\", equals: a}\n"
     "        - {field: \"pod.spec.containers[*].image\", equals: b}\n"},
    {"two values, of globs that stand for many labels",
     "  rules: [{name: a, deny: [{label: \"x/*\", equals: a}, {label: \"x/*\", equals: b}]}]\n"},
    {"not written, and the default",
     "  rules:\n    - name: a\n      deny:\n        - {field: pod.spec.hostNetwork, exists: false}\n"
     "        - {field: pod.spec.hostNetwork, equals: false}\n"},
    {"one number in two forms",
     "  rules:\n    - name: a\n      deny:\n        - {field: pod.spec.priority, equals: 8}\n"
     "        - {field: pod.spec.priority, equals: \"8\"}\n"},
    {"a name that a template does not have",
     "  rules: [{name: a, deny: {field: pod.metadata.name, exists: true}}]\n"},
    {"a container that may be missing",
     "  rules: [{name: a, require: {field: 'pod.spec.containers[\"trainer\"].name', exists: true}}]\n"},
    {"init containers that may be missing",
     "  rules: [{name: a, deny: {field: \"pod.spec.initContainers[*].name\", exists: true}}]\n"},
    {"what is always there, and more of it",
     "  rules:\n    - name: a\n      deny: [{field: pod.spec.containers, exists: true}, {label: x}]\n"},
    {"one kind of what is always there",
     "  rules: [{name: a, deny: {field: \"pod.containers[*].name\", equals: trainer}}]\n"},
};

TEST(Sense, SaysNothingOfWhatIsRight) {
  for (const auto& row : kRight) EXPECT_EQ(render(loadText(policyOf(row.spec)).diagnostics), "") << row.what;
}

TEST(Sense, TellsRulesOfTwoPoliciesApartByWhatTheyLookAt) {
  const std::string rule = "  rules: [{name: r, deny: {label: x}}]\n";
  const auto said = [&](std::string_view match, std::string_view except) {
    const auto text = policyOf("  match: {workload: training}\n" + rule, "a") + "---\n" +
                      policyOf(std::string(match) + std::string(except) + rule, "b");
    return loadText(text).diagnostics.size();
  };
  EXPECT_EQ(said("  match: {workload: training}\n", ""), 1U);
  EXPECT_EQ(said("  match: {workload: rdma-training}\n", ""), 0U);
  EXPECT_EQ(said("", ""), 0U);
  EXPECT_EQ(said("  match: {workload: training}\n", "  except: [{namespaces: [a]}]\n"), 0U);
}

}  // namespace
}  // namespace driftbar::policy
