// Mends: what to write instead, by the place where something wrong stands.
//
// Tables: of words that stand in the wrong place (`match` in a rule), of values that have another form
// (`as: alice`), of units that no quantity has (`10GB`). Words that are wrong wherever they stand are in
// vocabulary. An empty text: nothing better is known here than what is said anyway.
#pragma once

#include <string>
#include <string_view>

#include "yaml/yaml.h"

namespace driftbar::policy {

// `of` is the place as messages have it: `a rule`, "`match`".
std::string_view mendOfWord(std::string_view of, std::string_view word);

// Of a word that is a field of pods, containers or nodes, where a subject should stand.
std::string mendOfField(std::string_view word);

// Of a value that is of the wrong type there: `of` as above, or the key that it stands under.
std::string mendOfForm(std::string_view of, const yaml::Node& value);

// Of a text that is meant as a quantity and is none.
std::string mendOfQuantity(std::string_view text);

}  // namespace driftbar::policy
