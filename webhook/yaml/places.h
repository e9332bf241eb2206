// Places: byte offsets of one text as lines and columns.
//
// yaml-cpp counts offsets from behind a byte order mark and its lines by its own idea of a line end; here
// offsets are of the whole text, and a line ends with \n, as in base/source.h.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace driftbar::yaml {

class Places {
 public:
  explicit Places(Source source);

  std::string_view text() const { return source_->text; }
  const Source& source() const { return source_; }
  // How many bytes a byte order mark takes: 0 or 3.
  std::size_t markBytes() const { return text().starts_with("\xEF\xBB\xBF") ? 3 : 0; }

  Location at(std::size_t offset, std::size_t width = 1) const;
  // The blanks and tabs that the line of `offset` begins with.
  std::string_view indentation(std::size_t offset) const;
  std::size_t lineStart(std::size_t offset) const;

 private:
  Source source_;
  std::vector<std::size_t> starts_;  // of lines
};

}  // namespace driftbar::yaml
