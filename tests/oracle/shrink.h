// Shrinking: the smallest row that still fails, found by taking parts away.
#pragma once

#include <functional>

#include "oracle/cases.h"

namespace driftbar::oracle {

// `fails` holds for `row`. What is returned fails too, and not when any one of its parts is taken away or
// made empty. The `kind` stays.
Row smallest(Row row, const std::function<bool(const Row&)>& fails);

}  // namespace driftbar::oracle
