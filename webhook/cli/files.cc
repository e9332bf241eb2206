#include "cli/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace driftbar::cli {
namespace {

namespace fs = std::filesystem;

Diagnostic unreadable(const std::string& path, const std::string& why, std::string help = {}) {
  return error("unreadable", "cannot read `" + path + "`: " + why, std::move(help));
}

bool isYaml(const fs::path& path) {
  const auto extension = path.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

bool isHidden(const fs::path& path) {
  return path.filename().native().starts_with('.');
}

Result<Source> readStream(const std::string& name, std::istream& in) {
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return unreadable(name, "reading failed");
  return makeSource(name, std::move(text));
}

// Files below a folder; what cannot be listed goes to `wrong`.
std::vector<std::string> filesBelow(const fs::path& folder, Diagnostics& wrong) {
  std::vector<std::string> found;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink, failed);
  for (; !failed && at != fs::end(at); at.increment(failed)) {
    const auto& path = at->path();
    if (isHidden(path)) {
      at.disable_recursion_pending();
      continue;
    }
    if (at.depth() > 16) {  // a loop of links, in all likelihood
      wrong.push_back(unreadable(path.string(), "folders nest deeper than 16"));
      at.disable_recursion_pending();
      continue;
    }
    if (isYaml(path) && !at->is_directory(failed)) found.push_back(path.string());
  }
  if (failed) wrong.push_back(unreadable(folder.string(), failed.message()));
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Result<Source> readFile(const std::string& path, std::istream& standardInput) {
  if (path == "-") return readStream("standard input", standardInput);
  std::error_code failed;
  const auto status = fs::status(path, failed);
  if (!fs::exists(status)) return unreadable(path, failed ? failed.message() : "No such file or directory");
  if (fs::is_directory(status)) return unreadable(path, "it is a folder", "name a file");
  if (fs::is_regular_file(status) && fs::file_size(path, failed) > kMaxFileBytes) {
    return unreadable(path, "it is larger than 256 MiB");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return unreadable(path, errno != 0 ? std::strerror(errno) : "it cannot be opened");
  return readStream(path, in);
}

Result<std::vector<Source>> readTree(const std::string& path, std::istream& standardInput) {
  std::error_code failed;
  Diagnostics wrong;
  std::vector<std::string> files{path};
  if (path != "-" && fs::is_directory(path, failed)) files = filesBelow(path, wrong);
  std::vector<Source> sources;
  for (const auto& file : files) {
    auto source = readFile(file, standardInput);
    if (source) {
      sources.push_back(*std::move(source));
    } else {
      wrong.insert(wrong.end(), source.errors().begin(), source.errors().end());
    }
  }
  if (!wrong.empty()) return wrong;
  return sources;
}

}  // namespace driftbar::cli
