// Words of messages: a rule's own, with placeholders and what stands for them, and an exemption's end.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "policy/policy.h"

namespace driftbar::decision {

// Enough for a person to see the pattern; the rest is counted. Messages also end up in events, 1 kB at most.
inline constexpr std::size_t kNamedDetails = 5;
// A sentence with a user's value in it; the API server's own field errors cut nothing, terminals do.
inline constexpr std::size_t kLongestSentence = 300;

using Placeholder = std::pair<std::string_view, std::string>;  // name, what stands for it

// The template with each `{name}` replaced; one that is not among the values stays as it is (loading refuses
// it).
std::string filled(std::string_view pattern, std::span<const Placeholder> values);

// An exemption that was given a day ends where the next begins; people are told the day.
std::string endOf(const policy::Exemption& exemption);

}  // namespace driftbar::decision
