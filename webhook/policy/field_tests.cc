#include "policy/field_tests.h"

#include <algorithm>

#include "base/text.h"
#include "policy/mends.h"
#include "policy/path_check.h"
#include "schema/shape.h"

namespace driftbar::policy {
namespace {

using schema::Shape;
using schema::Type;

// So many words are listed; more are no help.
constexpr std::size_t kMostWords = 16;

constexpr unsigned bit(Type type) {
  return 1U << static_cast<unsigned>(type);
}

constexpr unsigned kTexts =
    bit(Type::kText) | bit(Type::kTime) | bit(Type::kQuantity) | bit(Type::kIntOrString) | bit(Type::kAny);
constexpr unsigned kNumbers = bit(Type::kInteger) | bit(Type::kNumber);
constexpr unsigned kAmounts =
    kNumbers | bit(Type::kQuantity) | bit(Type::kIntOrString) | bit(Type::kText) | bit(Type::kAny);
constexpr unsigned kSingle = kTexts | kNumbers | bit(Type::kBoolean);
constexpr unsigned kEverything = ~0U;

// THE TABLE of the types that a test can be asked of; a test that is not in it can be asked of all.
struct TakesRow {
  std::string_view test;
  unsigned types;
};

constexpr TakesRow kTakes[] = {
    {"equals", kSingle},    {"notEquals", kSingle}, {"in", kSingle},
    {"notIn", kSingle},     {"matches", kTexts},    {"notMatches", kTexts},
    {"startsWith", kTexts}, {"endsWith", kTexts},   {"contains", kTexts | bit(Type::kList)},
    {"atLeast", kAmounts},  {"atMost", kAmounts},   {"moreThan", kAmounts},
    {"lessThan", kAmounts}, {"version", kAmounts},
};

unsigned typesOf(std::string_view test) {
  for (const auto& row : kTakes) {
    if (row.test == test) return row.types;
  }
  return kEverything;
}

std::vector<std::string_view> wordsOf(const Shape& shape) {
  std::vector<std::string_view> words;
  for (const auto& word : shape.words) words.push_back(word.text);
  return words;
}

// Checks the tests of one leaf.
class Checker {
 public:
  Checker(const Field& field, std::string_view path, const Surroundings& around, Problems& problems)
      : field_(field),
        shape_(*field.shape),
        written_(path),
        path_("`" + printable(path) + "`"),
        around_(around),
        problems_(problems) {}

  void check(const syntax::Member& written, Test& test) {
    if (!takes(test)) return wrongType(written, test);
    if (shape_.type == Type::kQuantity) compareByValue(test);
    if (shape_.type == Type::kInteger && typesOf(test.row->name) == kAmounts) checkWhole(written, test);
    for (std::size_t i = 0; i < test.operand.literals.size(); ++i) {
      const yaml::Node& node = written.value->isList() ? written.value->items[i] : *written.value;
      checkLiteral(node, test.operand.literals[i]);
    }
    if (!shape_.words.empty()) checkPattern(written, test);
  }

 private:
  // A text with words is no number, whatever its words are; a list contains text where its elements are text.
  bool takes(const Test& test) const {
    const unsigned types = typesOf(test.row->name);
    if ((types & bit(shape_.type)) == 0) return false;
    if (shape_.type == Type::kList && test.row->name == "contains")
      return (kTexts & bit(shape_.element->type)) != 0;
    return shape_.words.empty() || types != kAmounts;
  }

  void never(const Location& where, std::string message, std::string help) {
    problems_.error(where, "never-matches", std::move(message), std::move(help));
  }

  void wrongType(const syntax::Member& written, const Test& test) {
    std::string is = path_ + " is " + std::string(describe(shape_.type));
    if (!shape_.words.empty()) is = path_ + " is one word of a few";
    if (shape_.type == Type::kList && test.row->name == "contains") is += " of " + ofElements();
    never(written.key->where,
          is + ", and `" + std::string(test.row->name) + "` takes " + std::string(test.row->wants),
          typeHelp());
  }

  std::string ofElements() const {
    const Type type = shape_.element->type;
    return type == Type::kObject || type == Type::kMap ? "maps" : "values that are no text";
  }

  std::string typeHelp() const {
    switch (shape_.type) {
      case Type::kList:
        return "write the path with `[*]`" +
               std::string(shape_.element->type == Type::kObject ? " and one field of the elements" : "");
      case Type::kMap:
        return "name a key of it, or write the path with `[*]` for every value";
      case Type::kObject:
        return "go on with a field: " + fieldsOf(shape_, written_);
      case Type::kBoolean:
        return "write `equals: true` or `equals: false`";
      case Type::kTime:
        return "times are text, and have no order here";
      case Type::kText:
        return oneOfWords();
      default:
        return "write `equals`, `atLeast` or `atMost`";
    }
  }

