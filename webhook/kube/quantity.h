// Kubernetes quantities (`500m`, `0.5`, `512Mi`, `1e3`), compared by value.
//
// Source of the rules: apimachinery api/resource/quantity.go. Kept as whole nanos in 128 bits: what is finer
// is rounded up, away from zero, as there. With a binary suffix what is larger than 2^63-1 is capped to it,
// as there; with a decimal one Kubernetes has no limit, and here 10^29 is the largest: all beyond it are
// equal. Sums stop there too.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace driftbar::kube {

__extension__ using Int128 = __int128;

class Quantity {
 public:
  constexpr Quantity() = default;  // 0
  // No white space. What looks odd and is one in Kubernetes is one here: `.5`, `5.`, `+5`, `k` (0), `-` (0).
  static std::optional<Quantity> parse(std::string_view text);
  // As the API server reads it in an object: text, spaces around it aside, or a number; null is 0.
  static std::optional<Quantity> read(Json value);
  static Quantity of(std::int64_t whole);
  static Quantity ofMilli(std::int64_t milli);

  // As Kubernetes' Value() and MilliValue(): rounded up, away from zero. Capped to 64 bits, where those give
  // nonsense.
  std::int64_t value() const;
  std::int64_t milliValue() const;

  friend Quantity operator+(Quantity a, Quantity b);
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

  // In the largest unit that leaves a whole number (`512Mi`, `1500m`, `8`): the binary one where there is
  // one.
  std::string toString() const;

 private:
  explicit constexpr Quantity(Int128 nanos) : nanos_(nanos) {}
  Int128 nanos_ = 0;
};

}  // namespace driftbar::kube
