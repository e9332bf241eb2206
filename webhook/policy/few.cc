#include "policy/few.h"

#include "base/text.h"

namespace driftbar::policy {
namespace {

// Enough to see the pattern.
constexpr std::size_t kMostWords = 4;
// Of all of them: a finding's sentence has room for 300, and what surrounds the words takes some of it.
constexpr std::size_t kMostCharacters = 240;

}  // namespace

std::string few(std::span<const std::string> words) {
  // `and 1 more` is no shorter than the word.
  const auto named = words.first(words.size() > kMostWords + 1 ? kMostWords : words.size());
  std::size_t all = 0;
  for (const auto& word : named) all += characters(word);
  std::string out;
  for (const auto& word : named) {
    out += out.empty() ? "" : ", ";
    out += all <= kMostCharacters ? word : shortened(word, kMostCharacters / named.size());
  }
  const auto more = words.size() - named.size();
  return more == 0 ? out : out + " and " + std::to_string(more) + " more";
}

}  // namespace driftbar::policy
