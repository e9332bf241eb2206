#include "cluster/text_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace driftbar::cluster {
namespace {

// A kubeconfig of hundreds of clusters is some hundred kB, a bundle of all public authorities 250 kB.
constexpr std::streamsize kMaxBytes = 16 * 1024 * 1024;

Diagnostic unreadable(const std::string& path, const std::string& what, const std::string& why) {
  return error("unreadable-file", "cannot read " + what + " `" + path + "`: " + why,
               "check that the file is there and that this process may read it");
}

}  // namespace

Result<std::string> readText(const std::string& path, const std::string& what) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return unreadable(path, what, "it is a folder");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return unreadable(path, what, std::generic_category().message(errno));
  std::string text(static_cast<std::size_t>(kMaxBytes) + 1, '\0');
  file.read(text.data(), kMaxBytes + 1);
  if (file.bad()) return unreadable(path, what, std::generic_category().message(errno));
  if (file.gcount() > kMaxBytes) return unreadable(path, what, "it is larger than 16 MiB");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::string resolved(const std::string& path, const std::string& folder) {
  const std::filesystem::path as(path);
  return as.is_absolute() ? path : (std::filesystem::path(folder) / as).lexically_normal().string();
}

}  // namespace driftbar::cluster
