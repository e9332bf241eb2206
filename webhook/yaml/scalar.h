// What an unquoted scalar means, exactly as sigs.k8s.io/yaml (go.yaml.in/yaml/v2 resolve.go) has it for
// kubectl: YAML 1.1 booleans with `y` and `on`, 010 is eight, 1_000 a thousand, a date is text, and a number
// too large for a double is text.
#pragma once

#include <string>
#include <string_view>

#include "yaml/yaml.h"

namespace driftbar::yaml {

struct Meaning {
  Node::Kind kind = Node::Kind::kText;
  std::string json;    // of null, booleans and numbers: the JSON text
  bool finite = true;  // false of .inf and .nan, which JSON does not have
};

Meaning resolve(std::string_view plain);

}  // namespace driftbar::yaml
