// Conditions: each leaf by the row of its subject and the rows of its tests.
#include <algorithm>

#include "base/text.h"
#include "policy/compile.h"
#include "policy/field_tests.h"

namespace driftbar::policy {
namespace {

using About = Surroundings::About;

class Compiler {
 public:
  Compiler(const Surroundings& around, Problems& problems) : around_(around), problems_(problems) {}

  std::optional<Condition> read(const syntax::Condition& from) {
    switch (from.kind) {
      case Condition::Kind::kLeaf:
        return leaf(from.leaf);
      case Condition::Kind::kSome:
      case Condition::Kind::kEvery:
        return quantified(from);
      case Condition::Kind::kOnNode:
        return onNode(from);
      default:
        return combined(from);
    }
  }

 private:
  std::optional<Condition> combined(const syntax::Condition& from) {
    Condition made;
    made.kind = from.kind;
    Surroundings inner = around_;
    if (from.kind == Condition::Kind::kNot) inner.readsEach = !inner.readsEach;
    for (const auto& part : from.parts) {
      if (auto one = Compiler(inner, problems_).read(part)) made.parts.push_back(*std::move(one));
    }
    return made.parts.size() == from.parts.size() ? std::optional(std::move(made)) : std::nullopt;
  }

  std::optional<Condition> quantified(const syntax::Condition& from) {
    Condition made;
    made.kind = from.kind;
    const std::string_view word = from.kind == Condition::Kind::kSome ? "some" : "every";
    made.list = Field::parse(*from.path, word, around_, true, problems_);
    Surroundings inner = around_;
    inner.inElement = true;
    inner.elements = made.list ? made.list->pattern : "";
    inner.element = made.list ? made.list->shape : nullptr;
    auto where = Compiler(inner, problems_).read(from.parts.front());
    if (!made.list || !where) return std::nullopt;
    made.parts.push_back(*std::move(where));
    return made;
  }

  // What is inside of it is about the node that the pod is on, of which a candidate's part is kept.
  std::optional<Condition> onNode(const syntax::Condition& from) {
    if (around_.about != About::kPod || around_.inElement) {
      problems_.error(from.where, "wrong-subject", "`onNode` is about the node that a pod is on",
                      around_.inElement ? "put it beside `some` in a list"
                                        : "the rule is about nodes already: leave it out");
      return std::nullopt;
    }
    Condition made;
    made.kind = from.kind;
    Surroundings inner = around_;
    inner.about = About::kCandidate;
    auto part = Compiler(inner, problems_).read(from.parts.front());
    if (!part) return std::nullopt;
    made.parts.push_back(*std::move(part));
    return made;
  }

  std::optional<Condition> leaf(const syntax::Leaf& from) {
    const bool ofNodes = around_.about != About::kPod;
    const SubjectRow& subject =
        *subjectRow(from.subject.key->scalar, ofNodes ? SubjectRow::kNodes : SubjectRow::kPods);
    if (!fits(subject, from)) return std::nullopt;
    const std::size_t before = problems_.errorCount();
    Condition made;
    made.kind = Condition::Kind::kLeaf;
    made.subject = &subject;
    checkModifiers(subject, from);
    auto argument = subject.parse(from, around_, problems_);
    if (argument) made.argument = *std::move(argument);
    tests(made, from);
    if (problems_.errorCount() != before) return std::nullopt;
    checkSense(made, from.subject.key->where);
    checkAbsentKey(made, from);
    checkUnion(made, from);
    if (made.argument.field)
      checkTests(*made.argument.field, from.subject.value->scalar, from.tests, made.tests, around_,
                 problems_);
    return made;
  }

