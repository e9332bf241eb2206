// A folder of policies that is looked at again and again: what is in force, and what is told.
#include "cli/policy_folder.h"

#include "fixture.h"

namespace driftbar::cli {
namespace {

using Change = PolicyFolder::Change;

Instant at(int second) {
  return Instant(std::chrono::seconds(second));
}

std::string inForce(const PolicyFolder& policies) {
  const auto set = policies.state()->set;
  if (set == nullptr) return "none";
  std::string out;
  for (const auto& policy : set->policies()) out += (out.empty() ? "" : " ") + policy.name;
  return out;
}

TEST(PolicyFolder, FirstLoad) {
  const Folder folder;
  folder.write("a.yaml", policyText("one"));
  PolicyFolder policies(folder.path());
  EXPECT_EQ(inForce(policies), "none");
  EXPECT_EQ(policies.look(at(1)), Change::kLoaded);
  EXPECT_EQ(inForce(policies), "one");
  EXPECT_EQ(policies.state()->loaded, at(1));
  EXPECT_EQ(policies.state()->refused, "");
  EXPECT_EQ(render(policies.diagnostics()), "");
  EXPECT_EQ(policies.state()->digest.size(), 64U);
}

TEST(PolicyFolder, NothingHasChanged) {
  const Folder folder;
  folder.write("a.yaml", policyText());
  PolicyFolder policies(folder.path());
  policies.look(at(1));
  const auto before = policies.state();
  folder.write("a.yaml", policyText());  // the same text, a new file time
  EXPECT_EQ(policies.look(at(2)), Change::kNone);
  EXPECT_EQ(policies.state(), before);
}

TEST(PolicyFolder, AGoodChangeIsInForceAtTheNextLook) {
  const Folder folder;
  folder.write("a.yaml", policyText("one"));
  PolicyFolder policies(folder.path());
  policies.look(at(1));
  const auto digest = policies.state()->digest;
  folder.write("b.yaml", policyText("two"));
  EXPECT_EQ(policies.look(at(2)), Change::kLoaded);
  EXPECT_EQ(inForce(policies), "one two");
  EXPECT_EQ(policies.state()->loaded, at(2));
  EXPECT_NE(policies.state()->digest, digest);
}

TEST(PolicyFolder, ABadChangeLeavesTheLastGoodSetInForce) {
  const Folder folder;
  folder.write("a.yaml", policyText("one"));
  PolicyFolder policies(folder.path());
  policies.look(at(1));
  const auto digest = policies.state()->digest;
  folder.write("a.yaml", policyText("two") + "  moed: warn\n");
  EXPECT_EQ(policies.look(at(2)), Change::kRefused);
  EXPECT_EQ(inForce(policies), "one");
  EXPECT_EQ(policies.state()->loaded, at(1));
  EXPECT_EQ(policies.state()->digest, digest);
  EXPECT_EQ(folder.masked(policies.state()->refused),
            "DIR/a.yaml:16:3: unknown key `moed` in the `spec` of a Policy");
  EXPECT_EQ(policies.look(at(3)), Change::kNone);
}

TEST(PolicyFolder, TheGoodTextComesBack) {
  const Folder folder;
  folder.write("a.yaml", policyText("one"));
  PolicyFolder policies(folder.path());
  policies.look(at(1));
  folder.write("a.yaml", "nonsense");
  policies.look(at(2));
  folder.write("a.yaml", policyText("one"));
  EXPECT_EQ(policies.look(at(3)), Change::kLoaded);
  EXPECT_EQ(policies.state()->refused, "");
}

TEST(PolicyFolder, AFirstSetThatDoesNotLoad) {
  const Folder folder;
  folder.write("a.yaml", "nonsense");
  PolicyFolder policies(folder.path());
  EXPECT_EQ(policies.look(at(1)), Change::kRefused);
  EXPECT_EQ(inForce(policies), "none");
  EXPECT_EQ(policies.look(at(2)), Change::kNone);
  folder.write("a.yaml", policyText("one"));
  EXPECT_EQ(policies.look(at(3)), Change::kLoaded);
}

TEST(PolicyFolder, EveryPolicyTakenAway) {
  const Folder folder;
  folder.write("a.yaml", policyText("one"));
  PolicyFolder policies(folder.path());
  policies.look(at(1));
  fs::remove(folder / "a.yaml");
  EXPECT_EQ(policies.look(at(2)), Change::kRefused);
  EXPECT_EQ(inForce(policies), "one");
  EXPECT_EQ(policies.state()->refused, "there is no policy");
}

TEST(PolicyFolder, TheFolderVanishesAndReturns) {
  const Folder folder;
  folder.write("policies/a.yaml", policyText("one"));
  PolicyFolder policies(folder / "policies");
  policies.look(at(1));
  fs::rename(folder / "policies", folder / "away");
  EXPECT_EQ(policies.look(at(2)), Change::kRefused);
  EXPECT_EQ(inForce(policies), "one");
  EXPECT_EQ(folder.masked(policies.state()->refused),
            "cannot read `DIR/policies`: No such file or directory");
  EXPECT_EQ(policies.look(at(3)), Change::kNone);  // said once
  fs::rename(folder / "away", folder / "policies");
  EXPECT_EQ(policies.look(at(4)), Change::kLoaded);
  EXPECT_EQ(policies.state()->refused, "");
  EXPECT_EQ(policies.look(at(5)), Change::kNone);
}

TEST(PolicyFolder, AFileThatCannotBeRead) {
  const Folder folder;
  folder.write("a.yaml", policyText("one"));
  PolicyFolder policies(folder.path());
  policies.look(at(1));
  fs::permissions(folder.write("b.yaml", policyText("two")), fs::perms::none);
  {
    const OnlyWhatIsPermitted now;
    EXPECT_EQ(policies.look(at(2)), Change::kRefused);
  }
  EXPECT_EQ(inForce(policies), "one");
  EXPECT_EQ(folder.masked(policies.state()->refused), "cannot read `DIR/b.yaml`: Permission denied");
  fs::permissions(folder / "b.yaml", fs::perms::owner_all);
  EXPECT_EQ(policies.look(at(3)), Change::kLoaded);
  EXPECT_EQ(inForce(policies), "one two");
}

// What a kubelet does when a ConfigMap changes: a new folder, then one rename of a link.
TEST(PolicyFolder, TheLinkOfAMountedConfigMapIsSwapped) {
  const Folder folder;
  folder.write("..1/policy.yaml", policyText("one"));
  folder.write("..2/policy.yaml", policyText("two"));
  folder.link("..1", "..data");
  folder.link("..data/policy.yaml", "policy.yaml");
  PolicyFolder policies(folder.path());
  policies.look(at(1));
  EXPECT_EQ(inForce(policies), "one");
  folder.link("..2", "..data_tmp");
  fs::rename(folder / "..data_tmp", folder / "..data");
  fs::remove_all(folder / "..1");
  EXPECT_EQ(policies.look(at(2)), Change::kLoaded);
  EXPECT_EQ(inForce(policies), "two");
}

TEST(PolicyFolder, WarningsDoNotRefuse) {
  const Folder folder;
  folder.write("a.yaml", policyText("one"));
  folder.write("b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
  PolicyFolder policies(folder.path());
  EXPECT_EQ(policies.look(at(1)), Change::kLoaded);
  EXPECT_EQ(folder.masked(render(policies.diagnostics())),
            R"(DIR/b.yaml:1:13: warning: a document of `v1` is skipped: it is no policy [other-api]
  1 | apiVersion: v1
    |             ^^
  help: policies have `apiVersion: driftbar.io/v1alpha1`
)");
}

TEST(PolicyFolder, OneFile) {
  const Folder folder;
  PolicyFolder policies(folder.write("a.yaml", policyText("one")));
  EXPECT_EQ(policies.look(at(1)), Change::kLoaded);
  EXPECT_EQ(inForce(policies), "one");
}

// The digest is of the texts: it tells two gates apart, not two machines.
TEST(PolicyFolder, TheSameTextsElsewhereHaveTheSameDigest) {
  const Folder one, other;
  one.write("a.yaml", policyText());
  other.write("a.yaml", policyText());
  PolicyFolder first(one.path()), second(other.path());
  first.look(at(1));
  second.look(at(2));
  EXPECT_EQ(first.state()->digest, second.state()->digest);
}

}  // namespace
}  // namespace driftbar::cli
