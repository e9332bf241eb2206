// syntax: documents as a typed tree with a place for everything; the second stage.
//
// Reads the shape and reports what is no word of the language or stands in the wrong place. What words mean
// (types of values, paths, regular expressions) is for compile. The tree points into the YAML nodes and must
// not outlive them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/envelope.h"
#include "policy/policy.h"
#include "policy/problems.h"
#include "policy/vocabulary.h"

namespace driftbar::policy::syntax {

using Member = Members::Member;

// One subject and the tests on its value: {label: pool, in: [a, b]}.
struct Leaf {
  Member subject;
  std::vector<Member> modifiers;  // of, …
  std::vector<Member> tests;

  const yaml::Node* modifier(std::string_view name) const;
};

struct Condition {
  enum class Kind { kAll, kAny, kNot, kSome, kEvery, kOnNode, kLeaf };
  Kind kind = Kind::kAll;
  Location where;
  std::vector<Condition> parts;      // of kNot, kSome, kEvery and kOnNode one
  const yaml::Node* path = nullptr;  // of kSome and kEvery
  Leaf leaf;
};

struct VerbRow {
  std::string_view name;
  Verb verb;
};
std::span<const VerbRow> verbs();

struct Rule {
  Location where;  // of its name, or of the rule where it has none
  Members members;
  Members::Member verb;  // null where there is not exactly one
  Verb verbKind = Verb::kDeny;
  std::optional<Condition> condition;
};

struct PolicyDocument {
  Location where;  // of its name
  std::string name;
  const yaml::Node* kubernetes = nullptr;  // the annotation that says the cluster's version
  Members spec;
  std::vector<Rule> rules;
};

PolicyDocument read(const Envelope& envelope, Problems& problems);

// What a condition may have besides subjects and tests.
std::vector<Key> conditionKeys();

std::optional<Condition> readCondition(const yaml::Node& node, Problems& problems);

}  // namespace driftbar::policy::syntax
