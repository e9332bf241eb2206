#include "base/source.h"

#include <utility>

namespace driftbar {

std::string_view SourceText::line(int wanted) const {
  std::string_view rest = text;
  for (int at = 1; at < wanted; ++at) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  std::string_view found = rest.substr(0, rest.find('\n'));
  if (!found.empty() && found.back() == '\r') found.remove_suffix(1);
  return found;
}

Source makeSource(std::string name, std::string text) {
  return std::make_shared<const SourceText>(SourceText{std::move(name), std::move(text)});
}

}  // namespace driftbar
