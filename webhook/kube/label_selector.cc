#include "kube/label_selector.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace driftbar::kube {
namespace {

enum class Arity { kNone, kOne, kSome };

struct OperatorRow {
  std::string_view name;
  SelectorOperator op;
  Arity values;
  bool nodesOnly;
};

constexpr OperatorRow kOperators[] = {
    {"In", SelectorOperator::kIn, Arity::kSome, false},
    {"NotIn", SelectorOperator::kNotIn, Arity::kSome, false},
    {"Exists", SelectorOperator::kExists, Arity::kNone, false},
    {"DoesNotExist", SelectorOperator::kDoesNotExist, Arity::kNone, false},
    {"Gt", SelectorOperator::kGreater, Arity::kOne, true},
    {"Lt", SelectorOperator::kLess, Arity::kOne, true},
};

constexpr char kKeyHelp[] =
    "at most 63 letters, digits, `-`, `_` and `.`, the first and the last a letter or digit; before it, with "
    "a "
    "`/`, a DNS name in lower case may stand";
constexpr char kValueHelp[] =
    "at most 63 letters, digits, `-`, `_` and `.`, the first and the last a letter or digit, or nothing";

// As Go's strconv.ParseInt(text, 10, 64).
std::optional<std::int64_t> parseInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failed] = std::from_chars(text.data(), last, value);
  if (failed != std::errc{} || end != last) return std::nullopt;
  return value;
}

std::vector<std::string_view> operatorNames(Requirement::Of kind) {
  std::vector<std::string_view> names;
  for (const auto& row : kOperators) {
    if (kind == Requirement::Of::kNodeSelector || !row.nodesOnly) names.push_back(row.name);
  }
  return names;
}

std::string operatorHelp(std::string_view word, Requirement::Of kind) {
  const auto names = operatorNames(kind);
  if (const auto meant = nearest(word, names); !meant.empty())
    return "did you mean `" + std::string(meant) + "`?";
  return "one of " + listed(names);
}

// Reads one expression and gathers what is wrong with it.
class Reader {
 public:
  Reader(std::string_view path, Requirement::Of kind) : path_(path), kind_(kind) {}

  Result<Requirement> read(Json expression) {
    if (!expression.isMap())
      return error("not-a-map", "must be a map of key, operator and values", {}, path_);
    key(expression["key"]);
    values(expression["values"]);
    const OperatorRow* row = op(expression["operator"]);
    if (row != nullptr) arity(*row);
    if (!wrong_.empty()) return std::move(wrong_);
    return std::move(made_);
  }

 private:
  void refuse(std::string id, std::string message, std::string help, std::string_view below) {
    wrong_.push_back(error(std::move(id), std::move(message), std::move(help), path_ + std::string(below)));
  }

  void key(Json key) {
    made_.key = key.text();
    if (!isLabelKey(made_.key))
      refuse("bad-label-key", driftbar::quoted(made_.key) + " can't be the key of a label", kKeyHelp, ".key");
  }

  void values(Json values) {
    if (values.exists() && !values.isNull() && !values.isList())
      refuse("not-a-list", "must be a list of texts", {}, ".values");
    std::size_t index = 0;
    for (const Json value : values.items()) {
      const std::string at = ".values[" + std::to_string(index++) + "]";
      if (!value.isText()) {
        refuse("not-text", "must be text, and is " + printable(value.dump()), {}, at);
      } else if (!isLabelValue(value.text())) {
        refuse("bad-label-value", quoted(value.text()) + " can't be the value of a label", kValueHelp, at);
      }
      made_.values.emplace_back(value.text());
    }
  }

  const OperatorRow* op(Json op) {
    for (const auto& row : kOperators) {
      if (op.text() != row.name) continue;
      made_.op = row.op;
      if (!row.nodesOnly || kind_ == Requirement::Of::kNodeSelector) return &row;
      refuse("unknown-operator", "the operator `" + std::string(row.name) + "` is for node affinity only",
             "one of " + listed(operatorNames(kind_)), ".operator");
      return nullptr;
    }
    refuse("unknown-operator",
           op.exists() ? "unknown operator `" + printable(op.isText() ? op.text() : op.dump()) + "`"
                       : "an operator is missing",
           operatorHelp(op.text(), kind_), ".operator");
    return nullptr;
  }

