// Fits: whether a value has the types that a shape wants, all the way down.
//
// An API server sees to it for its own kinds. Inside of custom resources a pod template has whatever the
// resource's schema lets in, and what has another type there would look like nothing to who asks for its own.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "schema/shape.h"

namespace driftbar::schema {

// Whether a value of that sort is one that an API server reads into this type; what it holds is not asked.
bool isOf(Type type, Json::Type value);

struct Misfit {
  std::string place;  // below the value: `spec.containers[0].securityContext.privileged`
  Type wanted = Type::kAny, found = Type::kAny;

  friend bool operator==(const Misfit&, const Misfit&) = default;
};

// The first value of another type; null fits everywhere, and fields that the shape does not have are passed
// over. Allocates nothing where all fits.
std::optional<Misfit> misfit(const Shape& shape, Json value);

}  // namespace driftbar::schema
