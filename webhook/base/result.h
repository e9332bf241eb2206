// Result: a value, or everything that is wrong with what it was to be made of.
//
// Warnings are not errors: a function that has both returns them inside its value.
#pragma once

#include <cassert>
#include <utility>
#include <variant>

#include "base/diagnostic.h"

namespace driftbar {

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: a value is a result
  Result(Diagnostic why) : state_(std::in_place_index<1>, Diagnostics{std::move(why)}) {}  // NOLINT
  Result(Diagnostics why) : state_(std::in_place_index<1>, std::move(why)) {               // NOLINT
    assert(!std::get<1>(state_).empty());
  }

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Only on success.
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Only on failure; never empty.
  const Diagnostics& errors() const& { return std::get<1>(state_); }
  Diagnostics&& errors() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Diagnostics> state_;
};

}  // namespace driftbar