  void arity(const OperatorRow& row) {
    const std::string name = "`" + std::string(row.name) + "`";
    const std::size_t count = made_.values.size();
    if (row.values == Arity::kSome && count == 0)
      refuse("too-few-values", name + " needs values", {}, ".values");
    if (row.values == Arity::kNone && count > 0)
      refuse("too-many-values", name + " takes no values", {}, ".values");
    if (row.values != Arity::kOne) return;
    if (count != 1) {
      refuse(count == 0 ? "too-few-values" : "too-many-values", name + " takes exactly one value", {},
             ".values");
    } else if (const auto bound = parseInteger(made_.values[0])) {
      made_.bound = *bound;
    } else {
      refuse(
          "not-an-integer",
          name + " compares whole numbers of 64 bits, and " + driftbar::quoted(made_.values[0]) + " is none",
          {}, ".values[0]");
    }
  }

  std::string path_;
  Requirement::Of kind_;
  Requirement made_;
  Diagnostics wrong_;
};

void append(Diagnostics& to, const Diagnostics& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void checkKeys(Json map, std::span<const std::string_view> known, const std::string& path,
               Diagnostics& wrong) {
  for (const auto& [key, value] : map.entries()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const auto meant = nearest(key, known);
    wrong.push_back(error(
        "unknown-key", "unknown key `" + printable(key) + "`",
        meant.empty() ? "one of " + listed(known) : "did you mean `" + std::string(meant) + "`?", path));
  }
}

void checkPair(const Labels::Pair& pair, const std::string& path, Diagnostics& wrong) {
  const auto& [key, value] = pair;
  if (!isLabelKey(key))
    wrong.push_back(error("bad-label-key", quoted(key) + " can't be the key of a label", kKeyHelp,
                          path + ".matchLabels"));
  if (!isLabelValue(value))
    wrong.push_back(error("bad-label-value", quoted(value) + " can't be the value of a label", kValueHelp,
                          path + ".matchLabels"));
}

constexpr std::string_view kSelectorKeys[] = {"matchLabels", "matchExpressions"};
constexpr std::string_view kExpressionKeys[] = {"key", "operator", "values"};

}  // namespace

std::string_view toString(SelectorOperator op) {
  for (const auto& row : kOperators) {
    if (row.op == op) return row.name;
  }
  return "?";
}

Result<Requirement> Requirement::parse(Json expression, std::string_view path, Of kind) {
  return Reader(path, kind).read(expression);
}

bool Requirement::matches(std::optional<std::string_view> value) const {
  const auto listed = [&] { return std::find(values.begin(), values.end(), *value) != values.end(); };
  switch (op) {
    case SelectorOperator::kIn:
      return value && listed();
    case SelectorOperator::kNotIn:
      return !value || !listed();
    case SelectorOperator::kExists:
      return value.has_value();
    case SelectorOperator::kDoesNotExist:
      return !value;
    case SelectorOperator::kGreater:
    case SelectorOperator::kLess:
      break;
  }
  const auto number = value ? parseInteger(*value) : std::nullopt;
  return number && (op == SelectorOperator::kGreater ? *number > bound : *number < bound);
}

Result<LabelSelector> LabelSelector::parse(Json selector, std::string_view at) {
  const std::string path(at);
  if (!selector.isMap())
    return error("not-a-map", "a label selector must be a map of matchLabels and matchExpressions", {}, path);
  Diagnostics wrong;
  LabelSelector made;
  checkKeys(selector, kSelectorKeys, path, wrong);
  const auto labels = Labels::checked(selector["matchLabels"], path + ".matchLabels");
  if (!labels) append(wrong, labels.errors());
  for (const auto& pair : labels ? labels->pairs() : std::vector<Labels::Pair>{}) {
    checkPair(pair, path, wrong);
    made.requirements_.push_back(
        {std::string(pair.first), SelectorOperator::kIn, {std::string(pair.second)}, 0});
  }
  const Json expressions = selector["matchExpressions"];
  if (expressions.exists() && !expressions.isNull() && !expressions.isList())
    wrong.push_back(error("not-a-list", "must be a list of expressions", {}, path + ".matchExpressions"));
  std::size_t index = 0;
  for (const Json expression : expressions.items()) {
    const std::string place = path + ".matchExpressions[" + std::to_string(index++) + "]";
    checkKeys(expression, kExpressionKeys, place, wrong);
    auto requirement = Requirement::parse(expression, place, Requirement::Of::kLabelSelector);
    if (requirement) {
      made.requirements_.push_back(std::move(requirement).value());
    } else {
      append(wrong, requirement.errors());
    }
  }
  if (!wrong.empty()) return wrong;
  return made;
}

bool LabelSelector::matches(const Labels& labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& requirement) {
    return requirement.matches(labels.find(requirement.key));
  });
}

}  // namespace driftbar::kube
