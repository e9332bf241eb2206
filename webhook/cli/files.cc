#include "cli/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
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

Result<Source> readStream(const std::string& name, std::istream& in, std::size_t most) {
  std::string text;
  char piece[64 * 1024];
  while (in.read(piece, sizeof piece), in.gcount() > 0) {
    text.append(piece, static_cast<std::size_t>(in.gcount()));
    if (text.size() > most)
      return unreadable(name, "it is larger than " + std::to_string(most >> 20U) + " MiB");
  }
  if (in.bad()) return unreadable(name, "reading failed");
  return makeSource(name, std::move(text));
}

// The walk through a folder and those below it, links followed; what cannot be listed goes to `wrong`.
class Walk {
 public:
  // Takes `folder` and all below.
  void enter(const fs::path& folder) {
    std::error_code failed;
    const auto place = fs::canonical(folder, failed);
    if (failed) return trouble(folder, failed.message());
    if (std::find(above_.begin(), above_.end(), place) != above_.end())
      return trouble(folder, "it links back to a folder that it is in");
    if (above_.size() > kDeepest) return trouble(folder, "folders nest too deep");
    above_.push_back(place);
    fs::directory_iterator at(folder, failed);
    for (; !failed && at != fs::end(at); at.increment(failed)) take(*at);
    if (failed) trouble(folder, failed.message());
    above_.pop_back();
  }

  std::vector<std::string> found;
  Diagnostics wrong;

 private:
  static constexpr std::size_t kDeepest = 16;  // people nest three or four

  void take(const fs::directory_entry& entry) {
    if (isHidden(entry.path())) return;
    std::error_code failed;  // a link to nothing is no folder; reading it says what is wrong
    if (entry.is_directory(failed)) return enter(entry.path());
    if (isYaml(entry.path())) found.push_back(entry.path().string());
  }
  void trouble(const fs::path& folder, const std::string& why) {
    wrong.push_back(unreadable(folder.string(), why));
  }

  std::vector<fs::path> above_;  // the folders that this one is in, as they are without links
};

}  // namespace

Result<Source> readFile(const std::string& path, std::istream& standardInput, const Readable& readable) {
  if (path == "-") return readStream("standard input", standardInput, readable.mostBytes);
  std::error_code failed;
  const auto status = fs::status(path, failed);
  if (!fs::exists(status)) return unreadable(path, failed ? failed.message() : "No such file or directory");
  if (fs::is_directory(status)) return unreadable(path, "it is a folder", "name a file");
  if (!fs::is_regular_file(status) && !readable.pipes) {
    return unreadable(path, "it is no regular file", "take it out of the way");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return unreadable(path, errno != 0 ? std::strerror(errno) : "it cannot be opened");
  return readStream(path, in, readable.mostBytes);
}

Result<std::vector<Source>> readTree(const std::string& path, std::istream& standardInput,
                                     const Readable& readable) {
  std::error_code failed;
  Walk walk;
  const bool folder = path != "-" && fs::is_directory(path, failed);
  if (folder) {
    walk.enter(path);
    std::sort(walk.found.begin(), walk.found.end());
  } else {
    walk.found.push_back(path);
  }
  Diagnostics& wrong = walk.wrong;
  std::vector<Source> sources;
  for (const auto& file : walk.found) {
    auto source = readFile(file, standardInput, {readable.mostBytes, readable.pipes && !folder});
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