  bool fits(const SubjectRow& subject, const syntax::Leaf& from) {
    const Location& where = from.subject.key->where;
    if (around_.inElement && subject.name != "field") {
      problems_.error(
          where, "wrong-subject",
          "`where` looks at the elements of a list, and `" + std::string(subject.name) + "` is none",
          "write `field` with a path inside of the element, or put it beside `some` in a list");
      return false;
    }
    const bool candidate = around_.about == About::kCandidate;
    const unsigned fitting = candidate                       ? SubjectRow::kNodes
                             : around_.about == About::kNode ? SubjectRow::kNodes | SubjectRow::kObjects
                                                             : SubjectRow::kPods | SubjectRow::kObjects;
    if ((subject.about & fitting) != 0) return checkByPath(subject, where);
    const std::string name(subject.name);
    problems_.error(
        where, "wrong-subject",
        candidate ? std::string(around_.word) + " looks at nodes, and `" + name + "` is none of theirs"
        : around_.about == About::kNode ? "the rule is about nodes, and `" + name + "` is none of theirs"
                                        : "`" + name + "` is about nodes, and a pod has none",
        candidate && !around_.elsewhere.empty() ? std::string(around_.elsewhere)
        : candidate                             ? "put it into `match`, or write `deny`"
        : around_.about == About::kNode
            ? "make a rule of its own for it"
            : "write it under `avoidNodes`, `onNode`, or in a rule with `resources: [nodes]`");
    return false;
  }

  // A candidate does not change.
  bool checkByPath(const SubjectRow& subject, const Location& where) {
    if (around_.about != About::kCandidate || subject.name != "changed") return true;
    problems_.error(where, "wrong-subject", "`changed` is about updates, and a candidate node is none",
                    "write it under `deny`, with `resources: [nodes]` under `match`");
    return false;
  }

  static bool takes(const SubjectRow& subject, std::string_view modifier) {
    const auto words = wordsIn(subject.modifiers);
    return std::find(words.begin(), words.end(), modifier) != words.end();
  }

  void checkModifiers(const SubjectRow& subject, const syntax::Leaf& from) {
    for (const auto& modifier : from.modifiers) {
      if (takes(subject, modifier.key->scalar)) continue;
      std::vector<std::string_view> with;
      for (const auto& row : subjectTable()) {
        const bool fits = takes(row, modifier.key->scalar);
        if (fits && std::find(with.begin(), with.end(), row.name) == with.end()) with.push_back(row.name);
      }
      problems_.error(
          modifier.key->where, "unknown-key",
          "`" + modifier.key->scalar + "` means nothing beside `" + std::string(subject.name) + "`",
          "it goes with " + listed(with, "and"));
    }
  }

  void tests(Condition& made, const syntax::Leaf& from) {
    const SubjectRow& subject = *made.subject;
    for (const auto& member : from.tests) addTest(made, member);
    made.argument.picks = !from.tests.empty();
    if (!from.tests.empty() || subject.impliedTest == "member") return;
    if (subject.impliedTest.empty()) {
      problems_.error(from.subject.key->where, "missing-test",
                      "`" + std::string(subject.name) + "` says not what must be so",
                      subject.type == ValueType::kShared
                          ? "write `agree: true` beside it"
                          : "add a test, such as `exists: true` or `equals: …`");
      return;
    }
    Operand operand;
    operand.type = subject.type;
    operand.flag = true;
    made.tests.push_back({testRow(subject.impliedTest), operand});
  }

  void addTest(Condition& made, const syntax::Member& member) {
    const TestRow& row = *testRow(member.key->scalar);
    const SubjectRow& subject = *made.subject;
    if ((row.types & static_cast<unsigned>(subject.type)) == 0) {
      problems_.error(member.key->where, "wrong-test",
                      "`" + std::string(row.name) + "` can't be asked of `" + std::string(subject.name) + "`",
                      testHelp(subject, row));
      return;
    }
    if (auto operand = row.parse(*member.value, row.name, subject.type, problems_)) {
      if (row.holds == nullptr) {
        made.agree = operand->flag;
        return;
      }
      made.tests.push_back({&row, *std::move(operand)});
    }
  }

  static std::string testHelp(const SubjectRow& subject, const TestRow& row) {
    if (subject.type == ValueType::kMembership)
      return subject.name == "changed" ? "it says itself whether it holds; write a second condition with "
                                         "`field` for what is there now"
                                       : "it says itself whether it holds; write `not` around it";
    if (row.name == "for") return "it goes with `condition`";
    std::vector<std::string_view> names;
    for (const auto& test : testTable()) {
      if ((test.types & static_cast<unsigned>(subject.type)) != 0) names.push_back(test.name);
    }
    return "it takes " + listed(names);
  }

