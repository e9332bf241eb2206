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

#include "kube/label_selector.h"
#include "policy/field.h"
#include "policy/requester.h"
#include "policy/scope.h"
#include "policy/syntax.h"
#include "policy/test_table.h"
#include "policy/value.h"

namespace driftbar::policy {

// Whose labels, or which templates and containers, where a subject could mean several.
enum class Of { kOwn, kObject, kNamespace, kRanks, kInit, kEphemeral };

// What stands beside a subject's word, read.
struct Argument {
  std::vector<std::string> names;     // of labels, annotations, taints, conditions; may be globs
  std::vector<std::uint32_t> hashes;  // of names, for kube::Labels
  bool eachThere = false;             // a list or a glob: each that is there is a value
  Of of = Of::kOwn;
  std::optional<std::string> taintValue;
  std::string taintEffect;
  std::optional<Field> field;
  std::vector<Field> fields;               // of `changed`
  std::vector<std::string> keys, notKeys;  // of `changed`; globs
  std::vector<std::string> containers;     // globs; empty: those that the subject means by itself
  std::optional<bool> wanted;              // of subjects whose values are true or false
  std::optional<bool> readOnly;            // of hostPath
  bool picks = false;                      // tests stand beside it, so the names pick what is asked
  std::shared_ptr<const Requester> requester;
  std::shared_ptr<const kube::LabelSelector> nodes;
};

struct SubjectRow {
  // What a rule may be about for the subject to make sense: pods, nodes (as candidates too), or any object
  // that is created or changed.
  static constexpr unsigned kPods = 1, kNodes = 2, kObjects = 4;

  std::string_view name;
  std::string_view doc;
  std::string_view example;
  Written written;             // what stands beside the word itself
  std::string_view modifiers;  // the keys that may stand beside it, as one text: "of containers"
  std::string_view of;         // the words that `of` takes beside it
  unsigned about;
  bool byPath;  // what it is about, its path says
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
const SubjectRow* subjectRow(std::string_view name);  // the first of the name; null where there is none
// The row that a rule about this means; the first of the name where none fits.
const SubjectRow* subjectRow(std::string_view name, unsigned about);
std::vector<std::string_view> subjectNames();
// Subjects of the contract that this version does not have.
std::span<const Key> laterSubjects();
// Keys that stand beside a subject and are no tests.
std::span<const Key> modifierKeys();

}  // namespace driftbar::policy
