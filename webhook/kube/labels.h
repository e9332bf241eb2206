// Labels: the text pairs of metadata.labels, metadata.annotations and the like, as a sorted view.
//
// Holds views into the document that the object came from, so it must not outlive that document. Beside the
// pairs sit hashes of keys and of whole pairs: looking for one label on each of 5,000 nodes then touches a
// few lines of memory a node, where a binary search would touch a key at every step.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace driftbar::kube {

// Whether the API server takes it as a label's key (which is what it calls a qualified name) or value.
// Source: apimachinery api/validate/content/kube.go.
bool isLabelKey(std::string_view key);
bool isLabelValue(std::string_view value);

class Labels {
 public:
  using Pair = std::pair<std::string_view, std::string_view>;

  Labels() = default;
  // Of a map of texts. A missing or null map gives none. Values that are not text are left out: a typed API
  // object never has them, and checked() refuses them in what people wrote.
  explicit Labels(Json map);
  // The same, with an error for each value that is not text (`gpu: true` in YAML), at `path`.
  static Result<Labels> checked(Json map, std::string_view path);

  std::optional<std::string_view> find(std::string_view key) const { return find(key, hash(key)); }
  bool has(std::string_view key) const { return find(key).has_value(); }
  const std::vector<Pair>& pairs() const { return pairs_; }  // sorted by key
  bool empty() const { return pairs_.empty(); }
  friend bool operator==(const Labels& a, const Labels& b) { return a.pairs_ == b.pairs_; }

  // For those who look for one key or one pair in many: `keyHash` is hash(key), `pairHash` hash(key, value).
  static std::uint32_t hash(std::string_view key);
  static std::uint32_t hash(std::string_view key, std::string_view value);
  std::optional<std::string_view> find(std::string_view key, std::uint32_t keyHash) const;
  bool hasPair(std::string_view key, std::string_view value, std::uint32_t pairHash) const;

 private:
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> hashes_;  // of the keys of pairs_, in their order; then of the pairs
};

}  // namespace driftbar::kube
