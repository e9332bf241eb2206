#include "policy/containers.h"

#include "base/glob.h"
#include "base/text.h"
#include "policy/few.h"

namespace driftbar::policy {
namespace {

struct OfRow {
  std::string_view name;
  Of of;
};

constexpr OfRow kOf[] = {{"ranks", Of::kRanks}, {"init", Of::kInit}, {"ephemeral", Of::kEphemeral}};

bool readOf(const syntax::Leaf& leaf, std::span<const std::string_view> words, Argument& argument,
            Problems& problems) {
  const yaml::Node* of = leaf.modifier("of");
  if (of == nullptr || words.empty()) return true;
  const std::string* word = textOf(*of, "of", problems);
  if (word == nullptr) return false;
  if (std::find(words.begin(), words.end(), *word) == words.end()) {
    problems.unknown(of->where, "word", "`of`", *word, words);
    return false;
  }
  for (const auto& row : kOf) {
    if (row.name == *word) argument.of = row.of;
  }
  return true;
}

}  // namespace

bool readPlaces(const syntax::Leaf& leaf, std::span<const std::string_view> ofWords, Argument& argument,
                Problems& problems) {
  const std::size_t before = problems.errorCount();
  readOf(leaf, ofWords, argument, problems);
  if (const yaml::Node* names = leaf.modifier("containers")) {
    for (const auto* word : wordsOf(*names, "containers", problems))
      argument.containers.push_back(word->scalar);
  }
  return problems.errorCount() == before;
}

namespace containers {

bool anyAccelerated(Json spec) {
  for (const auto& list : kContainerLists) {
    for (const Json container : spec[list.name].items()) {
      if (kube::asksForAccelerator(container)) return true;
    }
  }
  return false;
}

}  // namespace containers

std::string ofContainer(const Value& value) {
  return value.container.empty() ? "" : " of container " + printable(value.container);
}

std::string beOneOf(const std::vector<std::string>& names, bool holds) {
  const bool any = std::find(names.begin(), names.end(), "*") != names.end();
  if (any) return holds ? "must be there" : "must not be there";
  std::vector<std::string> words;
  for (const auto& name : names) words.push_back(quoted(name));
  const bool globs = std::any_of(names.begin(), names.end(), [](const auto& name) { return isGlob(name); });
  return std::string(holds ? "must " : "must not ") + (globs ? "match " : "be ") +
         (names.size() > 1 ? "one of " : "") + few(words);
}

}  // namespace driftbar::policy
