// Text for people: what may reach a terminal, how words are quoted, which word was meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace driftbar {

// `text` with everything that a terminal or a reader could be misled by made visible: control characters
// (C0, DEL, C1), line and paragraph separators, direction overrides and bytes that are not UTF-8 become
// escapes
// (\n, \x1b, \u202e). The result is valid UTF-8 on one line. Idempotent.
std::string printable(std::string_view text);

// printable, in double quotes, quotes and backslashes within escaped: how a value is shown.
std::string quoted(std::string_view text);
// Of a std::string the compiler would otherwise find std::quoted, which escapes nothing.
inline std::string quoted(const std::string& text) {
  return quoted(std::string_view(text));
}
inline std::string quoted(const char* text) {
  return quoted(std::string_view(text));
}
inline std::string quoted(std::string& text) {
  return quoted(std::string_view(text));
}

// How many characters (code points) a valid UTF-8 text has.
std::size_t characters(std::string_view utf8);

// At most `most` characters of a valid UTF-8 text, the last of them an ellipsis where it was longer.
std::string shortened(std::string_view utf8, std::size_t most);

// The candidate that a mistyped `word` most likely meant: letter case, `-` and `_` aside, at most a third of
// the word wrong. Empty where none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// Whether `word` is `meant` but for its letter case, an `s` at the end or, in a word that is long enough, one
// slip of the finger: a letter more, less or other, or two swapped. For words that need not be known, where
// `nearest` would guess too boldly.
bool isSlip(std::string_view word, std::string_view meant);

// "a, b or c" and the like, each in backticks.
std::string listed(std::span<const std::string_view> words, std::string_view last = "or");

}  // namespace driftbar
