#include "yaml/places.h"

#include <algorithm>
#include <utility>

namespace driftbar::yaml {

Places::Places(Source source) : source_(std::move(source)), starts_{0} {
  for (std::size_t at = text().find('\n'); at != std::string_view::npos; at = text().find('\n', at + 1)) {
    starts_.push_back(at + 1);
  }
}

std::size_t Places::lineStart(std::size_t offset) const {
  return *std::prev(std::upper_bound(starts_.begin(), starts_.end(), offset));
}

Location Places::at(std::size_t offset, std::size_t width) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = after - starts_.begin();
  return {source_, static_cast<int>(line), static_cast<int>(offset - *std::prev(after)) + 1,
          static_cast<int>(std::max<std::size_t>(width, 1))};
}

std::string_view Places::indentation(std::size_t offset) const {
  const auto line = text().substr(lineStart(offset));
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

}  // namespace driftbar::yaml
