// THE TABLE of built-in workload classes: which pods belong to `training`.
#pragma once

#include <span>
#include <string_view>

#include "policy/facts.h"
#include "policy/truth.h"

namespace driftbar::policy {

struct WorkloadClassRow {
  std::string_view name;
  std::string_view doc;
  // Null: part of the language, not of this version.
  Truth (*has)(const Facts& facts);
};

std::span<const WorkloadClassRow> workloadClasses();

}  // namespace driftbar::policy
