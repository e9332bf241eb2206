// Reads JSON texts into nodes with places: what `kubectl get -o json` and recorded reviews are.
//
// Not left to yaml-cpp, which takes JSON for YAML: it does not know the escapes of characters past U+FFFF,
// and reads what no JSON reader would.
#pragma once

#include "yaml/places.h"
#include "yaml/yaml.h"

namespace driftbar::yaml {

// Whether the text begins with `{` and a quote.
bool looksLikeJson(const Places& places);

// One value or several, one after the other, a line `---` between them or not.
Result<std::vector<Node>> readJson(const Places& places);

}  // namespace driftbar::yaml
