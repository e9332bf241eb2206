// Condition: a condition compiled, a tree of small constant nodes. Judging it cannot fail.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "policy/scope.h"
#include "policy/subject_table.h"
#include "policy/test_table.h"

namespace driftbar::policy {

// How many values of one leaf are read. In `deny` one that passes is enough; in `require` each must pass;
// `not` swaps the two. Over nothing there is nothing to judge, so neither is broken by it.
enum class Reading { kAny, kEach };

constexpr Reading operator!(Reading reading) {
  return reading == Reading::kAny ? Reading::kEach : Reading::kAny;
}

class Condition {
 public:
  using Kind = syntax::Condition::Kind;

  Kind kind = Kind::kAll;
  std::vector<Condition> parts;  // of kNot, kSome, kEvery and kOnNode one
  std::optional<Field> list;     // of kSome and kEvery
  // Of a leaf.
  const SubjectRow* subject = nullptr;
  Argument argument;
  std::vector<Test> tests;    // none: the subject itself says whether it holds
  std::optional<bool> agree;  // whether all values of one name are the same

  Truth holds(Reading reading, const Scope& scope) const;
  // What makes it hold under kAny, or not hold under kEach; or, for kUnknown, what can't be told.
  void explain(Reading reading, const Scope& scope, Evidence::Kind what, std::vector<Evidence>& out) const;

 private:
  Truth leafHolds(Reading reading, const Scope& scope) const;
  Truth eachHolds(Reading reading, const Scope& scope) const;
  Truth quantified(Reading reading, const Scope& scope) const;
  Truth holdsOnNode(Reading reading, const Scope& scope) const;
  void explainLeaf(Reading reading, const Scope& scope, Evidence::Kind what,
                   std::vector<Evidence>& out) const;
  void explainOnNode(Reading reading, const Scope& scope, Evidence::Kind what,
                     std::vector<Evidence>& out) const;
  void explainElements(Reading reading, const Scope& scope, Evidence::Kind what,
                       std::vector<Evidence>& out) const;
  Outcome asks(const Value& value, Instant now) const;
  Evidence evidenceOf(Reading reading, const Value& value, Outcome outcome, const Scope& scope) const;
  std::string sentence(const Value& value, const Scope& scope) const;
  std::string expected(Reading reading, const Value& value, Instant now) const;
};

}  // namespace driftbar::policy
