#include "decision/words.h"

#include <algorithm>
#include <chrono>

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

std::string endOf(const policy::Exemption& exemption) {
  constexpr std::size_t kDay = 10;  // 2026-12-24
  const auto day = std::chrono::floor<std::chrono::days>(exemption.expires);
  if (day != exemption.expires) return driftbar::toString(exemption.expires);
  return driftbar::toString(Instant(day - std::chrono::days(1))).substr(0, kDay);
}

}  // namespace driftbar::decision
