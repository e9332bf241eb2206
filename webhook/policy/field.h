// Field: a path from one of the roots that rules know (`pod`, `node`, `object`, `oldObject`, `request`,
// `namespace`, `templates[*]`, `ranks[*]`), or from an element inside of `where`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/field_path.h"
#include "policy/problems.h"
#include "policy/scope.h"
#include "policy/value.h"
#include "policy/zero_values.h"

namespace driftbar::policy {

struct Field {
  enum class Root { kPod, kNode, kObject, kOldObject, kRequest, kNamespace, kTemplates, kRanks, kElement };
  Root root = Root::kPod;
  std::vector<FieldPath> paths;   // below the root; `pod.containers` is three
  bool oneContainer = false;      // `pod.containers["x"]`: in whichever of the three it is
  std::string role;               // of kTemplates and kRanks: `ranks["worker"]`; empty: each
  std::optional<ZeroValue> zero;  // what absence means
  // The first of the paths; an element of a list is `[*]`, every kind of container `containers`.
  std::string pattern;
  const schema::Shape* shape =
      nullptr;  // of its values, of `some` and `every` of the elements; null: not known

  // What is wrong with the path is reported. `elements`: of `some` and `every`, whose path is a list's.
  static std::optional<Field> parse(const yaml::Node& node, std::string_view of, const Surroundings& around,
                                    bool elements, Problems& problems);

  // What a path is about, by its root alone: of SubjectRow's kPods, kNodes, kObjects.
  static unsigned aboutOf(std::string_view path);

  // Each value the path leads to; one unknown value where the root is not known, none where there is no such
  // root (a pod in a request that is about none).
  void each(const Scope& scope, Seen& seen) const;
  // Whether there is what the path begins at.
  bool hasRoot(const Scope& scope) const;
  // Where the path leads, as evidence has it, also where nothing is.
  std::string placeIn(const Scope& scope) const;
  // Each element, for `some` and `every`; the scope of it has `element` and `above` set. False where the root
  // is not known. `seen` gives false to stop.
  template <typename SeenScope>
  bool eachElement(const Scope& scope, const SeenScope& seen) const;

 private:
  struct Start {
    Json root;
    Trail top;
    bool known = true;
  };
  // Every root there is. `seen` gives false to stop.
  template <typename SeenStart>
  void starts(const Scope& scope, const SeenStart& seen) const;
  std::optional<Start> start(const Scope& scope) const;
  bool eachBelow(const Start& from, const Scope& scope, Seen& seen) const;
  std::optional<ZeroValue> zeroIn(const FieldPath& path, const Scope& scope) const;
  bool valuesOf(const FieldPath& path, const std::optional<ZeroValue>& absent, Json root, const Trail& at,
                Seen& seen) const;
  bool isThere(const FieldPath& path, Json root) const;
};

template <typename SeenStart>
void Field::starts(const Scope& scope, const SeenStart& seen) const {
  if (root != Root::kTemplates && root != Root::kRanks) {
    if (const auto only = start(scope)) seen(*only);
    return;
  }
  if (!scope.facts->podKnown) {
    seen(Start{{}, Trail{}, false});
    return;
  }
  for (const auto& one : scope.facts->allTemplates()) {
    const bool meant = (root == Root::kTemplates || one.ranks) && (role.empty() || role == one.role);
    if (meant && one.pod.exists() && !seen(Start{one.pod, one.top(), true})) return;
  }
}

template <typename SeenScope>
bool Field::eachElement(const Scope& scope, const SeenScope& seen) const {
  bool known = true;
  starts(scope, [&](const Start& from) {
    known = known && from.known;
    if (!from.known) return false;
    for (const auto& path : paths) {
      const bool on = walk(path.steps(), {}, from.root, scope.above != nullptr ? *scope.above : from.top,
                           [&](Json element, const Trail& at) {
                             if (!element.exists() || element.isNull()) return true;
                             Scope inner = scope;
                             inner.element = element;
                             inner.above = &at;
                             return seen(inner);
                           });
      if (!on) return false;
    }
    return true;
  });
  return known;
}

}  // namespace driftbar::policy
