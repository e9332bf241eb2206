// driftbar lint: loads policies and prints everything that is wrong with them.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/output.h"
#include "policy/policy.h"

namespace driftbar::cli {
namespace {

struct Lint {
  std::vector<std::string> paths;
  Output output = Output::kText;
  bool warningsAsErrors = false;
};

nlohmann::ordered_json json(const Diagnostic& d) {
  return {{"file", d.where.source ? d.where.source->name : ""},
          {"line", d.where.line},
          {"column", d.where.column},
          {"severity", toString(d.severity)},
          {"id", d.id},
          {"message", d.message},
          {"help", d.help}};
}

std::string count(std::size_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

void printText(Terminal& terminal, const policy::Loaded& loaded, std::size_t errors, std::size_t warnings,
               std::size_t files) {
  terminal.out << render(loaded.diagnostics);
  if (errors + warnings > 0) {
    terminal.out << count(errors, "error", "errors") << ", " << count(warnings, "warning", "warnings")
                 << " in " << count(files, "file", "files") << "\n";
  } else {
    terminal.out << count(loaded.set->policies().size(), "policy", "policies") << " with "
                 << count(loaded.set->ruleCount(), "rule", "rules")
                 << (loaded.tests > 0 ? " and " + count(loaded.tests, "test", "tests") : "") << " in "
                 << count(files, "file", "files") << ": no errors\n";
  }
}

int lint(const Lint& flags, Terminal& terminal) {
  std::vector<Source> sources;
  Diagnostics unreadable;
  for (const auto& path : flags.paths) {
    auto tree = readTree(path, terminal.in, kPolicyInput);
    if (tree) sources.insert(sources.end(), tree->begin(), tree->end());
    if (!tree) unreadable.insert(unreadable.end(), tree.errors().begin(), tree.errors().end());
  }
  if (!unreadable.empty()) {
    terminal.err << render(unreadable);
    return kUsage;
  }
  const Instant now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto loaded = policy::load(sources, {.checkTests = true, .now = now});
  const auto errors = static_cast<std::size_t>(
      std::count_if(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                    [](const Diagnostic& d) { return d.severity == Severity::kError; }));
  const auto warnings = loaded.diagnostics.size() - errors;
  if (flags.output == Output::kText) {
    printText(terminal, loaded, errors, warnings, sources.size());
  } else {
    auto list = nlohmann::ordered_json::array();
    for (const auto& d : loaded.diagnostics) list.push_back(json(d));
    terminal.out << formatted(list, flags.output);
  }
  return errors > 0 || (flags.warningsAsErrors && warnings > 0) ? kFinding : kGood;
}

}  // namespace

Run declareLint(CLI::App& flags) {
  const auto values = std::make_shared<Lint>();
  flags.add_option("PATH", values->paths, "files, folders of YAML, or - for standard input")->required();
  flags.add_flag("--warnings-as-errors", values->warningsAsErrors, "exit 1 on a warning too");
  declareOutput(flags, values->output);
  return [values](Terminal& terminal) { return lint(*values, terminal); };
}

}  // namespace driftbar::cli
