// The forms a result is printed in: text for people, JSON or YAML for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "cli/terminal.h"

namespace CLI {
class App;
}

namespace driftbar::cli {

enum class Output { kText, kJson, kYaml };

// Declares `-o, --output FORM` into `output`, which must outlive the parsing.
void declareOutput(CLI::App& flags, Output& output);

// The value as the form has it, ended by a line end; not for kText. Nothing in it can reach a terminal raw.
std::string formatted(const nlohmann::ordered_json& value, Output output);

}  // namespace driftbar::cli
