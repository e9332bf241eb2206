// THE TABLE OF TESTS: what can be asked of a value. A new test is a new row.
//
// A row holds the word, its documentation and an example, which values it takes, what it says of an absent
// one, and three functions: reading what is written beside it, asking a value, and the sentence of it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "kube/quantity.h"
#include "policy/problems.h"
#include "policy/value.h"
#include "policy/vocabulary.h"
#include "yaml/yaml.h"

namespace re2 {
class RE2;
}

namespace driftbar::policy {

// What a subject's values are; what a test may be asked of, and how it reads its own operand, follows.
enum class ValueType : unsigned {
  kLabelValue = 1,  // text that Kubernetes takes as a label's value
  kText = 2,
  kStatus = 4,       // True, False or Unknown
  kAny = 8,          // whatever a field holds
  kMembership = 16,  // true or false, and said by the subject itself
  kQuantity = 32,
  kShared = 64  // of several pods, and asked only whether it is the same in all
};

// A value as it is written in a policy.
struct Literal {
  std::string text;
  bool isNumber = false;
  bool isBool = false;
  std::optional<kube::Quantity> amount;  // where it is a number, or text that is a quantity
};

// Dotted numbers; what is missing at the end is 0.
using Version = std::array<std::uint64_t, 8>;
std::optional<Version> parseVersion(std::string_view text);

struct VersionBound {
  enum class Op { kEqual, kNotEqual, kAtLeast, kAtMost, kMore, kLess };
  Op op = Op::kEqual;
  Version version{};
};

// What is written beside a test.
struct Operand {
  ValueType type = ValueType::kAny;  // of the values it will be asked of
  std::string text;                  // as written
  bool flag = false;
  std::vector<Literal> literals;
  std::shared_ptr<const re2::RE2> regex;
  kube::Quantity amount;
  std::vector<VersionBound> bounds;
  Duration duration{};
};

// In this order what several tests say of one value is the least of it: `no` before all else, for a leaf
// holds only where every test passes.
enum class Outcome { kNo, kWrongType, kUnknown, kYes };

struct TestRow {
  enum class OnAbsent { kNo, kYes, kAsks };  // kAsks: the test is about absence itself

  std::string_view name;
  std::string_view doc;
  std::string_view example;  // of what stands beside it
  Written written;           // kLiteral: a value of the type that the subject has
  unsigned types;            // of ValueType
  std::string_view wants;    // the values it takes, for the message about another one
  OnAbsent onAbsent;
  std::optional<Operand> (*parse)(const yaml::Node& node, std::string_view test, ValueType type,
                                  Problems& problems);
  // Null: it is asked of all values together (Agreement).
  Outcome (*holds)(const Operand& operand, const Value& value, Instant now);
  // `must be at least 5`, and for `holds` false the opposite, `must be less than 5`.
  std::string (*must)(const Operand& operand, bool holds);
};

std::span<const TestRow> testTable();
// What a single value beside a test of values of this type may be.
Written literalOf(ValueType type);
const TestRow* testRow(std::string_view name);  // null where there is none
// Tests of the contract that this version does not have.
std::span<const Key> laterTests();

struct Test {
  const TestRow* row = nullptr;
  Operand operand;

  // Absent and unknown values included.
  Outcome asks(const Value& value, Instant now) const;
};

}  // namespace driftbar::policy
