// The program around the commands: the list of them, help, wrong words. Flags are CLI11's.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/command.h"
#include "cli/usage.h"
#include "cli/version.h"

namespace driftbar::cli {
namespace {

constexpr std::string_view kSummary =
    "driftbar keeps AI training off Kubernetes nodes that are no longer what they were declared to be.";

const Command* find(std::string_view name) {
  for (const auto& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::string help() {
  std::string out = std::string(kSummary) + "\n\nusage: driftbar COMMAND [flags] [arguments]\n\ncommands\n";
  std::size_t width = 0;
  for (const auto& command : commands()) width = std::max(width, command.name.size());
  for (const auto& command : commands()) {
    out += "  " + std::string(command.name) + std::string(width - command.name.size() + 2, ' ') +
           std::string(command.does) + "\n";
  }
  return out +
         "\n`driftbar COMMAND --help` shows the flags of one and an example that runs.\n"
         "`driftbar --version` says which version this is, with --verbose also of what it is built with.\n"
         "exit codes: 0 good, 1 a finding (refused, a failed case, what lint finds),\n"
         "2 wrong usage or what cannot be read or loaded, 3 the cluster could not be reached\n";
}

int unknownCommand(std::string_view word, Terminal& terminal) {
  std::vector<std::string_view> names{"--help", "--version"};
  for (const auto& command : commands()) names.push_back(command.name);
  const auto meant = nearest(word, names);
  terminal.err << "driftbar: there is no " << (word.starts_with('-') ? "flag " : "command ") << quoted(word)
               << (meant.empty() ? "; `driftbar --help` lists them"
                                 : "; did you mean `" + std::string(meant) + "`?")
               << "\n";
  return kUsage;
}

int runCommand(const Command& command, std::span<const std::string_view> arguments, Terminal& terminal) {
  CLI::App flags;
  flags.set_help_flag("-h,--help", "this text");
  const Run run = command.declare(flags);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
    flags.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    terminal.out << usage(command, flags);
    return kGood;
  } catch (const CLI::ParseError& refused) {
    terminal.err << "driftbar " << command.name << ": " << wrongCall(flags, arguments, refused)
                 << "\n`driftbar " << command.name << " --help` lists the flags\n";
    return kUsage;
  }
  return run(terminal);
}

// `driftbar help` and `driftbar help COMMAND`.
int runHelp(std::span<const std::string_view> arguments, Terminal& terminal) {
  if (arguments.empty()) {
    terminal.out << help();
    return kGood;
  }
  constexpr std::string_view kHelp[] = {"--help"};
  const Command* command = find(arguments[0]);
  return command != nullptr ? runCommand(*command, kHelp, terminal) : unknownCommand(arguments[0], terminal);
}

}  // namespace

int runProgram(std::span<const std::string_view> arguments, Terminal& terminal) {
  if (arguments.empty()) {
    terminal.err << help();
    return kUsage;
  }
  const auto first = arguments[0];
  if (first == "--help" || first == "-h" || first == "help") return runHelp(arguments.subspan(1), terminal);
  if (first == "--version") {
    const bool verbose = arguments.size() > 1 && arguments[1] == "--verbose";
    terminal.out << (verbose ? versionOfEverything() : version());
    return kGood;
  }
  const Command* command = find(first);
  if (command == nullptr) return unknownCommand(first, terminal);
  return runCommand(*command, arguments.subspan(1), terminal);
}

}  // namespace driftbar::cli
