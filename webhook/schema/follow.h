// Following a path through shapes: where it leads, or which of its steps leads nowhere, and why.
//
// A step means what it means in an object (base/field_path.h): a key on a list picks an element only where
// lists of that name have a merge key there.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/field_path.h"
#include "schema/shape.h"

namespace driftbar::schema {

enum class Obstacle {
  kNone,
  kUnknownField,  // an object without such a field
  kNoKey,         // a key on a list whose elements have none
  kNoOrder,       // a number on what is no list
  kNotMany,       // `[*]` on an object with fields of its own
  kScalar         // any step below a single value
};

struct Walk {
  const Shape* end = nullptr;  // null where there is an obstacle
  Obstacle obstacle = Obstacle::kNone;
  std::size_t step = 0;              // with an obstacle: the step that leads nowhere
  const Shape* at = nullptr;         // and what it was tried on
  std::optional<std::size_t> newer;  // the first step into a field that the older release does not have
  std::string_view absent;  // what the absence of the end means (Shape::Field); empty: nothing in particular
  std::size_t absentMaps = 0;  // and over how many of the maps above it that are missing, too
};

Walk follow(const Shape& root, std::span<const PathStep> steps);

// The shortest way from a shape to a field of that name, over at most `steps` fields and through lists only
// (`.containers[*].image`); empty where there is none.
std::string wayTo(const Shape& root, std::string_view fieldName, int steps);

}  // namespace driftbar::schema
