// What the tests of the command line share: a folder that goes with its test, the program run in this
// process, and a process that may not read everything.
#pragma once

#include <linux/capability.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cli/command.h"

namespace driftbar::cli {

namespace fs = std::filesystem;

// A folder for one test.
class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "/driftbar-cli-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_.string(); }
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }

  // Written whole, its folders made where they are missing. Returns its path.
  std::string write(std::string_view name, std::string_view text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return *this / name;
  }
  void link(const std::string& target, std::string_view name) const {
    fs::create_symlink(target, path_ / name);
  }

  // The text with this folder's path, which is another one each time, as DIR.
  std::string masked(std::string text) const {
    for (std::size_t at = 0; (at = text.find(path(), at)) != std::string::npos; at += 3)
      text.replace(at, path().size(), "DIR");
    return text;
  }

 private:
  fs::path path_;
};

// While it lives this thread reads only what permissions let it, though root may run the tests.
class OnlyWhatIsPermitted {
 public:
  OnlyWhatIsPermitted() {
    get();
    auto less = before_;
    less[0].effective &= ~((1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH));
    set(less);
  }
  ~OnlyWhatIsPermitted() { set(before_); }
  OnlyWhatIsPermitted(const OnlyWhatIsPermitted&) = delete;
  OnlyWhatIsPermitted& operator=(const OnlyWhatIsPermitted&) = delete;

 private:
  using Sets = std::vector<__user_cap_data_struct>;
  void get() { EXPECT_EQ(syscall(SYS_capget, &header_, before_.data()), 0); }
  void set(const Sets& sets) { EXPECT_EQ(syscall(SYS_capset, &header_, sets.data()), 0); }

  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  Sets before_ = Sets(_LINUX_CAPABILITY_U32S_3);
};

struct Ran {
  int code = -1;
  std::string out, err;
};

// `driftbar ARGUMENTS…`, in this process.
inline Ran run(std::initializer_list<std::string> arguments, const std::string& input = {},
               bool color = false) {
  std::istringstream in(input);
  std::ostringstream out, err;
  Terminal terminal{in, out, err, color};
  const std::vector<std::string_view> views(arguments.begin(), arguments.end());
  const int code = runProgram(views, terminal);
  return {code, out.str(), err.str()};
}

inline std::string fileText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string inSource(std::string_view path) {
  return std::string(DRIFTBAR_SOURCE_DIR "/") + std::string(path);
}

// A policy that refuses pods of a label's value, and warns of another's.
inline std::string policyText(std::string_view name = "teams", std::string_view value = "nobody") {
  return "apiVersion: driftbar.io/v1alpha1\nkind: Policy\nmetadata:\n  name: " + std::string(name) +
         "\nspec:\n  rules:\n    - name: owner\n      deny: {label: team, equals: " + std::string(value) +
         "}\n      fix: name your team\n    - name: cost\n      mode: warn\n      require: {label: "
         "cost-center}\n" +
         "    - name: old\n      mode: audit\n      deny: {label: generation, equals: \"1\"}\n";
}

inline std::string podText(std::string_view name, std::string_view labels) {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + std::string(name) +
         "\n  namespace: ml\n  labels: " + std::string(labels) +
         "\nspec:\n  containers: [{name: main, image: a}]\n";
}

}  // namespace driftbar::cli
