// Whether bytes are a text that YAML may be read from: UTF-8 without control characters.
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "yaml/places.h"

namespace driftbar::yaml {

// The first byte that may not be there, in words for people. Tabs and line ends are left to the reader.
std::optional<Diagnostic> wrongEncoding(const Places& places);

}  // namespace driftbar::yaml
