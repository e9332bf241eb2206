// Conditions that always or never hold, whatever the object.
//
// Two ways to see one: a path that leads to what every object has; and tests on one and the same value that
// no value passes together (in a list), or of which every value passes one (in an `any`). The latter are what
// comes of mistaking a list, which means all, for an `any`.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "policy/sense.h"

namespace driftbar::policy {
namespace {

using Kind = Condition::Kind;
using Root = Field::Root;

// ---- what is always there

struct AlwaysThere {
  Root root;
  std::string_view pattern;  // as zero_values has it
};

// Required by the API of whatever has them at all, and not filled in later: a pod's name may be
// (generateName), and a template has none.
constexpr AlwaysThere kAlwaysThere[] = {
    {Root::kPod, "spec"},
    {Root::kPod, "spec.containers"},
    {Root::kPod, "spec.containers[*].name"},
    {Root::kNode, "metadata"},
    {Root::kNode, "metadata.name"},
    {Root::kObject, "kind"},
    {Root::kObject, "apiVersion"},
    {Root::kRequest, "uid"},
    {Root::kRequest, "kind"},
    {Root::kRequest, "resource"},
    {Root::kRequest, "operation"},
    {Root::kRequest, "userInfo"},
    {Root::kRequest, "userInfo.username"},
};

// A step that picks one element stands in the path, and as `[*]` in the pattern: such a one may be missing.
bool isAlwaysThere(const Condition& leaf) {
  const auto& field = leaf.argument.field;
  if (leaf.subject->name != "field" || !field || leaf.argument.of != Of::kOwn) return false;
  const bool every = std::any_of(field->paths.begin(), field->paths.end(),
                                 [&](const FieldPath& path) { return path.toString() == field->pattern; });
  return every && std::any_of(std::begin(kAlwaysThere), std::end(kAlwaysThere), [&](const AlwaysThere& row) {
           return row.root == field->root && row.pattern == field->pattern;
         });
}

// ---- tests on one and the same value

// What has one value, so that tests of two leaves are of the same one; empty where it may have several.
std::string oneValue(const Condition& leaf) {
  const Argument& argument = leaf.argument;
  const std::string_view name = leaf.subject->name;
  const std::string of = std::to_string(static_cast<int>(argument.of)) + ":";
  const bool pair = name == "label" || name == "annotation" || name == "condition";
  if (pair && argument.names.size() == 1 && !argument.eachThere)
    return std::string(name) + of + argument.names.front();
  if (name != "field" || !argument.field || argument.of != Of::kOwn) return {};
  const Field& field = *argument.field;
  const bool several = field.root == Root::kTemplates || field.root == Root::kRanks;
  if (several || field.paths.size() != 1 || field.paths.front().hasEach()) return {};
  return std::string(name) + std::to_string(static_cast<int>(field.root)) + field.paths.front().toString();
}

struct Asked {
  const Condition* leaf;
  const Test* test;
  const yaml::Node* key;  // in the policy
  const yaml::Node* value;
  bool opposite = false;  // it is asked that the test fails
  bool zero = false;      // absence stands for a value here
};

bool isTest(const Asked& asked, std::string_view name) {
  return asked.test->row->name == name;
}

// The tests that name the values that pass, or those that don't.
bool namesGood(const Asked& asked) {
  return asked.opposite ? isTest(asked, "notEquals") || isTest(asked, "notIn")
                        : isTest(asked, "equals") || isTest(asked, "in");
}
bool namesBad(const Asked& asked) {
  return asked.opposite ? isTest(asked, "equals") || isTest(asked, "in")
                        : isTest(asked, "notEquals") || isTest(asked, "notIn");
}

// As `equals` compares in a field: numbers by their value, all else as text.
bool same(const Literal& a, const Literal& b) {
  if (a.text == b.text) return true;
  return a.amount && b.amount && (*a.amount <=> *b.amount) == 0;
}

bool contains(const std::vector<Literal>& all, const Literal& one) {
  return std::any_of(all.begin(), all.end(), [&](const Literal& other) { return same(one, other); });
}

bool wantsAbsent(const Asked& asked) {
  return isTest(asked, "exists") && asked.test->operand.flag == asked.opposite;
}
bool wantsThere(const Asked& asked) {
  return isTest(asked, "exists") && asked.test->operand.flag != asked.opposite;
}

// Whether no value passes both.
bool exclude(const Asked& a, const Asked& b) {
  const auto& left = a.test->operand.literals;
  const auto& right = b.test->operand.literals;
  if (namesGood(a) && namesGood(b))
    return std::none_of(left.begin(), left.end(), [&](const Literal& one) { return contains(right, one); });
  if (namesGood(a) && namesBad(b))
    return std::all_of(left.begin(), left.end(), [&](const Literal& one) { return contains(right, one); });
  if (wantsAbsent(a)) return wantsThere(b) || (namesGood(b) && !b.zero);
  return false;
}

// As it is written; hidden is nothing here, for it is the author's own text.
std::string written(const Asked& asked) {
  const auto text = [](const yaml::Node& node) {
    return node.isText() && node.quoted ? quoted(node.scalar) : printable(node.scalar);
  };
  std::string value;
  for (const auto& item : asked.value->items) value += (value.empty() ? "" : ", ") + text(item);
  value = asked.value->isList() ? "[" + value + "]" : text(*asked.value);
  return "`" + asked.key->scalar + ": " + shortened(value, 60) + "`";
}

// ---- the walk

// Whether it holds for everything (true) or nothing (false), and why; nothing where that depends.
struct Constant {
  std::optional<bool> holds;
  std::string why;                  // for the rule's message; empty where a warning has told it already
  const Location* where = nullptr;  // of what decides
};

class Walk {
 public:
  explicit Walk(Problems& problems) : problems_(problems) {}

