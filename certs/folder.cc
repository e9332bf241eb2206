#include "certs/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace driftbar::certs {
namespace {

namespace fs = std::filesystem;

using Wrong = std::optional<Diagnostic>;

Diagnostic unwritable(const std::string& path, const std::string& reason) {
  return error("certificates-not-written", "can't be written: " + reason,
               "give a folder that this user may write to", path);
}

Wrong lastWrong(const std::string& path) {
  return unwritable(path, std::strerror(errno));
}

// The bytes are on disk when this returns, or a crash could leave an empty file under the final name.
Wrong writeFile(const std::string& path, const std::string& text, mode_t mode) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) return lastWrong(path);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t more = write(file, text.data() + done, text.size() - done);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    done += static_cast<std::size_t>(more);
  }
  const bool fine = done == text.size() && fchmod(file, mode) == 0 && fsync(file) == 0;
  Wrong wrong = fine ? std::nullopt : lastWrong(path);
  close(file);
  return wrong;
}

// Makes `path` a link to `target`, in one step even where something is there.
Wrong pointTo(const std::string& path, const std::string& target) {
  const std::string next = path + ".next";
  unlink(next.c_str());
  if (symlink(target.c_str(), next.c_str()) != 0 || rename(next.c_str(), path.c_str()) != 0)
    return lastWrong(path);
  return std::nullopt;
}

struct File {
  const char* name;
  const std::string& text;
  mode_t mode;
};

// A name that mkdtemp made of our pattern, so that nothing but our own folder is ever removed.
bool isOurs(const std::string& name) {
  return name.size() == std::strlen("..XXXXXX") && name.starts_with("..") &&
         name.find('/') == std::string::npos;
}

Wrong writeAll(const std::string& folder, const std::string& inner, const OwnCertificates& all) {
  const std::array files{
      File{"ca.crt", all.authority.certificate, 0644}, File{"ca.key", all.authority.key, 0600},
      File{"tls.crt", all.serving.certificate, 0644}, File{"tls.key", all.serving.key, 0600}};
  for (const auto& file : files)
    if (auto wrong = writeFile(inner + "/" + file.name, file.text, file.mode)) return wrong;
  for (const auto& file : files)
    if (auto wrong = pointTo(folder + "/" + file.name, std::string("..data/") + file.name)) return wrong;
  return pointTo(folder + "/..data", fs::path(inner).filename().string());
}

std::string readWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Result<OwnCertificates> issue(const Names& names, Instant now) {
  auto authority = makeAuthority("driftbar authority", now);
  if (!authority) return std::move(authority).errors();
  auto serving = issueServing(*authority, names, now);
  if (!serving) return std::move(serving).errors();
  return OwnCertificates{std::move(authority).value(), std::move(serving).value()};
}

}  // namespace

Result<std::string> writeFolder(const std::string& folder, const OwnCertificates& certificates) {
  std::error_code failure;
  if (fs::create_directories(folder, failure)) fs::permissions(folder, fs::perms::owner_all, failure);
  if (failure) return unwritable(folder, failure.message());
  const std::string dataLink = folder + "/..data";
  const fs::path before = fs::read_symlink(dataLink, failure);
  std::string inner = folder + "/..XXXXXX";
  if (mkdtemp(inner.data()) == nullptr) return *lastWrong(folder);
  if (auto wrong = writeAll(folder, inner, certificates)) {
    fs::remove_all(inner, failure);
    return std::move(*wrong);
  }
  if (isOurs(before.string())) fs::remove_all(fs::path(folder) / before, failure);
  return folder;
}

Result<Loaded> loadOrMake(const std::string& folder, const Names& names, Instant now) {
  const PairFiles files = PairFiles::in(folder);
  bool made = false;
  std::error_code unseen;  // what can't be looked at is told by the loading
  if (!fs::exists(files.chain, unseen) && !fs::exists(files.key, unseen) && !unseen) {
    const auto all = issue(names, now);
    if (!all) return all.errors();
    if (auto written = writeFolder(folder, *all); !written) return std::move(written).errors();
    made = true;
  }
  auto serving = loadServing(files, now);
  if (!serving) return std::move(serving).errors();
  return Loaded{std::move(serving).value(), readWhole(folder + "/ca.crt"), made};
}

}  // namespace driftbar::certs
