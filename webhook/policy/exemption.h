// Exemption documents.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "policy/documents.h"
#include "policy/match_table.h"
#include "policy/policy.h"
#include "policy/problems.h"

namespace driftbar::policy {

// A day means its end in UTC: the beginning of the next one. Nothing where it is neither a day nor a time.
std::optional<Instant> endOf(std::string_view text);

// By their end, then by name. The rules that they name are looked for among those of `trees`. Whatever could
// be made of them; to be used only where nothing was reported.
std::vector<Exemption> exemptionsOf(const Trees& trees, const Declared& declared, std::optional<Instant> now,
                                    Problems& problems);

}  // namespace driftbar::policy
