#include "policy/condition_schema.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "policy/subject_table.h"
#include "policy/syntax.h"
#include "policy/test_table.h"

namespace driftbar::policy {
namespace {

using Words = std::vector<std::string_view>;

void add(Words& words, std::string_view word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

void add(Words& words, const Words& more) {
  for (const auto word : more) add(words, word);
}

bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string inTicks(std::string_view word) {
  return "`" + std::string(word) + "`";
}

std::string documentation(std::string_view doc, std::string_view example) {
  return std::string(doc) + (example.empty() ? "" : "\n\nfor example: " + std::string(example));
}

// ---- What can stand where.

// Subjects of one name, of which the rule says which is meant.
struct Subject {
  std::string_view name;
  std::vector<const SubjectRow*> rows;
};

bool isOfNodes(Place place) {
  return place == Place::kCandidate || place == Place::kNode;
}

// As the compiler of conditions has it (fits, in compile_condition), and of classes their reader.
bool standsIn(const SubjectRow& row, Place place) {
  if (place == Place::kElement) return row.name == "field";
  if (place == Place::kRule) return true;
  const unsigned about = isOfNodes(place) ? SubjectRow::kNodes : SubjectRow::kPods;
  if (place == Place::kPod && row.name == "canLandOn") return false;  // no class goes by where a pod can land
  return (row.about & about) != 0 && row.name != "changed";
}

std::vector<Subject> subjectsOf(const ConditionForm& form) {
  const auto others = form.besides != nullptr ? namesOf(form.besides->keys) : Words{};
  std::vector<Subject> subjects;
  for (const auto& row : subjectTable()) {
    if (!standsIn(row, form.place) || contains(others, row.name)) continue;
    const auto same =
        std::find_if(subjects.begin(), subjects.end(), [&](const auto& one) { return one.name == row.name; });
    if (same == subjects.end()) {
      subjects.push_back({row.name, {&row}});
    } else {
      same->rows.push_back(&row);
    }
  }
  return subjects;
}

// `all`, `some` and the like. The node that a pod is on is asked for in rules alone.
std::vector<Key> combinatorsOf(const ConditionForm& form) {
  if (form.leaf) return {};
  auto keys = syntax::conditionKeys();
  const bool pods = form.place == Place::kRule || form.place == Place::kPod;
  if (!pods) std::erase_if(keys, [](const Key& key) { return key.name == "onNode"; });
  return keys;
}

Words testsOf(const Subject& subject) {
  Words names;
  for (const auto* row : subject.rows) {
    for (const auto& test : testTable()) {
      if ((test.types & static_cast<unsigned>(row->type)) != 0) add(names, test.name);
    }
  }
  return names;
}

// A node has no templates and no containers.
Words modifiersOf(const Subject& subject, Place place) {
  Words names;
  for (const auto* row : subject.rows) add(names, wordsIn(row->modifiers));
  if (isOfNodes(place)) std::erase(names, "of");
  return names;
}

Words ofWords(const Subject& subject) {
  Words words;
  for (const auto* row : subject.rows) add(words, wordsIn(row->of));
  return words;
}

bool needsTest(const Subject& subject) {
  return std::all_of(subject.rows.begin(), subject.rows.end(),
                     [](const auto* row) { return row->impliedTest.empty(); });
}

// ---- The schema.

class Maker {
 public:
  Maker(const ConditionForm& form, const std::function<SchemaJson(const Written&)>& of)
      : form_(form), of_(of), subjects_(subjectsOf(form)) {}

  SchemaJson make(const SchemaJson& self);

 private:
  void put(std::string_view name, const std::string& doc, const Written& written) {
    properties_[std::string(name)] = described(doc, of_(written));
  }
  void addCombinators();
  void addSubjects();
  void addTests();
  void addBesides();
  void readBesides();
  void addNeed();
  void allow(std::string_view head, const Words& beside, SchemaJson then, const std::string& message);
  SchemaJson narrowed(const Subject& subject) const;

  const ConditionForm& form_;
  const std::function<SchemaJson(const Written&)>& of_;
  const std::vector<Subject> subjects_;
  SchemaJson properties_ = SchemaJson::object(), rules_ = SchemaJson::array();
  Words heads_;    // of which exactly one is in a condition
  Words besides_;  // keys of others in the same map, and of these what says itself what must be so
  Words insteadOfTests_;
};

// Where the head is there, these alone may stand beside it.
void Maker::allow(std::string_view head, const Words& beside, SchemaJson then, const std::string& message) {
  Words words{head};
  add(words, beside);
  add(words, besides_);
  then["propertyNames"] = wordsSchema(words);
  then["propertyNames"]["errorMessage"] = message;
  rules_.push_back(when(has(head), std::move(then)));
  heads_.push_back(head);
}

void Maker::addCombinators() {
  for (const auto& key : combinatorsOf(form_)) {
    put(key.name, std::string(key.doc), key.written);
    if (!key.with.empty()) continue;
    if (key.written.form == Form::kPath) {
      allow(key.name, {"where"}, has("where"), "beside " + inTicks(key.name) + " stands `where`");
    } else {
      allow(key.name, {}, SchemaJson::object(),
            inTicks(key.name) + " stands alone: write a list, whose items must all hold");
    }
  }
}

// What of the tests and of `of` is less than their own rows say.
SchemaJson Maker::narrowed(const Subject& subject) const {
  SchemaJson made = SchemaJson::object();
  if (contains(modifiersOf(subject, form_.place), "of")) made["of"] = wordsSchema(ofWords(subject));
  const Written literal = literalOf(subject.rows.front()->type);
  if (literal.form == Form::kLiteral || subject.rows.size() > 1) return made;
  const auto tests = testsOf(subject);
  for (const auto& test : testTable()) {
    if (test.written.form != Form::kLiteral || !contains(tests, test.name)) continue;
    Written own = literal;
    own.many = test.written.many;
    made[std::string(test.name)] = of_(own);
  }
  return made;
}

void Maker::addSubjects() {
  for (const auto& subject : subjects_) {
    std::string doc;
    for (const auto* row : subject.rows)
      doc += (doc.empty() ? "" : "\n\n") + documentation(row->doc, row->example);
    put(subject.name, doc, subject.rows.front()->written);
    Words beside = modifiersOf(subject, form_.place), tests = testsOf(subject);
    add(beside, tests);
    SchemaJson then = SchemaJson::object();
    if (auto less = narrowed(subject); !less.empty()) then["properties"] = std::move(less);
    add(tests, insteadOfTests_);
    if (needsTest(subject))
      then.update(needsOneOf(tests, inTicks(subject.name) + " needs a test: " + listed(tests)));
    allow(subject.name, beside, std::move(then),
          "beside " + inTicks(subject.name) +
              (beside.empty() ? " stands nothing" : " stand " + listed(beside)));
  }
}

void Maker::addTests() {
  Words tests, modifiers;
  for (const auto& subject : subjects_) {
    add(tests, testsOf(subject));
    add(modifiers, modifiersOf(subject, form_.place));
  }
  for (const auto& test : testTable()) {
    if (contains(tests, test.name)) put(test.name, documentation(test.doc, test.example), test.written);
  }
  for (const auto& key : modifierKeys()) {
    if (contains(modifiers, key.name)) put(key.name, std::string(key.doc), key.written);
  }
}

void Maker::addBesides() {
  if (form_.besides == nullptr) return;
  for (const auto& key : form_.besides->keys) put(key.name, std::string(key.doc), key.written);
  SchemaJson tests = SchemaJson::object();
  for (const auto& test : testTable()) tests[std::string(test.name)] = false;
  for (const auto word : insteadOfTests_)
    rules_.push_back(when(
        has(word), {{"properties", tests}, {"errorMessage", "no test can stand beside " + inTicks(word)}}));
}

void Maker::readBesides() {
  if (form_.besides == nullptr) return;
  const auto combinators = combinatorsOf(form_);
  for (const auto& key : form_.besides->keys) {
    const bool own = std::none_of(combinators.begin(), combinators.end(),
                                  [&](const Key& one) { return one.name == key.name; });
    if (own) besides_.push_back(key.name);
    if (key.need == Need::kOneOfThese) insteadOfTests_.push_back(key.name);
  }
}

// A test alone says not what it is about. A class may say nothing but what it is sensitive to.
void Maker::addNeed() {
  Words others;
  for (const auto& [key, schema] : properties_.items()) {
    if (!contains(heads_, key)) others.push_back(key);
  }
  SchemaJson without{{"type", "object"}, {"propertyNames", wordsSchema(others)}};
  if (form_.besides != nullptr && !form_.leaf) {
    for (const auto word : besides_) std::erase(others, word);
    without.update(needsOneOf(others, ""));
  }
  rules_.push_back(
      when(std::move(without),
           needsOneOf(heads_, "the condition says not what it is about: begin it with a subject")));
}

SchemaJson Maker::make(const SchemaJson& self) {
  readBesides();
  addCombinators();
  addSubjects();
  addTests();
  addBesides();
  addNeed();
  SchemaJson made{{"type", {"object", "array"}}};
  if (form_.besides != nullptr) made["type"] = "object";
  made["properties"] = std::move(properties_);
  made["additionalProperties"] = false;
  if (form_.besides == nullptr) {
    made["items"] = self;
    made["minItems"] = 1;
  } else if (const auto required = requiredOf(*form_.besides); !required.empty()) {
    made["required"] = required;
  }
  made["allOf"] = std::move(rules_);
  return made;
}

}  // namespace

SchemaJson conditionSchema(const ConditionForm& form, const std::function<SchemaJson(const Written&)>& of,
                           const SchemaJson& self) {
  return Maker(form, of).make(self);
}

}  // namespace driftbar::policy