  // Tests that no value can pass together, and rules that nothing can break.
  void checkSense(const Condition& made, const Location& where) {
    // What a pod does not ask for is 0, which is a number like others.
    const bool counts = made.subject->type == ValueType::kQuantity;
    const bool absent = !counts && std::any_of(made.tests.begin(), made.tests.end(), [](const Test& test) {
      return test.row->onAbsent == TestRow::OnAbsent::kAsks && !test.operand.flag;
    });
    for (const auto& test : made.tests) {
      if (!absent || test.row->onAbsent != TestRow::OnAbsent::kNo) continue;
      problems_.error(where, "never-matches",
                      "what is not there never passes `" + std::string(test.row->name) + "`",
                      "take `exists: false` or `" + std::string(test.row->name) + "` out");
    }
    checkBounds(made, where);
    checkEachThere(made, where);
  }

  // A list or glob stands for what is there, so `exists` says nothing of it where each must pass.
  void checkEachThere(const Condition& made, const Location& where) {
    const bool alone = made.tests.size() == 1 && made.tests[0].row->onAbsent == TestRow::OnAbsent::kAsks;
    if (!made.argument.eachThere || !alone || made.tests[0].operand.flag != around_.readsEach) return;
    problems_.warning(
        where, "never-broken",
        "a list or glob stands for those that are there, so this can never break the rule",
        "write one condition for each `" + std::string(made.subject->name) + "` that must be there");
  }

  // A volume has one source, so what is required of a field of one source fails for all others.
  void checkUnion(const Condition& made, const syntax::Leaf& from) {
    constexpr std::string_view kVolumes = "spec.volumes[*].";
    if (!around_.readsEach || !made.argument.field || !made.argument.field->pattern.starts_with(kVolumes))
      return;
    const auto rest = std::string_view(made.argument.field->pattern).substr(kVolumes.size());
    const auto dot = rest.find('.');
    const bool failsAbsent = std::any_of(made.tests.begin(), made.tests.end(), [](const Test& test) {
      return test.row->onAbsent == TestRow::OnAbsent::kNo;
    });
    if (dot == std::string_view::npos || !failsAbsent) return;
    problems_.warning(from.subject.value->where, "breaks-others",
                      "a volume that is no `" + std::string(rest.substr(0, dot)) +
                          "` has no such field, and breaks the rule",
                      "write `deny` with the opposite test, which such a volume passes");
  }

  // A toleration's key that is written as the empty text means the same as none.
  void checkAbsentKey(const Condition& made, const syntax::Leaf& from) {
    constexpr std::string_view kKey = "spec.tolerations[*].key";
    if (!made.argument.field || made.argument.field->pattern != kKey) return;
    for (std::size_t i = 0; i < made.tests.size() && i < from.tests.size(); ++i) {
      if (made.tests[i].row->name != "exists" || made.tests[i].operand.flag) continue;
      problems_.warning(from.tests[i].key->where, "misses-empty",
                        "`key: \"\"` means the same to Kubernetes as no key, and `exists: false` misses it",
                        "`in: [\"\"]` takes in both");
    }
  }

  void checkBounds(const Condition& made, const Location& where) {
    for (const auto& low : made.tests) {
      const bool lowOpen = low.row->name == "moreThan";
      if (!lowOpen && low.row->name != "atLeast") continue;
      for (const auto& high : made.tests) {
        const bool highOpen = high.row->name == "lessThan";
        if (!highOpen && high.row->name != "atMost") continue;
        const auto order = low.operand.amount <=> high.operand.amount;
        if (order < 0 || (order == 0 && !lowOpen && !highOpen)) continue;
        problems_.error(where, "never-matches",
                        "no number passes `" + std::string(low.row->name) + ": " + low.operand.text +
                            "` and `" + std::string(high.row->name) + ": " + high.operand.text + "`",
                        "the conditions in an `any` are asked one by one");
      }
    }
  }

  const Surroundings& around_;
  Problems& problems_;
};

}  // namespace

std::optional<Condition> compileCondition(const syntax::Condition& condition, const Surroundings& around,
                                          Problems& problems) {
  return Compiler(around, problems).read(condition);
}

}  // namespace driftbar::policy
