#include "decision/words.h"

#include <algorithm>

namespace driftbar::decision {

std::string filled(std::string_view pattern, std::span<const Placeholder> values) {
  std::string out;
  while (!pattern.empty()) {
    const auto open = std::min(pattern.find('{'), pattern.size());
    out += pattern.substr(0, open);
    pattern.remove_prefix(open);
    const auto close = pattern.find('}');
    const auto name = close == std::string_view::npos ? std::string_view{} : pattern.substr(1, close - 1);
    const auto value =
        std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == name; });
    const bool known = !name.empty() && value != values.end();
    if (known) out += value->second;
    const auto taken = known ? close + 1 : std::min<std::size_t>(1, pattern.size());
    if (!known) out += pattern.substr(0, taken);
    pattern.remove_prefix(taken);
  }
  return out;
}

}  // namespace driftbar::decision
