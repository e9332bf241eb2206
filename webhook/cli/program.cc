// The program around the commands: the list of them, help, wrong words. Flags are CLI11's.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/command.h"
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
  for (const auto& command : commands()) {
    out += "  " + std::string(command.name) +
           std::string(10 - std::min<std::size_t>(command.name.size(), 9), ' ') + std::string(command.does) +
           "\n";
  }
  return out +
         "\n`driftbar COMMAND --help` shows the flags of one and an example that runs.\n"
         "exit codes: 0 good, 1 a finding (refused, an error in a policy), 2 wrong usage or unreadable "
         "input,\n"
         "3 the cluster could not be reached\n";
}

int unknownCommand(std::string_view word, Terminal& terminal) {
  std::vector<std::string_view> names;
  for (const auto& command : commands()) names.push_back(command.name);
  const auto meant = nearest(word, names);
  terminal.err << "driftbar: there is no command " << quoted(word)
               << (meant.empty() ? "; `driftbar --help` lists them"
                                 : "; did you mean `" + std::string(meant) + "`?")
               << "\n";
  return kUsage;
}

// The flag of this command that an unknown one most likely meant.
std::string_view meantFlag(const CLI::App& flags, std::string_view unknown,
                           std::vector<std::string>& storage) {
  for (const auto* option : flags.get_options()) {
    for (const auto& name : option->get_lnames()) storage.push_back("--" + name);
  }
  std::vector<std::string_view> names(storage.begin(), storage.end());
  return nearest(unknown.substr(0, unknown.find('=')), names);
}

bool isFlag(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

int wrongFlags(const Command& command, const CLI::App& flags, const CLI::ParseError& wrong,
               Terminal& terminal) {
  terminal.err << "driftbar " << command.name << ": ";
  std::vector<std::string> storage;
  // A mistyped flag comes first: that a required one is missing often only follows from it.
  const auto left = flags.remaining();
  const auto unknown = std::find_if(left.begin(), left.end(), isFlag);
  if (unknown != left.end()) {
    const auto meant = meantFlag(flags, *unknown, storage);
    terminal.err << "there is no flag " << quoted(*unknown)
                 << (meant.empty() ? "" : "; did you mean `" + std::string(meant) + "`?");
  } else if (dynamic_cast<const CLI::ExtrasError*>(&wrong) != nullptr && !left.empty()) {
    terminal.err << "unexpected argument " << quoted(left[0]);
  } else {
    terminal.err << printable(wrong.what());
  }
  terminal.err << "\n`driftbar " << command.name << " --help` lists the flags\n";
  return kUsage;
}

int runCommand(const Command& command, std::span<const std::string_view> arguments, Terminal& terminal) {
  CLI::App flags{std::string(command.does), "driftbar " + std::string(command.name)};
  flags.footer("example:\n  " + std::string(command.example));
  const Run run = command.declare(flags);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
    flags.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    terminal.out << flags.help();
    return kGood;
  } catch (const CLI::ParseError& wrong) {
    return wrongFlags(command, flags, wrong, terminal);
  }
  return run(terminal);
}

}  // namespace

int runProgram(std::span<const std::string_view> arguments, Terminal& terminal) {
  if (arguments.empty()) {
    terminal.err << help();
    return kUsage;
  }
  const auto first = arguments[0];
  if (first == "--help" || first == "-h" || first == "help") {
    terminal.out << help();
    return kGood;
  }
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
