#include "cli/test_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace driftbar::cli {
namespace {

std::size_t failedOf(const std::vector<Outcome>& outcomes) {
  return static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return !o.passed(); }));
}

std::string place(const Location& where) {
  return printable(where.source->name) + ":" + std::to_string(where.line);
}

// ---- A failed case.

std::string inWords(const Mismatch& mismatch) {
  if (mismatch.what == "message") return "message: " + quoted(mismatch.expected) + " is not in it\n";
  return mismatch.what + ": expected " + printable(mismatch.expected) + ", got " + printable(mismatch.came) +
         "\n";
}

std::string line(const Terminal& terminal, char sign, const std::string& text) {
  return painted(terminal, sign == '-' ? Paint::kRed : Paint::kGreen,
                 std::string(1, sign) + " " + printable(text)) +
         "\n";
}

std::string differences(const Outcome& outcome, const Terminal& terminal) {
  std::string out, message;
  bool aboutMessage = false;
  for (const auto& mismatch : outcome.mismatches) {
    if (mismatch.what == "message") {
      aboutMessage = true;
      message += line(terminal, '-', "message has " + quoted(mismatch.expected));
      continue;
    }
    out += line(terminal, '-', mismatch.what + ": " + mismatch.expected) +
           line(terminal, '+', mismatch.what + ": " + mismatch.came);
  }
  if (!aboutMessage) return out;
  out += message;
  const auto came = messageOf(outcome.reviewed);
  if (came.empty()) return out + line(terminal, '+', "there is no message");
  for (std::size_t at = 0; at <= came.size();) {
    const auto end = std::min(came.find('\n', at), came.size());
    out += line(terminal, '+', came.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool has(const std::vector<std::string>& rules, const std::string& rule) {
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

// What became of a rule that is not among the broken ones.
std::string unbroken(const std::string& rule, const Outcome& outcome) {
  for (const auto& lifted : outcome.reviewed.verdict.exempted) {
    if (lifted.rule == rule)
      return " was broken, and the exemption " + quoted(lifted.exemption) + " lifts it\n";
  }
  if (has(outcome.reviewed.asked, rule)) return " was judged, and was not broken\n";
  if (has(outcome.reviewed.unsettled, rule))
    return " was not judged: the request does not settle where its pods go\n";
  const auto by = leftOutBy(outcome.reviewed, rule.substr(0, rule.find('/')));
  return " was not judged: " + (by.empty() ? "its policy does not look at this request" : by) + "\n";
}

// Of rules that were expected among the broken ones and were not: whether they were judged at all.
std::string inVain(const Outcome& outcome) {
  const auto& verdict = outcome.reviewed.verdict;
  std::string out;
  for (const auto& list : policy::ruleLists()) {
    const auto& wanted = outcome.of->wanted->expected.*list.rules;
    for (const auto& rule : wanted ? *wanted : std::vector<policy::Placed>{}) {
      const auto& name = rule.text;
      if (has(rulesOf(verdict.refused), name) || has(rulesOf(verdict.warned), name) ||
          has(rulesOf(verdict.audited), name))
        continue;
      out += printable(name) + unbroken(name, outcome);
    }
  }
  return out;
}

// ---- JUnit.

// Of XML 1.0: what may stand in an attribute and in text. Control characters may not stand in it at all.
std::string escaped(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    for (const char c : printable(std::string_view(text).substr(at, end - at))) {
      const std::string_view kept = c == '&'   ? "&amp;"
                                    : c == '<' ? "&lt;"
                                    : c == '>' ? "&gt;"
                                    : c == '"' ? "&quot;"
                                               : std::string_view(&c, 1);
      out += kept;
    }
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + escaped(value) + "\"";
}

std::string number(const std::string& name, std::size_t value) {
  return attribute(name, std::to_string(value));
}

std::string testCase(const Outcome& outcome, const Terminal& plain) {
  const auto& where = outcome.of->wanted->where;
  std::string out = "    <testcase" + attribute("classname", outcome.of->test->name) +
                    attribute("name", outcome.of->wanted->name) + attribute("file", where.source->name) +
                    number("line", static_cast<std::size_t>(where.line));
  if (outcome.passed()) return out + "/>\n";
  std::string first = inWords(outcome.mismatches.front());
  first.pop_back();
  return out + ">\n      <failure" + attribute("message", first) + ">" +
         escaped(failure(outcome, false, plain)) + "</failure>\n    </testcase>\n";
}

using Run = std::vector<Outcome>::const_iterator;

std::string suite(Run begin, Run end, const Terminal& plain) {
  const std::vector<Outcome> own(begin, end);
  std::string out = "  <testsuite" + attribute("name", begin->of->test->name) + number("tests", own.size()) +
                    number("failures", failedOf(own)) + number("errors", 0) + ">\n";
  for (const auto& outcome : own) out += testCase(outcome, plain);
  return out + "  </testsuite>\n";
}

// ---- For programs.

nlohmann::ordered_json json(const Outcome& outcome) {
  const auto& where = outcome.of->wanted->where;
  const auto& verdict = outcome.reviewed.verdict;
  nlohmann::ordered_json out;
  out["test"] = outcome.of->test->name;
  out["case"] = outcome.of->wanted->name;
  out["file"] = where.source->name;
  out["line"] = where.line;
  out["passed"] = outcome.passed();
  out["mismatches"] = nlohmann::ordered_json::array();
  for (const auto& mismatch : outcome.mismatches)
    out["mismatches"].push_back(
        {{"what", mismatch.what}, {"expected", mismatch.expected}, {"came", mismatch.came}});
  out["verdict"] = verdict.allowed() ? "allow" : "deny";
  out["rules"] = rulesOf(verdict.refused);
  out["warned"] = rulesOf(verdict.warned);
  out["audited"] = rulesOf(verdict.audited);
  out["exempted"] = exemptedJson(verdict);
  out["message"] = messageOf(outcome.reviewed);
  return out;
}

std::string padded(const std::string& text, std::size_t width) {
  const auto length = characters(text);
  return length < width ? std::string(width - length, ' ') + text : text;
}

}  // namespace

std::string failure(const Outcome& outcome, bool diff, const Terminal& terminal) {
  std::string told;
  if (diff) told = differences(outcome, terminal);
  if (!diff) {
    for (const auto& mismatch : outcome.mismatches) told += inWords(mismatch);
  }
  return painted(terminal, Paint::kRed, "FAIL") + "  " + printable(outcome.of->name()) + " (" +
         place(outcome.of->wanted->where) + ")\n" + indented(told) + indented("the gate says") +
         indented(indented(text(outcome.reviewed, terminal))) + indented(inVain(outcome));
}

std::string table(const Coverage& coverage, bool all) {
  auto rows = coverage.rows();
  if (!all) std::erase_if(rows, [](const Coverage::Row& row) { return row.whole(); });
  if (rows.empty()) return {};
  std::size_t width = 4;
  for (const auto& row : rows) width = std::max(width, characters(row.rule));
  std::string out =
      all ? "cases that broke and kept each rule\n" : "rules that lack a case that breaks or keeps them\n";
  out += "  rule" + std::string(width - 4, ' ') + "  broken  kept\n";
  for (const auto& row : rows)
    out += "  " + row.rule + std::string(width - characters(row.rule), ' ') + "  " +
           padded(std::to_string(row.broken), 6) + "  " + padded(std::to_string(row.kept), 4) + "\n";
  return out;
}

std::string counts(const std::vector<Outcome>& outcomes) {
  const auto failed = failedOf(outcomes);
  return std::to_string(outcomes.size() - failed) + " passed, " + std::to_string(failed) + " failed\n";
}

nlohmann::ordered_json json(const std::vector<Outcome>& outcomes, const Coverage& coverage) {
  nlohmann::ordered_json out;
  out["passed"] = outcomes.size() - failedOf(outcomes);
  out["failed"] = failedOf(outcomes);
  out["cases"] = nlohmann::ordered_json::array();
  for (const auto& outcome : outcomes) out["cases"].push_back(json(outcome));
  out["coverage"] = nlohmann::ordered_json::array();
  for (const auto& row : coverage.rows())
    out["coverage"].push_back({{"rule", row.rule},
                               {"file", row.where.source->name},
                               {"line", row.where.line},
                               {"broken", row.broken},
                               {"kept", row.kept}});
  return out;
}

std::string junit(const std::vector<Outcome>& outcomes) {
  std::istream noInput(nullptr);
  std::ostream nowhere(nullptr);
  const Terminal plain{noInput, nowhere, nowhere, false};
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                    number("tests", outcomes.size()) + number("failures", failedOf(outcomes)) +
                    number("errors", 0) + ">\n";
  for (auto begin = outcomes.begin(); begin != outcomes.end();) {
    const auto end =
        std::find_if(begin, outcomes.end(), [&](const Outcome& o) { return o.of->test != begin->of->test; });
    out += suite(begin, end, plain);
    begin = end;
  }
  return out + "</testsuites>\n";
}

}  // namespace driftbar::cli
