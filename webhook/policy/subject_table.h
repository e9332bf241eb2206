// THE TABLE OF SUBJECTS: what conditions can be about. A new subject is a new row.
//
// A row holds the word, its documentation and an example, what it can be asked of (pods, nodes, requests),
// the type of its values, and functions: reading what is written beside it, its values, where a value sits,
// and how it is called in a sentence.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/field.h"
#include "policy/requester.h"
#include "policy/scope.h"
#include "policy/syntax.h"
#include "policy/test_table.h"
#include "policy/value.h"

namespace driftbar::policy {

enum class Of { kOwn, kObject, kNamespace };

// What stands beside a subject's word, read.
struct Argument {
  std::vector<std::string> names;     // of labels, annotations, taints, conditions; may be globs
  std::vector<std::uint32_t> hashes;  // of names, for kube::Labels
  bool eachThere = false;             // a list or a glob: each that is there is a value
  Of of = Of::kOwn;
  std::optional<std::string> taintValue;
  std::string taintEffect;
  std::optional<Field> field;
  std::shared_ptr<const Requester> requester;
};

struct SubjectRow {
  // What a rule may be about for the subject to make sense.
  static constexpr unsigned kPods = 1, kNodes = 2;

  std::string_view name;
  std::string_view doc;
  std::string_view example;
  std::string_view modifiers;  // the keys that may stand beside it, as one text: "of"
  unsigned about;
  ValueType type;
  std::string_view impliedTest;  // what it means without a test; empty: it needs one
  std::optional<Argument> (*parse)(const syntax::Leaf& leaf, const Surroundings& around, Problems& problems);
  void (*values)(const Argument& argument, const Scope& scope, Seen& seen);
  std::string (*place)(const Argument& argument, const Value& value, const Scope& scope);
  std::string (*noun)(const Argument& argument, const Value& value, const Scope& scope);
  // The sentence of a value that is there; null: `NOUN is VALUE`.
  std::string (*sentence)(const Argument& argument, const Value& value, const Scope& scope);
  // What must be, where it does not follow from the tests; null: it does.
  std::string (*must)(const Argument& argument, bool holds);
};

std::span<const SubjectRow> subjectTable();
const SubjectRow* subjectRow(std::string_view name);  // null where there is none
std::vector<std::string_view> subjectNames();
// Subjects of the contract that this version does not have.
std::span<const Key> laterSubjects();
// Keys that stand beside a subject and are no tests.
std::span<const Key> modifierKeys();

}  // namespace driftbar::policy
