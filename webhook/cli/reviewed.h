// Reviewed: one request with what the gate answers to it, and the forms that people and programs get it in.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "decision/judge.h"
#include "kube/review.h"

namespace driftbar::cli {

struct Reviewed {
  std::string kind, ns, name;                  // of the object; a name that is yet to come ends in `*`
  bool judged = false;                         // whether any rule could look at such requests
  std::vector<std::string> asked;              // the rules that looked at this one, as policy/rule
  std::vector<std::string> unsettled;          // and those about its placement, which it does not settle
  std::map<std::string, std::string> leftOut;  // policies that leave it out, and by what: `match.workload`
  decision::Verdict verdict;
  std::vector<std::string> warnings;
  std::string answer;  // the AdmissionReview, JSON text
  std::string object;  // as it is after mutation, JSON text; empty: nothing was patched
};

// What rules ask for beyond the request, from the world's inventory: `given`, and what is not in it.
decision::Found lookedUp(const kube::Request& request, const decision::World& world, Instant now,
                         const decision::Found& given = {});

// As both webhooks would answer, one after the other: what has become of the object is judged. `found` is
// what has been looked up for the request.
Reviewed reviewed(const kube::Request& request, const decision::World& world, const decision::Found& found,
                  Instant now);

// "`match.workload` of ml leaves it out"; empty where the policy does not.
std::string leftOutBy(const Reviewed& reviewed, const std::string& policy);

// As policy/rule.
std::vector<std::string> rulesOf(const std::vector<decision::Finding>& findings);

// A list of {rule, exemption}.
nlohmann::ordered_json exemptedJson(const decision::Verdict& verdict);

// One block, ended by a line end: the verdict, the refusal as kubectl shows it, warnings, findings in audit.
std::string text(const Reviewed& reviewed, const Terminal& terminal);
nlohmann::ordered_json json(const Reviewed& reviewed);

// Every line two blanks further in.
std::string indented(const std::string& text);

}  // namespace driftbar::cli
