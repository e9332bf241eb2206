// Globs of the policy language: `*` is any run of characters (`/` included), nothing else is special.
#pragma once

#include <string>
#include <string_view>

namespace driftbar {

// Whether the whole text fits. Time is bounded by the product of the lengths.
bool globFits(std::string_view glob, std::string_view text);

inline bool isGlob(std::string_view word) {
  return word.find('*') != std::string_view::npos;
}

}  // namespace driftbar
