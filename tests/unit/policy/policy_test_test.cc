// PolicyTest documents as values, and who takes notice of them. What is wrong with one:
// tests/golden/lint/test-*.
#include "policy/policy_test.h"

#include "unit/policy/fixture.h"

namespace driftbar::policy {
namespace {

using namespace testing;

constexpr std::string_view kTest = R"(apiVersion: driftbar.io/v1alpha1
kind: PolicyTest
metadata: {name: whole}
spec:
  policies: p
  inventory: [nodes.yaml, {apiVersion: v1, kind: Node, metadata: {name: gpu-07}}]
  now: 2026-12-01T10:00:00Z
  cases:
    - name: an update
      update: {old: old.yaml, new: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}
      as: {user: alice, groups: [ml, staff]}
      namespace: shop
      expect: {verdict: deny, rules: [p/r], warned: [], message: part, patched: {}}
    - name: a shell
      connect: {pod: pod.yaml, subresource: exec, command: [sh, -c]}
      serviceAccount: ml/runner
      expect: {exempted: p/r}
    - name: a binding
      bind: {pod: pod.yaml, node: gpu-07}
      expect: {verdict: allow}
)";

LoadedTests loadedTests(std::string text) {
  const Source sources[] = {makeSource("dir/t.yaml", std::move(text))};
  return loadTests(sources);
}

TEST(PolicyTests, EverythingThatOneCanSay) {
  const auto loaded = loadedTests(std::string(kTest));
  ASSERT_EQ(render(loaded.diagnostics), "");
  ASSERT_EQ(loaded.tests.size(), 1U);
  const auto& test = loaded.tests[0];
  EXPECT_EQ(test.name, "whole");
  EXPECT_EQ(test.where.source->name, "dir/t.yaml");
  ASSERT_EQ(test.policies.size(), 1U);
  EXPECT_EQ(test.policies[0].text, "p");
  ASSERT_EQ(test.inventory.size(), 2U);
  EXPECT_EQ(test.inventory[0].file, "nodes.yaml");
  EXPECT_TRUE(test.inventory[1].object.isMap());
  EXPECT_EQ(test.now, parseInstant("2026-12-01T10:00:00Z"));
  ASSERT_EQ(test.cases.size(), 3U);

  const auto& update = test.cases[0];
  EXPECT_EQ(update.where.line, 9);
  EXPECT_EQ(update.request, TestRequest::kUpdate);
  ASSERT_TRUE(update.old);
  EXPECT_EQ(update.old->file, "old.yaml");
  EXPECT_TRUE(update.object.file.empty());
  EXPECT_EQ(update.user, "alice");
  EXPECT_EQ(update.groups, (std::vector<std::string>{"ml", "staff"}));
  EXPECT_EQ(update.ns, "shop");
  EXPECT_EQ(update.expected.allowed, false);
  ASSERT_TRUE(update.expected.refused);
  EXPECT_EQ(update.expected.refused->front().text, "p/r");
  ASSERT_TRUE(update.expected.warned);
  EXPECT_TRUE(update.expected.warned->empty());
  EXPECT_FALSE(update.expected.audited);
  EXPECT_EQ(update.expected.message.front().text, "part");
  ASSERT_TRUE(update.expected.patched);
  EXPECT_TRUE(update.expected.patched->empty());

  const auto& shell = test.cases[1];
  EXPECT_EQ(shell.request, TestRequest::kConnect);
  EXPECT_EQ(shell.object.file, "pod.yaml");
  EXPECT_EQ(shell.subResource, "exec");
  EXPECT_EQ(shell.command, (std::vector<std::string>{"sh", "-c"}));
  EXPECT_EQ(shell.serviceAccount, "ml/runner");
  EXPECT_FALSE(shell.expected.allowed);
  EXPECT_EQ(shell.expected.exempted->front().text, "p/r");

  EXPECT_EQ(test.cases[2].request, TestRequest::kBind);
  EXPECT_EQ(test.cases[2].node, "gpu-07");
}

TEST(PolicyTests, DocumentsOfOtherKindsAreLeftOut) {
  const auto loaded = loadedTests(ruleOf("deny: {lable: a}") + "---\n" + std::string(kTest) +
                                  "---\nkind: PolicyTest\napiVersion: example.com/v1\n");
  EXPECT_EQ(render(loaded.diagnostics), "");
  EXPECT_EQ(loaded.tests.size(), 1U);
}

TEST(PolicyTests, ANameIsTakenInItsFolderOnly) {
  const std::string text(kTest);
  const Source sources[] = {makeSource("a/t.yaml", text), makeSource("b/t.yaml", text),
                            makeSource("a/u.yaml", text)};
  const auto loaded = loadTests(sources);
  ASSERT_EQ(loaded.diagnostics.size(), 1U);
  EXPECT_EQ(summary(loaded.diagnostics[0]),
            "a/u.yaml:3:18: the name `whole` is taken by another PolicyTest: a/t.yaml, line 3");
}

// The server, `review` and `demo` load so.
TEST(PolicyTests, AreIgnoredInSilenceWhereTheyAreNotAskedFor) {
  const std::string wrong =
      "apiVersion: driftbar.io/v1alpha1\nkind: PolicyTest\nmetadata: {name: t}\nspec: nonsense\n";
  const auto loaded = loadText(ruleOf("deny: {label: a}") + "---\n" + wrong);
  EXPECT_TRUE(loaded.set);
  EXPECT_EQ(render(loaded.diagnostics), "");
  EXPECT_EQ(loaded.tests, 0U);
  EXPECT_EQ(summary(loadText(wrong).diagnostics.front()), "there is no policy");
}

// A test file alone is checked for its shape: the policies that it names are elsewhere.
TEST(PolicyTests, NamesAreCheckedWhereThePoliciesAreThere) {
  const std::string test(kTest);
  EXPECT_EQ(render(load({makeSource("t.yaml", test)}, {.checkTests = true}).diagnostics), "");
  const auto loaded = load({makeSource("q.yaml", policyOf("  rules: [{name: r, deny: {label: a}}]\n", "q")),
                            makeSource("t.yaml", test)},
                           {.checkTests = true});
  ASSERT_EQ(loaded.diagnostics.size(), 1U);
  EXPECT_EQ(summary(loaded.diagnostics[0]), "t.yaml:5:13: unknown policy `p`");
  EXPECT_FALSE(loaded.set);
}

TEST(PolicyTests, OnlyTheNamedPoliciesJudge) {
  const auto set = loaded(policyOf("  rules: [{name: r, deny: {label: a}}]\n", "p") + "---\n" +
                          policyOf("  rules: [{name: r, deny: {label: a}}]\n", "q"));
  auto test = loadedTests(std::string(kTest)).tests.at(0);
  Problems problems;
  const auto some = judging(test, {&set, 1}, problems);
  ASSERT_EQ(some->policies().size(), 1U);
  EXPECT_EQ(some->policies()[0].name, "p");
  test.policies.clear();
  EXPECT_EQ(judging(test, {&set, 1}, problems), set);
  EXPECT_EQ(render(problems.take()), "");
}

}  // namespace
}  // namespace driftbar::policy
