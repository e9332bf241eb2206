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
    {"gpu.driver", "version of the driver"},
    {"gpu.count", "how many there are"},
    {"gpu.product", "the model"},
    {"gpu.vbios", "version of the VBIOS"},
    {"gpu.mig", "how they are split"},
    {"gpu.fabricmanager", "version of the fabric manager"},
    {"rdma.devices", "how many there are"},
    {"rdma.state", "of their ports"},
    {"rdma.gidIndex", "the index of the GID in use"},
    {"rdma.pkeys", "the partitions they are in"},
    {"rdma.peermem", "whether they reach the memory of GPUs: true or false"},
    {"pci.acs", "off, on or mixed"},
    {"pci.linkWidth", "number of lanes"},
    {"pci.linkSpeed", "number, in GT/s"},
    {"selinux.mode", "enforcing, permissive or disabled"},
    {"selinux.policy", "hash of the policy"},
    {"apparmor.profiles", "hash of the profiles"},
    {"runtime.version", "version of the container runtime"},
    {"kubelet.version", "version of the kubelet"},
    {"kubelet.config", "hash of its configuration"},
    {"kubelet.flags", "hash of its flags"},
    {"nic[NAME].mtu", "of all fabric NICs, which must agree, or of `nic[NAME].mtu`"},
    {"nic[NAME].driver", "its driver"},
    {"nic[NAME].firmware", "version of its firmware"},
    {"nic[NAME].speed", "number, in Mb/s"},
    {"kernel.version", "version of the kernel"},
    {"kernel.cmdline[NAME]", "the value of a parameter of its command line", kOnlyOfOne},
    {"kernel.module[NAME]", "`loaded`, or the version of the module", kOnlyOfOne},
    {"kernel.moduleParam[NAME.PARAM]", "the value of a module's parameter", kOnlyOfOne},
    {"os.image", "the distribution and its version"},
    {"os.packages", "hash of what is installed"},
    {"os.swap", "true or false"},
    {"os.thp", "transparent huge pages: always, madvise or never"},
    {"os.hugepages[SIZE]", "how many of a size are set aside", kOnlyOfOne},
    {"os.numaBalancing", "true or false"},
    {"os.cpuGovernor", "the governor of the CPUs' frequency"},
    {"os.memlock", "the limit of locked memory"},
    {"os.timeSync", "true or false"},
    {"storage.fsync.p50ms", "milliseconds that half of all fsyncs take at most"},
    {"storage.fsync.p99ms", "milliseconds that 99 of 100 fsyncs take at most"},
    {"storage.mount[PATH]", "the options that it is mounted with", kOnlyOfOne},
    {"file[PATH]", "hash of the file", kOnlyOfOne},
    {"nccl.conf", "hash of NCCL's configuration on the host"},
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

std::string plainName(const FactRow& row) {
  return asked(row.name).name;
}

bool hasBrackets(const FactRow& row) {
  return row.name.find('[') != std::string_view::npos;
}

const FactRow* factRow(std::string_view plain) {
  for (const auto& row : kFacts) {
    if (plainName(row) == plain) return &row;
  }
  return nullptr;
}

// Whether a glob could fit a name: by what stands before its first `*`.
bool couldFit(std::string_view glob) {
  const auto begin = glob.substr(0, glob.find('*'));
  const auto name = begin.substr(0, begin.find('['));
  return std::any_of(std::begin(kFacts), std::end(kFacts), [&](const FactRow& row) {
    const std::string plain = plainName(row);
    return plain.starts_with(name) || (hasBrackets(row) && name.starts_with(plain));
  });
}

std::string helpFor(const FactRow* row, std::string_view plain) {
  if (row != nullptr) return "write `" + std::string(row->name) + "`";
  std::vector<std::string> names;
  for (const auto& each : kFacts) names.push_back(plainName(each));
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto meant = nearest(plain, candidates);
  if (meant.empty()) return "see the table of facts in docs/reference/policy.md";
  return "did you mean `" + std::string(factRow(meant)->name) + "`?";
}

}  // namespace

std::span<const FactRow> factTable() {
  return kFacts;
}

bool checkFact(const yaml::Node& word, Problems& problems) {
  if (isGlob(word.scalar) && couldFit(word.scalar)) return true;
  const Asked fact = asked(word.scalar);
  const FactRow* row = factRow(fact.name);
  const bool known = row != nullptr && fact.good && (fact.brackets ? hasBrackets(*row) : row->alone);
  // `nic.mtu[eth0]` has them in the wrong place.
  const bool inPlace = known && (!fact.brackets || word.scalar.find('[') == row->name.find('['));
  if (inPlace) return true;
  problems.error(word.where, "unknown-fact", "no agent reports a fact `" + printable(word.scalar) + "`",
                 helpFor(row, fact.name));
  return false;
}

}  // namespace driftbar::policy
