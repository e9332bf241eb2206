// THE TABLE OF FACTS: what a node's agent reports, by the names that rules ask for.
//
// Some are asked of one thing, in brackets: `kernel.cmdline[iommu]`, `nic[eth0].mtu`.
#pragma once

#include <span>
#include <string_view>

#include "policy/problems.h"

namespace driftbar::policy {

struct FactRow {
  std::string_view name;  // as it is written; what stands in brackets is one of many: `nic[NAME].mtu`
  std::string_view doc;
  bool alone = true;  // it may be asked without brackets
};

std::span<const FactRow> factTable();

// A name or a glob; reports one that no agent reports, with the nearest.
bool checkFact(const yaml::Node& word, Problems& problems);

}  // namespace driftbar::policy
