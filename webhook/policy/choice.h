// Choices: keys that take one of a few words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "policy/problems.h"
#include "policy/vocabulary.h"

namespace driftbar::policy {

template <typename T>
struct Choice {
  std::string_view word;
  T value;
};

// The value of a word under `key`; nothing where it is absent or wrong, and the latter is reported.
template <typename T, std::size_t N>
std::optional<T> chosen(const Members& members, std::string_view key, const Choice<T> (&choices)[N],
                        Problems& problems) {
  const yaml::Node* node = members[key];
  if (node == nullptr) return std::nullopt;
  std::vector<std::string_view> words;
  for (const auto& choice : choices) words.push_back(choice.word);
  if (!node->isText()) {
    problems.wrongType(*node, key, "a word", "write " + listed(words));
    return std::nullopt;
  }
  for (const auto& choice : choices) {
    if (choice.word == node->scalar) return choice.value;
  }
  problems.unknown(node->where, "word", "`" + std::string(key) + "`", node->scalar, words);
  return std::nullopt;
}

}  // namespace driftbar::policy
