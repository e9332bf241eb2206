#include "cli/terminal.h"

namespace driftbar::cli {

std::string painted(const Terminal& terminal, Paint paint, std::string_view text) {
  if (!terminal.color) return std::string(text);
  static constexpr std::string_view kCodes[] = {"31", "32", "33", "1"};
  return "\x1b[" + std::string(kCodes[static_cast<std::size_t>(paint)]) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace driftbar::cli
