#include "policy/fact_table.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/glob.h"
#include "base/text.h"

namespace driftbar::policy {
namespace {

constexpr bool kOnlyOfOne = false;

constexpr FactRow kFacts[] = {
    {"gpu.driver", "", "version of the driver"},
    {"gpu.count", "", "how many there are"},
    {"gpu.product", "", "the model"},
    {"gpu.vbios", "", "version of the VBIOS"},
    {"gpu.mig", "", "how they are split"},
    {"gpu.fabricmanager", "", "version of the fabric manager"},
    {"rdma.devices", "", "how many there are"},
    {"rdma.state", "", "of their ports"},
    {"rdma.gidIndex", "", "the index of the GID in use"},
    {"rdma.pkeys", "", "the partitions they are in"},
    {"rdma.peermem", "", "whether they reach the memory of GPUs: true or false"},
    {"pci.acs", "", "off, on or mixed"},
    {"pci.linkWidth", "", "number of lanes"},
    {"pci.linkSpeed", "", "number, in GT/s"},
    {"selinux.mode", "", "enforcing, permissive or disabled"},
    {"selinux.policy", "", "hash of the policy"},
    {"apparmor.profiles", "", "hash of the profiles"},
    {"runtime.version", "", "version of the container runtime"},
    {"kubelet.version", "", "version of the kubelet"},
    {"kubelet.config", "", "hash of its configuration"},
    {"kubelet.flags", "", "hash of its flags"},
    {"nic.mtu", "NAME", "of all fabric NICs, which must agree, or of `nic[NAME].mtu`"},
    {"nic.driver", "NAME", "its driver"},
    {"nic.firmware", "NAME", "version of its firmware"},
    {"nic.speed", "NAME", "number, in Mb/s"},
    {"kernel.version", "", "version of the kernel"},
    {"kernel.cmdline", "NAME", "the value of a parameter of its command line", kOnlyOfOne},
    {"kernel.module", "NAME", "`loaded`, or the version of the module", kOnlyOfOne},
    {"kernel.moduleParam", "NAME.PARAM", "the value of a module's parameter", kOnlyOfOne},
    {"os.image", "", "the distribution and its version"},
    {"os.packages", "", "hash of what is installed"},
    {"os.swap", "", "true or false"},
    {"os.thp", "", "transparent huge pages: always, madvise or never"},
    {"os.hugepages", "SIZE", "how many of a size are set aside", kOnlyOfOne},
    {"os.numaBalancing", "", "true or false"},
    {"os.cpuGovernor", "", "the governor of the CPUs' frequency"},
    {"os.memlock", "", "the limit of locked memory"},
    {"os.timeSync", "", "true or false"},
    {"storage.fsync.p50ms", "", "milliseconds that half of all fsyncs take at most"},
    {"storage.fsync.p99ms", "", "milliseconds that 99 of 100 fsyncs take at most"},
    {"storage.mount", "PATH", "the options that it is mounted with", kOnlyOfOne},
    {"file", "PATH", "hash of the file", kOnlyOfOne},
    {"nccl.conf", "", "hash of NCCL's configuration on the host"},
};

// A name without its brackets, which stand behind its first or its last word.
struct Asked {
  std::string name;
  bool brackets = false;
  bool good = true;
};

Asked asked(std::string_view word) {
  const auto open = word.find('[');
  if (open == std::string_view::npos)
    return {std::string(word), false, word.find(']') == std::string_view::npos};
  // What is in brackets may hold brackets itself: a path does.
  const auto close = word.rfind(']');
  const bool good = close != std::string_view::npos && close > open + 1 &&
                    (close + 1 == word.size() || word[close + 1] == '.');
  if (!good) return {std::string(word.substr(0, open)), true, false};
  return {std::string(word.substr(0, open)) + std::string(word.substr(close + 1)), true, true};
}

std::string written(const FactRow& row) {
  if (row.of.empty()) return std::string(row.name);
  const std::string brackets = "[" + std::string(row.of) + "]";
  const auto dot = row.alone ? row.name.find('.') : std::string_view::npos;  // nic[NAME].mtu
  if (dot == std::string_view::npos) return std::string(row.name) + brackets;
  return std::string(row.name.substr(0, dot)) + brackets + std::string(row.name.substr(dot));
}

const FactRow* factRow(std::string_view name) {
  for (const auto& row : kFacts) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// Whether a glob could fit a name: by what stands before its first `*`.
bool couldFit(std::string_view glob) {
  const auto begin = glob.substr(0, glob.find('*'));
  const auto name = begin.substr(0, begin.find('['));
  return std::any_of(std::begin(kFacts), std::end(kFacts), [&](const FactRow& row) {
    return row.name.starts_with(name) || (!row.of.empty() && name.starts_with(row.name));
  });
}

std::string helpFor(const FactRow* row, std::string_view name) {
  if (row != nullptr) return "write `" + written(*row) + "`";
  std::vector<std::string_view> names;
  for (const auto& each : kFacts) names.push_back(each.name);
  const auto meant = nearest(name, names);
  if (meant.empty()) return "see the table of facts in docs/reference/policy.md";
  return "did you mean `" + written(*factRow(meant)) + "`?";
}

}  // namespace

std::span<const FactRow> factTable() {
  return kFacts;
}

bool checkFact(const yaml::Node& word, Problems& problems) {
  if (isGlob(word.scalar) && couldFit(word.scalar)) return true;
  const Asked fact = asked(word.scalar);
  const FactRow* row = factRow(fact.name);
  const bool good = row != nullptr && fact.good && (fact.brackets ? !row->of.empty() : row->alone);
  // `nic.mtu[eth0]` has them in the wrong place.
  const bool rightPlace =
      !fact.brackets || row == nullptr || !row->alone || word.scalar.find('[') < word.scalar.find('.');
  if (good && rightPlace) return true;
  problems.error(word.where, "unknown-fact", "no agent reports a fact `" + printable(word.scalar) + "`",
                 helpFor(row, fact.name));
  return false;
}

}  // namespace driftbar::policy
