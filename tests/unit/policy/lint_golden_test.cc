// The mistakes that people make, each a folder: policy.yaml and, in expected.txt, all that is said of it.
// DRIFTBAR_REWRITE_GOLDEN=1 writes the expectations anew; what changed is then reviewed as a diff.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "unit/policy/fixture.h"

namespace driftbar::policy {
namespace {

using namespace testing;
namespace fs = std::filesystem;

std::vector<fs::path> mistakes() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(inSource("tests/golden/lint")))
    folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

class LintGolden : public ::testing::TestWithParam<fs::path> {};

TEST_P(LintGolden, SaysAllThatIsWrong) {
  const auto result = load({makeSource("policy.yaml", fileText(GetParam() / "policy.yaml"))},
                           {.checkTests = true, .now = parseInstant(kNow)});
  const std::string said = render(result.diagnostics);
  const fs::path expected = GetParam() / "expected.txt";
  if (std::getenv("DRIFTBAR_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(expected, std::ios::binary) << said;
    return;
  }
  EXPECT_EQ(said, fileText(expected));
  EXPECT_EQ(result.set == nullptr, hasErrors(result.diagnostics));
  EXPECT_FALSE(result.diagnostics.empty()) << "nothing is wrong with it";
}

INSTANTIATE_TEST_SUITE_P(Mistakes, LintGolden, ::testing::ValuesIn(mistakes()), [](const auto& row) {
  std::string name = row.param.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

// A file with a mistake does not hide those of its neighbours.
TEST(Lint, GathersTheErrorsOfAllFiles) {
  const auto result = load(
      {makeSource("a.yaml", "a:\n\t- b\n"), makeSource("b.yaml", ruleOf("deny: {lable: a}")),
       makeSource("c.yaml", ruleOf("deny: {label: a}")), makeSource("d.yaml", ruleOf("deny: {label: a}"))});
  EXPECT_EQ(result.set, nullptr);
  std::string said;
  for (const auto& d : result.diagnostics) said += summary(d) + "\n";
  EXPECT_EQ(said,
            "a.yaml:2:1: a tab in the indentation\n"
            "b.yaml:7:24: unknown key `lable` in a condition\n"
            "c.yaml:3:18: the name `p` is taken by another policy: b.yaml, line 3\n"
            "d.yaml:3:18: the name `p` is taken by another policy: b.yaml, line 3\n");
}

TEST(Lint, ASetWithoutAPolicyIsAnError) {
  EXPECT_EQ(render(load({}).diagnostics),
            "error: there is no policy [no-policies]\n"
            "  help: a policy is a document with `apiVersion: driftbar.io/v1alpha1` and `kind: Policy`\n");
  EXPECT_TRUE(load({}, {.needsPolicy = false}).set);
}

// A folder of kinds alone is one that others use; a server still needs a policy.
TEST(Lint, ASetOfDeclarationsAloneIsAWarning) {
  const Source kind = makeSource("kind.yaml",
                                 "apiVersion: driftbar.io/v1alpha1\nkind: WorkloadKind\nmetadata: {name: a}\n"
                                 "spec: {group: a.example, kind: A, templates: [{path: spec.template}]}\n");
  const auto linted = load({kind}, {.checkTests = true});
  EXPECT_TRUE(linted.set);
  EXPECT_EQ(render(linted.diagnostics),
            "warning: there is no policy [no-policies]\n"
            "  help: give the folder of the policies too, for what is declared here is used by them\n");
  EXPECT_FALSE(load({kind}).set);
}

}  // namespace
}  // namespace driftbar::policy
