// Command lines for people: what they set in variables is theirs to see only where mayBeShown says so.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace driftbar::kube {

// What is put in the place of a value.
inline constexpr std::string_view kHiddenValue = "(hidden)";

// The text of a `command`, an element of `args` or a script, with `(hidden)` for each value of a variable
// whose name may not be shown: `export TOKEN=abc` is `export TOKEN=(hidden)`. By the look of the text alone,
// and in doubt hidden: whatever follows `NAME=` at the beginning of a word, up to the end of the word, or of
// the text where the text itself begins so. What a program is told
// in that form (`trainer=gpu`, `model.size=3`, `--lr=0.1`) is hidden with them, and so is the word after an
// option whose name speaks of a key, a token or a password.
std::string withoutValues(std::string_view text);

// The same of a list of words, as compact JSON.
std::string withoutValues(Json words);

}  // namespace driftbar::kube
