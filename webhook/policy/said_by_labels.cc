#include "policy/said_by_labels.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "kube/labels.h"
#include "policy/condition.h"

namespace driftbar::policy {
namespace {

using kube::Clause;
using kube::Requirement;
using kube::SelectorOperator;

using Clauses = std::vector<Clause>;

constexpr std::size_t kMostClauses = 64;
constexpr std::size_t kMostRequirements = 16;

// How a test says itself of a label, and how its opposite does.
struct Said {
  std::string_view test;
  SelectorOperator holds, not_;
};

constexpr Said kSaid[] = {
    {"equals", SelectorOperator::kIn, SelectorOperator::kNotIn},
    {"in", SelectorOperator::kIn, SelectorOperator::kNotIn},
    {"notEquals", SelectorOperator::kNotIn, SelectorOperator::kIn},
    {"notIn", SelectorOperator::kNotIn, SelectorOperator::kIn},
};

Requirement presence(const std::string& key, bool there) {
  return {
      .key = key, .op = there ? SelectorOperator::kExists : SelectorOperator::kDoesNotExist, .values = {}};
}

// Nothing for what no requirement says: another test, a value that no label has.
std::optional<Requirement> requirementOf(const std::string& key, const Test& test, bool holds) {
  if (test.row->name == "exists") return presence(key, test.operand.flag == holds);
  const auto row = std::find_if(std::begin(kSaid), std::end(kSaid),
                                [&](const Said& s) { return s.test == test.row->name; });
  if (row == std::end(kSaid)) return std::nullopt;
  Requirement made{.key = key, .op = holds ? row->holds : row->not_, .values = {}};
  for (const auto& literal : test.operand.literals) {
    if (literal.isNumber || literal.isBool || !kube::isLabelValue(literal.text)) return std::nullopt;
    made.values.push_back(literal.text);
  }
  return made.values.empty() ? std::nullopt : std::optional(std::move(made));
}

std::optional<Clauses> both(std::optional<Clauses> a, std::optional<Clauses> b) {
  if (!a || !b || a->size() + b->size() > kMostClauses) return std::nullopt;
  a->insert(a->end(), b->begin(), b->end());
  return a;
}

std::optional<Clauses> either(const std::optional<Clauses>& a, const std::optional<Clauses>& b) {
  if (!a || !b || a->size() * b->size() > kMostClauses) return std::nullopt;
  Clauses out;
  for (const auto& one : *a) {
    for (const auto& other : *b) {
      Clause together = one;
      for (const auto& requirement : other) {
        if (std::find(together.begin(), together.end(), requirement) == together.end())
          together.push_back(requirement);
      }
      if (together.size() > kMostRequirements) return std::nullopt;
      out.push_back(std::move(together));
    }
  }
  return out;
}

// Of one label: that all its tests hold, or that one of them does not. Of a list of labels each that is there
// is a value, so one that is missing speaks neither for nor against.
std::optional<Clauses> ofLabel(const Condition& leaf, const std::string& key, bool holds) {
  Clauses all;
  Clause any;
  for (const auto& test : leaf.tests) {
    auto requirement = requirementOf(key, test, holds);
    if (!requirement) return std::nullopt;
    any.push_back(*requirement);
    all.push_back({*std::move(requirement)});
  }
  Clauses out = holds ? std::move(all) : Clauses{std::move(any)};
  if (!leaf.argument.eachThere) return out;
  const Requirement missing = presence(key, false);
  for (auto& clause : out) {
    if (std::find(clause.begin(), clause.end(), missing) == clause.end()) clause.push_back(missing);
  }
  return out;
}

bool isOfLabels(const Condition& leaf) {
  const auto& names = leaf.argument.names;
  return leaf.subject->name == "label" && leaf.argument.of == Of::kOwn && !leaf.agree &&
         !leaf.tests.empty() && std::none_of(names.begin(), names.end(), [](const std::string& name) {
           return name.find('*') != std::string::npos;
         });
}

// When the condition holds, or when it does not, as clauses.
std::optional<Clauses> clausesOf(const Condition& condition, bool holds);

std::optional<Clauses> ofLeaf(const Condition& leaf, bool holds) {
  if (!isOfLabels(leaf)) return std::nullopt;
  std::optional<Clauses> out = Clauses{};
  for (const auto& name : leaf.argument.names) out = both(std::move(out), ofLabel(leaf, name, holds));
  return out;
}

// What is read for one of many values does not hold where none does, and what is read for each of them holds
// where each does: both are conjunctions. `not` swaps the reading with the question, so no other case comes
// up.
std::optional<Clauses> ofParts(const Condition& condition, bool holds) {
  const bool conjunction = (condition.kind == Condition::Kind::kAll) == holds;
  std::optional<Clauses> out = conjunction ? Clauses{} : Clauses{Clause{}};
  for (const auto& part : condition.parts) {
    auto one = clausesOf(part, holds);
    out = conjunction ? both(std::move(out), std::move(one)) : either(out, one);
  }
  return out;
}

std::optional<Clauses> clausesOf(const Condition& condition, bool holds) {
  switch (condition.kind) {
    case Condition::Kind::kLeaf:
      return ofLeaf(condition, holds);
    case Condition::Kind::kNot:
      return clausesOf(condition.parts.front(), !holds);
    case Condition::Kind::kAll:
    case Condition::Kind::kAny:
      return ofParts(condition, holds);
    case Condition::Kind::kSome:
    case Condition::Kind::kEvery:
    case Condition::Kind::kOnNode:
      break;
  }
  return std::nullopt;
}

}  // namespace

SaidByLabels saidByLabels(const Condition& condition) {
  if (condition.kind != Condition::Kind::kAny) {
    auto clauses = clausesOf(condition, false);
    const bool whole = clauses.has_value();
    return {whole ? *std::move(clauses) : std::vector<Clause>{}, whole};
  }
  SaidByLabels out;
  for (const auto& part : condition.parts) {
    const auto said = saidByLabels(part);
    out.whole = out.whole && said.whole;
    if (out.clauses.size() + said.clauses.size() > kMostClauses) return {{}, false};
    out.clauses.insert(out.clauses.end(), said.clauses.begin(), said.clauses.end());
  }
  return out;
}

}  // namespace driftbar::policy
