// Nodes as JSON text, by the rules of sigs.k8s.io/yaml.
#pragma once

#include <string>

#include "yaml/yaml.h"

namespace driftbar::yaml {

// What a key is called in the JSON map: `on` is "true", 010 is "8".
std::string keyText(const Node& key);

}  // namespace driftbar::yaml
