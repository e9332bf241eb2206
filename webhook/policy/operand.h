// What is written beside a test, read and checked: the parse functions of the table of tests.
//
// Each reports what is wrong (a value of the wrong type, one that can never match, a regular expression that
// does not compile) and then gives nothing. `test` is the word it stands beside.
#pragma once

#include <optional>

#include "policy/test_table.h"

namespace driftbar::policy {

std::optional<Operand> parseFlag(const yaml::Node&, std::string_view test, ValueType, Problems&);
std::optional<Operand> parseLiteral(const yaml::Node&, std::string_view test, ValueType, Problems&);
std::optional<Operand> parseLiterals(const yaml::Node&, std::string_view test, ValueType, Problems&);
std::optional<Operand> parseText(const yaml::Node&, std::string_view test, ValueType, Problems&);
std::optional<Operand> parseRegex(const yaml::Node&, std::string_view test, ValueType, Problems&);
std::optional<Operand> parseAmount(const yaml::Node&, std::string_view test, ValueType, Problems&);
std::optional<Operand> parseVersionBounds(const yaml::Node&, std::string_view test, ValueType, Problems&);
std::optional<Operand> parseFor(const yaml::Node&, std::string_view test, ValueType, Problems&);

}  // namespace driftbar::policy
