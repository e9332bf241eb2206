// driftbar review: what the gate would answer to objects as people have them, or to recorded reviews.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/inquiry.h"
#include "cli/output.h"
#include "cli/reviewed.h"

namespace driftbar::cli {
namespace {

struct Flags {
  InquiryFlags inquiry;
  Output output = Output::kText;
  bool warningsAsErrors = false;
};

int review(const Flags& flags, Terminal& terminal) {
  const auto inquiry = Inquiry::of(flags.inquiry, terminal);
  if (!inquiry) return cannotGoOn(terminal, inquiry.errors());
  bool refused = false, warned = false;
  auto list = nlohmann::ordered_json::array();
  const auto wrong = (*inquiry)->each([&](const kube::Request& request, const decision::Found& found) {
    const auto one = reviewed(request, (*inquiry)->world(), found, (*inquiry)->now());
    refused |= !one.verdict.allowed();
    warned |= !one.warnings.empty();
    if (flags.output == Output::kText) terminal.out << text(one, terminal);
    if (flags.output != Output::kText) list.push_back(json(one));
  });
  if (flags.output != Output::kText) terminal.out << formatted(list, flags.output);
  if (!wrong.empty()) return cannotGoOn(terminal, wrong);
  return refused || (flags.warningsAsErrors && warned) ? kFinding : kGood;
}

}  // namespace

Run declareReview(CLI::App& flags) {
  const auto values = std::make_shared<Flags>();
  declareInquiry(flags, values->inquiry);
  flags.add_flag("--warnings-as-errors", values->warningsAsErrors, "exit 1 on a warning too");
  declareOutput(flags, values->output);
  return [values](Terminal& terminal) { return review(*values, terminal); };
}

}  // namespace driftbar::cli
