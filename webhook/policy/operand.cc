#include "policy/operand.h"

#include <re2/re2.h>

#include <algorithm>

#include "base/glob.h"
#include "base/text.h"
#include "kube/labels.h"
#include "policy/mends.h"

namespace driftbar::policy {
namespace {

// RE2's default is 8 MiB an expression. 1 MiB holds the program of every expression of kMaxRegexBytes without
// large repetitions, and bounds what a folder of policies can take.
constexpr std::int64_t kRegexMemory = 1 << 20;
// Longer ones are lists in disguise, for which `in` is there; RE2 itself sets no limit to nesting.
constexpr std::size_t kMaxRegexBytes = 1000;

constexpr std::string_view kStatuses[] = {"True", "False", "Unknown"};

Operand operandOf(const yaml::Node& node, ValueType type) {
  Operand operand;
  operand.type = type;
  operand.text = node.scalar;
  return operand;
}

std::string listHelp(std::string_view test) {
  if (test == "equals") return "write `in` for several values";
  if (test == "notEquals") return "write `notIn` for several values";
  return "write one `" + std::string(test) + "` in each condition of an `any`";
}

bool isOneValue(const yaml::Node& node, std::string_view test, Problems& problems) {
  if (node.isNull()) {
    problems.error(node.where, "wrong-type", "`" + std::string(test) + "` has no value",
                   "write `exists: false` for what must not be there, or \"\" for an empty text");
    return false;
  }
  if (node.isScalar()) return true;
  problems.wrongType(node, test, "a single value", node.isList() ? listHelp(test) : "");
  return false;
}

// Of a condition's status, where YAML's booleans mean the text.
bool checkStatus(Literal& literal, const yaml::Node& node, Problems& problems) {
  if (node.kind == yaml::Node::Kind::kBool) literal.text = node.isTrue() ? "True" : "False";
  if (std::find(std::begin(kStatuses), std::end(kStatuses), literal.text) != std::end(kStatuses)) return true;
  const auto meant = nearest(literal.text, kStatuses);
  problems.error(node.where, "never-matches", "no condition has the status " + driftbar::quoted(literal.text),
                 meant.empty() ? "a status is `True`, `False` or `Unknown`"
                               : "did you mean `" + std::string(meant) + "`?");
  return false;
}

bool checkLabelValue(const Literal& literal, const yaml::Node& node, Problems& problems) {
  if (kube::isLabelValue(literal.text)) return true;
  problems.error(node.where, "never-matches",
                 "no label or taint can have the value " + driftbar::quoted(literal.text),
                 isGlob(literal.text)
                     ? "here values are plain; write `matches` with a regular expression, or `startsWith`"
                     : "it has at most 63 letters, digits, `-`, `_` and `.`");
  return false;
}

// As it is written, and by value.
std::optional<kube::Quantity> amountIn(const yaml::Node& node) {
  const std::string text = node.isNumber() ? yaml::toJsonText(node) : node.scalar;
  const bool counts =
      node.isNumber() || (node.isText() && text.find_first_of("0123456789") != std::string::npos);
  return counts ? kube::Quantity::parse(text) : std::nullopt;
}

std::string amountHelp(std::string_view text) {
  const auto help = mendOfQuantity(text);
  return help.empty() ? "write 8, 0.5, 500m or 512Mi" : help;
}

void noAmount(const yaml::Node& node, std::string_view test, Problems& problems) {
  problems.error(
      node.where, "wrong-type",
      "`" + std::string(test) + "` takes a number or a quantity" +
          (node.isScalar() && !node.isNull() ? ", and " + driftbar::quoted(node.scalar) + " is none" : ""),
      amountHelp(node.scalar));
}

// A `*` alone is a value that people have (the verbs and resources of a ClusterRole).
void warnOfGlob(std::string_view text, const yaml::Node& node, std::string_view test, Problems& problems) {
  const bool list = test == "in" || test == "notIn";
  if (!isGlob(text) || (!list && text == "*")) return;
  problems.warning(node.where, "glob-in-plain",
                   "`" + std::string(test) + "` takes " + (list ? "plain values" : "a plain value") +
                       ", and `*` means itself",
                   "write `matches` with a regular expression, or `startsWith`");
}

std::optional<Literal> literalOf(const yaml::Node& node, std::string_view test, ValueType type,
                                 Problems& problems) {
  if (!isOneValue(node, test, problems)) return std::nullopt;
  Literal literal;
  literal.text = node.scalar;
  if (type == ValueType::kStatus) {
    return checkStatus(literal, node, problems) ? std::optional(literal) : std::nullopt;
  }
  if (type == ValueType::kLabelValue) {
    return checkLabelValue(literal, node, problems) ? std::optional(literal) : std::nullopt;
  }
  if (type == ValueType::kQuantity) {
    literal.amount = amountIn(node);
    if (!literal.amount) noAmount(node, test, problems);
    return literal.amount ? std::optional(literal) : std::nullopt;
  }
  if (type == ValueType::kText || type == ValueType::kAny) warnOfGlob(literal.text, node, test, problems);
  if (type != ValueType::kAny) return literal;
  literal.isNumber = node.isNumber();
  literal.isBool = node.kind == yaml::Node::Kind::kBool;
  if (!node.isText()) literal.text = yaml::toJsonText(node);
  if (literal.text.find_first_of("0123456789") != std::string::npos) {
    literal.amount = kube::Quantity::parse(literal.text);
  }
  return literal;
}

// `/ml/`, as it is written in JavaScript and sed. In a path there are more slashes than those.
void warnOfSlashes(const yaml::Node& node, Problems& problems) {
  const std::string_view text = node.scalar;
  if (text.size() < 3 || !text.starts_with('/') || !text.ends_with('/')) return;
  const auto inner = text.substr(1, text.size() - 2);
  if (inner.find('/') != std::string_view::npos) return;
  std::string anywhere = printable(inner);
  if (!anywhere.starts_with(".*")) anywhere = ".*" + anywhere;
  if (!anywhere.ends_with(".*")) anywhere += ".*";
  problems.warning(node.where, "slashes-around-regex", "the `/` around the regular expression are part of it",
                   "write `" + printable(inner) + "`, which must fit the whole value, or `" + anywhere + "`");
}

// `h100-*`: a `*` after what is no sign, in a text without any other sign of a regular expression.
void warnOfGlobAsRegex(const yaml::Node& node, Problems& problems) {
  const std::string_view text = node.scalar;
  const auto star = text.find('*');
  if (star == std::string_view::npos || star == 0 || text[star - 1] == '.') return;
  if (text.find_first_of("\\^$|()[]+?{}") != std::string_view::npos) return;
  std::string meant(text);
  for (auto at = meant.find('*'); at != std::string::npos; at = meant.find('*', at + 2)) {
    if (at == 0 || meant[at - 1] != '.') meant.insert(at, ".");
  }
  problems.warning(
      node.where, "glob-as-regex",
      "in a regular expression `*` repeats what stands before it: " + quoted(text.substr(star - 1, 2)),
      "write `" + printable(meant) + "`, if any text is meant");
}

std::string regexHelp(const std::string& why) {
  if (why.find("(?") != std::string::npos)
    return "RE2 has no look-ahead and no look-behind; write a second test such as `notMatches`";
  if (why.find("escape") != std::string::npos)
    return "RE2 has no back-references and not every escape of Perl";
  return {};
}

struct BoundOperator {
  std::string_view sign;
  VersionBound::Op op;
};

// The longer signs first.
constexpr BoundOperator kBoundOperators[] = {
    {">=", VersionBound::Op::kAtLeast},  {"<=", VersionBound::Op::kAtMost},
    {"!=", VersionBound::Op::kNotEqual}, {">", VersionBound::Op::kMore},
    {"<", VersionBound::Op::kLess},      {"=", VersionBound::Op::kEqual},
};

// `6.8.x` and `6.8.*` are all that begin with 6.8; empty where the word is none like it.
std::string wildcardBounds(std::string_view word) {
  for (const auto& row : kBoundOperators) {
    if (row.op == VersionBound::Op::kEqual && word.starts_with(row.sign)) word.remove_prefix(row.sign.size());
  }
  if (!word.ends_with(".x") && !word.ends_with(".X") && !word.ends_with(".*")) return {};
  word.remove_suffix(2);
  const auto dot = word.rfind('.') + 1;  // 0 where there is none
  const auto last = word.substr(dot);
  constexpr std::size_t kDigits = 9;  // fit an int
  if (last.empty() || last.size() > kDigits ||
      last.find_first_not_of("0123456789") != std::string_view::npos || !parseVersion(word))
    return {};
  const int next = std::stoi(std::string(last)) + 1;
  return ">=" + std::string(word) + " <" + std::string(word.substr(0, dot)) + std::to_string(next);
}

std::string versionHelp(std::string_view word) {
  if (const auto bounds = wildcardBounds(word); !bounds.empty()) return "write `" + bounds + "`";
  for (const auto& row : kBoundOperators) {
    if (word == row.sign) return "no blank after `" + std::string(row.sign) + "`";
  }
  if (parseVersion(word)) return "write `=" + std::string(word) + "` or `>=" + std::string(word) + "`";
  return "write `>=535.104 <550`: each bound with =, !=, <, <=, > or >= right before it";
}

std::optional<VersionBound> boundOf(std::string_view word) {
  for (const auto& row : kBoundOperators) {
    if (!word.starts_with(row.sign)) continue;
    const auto version = parseVersion(word.substr(row.sign.size()));
    if (!version) return std::nullopt;
    return VersionBound{row.op, *version};
  }
  return std::nullopt;
}

bool canHold(const std::vector<VersionBound>& bounds) {
  using Op = VersionBound::Op;
  for (const auto& low : bounds) {
    if (low.op != Op::kAtLeast && low.op != Op::kMore && low.op != Op::kEqual) continue;
    for (const auto& high : bounds) {
      if (high.op == Op::kAtMost && high.version < low.version) return false;
      if (high.op == Op::kLess && high.version <= low.version) return false;
      if (high.op == Op::kAtMost && low.op == Op::kMore && high.version == low.version) return false;
      if (high.op == Op::kEqual && low.op == Op::kEqual && high.version != low.version) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Operand> parseFlag(const yaml::Node& node, std::string_view test, ValueType type,
                                 Problems& problems) {
  if (node.kind != yaml::Node::Kind::kBool) {
    problems.wrongType(node, test, "true or false", node.isText() ? "write it without quotes" : "");
    return std::nullopt;
  }
  Operand operand = operandOf(node, type);
  operand.flag = node.isTrue();
  return operand;
}

std::optional<Operand> parseLiteral(const yaml::Node& node, std::string_view test, ValueType type,
                                    Problems& problems) {
  auto literal = literalOf(node, test, type, problems);
  if (!literal) return std::nullopt;
  Operand operand = operandOf(node, type);
  operand.literals.push_back(*std::move(literal));
  return operand;
}

std::optional<Operand> parseLiterals(const yaml::Node& node, std::string_view test, ValueType type,
                                     Problems& problems) {
  if (!node.isList()) {
    problems.wrongType(node, test, "a list of values",
                       node.isScalar() ? "write [" + node.scalar + "], or `" +
                                             (test == "in" ? "equals`" : "notEquals`") + " for one value"
                                       : "");
    return std::nullopt;
  }
  if (node.items.empty()) {
    problems.error(node.where, "empty-list", "`" + std::string(test) + "` is an empty list",
                   "name the values");
    return std::nullopt;
  }
  Operand operand = operandOf(node, type);
  bool good = true;
  for (const auto& item : node.items) {
    auto literal = literalOf(item, test, type, problems);
    good = good && literal.has_value();
    if (literal) operand.literals.push_back(*std::move(literal));
  }
  return good ? std::optional(operand) : std::nullopt;
}

std::optional<Operand> parseText(const yaml::Node& node, std::string_view test, ValueType type,
                                 Problems& problems) {
  if (!isOneValue(node, test, problems)) return std::nullopt;
  if (node.scalar.empty()) {
    problems.error(node.where, "empty-text", "every text passes `" + std::string(test) + "` of an empty text",
                   "write the text, or `exists: true`");
    return std::nullopt;
  }
  return operandOf(node, type);
}

std::optional<Operand> parseRegex(const yaml::Node& node, std::string_view test, ValueType type,
                                  Problems& problems) {
  if (!isOneValue(node, test, problems)) return std::nullopt;
  if (node.scalar.size() > kMaxRegexBytes) {
    problems.error(node.where, "bad-regex",
                   "the regular expression is longer than " + std::to_string(kMaxRegexBytes) + " bytes",
                   "write several conditions in an `any`, or `in` with a list");
    return std::nullopt;
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kRegexMemory);
  options.set_dot_nl(true);  // a line break in a script or an annotation hides nothing from `.*`
  auto regex = std::make_shared<const re2::RE2>(node.scalar, options);
  if (!regex->ok()) {
    problems.error(node.where, "bad-regex", "this is no regular expression: " + regex->error(),
                   regexHelp(regex->error()));
    return std::nullopt;
  }
  warnOfSlashes(node, problems);
  warnOfGlobAsRegex(node, problems);
  Operand operand = operandOf(node, type);
  operand.regex = std::move(regex);
  return operand;
}

std::optional<Operand> parseAmount(const yaml::Node& node, std::string_view test, ValueType type,
                                   Problems& problems) {
  const auto amount = amountIn(node);
  if (!amount) {
    noAmount(node, test, problems);
    return std::nullopt;
  }
  Operand operand = operandOf(node, type);
  operand.amount = *amount;
  return operand;
}

std::optional<Operand> parseVersionBounds(const yaml::Node& node, std::string_view test, ValueType type,
                                          Problems& problems) {
  if (!isOneValue(node, test, problems)) return std::nullopt;
  Operand operand = operandOf(node, type);
  for (const auto word : wordsIn(node.scalar)) {
    const auto bound = boundOf(word);
    if (!bound) {
      problems.error(node.where, "bad-version", driftbar::quoted(word) + " is no bound of a version",
                     versionHelp(word));
      return std::nullopt;
    }
    operand.bounds.push_back(*bound);
  }
  if (operand.bounds.empty() || !canHold(operand.bounds)) {
    problems.error(
        node.where, "never-matches",
        operand.bounds.empty() ? "`version` has no bounds" : "no version keeps all of these bounds",
        "write `>=535.104 <550`");
    return std::nullopt;
  }
  return operand;
}

std::optional<Operand> parseFor(const yaml::Node& node, std::string_view test, ValueType type,
                                Problems& problems) {
  const auto duration = node.isText() ? parseDuration(node.scalar) : std::nullopt;
  if (!duration) {
    problems.error(node.where, "wrong-type", "`" + std::string(test) + "` takes a duration",
                   "write `10m`, `1h30m` or `150s`");
    return std::nullopt;
  }
  Operand operand = operandOf(node, type);
  operand.duration = *duration;
  return operand;
}

}  // namespace driftbar::policy
