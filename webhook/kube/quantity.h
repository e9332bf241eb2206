// Kubernetes quantities (`500m`, `0.5`, `512Mi`, `1e3`), compared by value.
//
// Source of the rules: apimachinery api/resource/quantity.go. Kept as whole nanos in 128 bits: what is finer
// is rounded up, away from zero, and what is larger than 2^63-1 is capped to it, as there.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace driftbar::kube {

__extension__ using Int128 = __int128;

class Quantity {
 public:
  constexpr Quantity() = default;  // 0
  static std::optional<Quantity> parse(std::string_view text);
  static Quantity of(std::int64_t whole);

  // As Kubernetes' Value() and MilliValue(): rounded up; MilliValue is capped to 64 bits.
  std::int64_t value() const;
  std::int64_t milliValue() const;

  friend Quantity operator+(Quantity a, Quantity b) { return Quantity(a.nanos_ + b.nanos_); }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  explicit constexpr Quantity(Int128 nanos) : nanos_(nanos) {}
  Int128 nanos_ = 0;
};

}  // namespace driftbar::kube
