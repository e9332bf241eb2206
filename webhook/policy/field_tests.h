// field_tests: tests that no value of a field can ever pass, or that mean nothing of its type: `matches` of a
// number, `atLeast` of a list, a word that an enumeration does not have.
//
// Fields without a shape are not looked at. A test such as `notEquals` of a word that cannot be is a mistake
// of the same kind, though it always holds.
#pragma once

#include <string_view>
#include <vector>

#include "policy/field.h"
#include "policy/syntax.h"
#include "policy/test_table.h"

namespace driftbar::policy {

// `path` is the field's as written; `written` has the text of each of the tests. What is written beside a
// test of a quantity is compared by value from here on.
void checkTests(const Field& field, std::string_view path, const std::vector<syntax::Member>& written,
                std::vector<Test>& tests, const Surroundings& around, Problems& problems);

}  // namespace driftbar::policy
