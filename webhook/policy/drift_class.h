// Classes of drift: words by which baselines say what differs, and classes of pods what hurts them. Eight are
// built in; any other is a team's own, and most likely a slip where it is used in one place only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/problems.h"
#include "policy/syntax.h"

namespace driftbar::policy {

std::span<const std::string_view> builtInDriftClasses();

struct DriftClassUse {
  std::string name;
  Location where;
};

// The classes that are written there, one or a list; what can't be one is reported. `of` is the key.
std::vector<DriftClassUse> driftClassesOf(const yaml::Node& node, std::string_view of, Problems& problems);

// Those in `drift: {class}` of a rule's condition.
void addDriftClasses(const syntax::Condition& condition, std::vector<DriftClassUse>& uses);

// `uses` are all of the set.
void warnOfLoneDriftClasses(std::span<const DriftClassUse> uses, Problems& problems);

}  // namespace driftbar::policy
