// A few of many words, for a sentence: whoever reads that a value must be one of thirty wants to know what
// they look like, and how many there are.
#pragma once

#include <span>
#include <string>

namespace driftbar::policy {

// `"a", "b", "c", "d" and 20 more`. The words are shown as they are given; long ones are cut where they would
// fill the sentence.
std::string few(std::span<const std::string> words);

}  // namespace driftbar::policy
