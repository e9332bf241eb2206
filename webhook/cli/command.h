// Command: one row of the table of commands, and what it takes to run one.
//
// A command is a file of its own with one function that declares its flags and returns what is to run; a new
// one is that file and a row in commands.cc.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "cli/terminal.h"

namespace CLI {
class App;
}

namespace driftbar::cli {

// Runs with the flags as parsed; returns an ExitCode.
using Run = std::function<int(Terminal&)>;

struct Command {
  std::string_view name;
  std::string_view does;     // one line for the list of commands
  std::string_view example;  // one that runs
  Run (*declare)(CLI::App& flags);
};

std::span<const Command> commands();

// `driftbar ARGUMENTS…`: the whole program but for the process. Returns the exit code.
int runProgram(std::span<const std::string_view> arguments, Terminal& terminal);

}  // namespace driftbar::cli
