#include "policy/names.h"

#include <algorithm>

#include "base/glob.h"
#include "base/text.h"
#include "kube/labels.h"

namespace driftbar::policy {

bool nameFits(const Argument& argument, std::string_view name) {
  return std::any_of(argument.names.begin(), argument.names.end(),
                     [&](const auto& wanted) { return globFits(wanted, name); });
}

bool checkLabelKey(const yaml::Node& node, std::string_view of, Problems& problems) {
  std::string plain = node.scalar;
  std::replace(plain.begin(), plain.end(), '*', 'x');
  if (kube::isLabelKey(plain)) return true;
  problems.error(node.where, "never-matches",
                 "no " + std::string(of) + " can have the key " + quoted(node.scalar),
                 "a key has at most 63 letters, digits, `-`, `_` and `.`, and a DNS name and `/` before it");
  return false;
}

std::optional<Argument> namesBeside(const syntax::Leaf& leaf, std::string_view of, bool keysOfLabels,
                                    Problems& problems) {
  const yaml::Node& node = *leaf.subject.value;
  const std::size_t before = problems.errorCount();
  Argument argument;
  argument.eachThere = node.isList();
  for (const auto* word : wordsOf(node, of, problems)) {
    if (keysOfLabels && !checkLabelKey(*word, of, problems)) continue;
    argument.names.push_back(word->scalar);
    argument.hashes.push_back(kube::Labels::hash(word->scalar));
    argument.eachThere = argument.eachThere || isGlob(word->scalar);
  }
  return problems.errorCount() == before ? std::optional(argument) : std::nullopt;
}

}  // namespace driftbar::policy
