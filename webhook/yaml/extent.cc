#include "yaml/extent.h"

#include <algorithm>

namespace driftbar::yaml {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::size_t lineEnd(std::string_view text, std::size_t from) {
  const auto end = std::min(text.find_first_of("\r\n", from), text.size());
  return end;
}

Extent quotedExtent(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '\'' && text.substr(at + 1).starts_with('\'')) {
        ++at;
        continue;
      }
      return {begin, at + 1, std::min(at + 1, lineEnd(text, begin)), true};
    }
  }
  return {begin, text.size(), lineEnd(text, begin), false};
}

// A plain scalar over several lines is folded, so what was read fits the text only as far as its first line.
Extent plainExtent(std::string_view text, std::size_t begin, std::string_view value) {
  const auto rest = text.substr(begin);
  const auto same = static_cast<std::size_t>(
      std::mismatch(value.begin(), value.end(), rest.begin(), rest.end()).first - value.begin());
  return {begin, begin + same, begin + same, true};
}

}  // namespace

std::size_t skipBlanks(std::string_view text, std::size_t offset) {
  for (;;) {
    offset = std::min(text.find_first_not_of(kBlanks, offset), text.size());
    if (offset == text.size() || text[offset] != '#') return offset;
    offset = lineEnd(text, offset);
  }
}

std::size_t skipProperties(std::string_view text, std::size_t offset) {
  while (offset < text.size() && (text[offset] == '&' || text[offset] == '!')) {
    offset = skipBlanks(text, std::min(text.find_first_of(kBlanks, offset), text.size()));
  }
  return offset;
}

Extent extentOf(std::string_view text, std::size_t offset, std::string_view value) {
  const std::size_t begin = skipProperties(text, offset);
  if (begin == text.size()) return {begin, begin, begin, true};
  const char first = text[begin];
  if (first == '"' || first == '\'') return quotedExtent(text, begin);
  if (first == '|' || first == '>') return {begin, lineEnd(text, begin), lineEnd(text, begin), true};
  return plainExtent(text, begin, value);
}

}  // namespace driftbar::yaml
