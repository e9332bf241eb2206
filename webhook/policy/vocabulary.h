// Vocabulary: THE TABLES of the keys that documents and rules have, of words of the contract that this
// version does not have yet, and of words from other systems with ours beside them.
//
// Subjects and tests have tables of their own (subject_table, test_table), and so have match (match_table)
// and the kinds of documents beside Policy (document_vocabulary).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/problems.h"
#include "policy/written.h"
#include "yaml/yaml.h"

namespace driftbar::policy {

// Whether a key must be there: on its own account, or as exactly one of those of its set that say so. Beside
// the subject of a condition the latter stands in the place of tests.
enum class Need { kMay, kMust, kOneOfThese };

struct Key {
  std::string_view name;
  std::string_view doc;
  Written written{};  // what stands beside it
  Need need = Need::kMay;
  std::string_view with{};  // the keys of its set that it goes with, with blanks between; empty: all
  bool later = false;       // part of the language, not of this version
};

constexpr Key laterKey(std::string_view name, std::string_view doc) {
  return {name, doc, {}, Need::kMay, {}, true};
}

// The words of a text that has blanks between them.
std::vector<std::string_view> wordsIn(std::string_view text);

// The keys that a map of one kind has.
struct KeySet {
  std::string_view of;  // `a rule`, for messages
  std::span<const Key> keys;
  std::string_view about;  // `a document`: where it is found, for words
};

const KeySet& documentKeys();
const KeySet& metadataKeys();
const KeySet& specKeys();
const KeySet& ruleKeys();
const KeySet& requestedByKeys();
const KeySet& taintKeys();
const KeySet& driftKeys();
// Of a PolicyTest.
const KeySet& testSpecKeys();
const KeySet& caseKeys();
const KeySet& updateKeys();
const KeySet& connectKeys();
const KeySet& bindKeys();
const KeySet& asKeys();
const KeySet& expectKeys();
std::span<const KeySet* const> allKeySets();

// Kinds of our own documents, as THE TABLE of them (documents) has them.
std::span<const Key> documentKinds();

// What to write here in the place of a word from Kubernetes, Kyverno, Gatekeeper, CEL or Prometheus; empty
// where the word is from none.
std::string_view foreignHelp(std::string_view word);

// A map with its keys checked against a set: what is not in it is reported, and left out.
class Members {
 public:
  struct Member {
    const yaml::Node* key = nullptr;
    const yaml::Node* value = nullptr;
  };

  Members() = default;
  // Reports what is no map too.
  static Members read(const yaml::Node& map, const KeySet& keys, Problems& problems);
  // Those of the set alone, where other keys may stand beside them.
  static Members among(const yaml::Node& map, const KeySet& keys);

  const yaml::Node* operator[](std::string_view name) const;  // the value; null where it is absent
  const yaml::Node* key(std::string_view name) const;
  const std::vector<Member>& all() const { return members_; }
  bool empty() const { return members_.empty(); }

 private:
  std::vector<Member> members_;
};

std::vector<std::string_view> namesOf(std::span<const Key> keys);

// The text of a scalar that must be text (or, with `numbers`, may be written like a number or boolean); null
// and a report where it is not.
const std::string* textOf(const yaml::Node& node, std::string_view of, Problems& problems);
// A word or a list of words, never empty; reports what is none.
std::vector<const yaml::Node*> wordsOf(const yaml::Node& node, std::string_view of, Problems& problems);

}  // namespace driftbar::policy