  std::string oneOfWords() const {
    auto words = wordsOf(shape_);
    std::erase(words, "");
    if (words.size() > kMostWords) return "`kubectl explain` tells what it can be";
    return "it can be " + listed(words);
  }

  // A bound between two whole numbers is most likely of another unit: `30m` is no half hour.
  void checkWhole(const syntax::Member& written, const Test& test) {
    if (!written.value->isText() || kube::Quantity::of(test.operand.amount.value()) == test.operand.amount)
      return;
    const std::string text = printable(written.value->scalar);
    never(written.value->where, path_ + " is a whole number, and `" + text + "` is none",
          path_.find("Seconds") != std::string::npos ? "it is in seconds: write `1800` for half an hour"
                                                     : "write a whole number");
  }

  // `1024Mi` is `1Gi`, and that is how the API server writes it.
  static void compareByValue(Test& test) {
    for (auto& literal : test.operand.literals) literal.isNumber = literal.isNumber || literal.amount;
  }

  void checkLiteral(const yaml::Node& node, const Literal& literal) {
    const std::string shown = literal.isNumber ? literal.text : quoted(literal.text);
    switch (shape_.type) {
      case Type::kBoolean:
        if (literal.text != "true" && literal.text != "false")
          never(node.where, path_ + " is true or false, and never " + shown, "write `true` or `false`");
        break;
      case Type::kInteger:
        if (!literal.amount || kube::Quantity::of(literal.amount->value()) != *literal.amount)
          never(node.where, path_ + " is a whole number, and never " + shown, "write a whole number");
        break;
      case Type::kNumber:
        if (!literal.amount) never(node.where, path_ + " is a number, and never " + shown, "write a number");
        break;
      case Type::kQuantity:
        if (!literal.amount)
          never(node.where, path_ + " is a quantity, and never " + shown, quantityHelp(node.scalar));
        break;
      default:
        if (!shape_.words.empty()) checkWord(node, literal.text);
    }
  }

  static std::string quantityHelp(std::string_view text) {
    const auto help = mendOfQuantity(text);
    return help.empty() ? "write 8, 0.5, 500m or 512Mi" : help;
  }

  void checkWord(const yaml::Node& node, std::string_view text) {
    if (field_.zero && field_.zero->text == text) return;
    const auto found = std::find_if(shape_.words.begin(), shape_.words.end(),
                                    [&](const schema::Word& word) { return word.text == text; });
    if (found == shape_.words.end()) return unknownWord(node, text);
    if (found->newer) warnOfNewer(node.where, quoted(text) + " is a word", around_, problems_);
  }

  void unknownWord(const yaml::Node& node, std::string_view text) {
    const auto words = wordsOf(shape_);
    const auto meant = nearest(text, words);
    std::string message = path_ + " is never " + quoted(text);
    std::string help = meant.empty() ? oneOfWords() : "did you mean `" + std::string(meant) + "`?";
    if (!isBeyondSchema(around_)) return never(node.where, std::move(message), std::move(help));
    problems_.warning(node.where, "never-matches",
                      message + " in Kubernetes 1." + std::to_string(schema::release()), std::move(help));
  }

  // Tests of a part of the text: one of the words must pass.
  void checkPattern(const syntax::Member& written, const Test& test) {
    const bool part = typesOf(test.row->name) == kTexts || test.row->name == "contains";
    if (!part || isBeyondSchema(around_)) return;
    std::vector<std::string_view> words = wordsOf(shape_);
    if (field_.zero) words.push_back(field_.zero->text);
    const bool some = std::any_of(words.begin(), words.end(), [&](std::string_view word) {
      return test.asks(Value::ofText(word, {}), {}) == Outcome::kYes;
    });
    if (some) return;
    never(written.value->where,
          "nothing that " + path_ + " can be passes `" + std::string(test.row->name) + "`", oneOfWords());
  }

  const Field& field_;
  const Shape& shape_;
  std::string_view written_;
  std::string path_;
  const Surroundings& around_;
  Problems& problems_;
};

}  // namespace

void checkTests(const Field& field, std::string_view path, const std::vector<syntax::Member>& written,
                std::vector<Test>& tests, const Surroundings& around, Problems& problems) {
  if (field.shape == nullptr || written.size() != tests.size()) return;
  Checker checker(field, path, around, problems);
  for (std::size_t i = 0; i < tests.size(); ++i) checker.check(written[i], tests[i]);
}

}  // namespace driftbar::policy
