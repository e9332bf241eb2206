// Written: what may be written beside a word of the language, as its row in a table says it.
//
// A small value that stands in the row: `written::text().orList()`, `written::map(ruleKeys).list()`. From it
// follow the JSON Schema of documents and so what editors offer and underline. The functions that read do not
// read by it: they say more, in sentences. A test (tests/editor) feeds samples of every form to both, so
// that the two cannot drift apart.
#pragma once

#include <string_view>

namespace driftbar::policy {

struct KeySet;

enum class Form {
  kUnsaid,  // a row that forgot it, which a test finds
  kAnything,
  kText,
  kSentence,       // text of one line that says something
  kName,           // of a document or a rule: a DNS name
  kUrl,            // http or https
  kWord,           // one of `words`
  kWordOfAnyCase,  // the same, in small letters or in any
  kFlag,           // true or false
  kTrue,           // true: the opposite is said by leaving it out
  kCount,          // a whole number from 1 on
  kWhole,          // a whole number from 0 on
  kCountOrShare,   // a whole number from 1 on, or a percentage
  kWholeOrPath,    // a whole number from 0 on, or a path
  kLiteral,        // a single value: text, a number, true or false
  kPiece,          // the same, and not empty
  kStatus,         // True, False or Unknown; a boolean means the text
  kQuantity,       // a number, or a quantity as Kubernetes writes them
  kDuration,       // `1h30m`
  kInstant,        // `2026-12-01T10:00:00Z`
  kEnd,            // that, or a day
  kVersionBounds,  // `>=535.104 <550`
  kDriftClass,     // the name of a class of drift
  kAccount,        // `namespace/name` of a service account
  kPath,           // of a field
  kSelector,       // a label selector
  kLabels,         // its matchLabels; to Kubernetes null is as none
  kExpressions,    // its matchExpressions, likewise
  kObject,         // any map
  kFileOrObject,   // the name of a file, or an object of Kubernetes
  kCondition,      // `place` says what it can be about
  kLeaf,           // a subject and its tests alone
  kMap             // with the keys of `keys`
};

// Where a condition stands, which says what it can be about.
enum class Place {
  kAround,     // the same as the condition around it
  kRule,       // in deny and require: pods or nodes, as match says, and requests
  kCandidate,  // in avoidNodes and onNode: a node
  kElement,    // in `where`: an element of a list
  kPod,        // in a WorkloadClass
  kNode        // in a NodeBaseline
};

struct Written {
  enum class Many { kOne, kOneOrList, kList };

  Form form = Form::kUnsaid;
  Many many = Many::kOne;
  bool empty = false;                 // the list or the map may be empty
  std::string_view words{};           // of kWord, with blanks between
  const KeySet& (*keys)() = nullptr;  // of kMap; of conditions: what stands beside subject and tests
  Place place = Place::kAround;
  const Written* instead = nullptr;  // another way to write it
  bool mixed = false;                // that may stand in the list too

  constexpr Written orList() const { return with(Many::kOneOrList); }
  constexpr Written list() const { return with(Many::kList); }
  constexpr Written orEmpty() const {
    Written made = *this;
    made.empty = true;
    return made;
  }
  // `other` must outlive this. Before orList() and list() it may stand in the list as well.
  constexpr Written or_(const Written& other) const {
    Written made = *this;
    made.instead = &other;
    return made;
  }

 private:
  constexpr Written with(Many number) const {
    Written made = *this;
    made.many = number;
    made.mixed = instead != nullptr;
    return made;
  }
};

namespace written {

constexpr Written a(Form form) {
  Written made;
  made.form = form;
  return made;
}
constexpr Written text() {
  return a(Form::kText);
}
constexpr Written texts() {
  return text().orList();
}
constexpr Written oneOf(std::string_view words) {
  Written made = a(Form::kWord);
  made.words = words;
  return made;
}
constexpr Written severity() {
  return oneOf("minor major critical");
}
constexpr Written oneOfInAnyCase(std::string_view words) {
  Written made = a(Form::kWordOfAnyCase);
  made.words = words;
  return made;
}
constexpr Written map(const KeySet& (*keys)()) {
  Written made = a(Form::kMap);
  made.keys = keys;
  return made;
}
constexpr Written condition(Place place, const KeySet& (*besides)() = nullptr) {
  Written made = a(Form::kCondition);
  made.place = place;
  made.keys = besides;
  return made;
}
constexpr Written leaf(Place place, const KeySet& (*besides)()) {
  Written made = a(Form::kLeaf);
  made.place = place;
  made.keys = besides;
  return made;
}

}  // namespace written

}  // namespace driftbar::policy
