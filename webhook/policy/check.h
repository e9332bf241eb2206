// check: what holds for documents and rules as a whole; the third stage. Names and that each is there once,
// which keys go with which verb, placeholders, links.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "policy/envelope.h"
#include "policy/problems.h"
#include "policy/syntax.h"

namespace driftbar::policy {

// Whether a document or rule may have this name; `of` is `a rule`.
void checkName(std::string_view name, std::string_view of, const Location& where, Problems& problems);

// The names of the documents of a kind, each of which is there once; `of` is `an Exemption`.
void checkNames(std::span<const Envelope> documents, std::string_view of, Problems& problems);

void check(const std::vector<syntax::PolicyDocument>& documents, Problems& problems);

}  // namespace driftbar::policy
