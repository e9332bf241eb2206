// Source text and places in it: what a diagnostic points at.
//
// A Location shares ownership of the text it points into, so that an error found long after loading can still
// show the line. Lines and columns count from 1; a column counts bytes, and a caret is drawn under that
// byte's character. A default Location points nowhere.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace driftbar {

// A file's text under the name that people know it by.
struct SourceText {
  std::string name;
  std::string text;

  // Line `line` (from 1) without its line end; empty where there is no such line.
  std::string_view line(int line) const;
};

using Source = std::shared_ptr<const SourceText>;

Source makeSource(std::string name, std::string text);

struct Location {
  Source source;
  int line = 0;
  int column = 0;
  int width = 1;  // how many bytes the carets cover

  explicit operator bool() const { return source != nullptr && line > 0; }
};

}  // namespace driftbar
