// Privacy: what of a value people may see. Keys and tokens stand in variables, and in command lines that set
// them; messages, events and logs are read by many.
//
// Told by the way to the value, from whatever root it begins. What is compared is never changed.
#pragma once

#include <string_view>

#include "policy/value.h"

namespace driftbar::policy {

// Below a list or map `env`, what is not the name of a variable or where it comes from is hidden, unless the
// variable's name may be shown.
Privacy privacyOf(const Trail& at);

// Of what stands under the key, of whatever map: an annotation in which kubectl keeps the whole object is
// hidden, `args` is a command line, `env` an environment.
Privacy privacyOfKey(std::string_view key);

}  // namespace driftbar::policy
