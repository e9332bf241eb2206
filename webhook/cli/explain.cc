// driftbar explain: where the pods of an object could land, node by node, and what became of each rule.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/inquiry.h"
#include "cli/output.h"
#include "cli/reviewed.h"
#include "decision/explain.h"

namespace driftbar::cli {
namespace {

using decision::Explanation;
using decision::NodeExplained;
using decision::PodExplained;

struct Flags {
  InquiryFlags inquiry;
  Output output = Output::kText;
};

// ---- For people.

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& parts, std::string_view by) {
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : std::string(by)) + part;
  return out;
}

std::string placement(const PodExplained& pod, bool inventory) {
  if (!inventory) return "nothing is known of any node: give --inventory";
  if (pod.open == 0)
    return "fits " + (pod.nodes.empty() ? "no node" : "none of " + counted(pod.nodes.size(), "node")) + ": " +
           pod.whyNone;
  return "could land on " + std::to_string(pod.open) + " of " + counted(pod.nodes.size(), "node") +
         ", of which " +
         (pod.safe == pod.open ? "all are safe"
          : pod.safe == 0      ? "none is safe"
                               : std::to_string(pod.safe) + (pod.safe == 1 ? " is safe" : " are safe"));
}

std::string told(const NodeExplained::Finding& finding) {
  std::string out = finding.rule;
  if (finding.mode != policy::Mode::kEnforce) out += " (" + std::string(toString(finding.mode)) + ")";
  out += ": ";
  if (finding.unknown) out += finding.counts ? "cannot be told, and counts as unsafe" : "cannot be told";
  return out + (finding.unknown && !finding.why.empty() ? ": " : "") + finding.why;
}

std::string_view stateOf(const NodeExplained& node) {
  return !node.open() ? "out" : node.safe() ? "safe" : "unsafe";
}

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, text.size()), ' ');
}

// Unsafe ones first, for they are what is asked about, then those where the pod can go.
constexpr std::string_view kOrder[] = {"unsafe", "safe", "out"};

std::string nodeLines(const PodExplained& pod) {
  constexpr std::size_t kStateWidth = 8;
  std::size_t width = 0;
  for (const auto& node : pod.nodes) width = std::max(width, node.name.size());
  std::string out;
  for (const auto state : kOrder) {
    for (const auto& node : pod.nodes) {
      if (stateOf(node) != state) continue;
      std::string line = "    " + padded(state, kStateWidth) + padded(node.name, width + 2);
      std::vector<std::string> why = node.obstacles;
      for (const auto& finding : node.findings) why.push_back(told(finding));
      line += joined(why, "; ");
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  }
  return out;
}

std::string ruleLines(const Explanation& explanation) {
  std::size_t rules = 0, states = 0;
  for (const auto& rule : explanation.rules) {
    rules = std::max(rules, rule.rule.size());
    states = std::max(states, rule.state.size());
  }
  std::string out;
  for (const auto& rule : explanation.rules) {
    std::string line = "    " + padded(rule.rule, rules + 2) + padded(rule.state, states + 2) + rule.why;
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string text(const Explanation& explanation, const Reviewed& reviewed, const Terminal& terminal) {
  std::string out = cli::text(reviewed, terminal);
  for (const auto& pod : explanation.pods) {
    out += "  " + pod.shown + " " + placement(pod, explanation.inventory) + "\n" + nodeLines(pod);
    if (!pod.narrowedBy.empty())
      out += "    may keep it off more of them, and is not judged: " + joined(pod.narrowedBy, ", ") + "\n";
  }
  if (!explanation.rules.empty()) out += "  rules\n" + ruleLines(explanation);
  return out;
}

// ---- For programs.

nlohmann::ordered_json json(const NodeExplained& node) {
  auto findings = nlohmann::ordered_json::array();
  for (const auto& finding : node.findings) {
    findings.push_back({{"rule", finding.rule},
                        {"mode", toString(finding.mode)},
                        {"unknown", finding.unknown},
                        {"unsafe", finding.counts},
                        {"why", finding.why}});
  }
  return {
      {"name", node.name}, {"state", stateOf(node)}, {"obstacles", node.obstacles}, {"findings", findings}};
}

nlohmann::ordered_json json(const PodExplained& pod) {
  auto nodes = nlohmann::ordered_json::array();
  for (const auto& node : pod.nodes) nodes.push_back(json(node));
  return {{"pod", pod.shown},       {"settled", pod.settled},       {"open", pod.open}, {"safe", pod.safe},
          {"whyNone", pod.whyNone}, {"narrowedBy", pod.narrowedBy}, {"nodes", nodes}};
}

nlohmann::ordered_json json(const Explanation& explanation, const Reviewed& reviewed) {
  nlohmann::ordered_json out = cli::json(reviewed);
  out.erase("response");
  out["pods"] = nlohmann::ordered_json::array();
  for (const auto& pod : explanation.pods) out["pods"].push_back(json(pod));
  auto rules = nlohmann::ordered_json::array();
  for (const auto& rule : explanation.rules)
    rules.push_back({{"rule", rule.rule}, {"state", rule.state}, {"why", rule.why}});
  out["ruleStates"] = std::move(rules);
  return out;
}

int explain(const Flags& flags, Terminal& terminal) {
  const auto inquiry = Inquiry::of(flags.inquiry, terminal);
  if (!inquiry) return cannotGoOn(terminal, inquiry.errors());
  const auto& world = (*inquiry)->world();
  const Instant now = (*inquiry)->now();
  bool refused = false;
  auto list = nlohmann::ordered_json::array();
  const auto wrong = (*inquiry)->each([&](const kube::Request& request, const decision::Found& found) {
    const auto one = reviewed(request, world, found, now);
    const auto explanation = decision::explain(request, world, found, now, one.verdict);
    refused |= !one.verdict.allowed();
    if (flags.output == Output::kText) terminal.out << text(explanation, one, terminal);
    if (flags.output != Output::kText) list.push_back(json(explanation, one));
  });
  if (flags.output != Output::kText) terminal.out << formatted(list, flags.output);
  if (!wrong.empty()) return cannotGoOn(terminal, wrong);
  return refused ? kFinding : kGood;
}

}  // namespace

Run declareExplain(CLI::App& flags) {
  const auto values = std::make_shared<Flags>();
  declareInquiry(flags, values->inquiry);
  declareOutput(flags, values->output);
  return [values](Terminal& terminal) { return explain(*values, terminal); };
}

}  // namespace driftbar::cli
