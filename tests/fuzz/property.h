// What fuzz targets are made of: an input of any bytes, and properties that hold for it.
//
// A target defines LLVMFuzzerTestOneInput and says with require() what must hold; a property that does not
// ends the program, which is how libFuzzer and the replay learn of it. What a text may show to a terminal is
// checked here in bytes, without base/text.h, for that is among what is tried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/diagnostic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace driftbar::fuzz {

inline std::string_view textOf(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size);
}

// Ends the program and names the property where it does not hold.
void require(bool holds, std::string_view property);

// The text is valid UTF-8 and has nothing that a terminal obeys or that turns the direction of writing. Line
// ends are for the caller to allow.
void requireShowable(std::string_view text, std::string_view what);
void requireShowableLine(std::string_view text, std::string_view what);

// What a failed parse gives: at least one error, and all of them fit to be shown.
void requireErrors(const Diagnostics& errors);

}  // namespace driftbar::fuzz
