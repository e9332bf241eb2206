// Files as people name them, and everything that can be in the way of reading them.
#include "cli/files.h"

#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "fixture.h"

namespace driftbar::cli {
namespace {

std::string names(const Folder& folder, const Result<std::vector<Source>>& sources) {
  if (!sources) return folder.masked(render(sources.errors()));
  std::string out;
  for (const auto& source : *sources) out += folder.masked(source->name) + ": " + source->text + "\n";
  return out;
}

std::string tree(const Folder& folder, const std::string& path, const std::string& input = {}) {
  std::istringstream in(input);
  return names(folder, readTree(path, in, kPolicyInput));
}

std::string file(const Folder& folder, const std::string& path, const std::string& input = {}) {
  std::istringstream in(input);
  const auto source = readFile(path, in, kPolicyInput);
  return source ? folder.masked((*source)->name) + ": " + (*source)->text
                : folder.masked(render(source.errors()));
}

TEST(Files, StandardInput) {
  const Folder folder;
  EXPECT_EQ(file(folder, "-", "abc"), "standard input: abc");
  EXPECT_EQ(tree(folder, "-", "abc"), "standard input: abc\n");
}

TEST(Files, AFileWhateverItsName) {
  const Folder folder;
  EXPECT_EQ(tree(folder, folder.write("policies.txt", "a")), "DIR/policies.txt: a\n");
}

TEST(Files, Missing) {
  const Folder folder;
  const char* const told = "error: cannot read `DIR/none.yaml`: No such file or directory [unreadable]\n";
  EXPECT_EQ(file(folder, folder / "none.yaml"), told);
  EXPECT_EQ(tree(folder, folder / "none.yaml"), told);
}

TEST(Files, BelowAFile) {
  const Folder folder;
  folder.write("a.yaml", "");
  EXPECT_EQ(tree(folder, folder / "a.yaml/b"),
            "error: cannot read `DIR/a.yaml/b`: Not a directory [unreadable]\n");
}

TEST(Files, Unreadable) {
  const Folder folder;
  fs::permissions(folder.write("a.yaml", "a"), fs::perms::none);
  const OnlyWhatIsPermitted now;
  EXPECT_EQ(file(folder, folder / "a.yaml"),
            "error: cannot read `DIR/a.yaml`: Permission denied [unreadable]\n");
}

TEST(Files, AFolderInPlaceOfAFile) {
  const Folder folder;
  EXPECT_EQ(file(folder, folder.path()),
            "error: cannot read `DIR`: it is a folder [unreadable]\n  help: name a file\n");
}

TEST(Files, TooLarge) {
  const Folder folder;
  const auto path = folder.write("a.yaml", "");
  fs::resize_file(path, kPolicyInput.mostBytes);  // takes no room: a hole
  EXPECT_EQ(file(folder, path).size(), std::string("DIR/a.yaml: ").size() + kPolicyInput.mostBytes);
  fs::resize_file(path, kPolicyInput.mostBytes + 1);
  EXPECT_EQ(file(folder, path), "error: cannot read `DIR/a.yaml`: it is larger than 4 MiB [unreadable]\n");
}

TEST(Files, APipeIsReadWhereItIsNamedOutrightAndNotWhileServing) {
  const Folder folder;
  const std::string path = folder / "a.yaml";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << "abc"; });
  EXPECT_EQ(file(folder, path), "DIR/a.yaml: abc");
  writer.join();
  const char* const told =
      "error: cannot read `DIR/a.yaml`: it is no regular file [unreadable]\n  help: take it out of the way\n";
  EXPECT_EQ(tree(folder, folder.path()), told) << "in a folder";
  std::istringstream none;
  EXPECT_EQ(names(folder, readTree(path, none, kServedPolicies)), told);
}

TEST(Files, AnEndlessDeviceIsGivenUp) {
  const Folder folder;
  EXPECT_EQ(file(folder, "/dev/zero"),
            "error: cannot read `/dev/zero`: it is larger than 4 MiB [unreadable]\n");
}

