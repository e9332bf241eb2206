#include "fuzz/property.h"

#include <simdjson.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace driftbar::fuzz {
namespace {

// In UTF-8: C1 begins with C2; the rest are marks and overrides of direction, line separators, the byte order
// mark.
constexpr std::string_view kMisleading[] = {
    "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b", "\u202c",
    "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\ufeff",
};

bool hasControls(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7F) return true;
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (byte == 0xC2 && next >= 0x80 && next <= 0x9F) return true;
  }
  return false;
}

bool misleads(std::string_view text) {
  for (const auto sequence : kMisleading) {
    if (text.find(sequence) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

void require(bool holds, std::string_view property) {
  if (holds) return;
  std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(property.size()), property.data());
  std::abort();
}

void requireShowable(std::string_view text, std::string_view what) {
  const std::string name(what);
  require(simdjson::validate_utf8(text.data(), text.size()), name + " is valid UTF-8");
  require(!hasControls(text), name + " has no control characters");
  require(!misleads(text), name + " has nothing that misleads a reader");
}

void requireShowableLine(std::string_view text, std::string_view what) {
  requireShowable(text, what);
  require(text.find('\n') == std::string_view::npos, std::string(what) + " is one line");
}

void requireErrors(const Diagnostics& errors) {
  require(hasErrors(errors), "what fails says why");
  for (const auto& diagnostic : errors) {
    requireShowable(render(diagnostic), "a rendered error");
    requireShowableLine(summary(diagnostic), "an error's summary");
  }
}

}  // namespace driftbar::fuzz
