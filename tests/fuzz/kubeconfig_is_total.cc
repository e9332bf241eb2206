// Any text gives access or is refused in words. Files that an entry names are not there: paths are taken from
// a folder that is none, and an input with a path that leaves it is passed over.
#include <algorithm>
#include <string>
#include <vector>

#include "cluster/kubeconfig.h"
#include "fuzz/property.h"
#include "yaml/yaml.h"

using namespace driftbar;

namespace {

constexpr std::string_view kFileKeys[] = {"certificate-authority", "client-certificate", "client-key"};

bool leaves(std::string_view path) {
  return path.starts_with('/') || path.find("..") != std::string_view::npos;
}

bool namesAFile(const yaml::Node& node) {
  const auto inEntry = [](const yaml::Node::Entry& entry) {
    const bool isPath =
        std::find(std::begin(kFileKeys), std::end(kFileKeys), entry.key.scalar) != std::end(kFileKeys);
    return (isPath && leaves(entry.value.scalar)) || namesAFile(entry.value);
  };
  return std::any_of(node.items.begin(), node.items.end(), namesAFile) ||
         std::any_of(node.entries.begin(), node.entries.end(), inEntry);
}

void checkAccess(const cluster::Access& access) {
  fuzz::require(access.credentials != nullptr, "access has credentials");
  fuzz::require(!access.server.host.empty(), "access has a host");
  fuzz::require(access.server.port > 0 && access.server.port < 65536, "access has a port");
  fuzz::requireShowableLine(access.server.url(), "a server's address");
  const auto again = cluster::Server::parse(access.server.url());
  fuzz::require(again.ok() && again->url() == access.server.url(), "a server's address is one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto source = makeSource("/dev/null/config", std::string(fuzz::textOf(data, size)));
  const auto documents = yaml::parse(source);
  if (documents && std::any_of(documents->begin(), documents->end(), namesAFile)) return 0;
  const std::vector<Source> sources{source};
  const auto access = cluster::accessFrom(sources, {});
  if (access) {
    checkAccess(*access);
  } else {
    fuzz::requireErrors(access.errors());
    for (const auto& error : access.errors())
      fuzz::require(error.where.source != nullptr, "each error says where");
  }
  return 0;
}