TEST(Tree, YamlAndJsonInTheOrderOfTheirPaths) {
  const Folder folder;
  folder.write("b.yaml", "1");
  folder.write("a.yml", "2");
  folder.write("sub/c.json", "3");
  folder.write("README.md", "4");
  folder.write("a.yaml.bak", "5");
  EXPECT_EQ(tree(folder, folder.path()), "DIR/a.yml: 2\nDIR/b.yaml: 1\nDIR/sub/c.json: 3\n");
}

TEST(Tree, HiddenFilesAndFoldersAreLeftOut) {
  const Folder folder;
  folder.write("a.yaml", "1");
  folder.write(".a.yaml.swp", "2");
  folder.write(".b.yaml", "3");
  folder.write(".git/c.yaml", "4");
  EXPECT_EQ(tree(folder, folder.path()), "DIR/a.yaml: 1\n");
}

// As a kubelet mounts a ConfigMap.
TEST(Tree, AMountedConfigMapIsReadOnce) {
  const Folder folder;
  folder.write("..2026_12_01_10_00_00.1/policy.yaml", "1");
  folder.link("..2026_12_01_10_00_00.1", "..data");
  folder.link("..data/policy.yaml", "policy.yaml");
  EXPECT_EQ(tree(folder, folder.path()), "DIR/policy.yaml: 1\n");
}

TEST(Tree, LinksToFoldersAreFollowed) {
  const Folder folder;
  folder.write("elsewhere/team/a.yaml", "1");
  folder.write("policies/b.yaml", "2");
  folder.link("../elsewhere/team", "policies/team");
  EXPECT_EQ(tree(folder, folder / "policies"), "DIR/policies/b.yaml: 2\nDIR/policies/team/a.yaml: 1\n");
}

TEST(Tree, EmptyFolder) {
  const Folder folder;
  EXPECT_EQ(tree(folder, folder.path()), "");
}

TEST(Tree, ALinkToNothing) {
  const Folder folder;
  folder.link("gone", "a.yaml");
  folder.write("b.yaml", "1");
  EXPECT_EQ(tree(folder, folder.path()),
            "error: cannot read `DIR/a.yaml`: No such file or directory [unreadable]\n");
}

TEST(Tree, ALinkToItself) {
  const Folder folder;
  folder.link("a.yaml", "a.yaml");
  EXPECT_EQ(tree(folder, folder.path()),
            "error: cannot read `DIR/a.yaml`: Too many levels of symbolic links [unreadable]\n");
}

// Two of them, so that a walk that is only bounded in depth would go through 2^16 folders.
TEST(Tree, LinksBackToTheFolderThatTheyAreIn) {
  const Folder folder;
  folder.write("sub/a.yaml", "1");
  folder.link("..", "sub/one");
  folder.link(".", "two");
  auto told = tree(folder, folder.path());
  EXPECT_NE(
      told.find("error: cannot read `DIR/sub/one`: it links back to a folder that it is in [unreadable]\n"),
      std::string::npos)
      << told;
  EXPECT_NE(told.find("error: cannot read `DIR/two`: it links back to a folder that it is in [unreadable]\n"),
            std::string::npos)
      << told;
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 2);
}

TEST(Tree, FoldersInFoldersWithoutEnd) {
  const Folder folder;
  std::string deep = "d";
  for (int i = 0; i < 20; ++i) deep += "/d";
  folder.write(deep + "/a.yaml", "1");
  std::string seventeen = "DIR";
  for (int i = 0; i < 17; ++i) seventeen += "/d";
  EXPECT_EQ(tree(folder, folder.path()),
            "error: cannot read `" + seventeen + "`: folders nest too deep [unreadable]\n");
}

TEST(Tree, EverythingThatCannotBeReadIsTold) {
  const Folder folder;
  fs::permissions(folder.write("a.yaml", "1"), fs::perms::none);
  folder.write("sub/b.yaml", "2");
  fs::permissions(folder / "sub", fs::perms::none);
  folder.write("z.yaml", "3");
  {
    const OnlyWhatIsPermitted now;
    EXPECT_EQ(tree(folder, folder.path()),
              "error: cannot read `DIR/sub`: Permission denied [unreadable]\n"
              "error: cannot read `DIR/a.yaml`: Permission denied [unreadable]\n");
  }
  fs::permissions(folder / "sub", fs::perms::owner_all);
}

}  // namespace
}  // namespace driftbar::cli
