// How a command is called: its help, and in words what is wrong with a call.
//
// CLI11 parses; the texts are our own, for those of CLI11 differ from one of its versions to the next.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace driftbar::cli {

// What `driftbar COMMAND --help` prints: the usage, every flag, the example.
std::string usage(const Command& command, const CLI::App& flags);

// One sentence about why these arguments were refused with `refused`: a mistyped flag before all else (with
// the nearest right one), for that a required flag is missing often only follows from it.
std::string wrongCall(const CLI::App& flags, std::span<const std::string_view> arguments,
                      const CLI::Error& refused);

// For an option's check(): one of these words in any letter case, which becomes what is written here. The
// error names the nearest.
std::function<std::string(std::string&)> oneOf(std::vector<std::string_view> words);

}  // namespace driftbar::cli
