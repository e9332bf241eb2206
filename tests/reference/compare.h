// Comparison of two answers to one request, and the smallest case that still shows a difference.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/engine.h"

namespace driftbar::reference {

// One line for each difference: the aspect, the rule, what the reference says and what the engine says.
std::vector<std::string> differences(const Engine& engine, const Row& request, const Row& reference);

// A case with parts taken away as long as `fails` holds for it. What makes a document or an object what it is
// stays.
Row smallest(Row row, const std::function<bool(const Row&)>& fails);

}  // namespace driftbar::reference
