// THE TABLE of match keys: which requests a policy looks at. A new key is a new row.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "policy/policy.h"
#include "policy/problems.h"
#include "policy/vocabulary.h"

namespace driftbar::policy {

struct MatchRow {
  std::string_view name;
  std::string_view doc;
  std::string_view example;
  // Reports what is wrong, and gives nothing then.
  std::optional<Match::Key> (*compile)(const yaml::Node& node, Problems& problems);
};

std::span<const MatchRow> matchTable();

// What `match` says; null stands for an absent one. Where it says nothing of resources and operations, it
// means pods, created or updated.
Match compileMatch(const yaml::Node* node, Problems& problems);
// An entry of `except`, where what is not said is no limit.
Match compileExcept(const yaml::Node& node, Problems& problems);

}  // namespace driftbar::policy
