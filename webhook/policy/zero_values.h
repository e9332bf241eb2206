// THE TABLE of fields whose absence means a value to Kubernetes: an absent toleration key is "", its operator
// Equal.
//
// Sources: the comments and defaults of k8s.io/api core/v1 (types.go) and SetDefaults_* of
// pkg/apis/core/v1/defaults.go. Left out is what depends on another field or object: a container's
// runAsNonRoot (the pod's), imagePullPolicy (the tag), env[*].value (valueFrom),
// automountServiceAccountToken (the account's).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/field_path.h"
#include "policy/value.h"

namespace driftbar::policy {

struct ZeroValue {
  std::string_view
      field;  // below a pod or node; a list's element is `[*]`, every kind of container `containers`
  Value::Kind kind;
  std::string_view text;  // `true`, `30`, `Always`
  // How many of the maps above the leaf may be missing too: an absent securityContext is not privileged, but
  // a volume without hostPath has no type of one.
  std::size_t missingMaps = 0;

  Value value() const;
};

std::span<const ZeroValue> zeroValues();
// Null where absence of the field means nothing in particular.
const ZeroValue* zeroValueOf(std::string_view pattern);

// A path as the table has it.
std::string patternOf(std::span<const PathStep> steps);

}  // namespace driftbar::policy
