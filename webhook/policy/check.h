// check: what holds for documents and rules as a whole; the third stage. Names and that each is there once,
// which keys go with which verb, placeholders, links.
#pragma once

#include <vector>

#include "policy/problems.h"
#include "policy/syntax.h"

namespace driftbar::policy {

void check(const std::vector<syntax::PolicyDocument>& documents, Problems& problems);

}  // namespace driftbar::policy
