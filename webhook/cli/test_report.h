// The forms that the outcomes of PolicyTests are printed in: text for people, a value for programs, JUnit's
// XML for CI servers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "cli/test_outcome.h"

namespace driftbar::cli {

// One failed case: what was expected and what came, what the gate said, and of each rule that was expected in
// vain whether it was judged. With `diff` what differs is told as lines with `-` and `+`.
std::string failure(const Outcome& outcome, bool diff, const Terminal& terminal);

// A table of how many cases broke and kept each rule: of all rules, or of those only that lack one or the
// other. Empty where there is none to tell of.
std::string table(const Coverage& coverage, bool all);

std::string counts(const std::vector<Outcome>& outcomes);

nlohmann::ordered_json json(const std::vector<Outcome>& outcomes, const Coverage& coverage);

// A suite a test, in the order in which they ran.
std::string junit(const std::vector<Outcome>& outcomes);

}  // namespace driftbar::cli
