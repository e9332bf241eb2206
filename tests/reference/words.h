// THE LIST of words that random policies use. A word of the contract that the engine does not have yet is
// off; whoever puts it into the engine switches it on here, and from then on it is compared, must load, and
// must be seen broken and kept.
#pragma once

#include <span>
#include <string_view>

namespace driftbar::reference {

struct Word {
  std::string_view of;  // subject, beside, test, match, requestedBy, rule, class, document, judged
  std::string_view name;
  bool on;
};

std::span<const Word> listedWords();
// False for a word that is not in the list, too.
bool isOn(std::string_view of, std::string_view name);

}  // namespace driftbar::reference
