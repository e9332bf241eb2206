#include "policy/test_table.h"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "kube/labels.h"
#include "policy/few.h"
#include "policy/operand.h"

namespace driftbar::policy {
namespace {

using OnAbsent = TestRow::OnAbsent;

constexpr unsigned kLabelValues = static_cast<unsigned>(ValueType::kLabelValue);
constexpr unsigned kTexts = kLabelValues | static_cast<unsigned>(ValueType::kText);
constexpr unsigned kStatuses = static_cast<unsigned>(ValueType::kStatus);
constexpr unsigned kFields = static_cast<unsigned>(ValueType::kAny);
constexpr unsigned kAmounts = static_cast<unsigned>(ValueType::kQuantity);
constexpr unsigned kShared = static_cast<unsigned>(ValueType::kShared);

Outcome outcome(bool b) {
  return b ? Outcome::kYes : Outcome::kNo;
}

Outcome opposite(Outcome o) {
  if (o == Outcome::kYes) return Outcome::kNo;
  return o == Outcome::kNo ? Outcome::kYes : o;
}

// The number that a value stands for; text counts where it is a quantity. Kubernetes takes a bare suffix for
// zero; here that is text.
std::optional<kube::Quantity> amountOf(const Value& value) {
  if (value.kind == Value::Kind::kNumber && value.json.exists()) return kube::Quantity::read(value.json);
  const bool counts = value.kind == Value::Kind::kText || value.kind == Value::Kind::kNumber;
  if (!counts || value.text.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  return kube::Quantity::parse(value.text);
}

// In fields a number equals by value whatever it is written as; all else by its text, so that `"true"` and
// `true` never pass each other by.
bool same(const Literal& literal, const Value& value, ValueType type) {
  if (type == ValueType::kQuantity) return literal.amount && amountOf(value) == literal.amount;
  if (type != ValueType::kAny) return literal.text == value.text;
  switch (value.kind) {
    case Value::Kind::kBool:
      return literal.text == (value.flag ? "true" : "false");
    case Value::Kind::kNumber:
      return literal.amount && amountOf(value) == literal.amount;
    default:
      break;
  }
  if (literal.isNumber) return literal.amount && amountOf(value) == literal.amount;
  return literal.text == value.text;
}

Outcome isOneOf(const Operand& operand, const Value& value, Instant) {
  if (value.kind == Value::Kind::kList || value.kind == Value::Kind::kMap) return Outcome::kWrongType;
  return outcome(std::any_of(operand.literals.begin(), operand.literals.end(),
                             [&](const Literal& literal) { return same(literal, value, operand.type); }));
}

Outcome isNoneOf(const Operand& operand, const Value& value, Instant now) {
  return opposite(isOneOf(operand, value, now));
}

std::string shown(const Literal& literal, ValueType type) {
  const bool bare =
      type == ValueType::kQuantity || (type == ValueType::kAny && (literal.isNumber || literal.isBool));
  return bare ? literal.text : quoted(literal.text);
}

std::string beOneOf(const Operand& operand, bool holds) {
  std::vector<std::string> words;
  for (const auto& literal : operand.literals) words.push_back(shown(literal, operand.type));
  return std::string(holds ? "must be " : "must not be ") + (words.size() > 1 ? "one of " : "") + few(words);
}

std::string beNoneOf(const Operand& operand, bool holds) {
  return beOneOf(operand, !holds);
}

Outcome exists(const Operand& operand, const Value& value, Instant) {
  return outcome(value.written == operand.flag);
}

std::string beThere(const Operand& operand, bool holds) {
  return operand.flag == holds ? "must be there" : "must not be there";
}

Outcome matches(const Operand& operand, const Value& value, Instant) {
  if (value.kind != Value::Kind::kText) return Outcome::kWrongType;
  return outcome(re2::RE2::FullMatch(re2::StringPiece(value.text.data(), value.text.size()), *operand.regex));
}

Outcome matchesNot(const Operand& operand, const Value& value, Instant now) {
  return opposite(matches(operand, value, now));
}

// With its ends, for it is held against the whole value: `^gpu-[0-9]+$`.
std::string anchored(const std::string& regex) {
  const bool parts = regex.find('|') != std::string::npos;
  return parts ? "^(" + regex + ")$" : "^" + regex + "$";
}

std::string match(const Operand& operand, bool holds) {
  return (holds ? "must match " : "must not match ") + anchored(operand.text);
}

std::string matchNot(const Operand& operand, bool holds) {
  return match(operand, !holds);
}

Outcome startsWith(const Operand& operand, const Value& value, Instant) {
  return value.kind == Value::Kind::kText ? outcome(value.text.starts_with(operand.text))
                                          : Outcome::kWrongType;
}

std::string start(const Operand& operand, bool holds) {
  return (holds ? "must start with " : "must not start with ") + quoted(operand.text);
}

Outcome endsWith(const Operand& operand, const Value& value, Instant) {
  return value.kind == Value::Kind::kText ? outcome(value.text.ends_with(operand.text)) : Outcome::kWrongType;
}

std::string end(const Operand& operand, bool holds) {
  return (holds ? "must end with " : "must not end with ") + quoted(operand.text);
}

Outcome contains(const Operand& operand, const Value& value, Instant) {
  const auto has = [&](std::string_view text) { return text.find(operand.text) != std::string_view::npos; };
  if (value.kind == Value::Kind::kText) return outcome(has(value.text));
  if (value.kind != Value::Kind::kList) return Outcome::kWrongType;
  for (const Json item : value.json.items()) {
    if (item.isText() && has(item.text())) return Outcome::kYes;
  }
  return Outcome::kNo;
}

std::string contain(const Operand& operand, bool holds) {
  return (holds ? "must contain " : "must not contain ") + quoted(operand.text);
}

// One of the four comparisons: whether the order of value and bound is as wanted.
template <bool (*kFits)(std::strong_ordering)>
Outcome compares(const Operand& operand, const Value& value, Instant) {
  const auto amount = amountOf(value);
  return amount ? outcome(kFits(*amount <=> operand.amount)) : Outcome::kWrongType;
}

bool notLess(std::strong_ordering order) {
  return order >= 0;
}
bool notMore(std::strong_ordering order) {
  return order <= 0;
}
bool more(std::strong_ordering order) {
  return order > 0;
}
bool less(std::strong_ordering order) {
  return order < 0;
}

std::string beAtLeast(const Operand& operand, bool holds) {
  return (holds ? "must be at least " : "must be less than ") + operand.text;
}
std::string beAtMost(const Operand& operand, bool holds) {
  return (holds ? "must be at most " : "must be more than ") + operand.text;
}
std::string beMore(const Operand& operand, bool holds) {
  return beAtMost(operand, !holds);
}
std::string beLess(const Operand& operand, bool holds) {
  return beAtLeast(operand, !holds);
}

bool within(const VersionBound& bound, const Version& version) {
  switch (bound.op) {
    case VersionBound::Op::kEqual:
      return version == bound.version;
    case VersionBound::Op::kNotEqual:
      return version != bound.version;
    case VersionBound::Op::kAtLeast:
      return version >= bound.version;
    case VersionBound::Op::kAtMost:
      return version <= bound.version;
    case VersionBound::Op::kMore:
      return version > bound.version;
    case VersionBound::Op::kLess:
      return version < bound.version;
  }
  return false;
}

Outcome isVersion(const Operand& operand, const Value& value, Instant) {
  const bool counts = value.kind == Value::Kind::kText || value.kind == Value::Kind::kNumber;
  const auto version = counts ? parseVersion(value.raw()) : std::nullopt;
  if (!version) return Outcome::kWrongType;
  return outcome(std::all_of(operand.bounds.begin(), operand.bounds.end(),
                             [&](const VersionBound& bound) { return within(bound, *version); }));
}

std::string beVersion(const Operand& operand, bool holds) {
  return (holds ? "must be a version " : "must not be a version ") + operand.text;
}

Outcome lasts(const Operand& operand, const Value& value, Instant now) {
  if (!value.since) return Outcome::kUnknown;
  return outcome(now - *value.since >= operand.duration);
}

std::string last(const Operand& operand, bool holds) {
  return (holds ? "must have lasted for " : "must not last for ") + operand.text;
}

constexpr TestRow kTests[] = {
    {"exists", "whether it is written; a default does not count", "true", written::a(Form::kFlag),
     kTexts | kStatuses | kFields | kAmounts, "", OnAbsent::kAsks, parseFlag, exists, beThere},
    {"equals", "the value is this one", "h100", written::a(Form::kLiteral),
     kTexts | kStatuses | kFields | kAmounts, "a single value", OnAbsent::kNo, parseLiteral, isOneOf,
     beOneOf},
    {"notEquals", "the value is another one, or there is none", "h100", written::a(Form::kLiteral),
     kTexts | kStatuses | kFields | kAmounts, "a single value", OnAbsent::kYes, parseLiteral, isNoneOf,
     beNoneOf},
    {"in", "the value is one of these; plain values, no globs", "[a, b]", written::a(Form::kLiteral).list(),
     kTexts | kStatuses | kFields | kAmounts, "a single value", OnAbsent::kNo, parseLiterals, isOneOf,
     beOneOf},
    {"notIn", "the value is none of these, or there is none", "[a, b]", written::a(Form::kLiteral).list(),
     kTexts | kStatuses | kFields | kAmounts, "a single value", OnAbsent::kYes, parseLiterals, isNoneOf,
     beNoneOf},
    {"matches", "the whole value matches the regular expression (RE2)", "'gpu-[0-9]+'",
     written::a(Form::kLiteral), kTexts | kFields, "text", OnAbsent::kNo, parseRegex, matches, match},
    {"notMatches", "the whole value does not match the regular expression, or there is none", "'gpu-[0-9]+'",
     written::a(Form::kLiteral), kTexts | kFields, "text", OnAbsent::kYes, parseRegex, matchesNot, matchNot},
    {"startsWith", "the value begins with this text", "gpu-", written::a(Form::kPiece), kTexts | kFields,
     "text", OnAbsent::kNo, parseText, startsWith, start},
    {"endsWith", "the value ends with this text", "-gpu", written::a(Form::kPiece), kTexts | kFields, "text",
     OnAbsent::kNo, parseText, endsWith, end},
    {"contains", "the text is in the value, or in an element of the list that it is", "sysctl",
     written::a(Form::kPiece), kTexts | kFields, "text or a list", OnAbsent::kNo, parseText, contains,
     contain},
    {"atLeast", "a number or quantity, by value, not below this", "512Mi", written::a(Form::kQuantity),
     kTexts | kFields | kAmounts, "a number or a quantity", OnAbsent::kNo, parseAmount, compares<notLess>,
     beAtLeast},
    {"atMost", "a number or quantity, by value, not above this", "512Mi", written::a(Form::kQuantity),
     kTexts | kFields | kAmounts, "a number or a quantity", OnAbsent::kNo, parseAmount, compares<notMore>,
     beAtMost},
    {"moreThan", "a number or quantity, by value, above this", "0", written::a(Form::kQuantity),
     kTexts | kFields | kAmounts, "a number or a quantity", OnAbsent::kNo, parseAmount, compares<more>,
     beMore},
    {"lessThan", "a number or quantity, by value, below this", "8", written::a(Form::kQuantity),
     kTexts | kFields | kAmounts, "a number or a quantity", OnAbsent::kNo, parseAmount, compares<less>,
     beLess},
    {"version", "a dotted version that keeps all of these bounds", "'>=535.104 <550'",
     written::a(Form::kVersionBounds), kTexts | kFields, "a dotted version", OnAbsent::kNo,
     parseVersionBounds, isVersion, beVersion},
    {"agree", "all values are the same; absence is a value", "true", written::a(Form::kFlag),
     static_cast<unsigned>(ValueType::kText) | kFields | kAmounts | kShared, "", OnAbsent::kNo, parseFlag,
     nullptr, nullptr},
    {"for", "beside `condition`: its status has been so at least for this long", "10m",
     written::a(Form::kDuration), kStatuses, "", OnAbsent::kNo, parseFor, lasts, last},
};

}  // namespace

std::span<const TestRow> testTable() {
  return kTests;
}

Written literalOf(ValueType type) {
  switch (type) {
    case ValueType::kStatus:
      return written::a(Form::kStatus);
    case ValueType::kQuantity:
      return written::a(Form::kQuantity);
    default:
      return written::a(Form::kLiteral);
  }
}

const TestRow* testRow(std::string_view name) {
  for (const auto& row : kTests) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::span<const Key> laterTests() {
  return {};
}

std::optional<Version> parseVersion(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  Version version{};
  for (std::size_t part = 0; part < version.size(); ++part) {
    const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), version[part]);
    if (failed != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    // What builders and distributions put behind is no part of the order: 5.15.0-1034-aws, v1.29.3+k3s1.
    if (text.empty() || text[0] == '-' || text[0] == '+' || text[0] == '_' || text[0] == '~') return version;
    if (text[0] != '.') return std::nullopt;
    text.remove_prefix(1);
  }
  return std::nullopt;
}

Outcome Test::asks(const Value& value, Instant now) const {
  if (value.kind == Value::Kind::kAbsent) {
    if (row->onAbsent == OnAbsent::kAsks) return outcome(!operand.flag);
    return outcome(row->onAbsent == OnAbsent::kYes);
  }
  const bool known = value.kind != Value::Kind::kUnknown;
  if (row->onAbsent == OnAbsent::kAsks) {
    // An unknown value may still be known to be there.
    return known || value.written ? row->holds(operand, value, now) : Outcome::kUnknown;
  }
  return known ? row->holds(operand, value, now) : Outcome::kUnknown;
}

}  // namespace driftbar::policy
