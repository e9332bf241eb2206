// The JSON Schema of documents: that every row says its form, and that none of what the tables have is left
// out. What the schema says of documents is for a validator to tell (tests/editor).
#include "policy/document_schema.h"

#include <algorithm>
#include <set>
#include <string>

#include "policy/document_vocabulary.h"
#include "policy/documents.h"
#include "policy/match_table.h"
#include "policy/schema_forms.h"
#include "policy/subject_table.h"
#include "policy/syntax.h"
#include "policy/test_table.h"
#include "unit/policy/fixture.h"

namespace driftbar::policy {
namespace {

std::vector<Key> allRows() {
  std::vector<Key> rows = syntax::conditionKeys();
  const auto add = [&](std::span<const Key> more) { rows.insert(rows.end(), more.begin(), more.end()); };
  for (const auto* set : allKeySets()) add(set->keys);
  add(modifierKeys());
  add(documentKinds());
  add(breakGlassKeys().keys);
  for (const auto& row : subjectTable()) rows.push_back({row.name, row.doc, row.written});
  for (const auto& row : testTable()) rows.push_back({row.name, row.doc, row.written});
  for (const auto& row : matchTable()) rows.push_back({row.name, row.doc, row.written});
  return rows;
}

TEST(Rows, SayWhatMayBeWrittenBesideTheirWord) {
  for (const auto& row : allRows()) {
    const Written& written = row.written;
    EXPECT_TRUE(row.later || written.form != Form::kUnsaid) << row.name;
    EXPECT_EQ(written.form == Form::kWord || written.form == Form::kWordOfAnyCase,
              !wordsIn(written.words).empty())
        << row.name;
    EXPECT_TRUE(written.form != Form::kMap || written.keys != nullptr) << row.name;
  }
}

TEST(Rows, OfWhichOneMustBeThereAreSeveralOfTheirSet) {
  for (const auto* set : allKeySets()) {
    if (set == &expectationKeys()) continue;  // `uniform` stands for the tests
    const auto alternatives = std::count_if(set->keys.begin(), set->keys.end(),
                                            [](const Key& key) { return key.need == Need::kOneOfThese; });
    EXPECT_NE(alternatives, 1) << set->of;
  }
}

TEST(Rows, GoWithKeysOfTheirOwnSet) {
  for (const auto* set : allKeySets()) {
    const auto names = namesOf(set->keys);
    for (const auto& key : set->keys) {
      for (const auto other : wordsIn(key.with))
        EXPECT_NE(std::find(names.begin(), names.end(), other), names.end()) << key.name << " with " << other;
    }
  }
}

// A definition is known by what its set is about.
TEST(KeySets, AreAboutDifferentThings) {
  std::set<std::string_view> seen;
  for (const auto* set : allKeySets()) EXPECT_TRUE(seen.insert(set->about).second) << set->about;
}

std::set<std::string> propertiesIn(const SchemaJson& schema) {
  std::set<std::string> names;
  for (const auto& [key, value] : schema["properties"].items()) names.insert(key);
  for (const auto& definition : schema["definitions"]) {
    for (const auto& [key, value] : definition["properties"].items()) names.insert(key);
  }
  return names;
}

TEST(DocumentSchema, HasEveryWordOfThisVersionAndNoneOfALater) {
  const auto names = propertiesIn(documentSchema());
  std::set<std::string_view> present;
  for (const auto& row : allRows()) {
    if (!row.later) present.insert(row.name);
  }
  for (const auto* set : allKeySets()) {
    for (const auto& key : set->keys)
      EXPECT_EQ(names.contains(std::string(key.name)), !key.later || present.contains(key.name)) << key.name;
  }
  for (const auto& row : subjectTable()) EXPECT_TRUE(names.contains(std::string(row.name))) << row.name;
  for (const auto& row : testTable()) EXPECT_TRUE(names.contains(std::string(row.name))) << row.name;
  for (const auto& row : matchTable()) EXPECT_TRUE(names.contains(std::string(row.name))) << row.name;
  for (const auto& name : names) EXPECT_TRUE(present.contains(name)) << name;
  EXPECT_EQ(documentSchema()["properties"]["kind"]["enum"].size(), documentTable().size());
}

TEST(DocumentSchema, IsTheSameEachTime) {
  EXPECT_EQ(documentSchema().dump(), documentSchema().dump());
}

TEST(DocumentSchema, RefersToDefinitionsThatAreThere) {
  const auto schema = documentSchema();
  const std::string text = schema.dump();
  constexpr std::string_view kReference = "\"#/definitions/";
  std::size_t count = 0;
  for (auto at = text.find(kReference); at != std::string::npos; at = text.find(kReference, at + 1)) {
    const auto begin = at + kReference.size();
    EXPECT_TRUE(schema["definitions"].contains(text.substr(begin, text.find('"', begin) - begin)));
    ++count;
  }
  EXPECT_GT(count, 50u);
}

}  // namespace
}  // namespace driftbar::policy
