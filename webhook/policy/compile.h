// compile: the syntax tree to programs; the fourth stage. What a row of the tables cannot read, and what
// makes no sense where it stands, is reported.
#pragma once

#include <memory>
#include <optional>

#include "policy/condition.h"
#include "policy/match_table.h"
#include "policy/problems.h"
#include "policy/syntax.h"

namespace driftbar::policy {

// Whatever could be made of it; to be used only where nothing was reported.
Policy compile(const syntax::PolicyDocument& document, const Declared& declared, Problems& problems);

std::optional<Condition> compileCondition(const syntax::Condition& condition, const Surroundings& around,
                                          Problems& problems);

}  // namespace driftbar::policy
