// FieldPath: where in an object a value sits, as people write it in rules and as messages show it.
//
//   spec.containers[*].env["NCCL_DEBUG"].value      metadata.labels["example.com/pool"] spec.taints[0].key
//
// `.name` and `["key"]` step into a map; `["key"]` on a list picks the element of that merge key (`name` in
// containers, volumes, env; `type` in conditions; `key` in taints); `[3]` picks by number; `[*]` is every
// element of a list or every value of a map.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace driftbar {

struct PathStep {
  enum class Kind { kKey, kIndex, kEach };
  Kind kind = Kind::kKey;
  std::string key;
  std::size_t index = 0;
  friend bool operator==(const PathStep&, const PathStep&) = default;
};

class FieldPath {
 public:
  FieldPath() = default;
  explicit FieldPath(std::vector<PathStep> steps) : steps_(std::move(steps)) {}
  // Errors carry the byte offset (from 0) of what is wrong in `where.column`, and no source.
  static Result<FieldPath> parse(std::string_view text);

  const std::vector<PathStep>& steps() const { return steps_; }
  bool empty() const { return steps_.empty(); }
  bool hasEach() const;                    // has a [*]
  FieldPath from(std::size_t step) const;  // without the first steps

  // Calls `seen` with the place (written out, with keys or numbers where the path has [*]) and the value of
  // each thing that the path leads to below `root`. An element or map without the leaf is seen once as a
  // missing value; a [*] over nothing sees nothing.
  void each(Json root, const std::function<void(const std::string& place, Json value)>& seen) const;

  std::string toString() const;

 private:
  std::vector<PathStep> steps_;
};

// The key by which Kubernetes merges a list of this name (containers, volumes, env, … by `name`; conditions
// by `type`; taints by `key`); empty where it has none.
std::string_view mergeKey(std::string_view listName);

// One step written: `.key`, or `["key/with.dots"]`.
std::string pathStep(std::string_view key);

}  // namespace driftbar
