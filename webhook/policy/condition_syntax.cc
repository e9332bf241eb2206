// The conditions of rules: `all`, `any`, `not`, lists, `some` and `every`, and leaves with their subject,
// modifiers and tests.
#include <algorithm>

#include "base/text.h"
#include "policy/subject_table.h"
#include "policy/syntax.h"
#include "policy/test_table.h"

namespace driftbar::policy::syntax {
namespace {

using Kind = Condition::Kind;

struct Combinator {
  std::string_view name;
  Kind kind;
  std::string_view doc;
  Written written;
};

constexpr Written kSame = written::condition(Place::kAround);
constexpr Written kOfElements = written::condition(Place::kElement);

constexpr Combinator kCombinators[] = {
    {"all", Kind::kAll, "a list of conditions, all of which hold; a plain list means the same", kSame.list()},
    {"any", Kind::kAny, "a list of conditions, one of which holds", kSame.list()},
    {"not", Kind::kNot, "a condition that does not hold", kSame},
    {"onNode", Kind::kOnNode, "a condition that holds for the node that the pod is bound or pinned to",
     written::condition(Place::kCandidate)}};
constexpr Combinator kQuantifiers[] = {
    {"some", Kind::kSome, "a path: for one of the elements there `where` holds", written::a(Form::kPath)},
    {"every", Kind::kEvery, "a path: for each of the elements there `where` holds", written::a(Form::kPath)}};
constexpr Key kWhere{"where", "beside `some` and `every`: conditions on one and the same element",
                     kOfElements, Need::kMay, "some every"};

const yaml::Node::Entry* firstOf(const yaml::Node& map, std::span<const Combinator> words, Kind& kind) {
  for (const auto& entry : map.entries) {
    for (const auto& row : words) {
      if (entry.key.scalar != row.name) continue;
      kind = row.kind;
      return &entry;
    }
  }
  return nullptr;
}

bool readParts(const yaml::Node& list, std::string_view of, std::vector<Condition>& parts,
               Problems& problems) {
  if (list.items.empty()) {
    problems.error(list.where, "empty-list", "`" + std::string(of) + "` is an empty list",
                   "write at least one condition");
    return false;
  }
  bool good = true;
  for (const auto& item : list.items) {
    auto part = readCondition(item, problems);
    good = good && part.has_value();
    if (part) parts.push_back(*std::move(part));
  }
  return good;
}

void checkAlone(const yaml::Node& map, const yaml::Node& key, std::string_view besides, Problems& problems) {
  for (const auto& entry : map.entries) {
    if (&entry.key == &key || entry.key.scalar == besides) continue;
    problems.error(entry.key.where, "not-alone",
                   "`" + entry.key.scalar + "` can't stand beside `" + key.scalar + "`",
                   "write a list: each of its items is a condition, and all must hold");
  }
}

std::optional<Condition> combined(const yaml::Node& map, const yaml::Node::Entry& entry, Kind kind,
                                  Problems& problems) {
  Condition condition;
  condition.kind = kind;
  condition.where = entry.key.where;
  checkAlone(map, entry.key, {}, problems);
  const bool takesOne = kind == Kind::kNot || kind == Kind::kOnNode;
  if (!takesOne && !entry.value.isList()) {
    problems.wrongType(entry.value, entry.key.scalar, "a list of conditions", "begin each with `- `");
    return std::nullopt;
  }
  if (!takesOne) {
    if (!readParts(entry.value, entry.key.scalar, condition.parts, problems)) return std::nullopt;
    return condition;
  }
  auto part = readCondition(entry.value, problems);
  if (!part) return std::nullopt;
  condition.parts.push_back(*std::move(part));
  return condition;
}

std::optional<Condition> quantified(const yaml::Node& map, const yaml::Node::Entry& entry, Kind kind,
                                    Problems& problems) {
  Condition condition;
  condition.kind = kind;
  condition.where = entry.key.where;
  condition.path = &entry.value;
  checkAlone(map, entry.key, "where", problems);
  const yaml::Node* where = map.find("where");
  if (where == nullptr) {
    problems.error(entry.key.where, "missing-key", "`" + entry.key.scalar + "` needs `where`",
                   "write `where:` with conditions on each element, such as {field: name, equals: x}");
    return std::nullopt;
  }
  if (textOf(entry.value, entry.key.scalar, problems) == nullptr) return std::nullopt;
  auto part = readCondition(*where, problems);
  if (!part) return std::nullopt;
  condition.parts.push_back(*std::move(part));
  return condition;
}

std::vector<std::string_view> leafWords() {
  std::vector<std::string_view> words;
  for (const auto& row : subjectTable()) words.push_back(row.name);
  for (const auto& row : testTable()) words.push_back(row.name);
  for (const auto& row : kCombinators) words.push_back(row.name);
  for (const auto& row : kQuantifiers) words.push_back(row.name);
  for (const auto& key : modifierKeys()) {
    if (!key.later) words.push_back(key.name);
  }
  return words;
}

bool isLater(std::span<const Key> keys, std::string_view word) {
  return std::any_of(keys.begin(), keys.end(), [&](const Key& k) { return k.later && k.name == word; });
}

// A node's subject, the words of a condition that people put where a leaf is meant.
std::string unknownHelp(std::string_view word) {
  for (const auto& row : ruleKeys().keys) {
    if (row.name == word) return "`" + std::string(word) + "` is a key of the rule: indent it as `name` is";
  }
  return {};
}

// Sorts one key of a leaf into its place; false where it is none.
bool sortKey(Leaf& leaf, const yaml::Node::Entry& entry, Problems& problems) {
  const std::string_view word = entry.key.scalar;
  const Member member{&entry.key, &entry.value};
  if (subjectRow(word) != nullptr) {
    if (leaf.subject.key != nullptr) {
      problems.error(entry.key.where, "two-subjects",
                     "a condition is about one thing, and this one has `" + leaf.subject.key->scalar +
                         "` and `" + std::string(word) + "`",
                     "write a list: each of its items is a condition, and all must hold");
      return false;
    }
    leaf.subject = member;
  } else if (testRow(word) != nullptr) {
    leaf.tests.push_back(member);
  } else if (isLater(modifierKeys(), word) || isLater(laterSubjects(), word) || isLater(laterTests(), word)) {
    problems.notYet(entry.key.where, word);
    return false;
  } else if (std::any_of(modifierKeys().begin(), modifierKeys().end(),
                         [&](const Key& k) { return k.name == word; })) {
    leaf.modifiers.push_back(member);
  } else {
    const std::string help = unknownHelp(word);
    if (help.empty()) {
      problems.unknown(entry.key.where, "key", "a condition", word, leafWords());
    } else {
      problems.error(entry.key.where, "unknown-key", "unknown key `" + std::string(word) + "` in a condition",
                     help);
    }
    return false;
  }
  return true;
}

std::optional<Condition> readLeaf(const yaml::Node& map, Problems& problems) {
  Condition condition;
  condition.kind = Kind::kLeaf;
  condition.where = map.where;
  bool good = true;
  for (const auto& entry : map.entries) good = sortKey(condition.leaf, entry, problems) && good;
  if (!good) return std::nullopt;
  if (condition.leaf.subject.key == nullptr) {
    problems.error(map.where, "no-subject", "the condition says not what it is about",
                   "begin it with a subject: " + listed(subjectNames()));
    return std::nullopt;
  }
  condition.where = condition.leaf.subject.key->where;
  return condition;
}

}  // namespace

std::vector<Key> conditionKeys() {
  std::vector<Key> keys;
  for (const auto& row : kCombinators) keys.push_back({row.name, row.doc, row.written});
  for (const auto& row : kQuantifiers) keys.push_back({row.name, row.doc, row.written});
  keys.push_back(kWhere);
  return keys;
}

const yaml::Node* Leaf::modifier(std::string_view name) const {
  for (const auto& member : modifiers) {
    if (member.key->scalar == name) return member.value;
  }
  return nullptr;
}

std::optional<Condition> readCondition(const yaml::Node& node, Problems& problems) {
  if (node.isList()) {
    Condition condition;
    condition.where = node.where;
    if (!readParts(node, "the condition", condition.parts, problems)) return std::nullopt;
    return condition;
  }
  if (!node.isMap()) {
    problems.error(node.where, "wrong-type",
                   "a condition is a map or a list, and this is " + std::string(describe(node)),
                   "write a subject and a test, such as {label: pool, equals: h100}");
    return std::nullopt;
  }
  Kind kind = Kind::kAll;
  if (const auto* entry = firstOf(node, kCombinators, kind)) return combined(node, *entry, kind, problems);
  if (const auto* entry = firstOf(node, kQuantifiers, kind)) return quantified(node, *entry, kind, problems);
  return readLeaf(node, problems);
}

}  // namespace driftbar::policy::syntax
