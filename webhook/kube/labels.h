// Labels: the text pairs of metadata.labels, metadata.annotations and the like, as a sorted view.
//
// Holds views into the document that the object came from, so it must not outlive that document.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace driftbar::kube {

class Labels {
 public:
  using Pair = std::pair<std::string_view, std::string_view>;

  Labels() = default;
  // Of a map of texts. A missing or null map gives none. Values that are not text are left out: a typed API
  // object never has them, and checked() refuses them in what people wrote.
  explicit Labels(Json map);
  // The same, with an error for each value that is not text (`gpu: true` in YAML), at `path`.
  static Result<Labels> checked(Json map, std::string_view path);

  std::optional<std::string_view> find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key).has_value(); }
  const std::vector<Pair>& pairs() const { return pairs_; }  // sorted by key
  bool empty() const { return pairs_.empty(); }

 private:
  std::vector<Pair> pairs_;
};

}  // namespace driftbar::kube
