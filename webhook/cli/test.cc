// driftbar test: runs the PolicyTests of files and folders.
#include <re2/re2.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/test_outcome.h"
#include "cli/test_plan.h"
#include "cli/test_report.h"
#include "cli/world.h"

namespace driftbar::cli {
namespace {

struct Flags {
  std::vector<std::string> paths;
  std::string run, junit;
  bool diff = false, coverage = false;
  std::vector<std::string> systemNamespaces = defaultSystemNamespaces();
  Output output = Output::kText;
};

// Leaves the cases whose TEST/CASE has the expression in it.
Diagnostics select(TestPlan& plan, const std::string& expression) {
  const RE2 pattern(expression, RE2::Quiet);
  if (!pattern.ok())
    return {error("regex", "`--run " + printable(expression) +
                               "` is no regular expression: " + printable(pattern.error()))};
  std::erase_if(plan.cases, [&](const PlannedCase& one) { return !RE2::PartialMatch(one.name(), pattern); });
  if (!plan.cases.empty()) return {};
  return {error("no-cases", "`--run " + printable(expression) + "` fits no case",
                "it is looked for in TEST/CASE, as in `drifted-pool/pinned to a drifted node`")};
}

Diagnostics write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (out) return {};
  return {error("unwritable", "cannot write `" + printable(path) + "`")};
}

void print(const std::vector<Outcome>& outcomes, const Coverage& coverage, const Flags& flags,
           Terminal& terminal) {
  if (flags.output != Output::kText) {
    terminal.out << formatted(json(outcomes, coverage), flags.output);
    return;
  }
  for (const auto& outcome : outcomes) {
    if (!outcome.passed()) terminal.out << failure(outcome, flags.diff, terminal) << "\n";
    // The case may expect just what comes of rules that have nothing to look at.
    const auto& untemplated = outcome.reviewed.verdict.untemplated;
    if (outcome.passed() && !untemplated.empty())
      terminal.out << render({warningAt(outcome.of->wanted->where, "no-template", untemplated)}) << "\n";
  }
  // Of some of the cases only, that a rule is not covered says nothing, unless it is asked for.
  if (flags.coverage || flags.run.empty()) terminal.out << table(coverage, flags.coverage);
  terminal.out << counts(outcomes);
}

int test(const Flags& flags, Terminal& terminal) {
  if (std::count(flags.paths.begin(), flags.paths.end(), "-") > 1) {
    return cannotGoOn(terminal, {error("standard-input", "`-` is given more than once",
                                       "standard input can be read once; use files for the rest")});
  }
  const std::vector<std::string_view> systemNamespaces(flags.systemNamespaces.begin(),
                                                       flags.systemNamespaces.end());
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  auto planned = plan(flags.paths, terminal.in, {now, systemNamespaces});
  if (!planned) return cannotGoOn(terminal, planned.errors());
  Coverage coverage(*planned);
  if (!flags.run.empty()) {
    if (const auto wrong = select(*planned, flags.run); !wrong.empty()) return cannotGoOn(terminal, wrong);
  }
  std::vector<Outcome> outcomes;
  for (const auto& one : planned->cases) {
    outcomes.push_back(run(one));
    coverage.count(outcomes.back());
  }
  print(outcomes, coverage, flags, terminal);
  if (!flags.junit.empty()) {
    if (const auto wrong = write(flags.junit, junit(outcomes)); !wrong.empty())
      return cannotGoOn(terminal, wrong);
  }
  const bool allPassed =
      std::all_of(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) { return outcome.passed(); });
  return allPassed && (!flags.coverage || coverage.whole()) ? kGood : kFinding;
}

}  // namespace

Run declareTest(CLI::App& flags) {
  const auto values = std::make_shared<Flags>();
  flags.add_option("PATH", values->paths, "files, folders of YAML, or - for standard input")->required();
  flags.add_option("--run", values->run, "only the cases whose TEST/CASE has this in it")->type_name("REGEX");
  flags.add_flag("--diff", values->diff, "show what was expected and what came as lines with - and +");
  flags.add_option("--junit", values->junit, "write the outcome to a file too, as JUnit's XML")
      ->type_name("FILE");
  flags.add_flag("--coverage", values->coverage,
                 "how many cases broke and kept each rule; exit 1 where none did one of them");
  declareSystemNamespaces(flags, values->systemNamespaces);
  declareOutput(flags, values->output);
  return [values](Terminal& terminal) { return test(*values, terminal); };
}

}  // namespace driftbar::cli
