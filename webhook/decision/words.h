// The words of a rule's own message: placeholders, and what stands for them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace driftbar::decision {

using Placeholder = std::pair<std::string_view, std::string>;  // name, what stands for it

// The template with each `{name}` replaced; one that is not among the values stays as it is (loading refuses
// it).
std::string filled(std::string_view pattern, std::span<const Placeholder> values);

}  // namespace driftbar::decision
