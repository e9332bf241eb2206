// Extent: where in the text a scalar begins and ends, which yaml-cpp does not say.
#pragma once

#include <cstddef>
#include <string_view>

namespace driftbar::yaml {

struct Extent {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t firstLineEnd = 0;  // where the first line of it ends
  bool closed = true;            // false: a quote that never ends
};

// `offset` is where yaml-cpp saw the node: at its anchor or tag, or at the scalar itself. `value` is what was
// read.
Extent extentOf(std::string_view text, std::size_t offset, std::string_view value);

// The first byte from `offset` on that is no anchor, tag, blank, line end or comment; the text's size at its
// end.
std::size_t skipProperties(std::string_view text, std::size_t offset);
std::size_t skipBlanks(std::string_view text, std::size_t offset);

}  // namespace driftbar::yaml
