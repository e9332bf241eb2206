// What an answer of the API server other than 200 means, as a sentence for the one who runs driftbar.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "cluster/api.h"

namespace driftbar::cluster {

inline constexpr std::string_view kRefused = "api-refused";

// `verb` and `plural` say what was asked for: `list`, `nodes`. Names what is missing and how to mend it.
Diagnostic refusal(const Access& access, const std::string& verb, const std::string& plural,
                   const Reply& reply);

}  // namespace driftbar::cluster
