// Entries of `except` that take out all that `match` lets in: each key of the entry is as wide as the same
// key of `match`, or fits everything by itself.
#include <algorithm>

#include "base/glob.h"
#include "policy/sense.h"

namespace driftbar::policy {
namespace {

using Words = std::vector<std::string_view>;

Words wordsIn(const yaml::Node& node) {
  Words words;
  if (node.isText()) words.push_back(node.scalar);
  for (const auto& item : node.items) {
    if (item.isText()) words.push_back(item.scalar);
  }
  return words;
}

bool has(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A star in `inner` is met by a star in `outer` only, so what fits `inner` fits `outer`.
bool globsCover(const yaml::Node& outer, const yaml::Node* inner) {
  const Words wide = wordsIn(outer);
  if (inner == nullptr) return false;
  const Words narrow = wordsIn(*inner);
  return std::all_of(narrow.begin(), narrow.end(), [&](auto word) {
    return std::any_of(wide.begin(), wide.end(), [&](auto glob) { return globFits(glob, word); });
  });
}

bool wordsCover(const yaml::Node& outer, const yaml::Node* inner) {
  if (inner == nullptr) return false;
  const Words wide = wordsIn(outer), narrow = wordsIn(*inner);
  return std::all_of(narrow.begin(), narrow.end(), [&](auto word) { return has(wide, word); });
}

// `*` means whatever has no subresource.
bool resourcesCover(const yaml::Node& outer, const yaml::Node* inner) {
  if (wordsCover(outer, inner)) return true;
  if (!has(wordsIn(outer), "*")) return false;
  const Words narrow = inner != nullptr ? wordsIn(*inner) : Words{};
  return std::none_of(narrow.begin(), narrow.end(), [](auto word) {
    return word.find('/') != std::string_view::npos || word == "bindings";
  });
}

std::string lowered(std::string_view word) {
  std::string out;
  for (const char c : word) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Where `match` says nothing, all is meant but deleting.
bool operationsCover(const yaml::Node& outer, const yaml::Node* inner) {
  std::vector<std::string> wide;
  for (const auto word : wordsIn(outer)) wide.push_back(lowered(word));
  const Words narrow = inner != nullptr ? wordsIn(*inner) : Words{"create", "update", "connect"};
  return std::all_of(narrow.begin(), narrow.end(), [&](auto word) {
    return std::find(wide.begin(), wide.end(), lowered(word)) != wide.end();
  });
}

bool sameCovers(const yaml::Node& outer, const yaml::Node* inner) {
  return inner != nullptr && canonical(outer) == canonical(*inner);
}

bool requestersCover(const yaml::Node& outer, const yaml::Node* inner) {
  const yaml::Node* users = outer.find("users");
  return (users != nullptr && has(wordsIn(*users), "*")) || sameCovers(outer, inner);
}

struct KeyRow {
  std::string_view name;
  // Whether what fits `inner` (of `match`; null where it says nothing) fits `outer` (of the entry).
  bool (*covers)(const yaml::Node& outer, const yaml::Node* inner);
};

// A key of match without a row covers nothing, so nothing is said of an entry that has it.
constexpr KeyRow kKeys[] = {
    {"resources", resourcesCover},
    {"operations", operationsCover},
    {"workload", wordsCover},
    {"kinds", wordsCover},
    {"ownedBy", wordsCover},
    {"namespaces", globsCover},
    {"names", globsCover},
    {"namespaceSelector", sameCovers},
    {"labelSelector", sameCovers},
    {"podServiceAccounts", globsCover},
    {"requestedBy", requestersCover},
};

bool covers(const yaml::Node& entry, const yaml::Node* match) {
  return std::all_of(entry.entries.begin(), entry.entries.end(), [&](const auto& member) {
    const auto row = std::find_if(std::begin(kKeys), std::end(kKeys),
                                  [&](const KeyRow& one) { return one.name == member.key.scalar; });
    const yaml::Node* inner = match != nullptr ? match->find(member.key.scalar) : nullptr;
    return row != std::end(kKeys) && row->covers(member.value, inner);
  });
}

}  // namespace

void checkExceptSense(const syntax::PolicyDocument& tree, Problems& problems) {
  const yaml::Node* except = tree.spec["except"];
  if (except == nullptr) return;
  for (const auto& entry : except->items) {
    if (!covers(entry, tree.spec["match"])) continue;
    problems.warning(entry.where, "covers-all",
                     "this entry takes out all that `match` lets in, so the policy looks at nothing",
                     "say more narrowly what is to be left out");
  }
}

}  // namespace driftbar::policy