  Constant of(const syntax::Condition& from, const Condition& made) {
    switch (made.kind) {
      case Kind::kLeaf:
        return ofLeaf(from.leaf, made);
      case Kind::kNot: {
        Constant inner = of(from.parts.front(), made.parts.front());
        if (inner.holds) inner.holds = !*inner.holds;
        return inner;
      }
      case Kind::kAll:
      case Kind::kAny:
        return ofGroup(from, made);
      default:  // over no element or node there is nothing to judge; what is inside may still be senseless
        of(from.parts.front(), made.parts.front());
        return {};
    }
  }

 private:
  Constant ofLeaf(const syntax::Leaf& from, const Condition& made) {
    if (clashInLeaf(from, made)) return {false, {}, nullptr};
    if (made.agree || !isAlwaysThere(made)) return {};
    const auto exists = std::find_if(made.tests.begin(), made.tests.end(),
                                     [](const Test& test) { return test.row->name == "exists"; });
    if (exists == made.tests.end() || (exists->operand.flag && made.tests.size() > 1)) return {};
    return {exists->operand.flag, "`" + printable(from.subject.value->scalar) + "` is always there",
            &from.subject.key->where};
  }

  Constant ofGroup(const syntax::Condition& from, const Condition& made) {
    const bool all = made.kind == Kind::kAll;
    Constant decides, last;
    bool eachTheSame = !made.parts.empty();
    for (std::size_t i = 0; i < made.parts.size(); ++i) {
      last = of(from.parts[i], made.parts[i]);
      eachTheSame = eachTheSame && last.holds == all;
      if (last.holds == !all && !decides.holds) decides = last;
    }
    if (decides.holds) return decides;
    if (clash(from, made)) return {!all, {}, nullptr};
    return eachTheSame ? last : Constant{};
  }

  // Reports the first two tests of a group that no value passes together (in `all`), or of which every value
  // passes one (in `any`: then no value fails both).
  bool clash(const syntax::Condition& from, const Condition& made) {
    const bool all = made.kind == Kind::kAll;
    std::map<std::string, std::vector<Asked>> byValue;
    gather(from, made, !all, byValue);
    for (const auto& [value, asked] : byValue) {
      for (std::size_t later = 0; later < asked.size(); ++later) {
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
          const Asked &a = asked[earlier], &b = asked[later];
          if (a.leaf == b.leaf || (!exclude(a, b) && !exclude(b, a))) continue;
          report(all, a, b);
          return true;
        }
      }
    }
    return false;
  }

  // The tests of one leaf, all of which must pass.
  bool clashInLeaf(const syntax::Leaf& from, const Condition& made) {
    std::vector<Asked> asked;
    if (!oneValue(made).empty() && !made.agree) addTests(from, made, false, asked);
    for (std::size_t later = 0; later < asked.size(); ++later) {
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        const Asked &a = asked[earlier], &b = asked[later];
        if (!exclude(a, b) && !exclude(b, a)) continue;
        problems_.warning(b.key->where, "never-holds",
                          "no value passes both " + written(a) + " and " + written(b),
                          "take one of the two out, or write them as two conditions of an `any`");
        return true;
      }
    }
    return false;
  }

  static void addTests(const syntax::Leaf& from, const Condition& made, bool opposite,
                       std::vector<Asked>& into) {
    const bool zero = made.argument.field && made.argument.field->zero.has_value();
    for (std::size_t t = 0; t < made.tests.size() && t < from.tests.size(); ++t)
      into.push_back({&made, &made.tests[t], from.tests[t].key, from.tests[t].value, opposite, zero});
  }

  void report(bool all, const Asked& a, const Asked& b) {
    if (all) {
      problems_.warning(b.key->where, "never-holds",
                        "no value passes both " + written(a) + " and " + written(b),
                        "a list means all of its conditions; write `any: […]` where one is enough");
    } else {
      problems_.warning(b.key->where, "always-holds",
                        "every value passes " + written(a) + " or " + written(b),
                        "in an `any` one condition is enough; write a list where all must hold");
    }
  }

  // The tests of the leaves of one group, and of groups of the same kind inside of it, by what they are asked
  // of. Under `any` a leaf fails when one of its tests does, so only those with one test tell.
  static void gather(const syntax::Condition& from, const Condition& made, bool opposite,
                     std::map<std::string, std::vector<Asked>>& into) {
    for (std::size_t i = 0; i < made.parts.size(); ++i) {
      const Condition& part = made.parts[i];
      if (part.kind == made.kind) gather(from.parts[i], part, opposite, into);
      if (part.kind != Kind::kLeaf || part.agree) continue;
      const std::string value = oneValue(part);
      if (value.empty() || (opposite && part.tests.size() != 1)) continue;
      addTests(from.parts[i].leaf, part, opposite, into[value]);
    }
  }

  Problems& problems_;
};

}  // namespace

void checkConditionSense(const syntax::Rule& from, const Rule& made, Problems& problems) {
  if (!from.condition || made.condition == nullptr) return;
  const Constant constant = Walk(problems).of(*from.condition, *made.condition);
  if (!constant.holds || constant.why.empty()) return;
  const bool broken = *constant.holds != (made.verb == Verb::kRequire);
  const bool nodes = made.verb == Verb::kAvoidNodes;
  const std::string what = !broken ? "nothing can break the rule: "
                           : nodes ? "the rule avoids every node: "
                                   : "all that the rule looks at breaks it: ";
  problems.warning(*constant.where, broken ? "always-broken" : "never-broken", what + constant.why,
                   "ask for something that some have and some have not");
}

}  // namespace driftbar::policy
