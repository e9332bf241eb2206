// Mistakes: what yaml-cpp found wrong, in words that say how to mend it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/diagnostic.h"
#include "yaml/places.h"

namespace driftbar::yaml {

struct SyntaxError {
  std::string_view message;  // as yaml-cpp says it
  std::size_t offset = 0;
  std::optional<std::size_t> openBracket;
};

Diagnostic inOurWords(const SyntaxError& error, const Places& places);

}  // namespace driftbar::yaml
