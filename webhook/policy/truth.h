// Truth: yes, no, or it can't be told. Missing data never passes by accident.
#pragma once

#include <algorithm>

namespace driftbar::policy {

// In this order `and` is the least and `or` the greatest (Kleene's logic).
enum class Truth { kFalse, kUnknown, kTrue };

constexpr Truth truthOf(bool b) {
  return b ? Truth::kTrue : Truth::kFalse;
}
constexpr Truth operator!(Truth t) {
  return t == Truth::kUnknown ? t : truthOf(t == Truth::kFalse);
}
constexpr Truth both(Truth a, Truth b) {
  return std::min(a, b);
}
constexpr Truth either(Truth a, Truth b) {
  return std::max(a, b);
}

}  // namespace driftbar::policy
