// A value that the absence of a field means to Kubernetes: an absent toleration key is "", its operator
// Equal.
//
// Which fields those are, schema/defaults.txt says.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "policy/value.h"
#include "schema/follow.h"

namespace driftbar::policy {

struct ZeroValue {
  Value::Kind kind;       // text, number or boolean
  std::string_view text;  // `true`, `30`, `Always`
  // How many of the maps above the leaf may be missing too: an absent securityContext is not privileged, but
  // a volume without hostPath has no type of one.
  std::size_t missingMaps = 0;

  // Of the field that a path leads to; nothing where its absence means nothing in particular.
  static std::optional<ZeroValue> of(const schema::Walk& walk);

  Value value() const;
};

}  // namespace driftbar::policy
