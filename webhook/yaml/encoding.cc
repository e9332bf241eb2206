#include "yaml/encoding.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace driftbar::yaml {
namespace {

struct Character {
  std::uint32_t value = 0;
  std::size_t length = 0;  // 0: not UTF-8
};

std::uint32_t byteAt(std::string_view s, std::size_t i) {
  return static_cast<unsigned char>(s[i]);
}

// Refuses overlong forms, surrogates and values past U+10FFFF.
Character decode(std::string_view s) {
  const std::uint32_t lead = byteAt(s, 0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || s.size() < length) return {};
  std::uint32_t value = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byteAt(s, i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byteAt(s, i) & 0x3FU);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, length};
}

// The characters of YAML 1.1 (c-printable), as go-yaml's reader has them.
bool isAllowed(std::uint32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7E) || c == 0x85 ||
         (c >= 0xA0 && c != 0xFFFE && c != 0xFFFF);
}

std::string inHex(std::uint32_t value) {
  char out[16];
  std::snprintf(out, sizeof out, "%02x", value);
  return out;
}

Diagnostic wrongCharacter(const Location& where, std::uint32_t c) {
  if (c == 0) {
    return errorAt(where, "nul-byte", "a NUL byte is in the text",
                   "save the file as UTF-8 text; UTF-16 is not read");
  }
  return errorAt(where, "control-character", "the control character U+00" + inHex(c) + " is in the text",
                 "take it out, or write it as an escape in double quotes: \"\\x" + inHex(c) + "\"");
}

}  // namespace

std::optional<Diagnostic> wrongEncoding(const Places& places) {
  const std::string_view text = places.text();
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return errorAt(places.at(0), "not-utf8", "the text is UTF-16", "save the file as UTF-8");
  }
  for (std::size_t at = 0; at < text.size();) {
    const Character c = decode(text.substr(at));
    if (c.length == 0) {
      return errorAt(places.at(at), "not-utf8", "the byte 0x" + inHex(byteAt(text, at)) + " is not UTF-8",
                     "save the file as UTF-8");
    }
    if (!isAllowed(c.value)) return wrongCharacter(places.at(at), c.value);
    at += c.length;
  }
  return std::nullopt;
}

}  // namespace driftbar::yaml
