// THE TABLE of match keys: which requests a policy looks at. A new key is a new row.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "policy/policy.h"
#include "policy/problems.h"
#include "policy/vocabulary.h"
#include "policy/workload_class.h"
#include "policy/workload_kind_document.h"

namespace driftbar::policy {

// What documents of the set declare, and others refer to by name.
struct Declared {
  std::shared_ptr<const WorkloadClasses> classes = std::make_shared<const WorkloadClasses>();
  std::shared_ptr<const workload::Kinds> kinds = shippedKinds();
};

struct MatchRow {
  // What it may take to tell, from the cheapest: the request, what is watched (and read for the moment until
  // the watch has brought it), reads.
  enum class Asks { kRequest, kWatched, kRead };

  std::string_view name;
  std::string_view doc;
  std::string_view example;
  Written written;
  // Reports what is wrong, and gives nothing then.
  std::optional<Match::Key> (*compile)(const yaml::Node& node, const Declared& declared, Problems& problems);
  Asks asks = Asks::kRequest;
};

std::span<const MatchRow> matchTable();
const KeySet& matchKeys();

// What `match` says; null stands for an absent one. Where it says nothing of operations, everything but
// deleting is meant; what it says nothing of resources, each rule's subjects do.
Match compileMatch(const yaml::Node* node, const Declared& declared, Problems& problems);
// An entry of `except`, or what an exemption matches, where what is not said is no limit.
Match compileExcept(const yaml::Node& node, std::string_view of, const Declared& declared,
                    Problems& problems);

}  // namespace driftbar::policy
