// Kubernetes' label selectors (metav1.LabelSelector, and the requirements that node selectors share with it).
//
// Parsed once, with every error; matching cannot fail. Source of the rules: apimachinery labels/selector.go
// and meta/v1/helpers.go LabelSelectorAsSelector. A missing label: In, Exists, Gt, Lt do not hold; NotIn and
// DoesNotExist do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "kube/labels.h"

namespace driftbar::kube {

enum class SelectorOperator { kIn, kNotIn, kExists, kDoesNotExist, kGreater, kLess };

// As it is written: In, NotIn, Exists, DoesNotExist, Gt, Lt.
std::string_view toString(SelectorOperator op);

// One requirement on one key. Gt and Lt (node selectors only) compare 64-bit integers.
struct Requirement {
  enum class Of { kLabelSelector, kNodeSelector };

  // Of {key, operator, values}, every error with its path. What the API server would not have in a typed
  // object, and so drops, is not looked at.
  static Result<Requirement> parse(Json expression, std::string_view path, Of kind);

  std::string key;
  SelectorOperator op = SelectorOperator::kExists;
  std::vector<std::string> values;
  std::int64_t bound = 0;  // of Gt and Lt

  bool matches(std::optional<std::string_view> value) const;  // nullopt: the label is not there

  friend bool operator==(const Requirement&, const Requirement&) = default;
};

// Of several requirements one must hold.
using Clause = std::vector<Requirement>;

class LabelSelector {
 public:
  LabelSelector() = default;  // matches everything, as an empty selector does
  // Of {matchLabels, matchExpressions}; operators In, NotIn, Exists, DoesNotExist. Unknown keys are errors,
  // and so is a selector that is not there: to Kubernetes it means nothing, to most people everything.
  static Result<LabelSelector> parse(Json selector, std::string_view path);

  bool matches(const Labels& labels) const;
  // All must hold. The pairs of matchLabels stand first, as In with one value.
  const std::vector<Requirement>& requirements() const { return requirements_; }

 private:
  std::vector<Requirement> requirements_;
};

}  // namespace driftbar::kube
