#include "policy/document_schema.h"

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "policy/condition_schema.h"
#include "policy/documents.h"
#include "policy/schema_forms.h"
#include "policy/vocabulary.h"

namespace driftbar::policy {
namespace {

using Words = std::vector<std::string_view>;

// `a rule` and `spec of a PolicyTest` as names of definitions: rule, specOfAPolicyTest.
std::string definitionName(std::string_view about) {
  std::string name;
  for (const auto word : wordsIn(about)) {
    if (name.empty() && (word == "a" || word == "an")) continue;
    std::string one(word);
    if (!name.empty() && one[0] >= 'a' && one[0] <= 'z') one[0] = static_cast<char>(one[0] - 'a' + 'A');
    name += one;
  }
  return name;
}

bool isCondition(const Written& written) {
  return written.form == Form::kCondition || written.form == Form::kLeaf;
}

std::string conditionName(const Written& written, Place place) {
  if (written.keys != nullptr) return definitionName(written.keys().about);
  switch (place) {
    case Place::kCandidate:
    case Place::kNode:
      return "conditionOnNode";
    case Place::kElement:
      return "conditionOnElement";
    case Place::kPod:
      return "conditionOnPod";
    default:
      return "condition";
  }
}

// What schemas refer to by name, and with it what these refer to.
class Definitions {
 public:
  SchemaJson of(const Written& written, Place around = Place::kRule);
  SchemaJson mapOf(const KeySet& keys);
  SchemaJson all();

 private:
  struct Wanted {
    std::string name;
    Written written;
    Place place;
  };

  SchemaJson one(const Written& written, Place around);
  SchemaJson refer(std::string name, const Written& written, Place place);
  SchemaJson made(const Wanted& wanted);

  std::deque<Wanted> wanted_;  // grows while it is worked through
};

SchemaJson reference(std::string_view name) {
  return {{"$ref", "#/definitions/" + std::string(name)}};
}

SchemaJson Definitions::refer(std::string name, const Written& written, Place place) {
  const bool known =
      std::any_of(wanted_.begin(), wanted_.end(), [&](const Wanted& one) { return one.name == name; });
  if (!known) wanted_.push_back({name, written, place});
  return reference(name);
}

SchemaJson Definitions::one(const Written& written, Place around) {
  if (isCondition(written)) {
    const Place place = written.place == Place::kAround ? around : written.place;
    return refer(conditionName(written, place), written, place);
  }
  if (written.form == Form::kSelector) return refer("labelSelector", written, around);
  if (written.form != Form::kMap) return formSchema(written);
  SchemaJson map = refer(definitionName(written.keys().about), written, around);
  const auto keys = written.keys().keys;
  const bool needsAny =
      std::any_of(keys.begin(), keys.end(), [](const Key& key) { return key.need != Need::kMay; });
  if (needsAny || written.empty) return map;
  return {{"allOf", {map, {{"minProperties", 1}}}}};
}

SchemaJson Definitions::of(const Written& written, Place around) {
  SchemaJson single = one(written, around);
  if (written.instead == nullptr) return severalSchema(written, std::move(single));
  SchemaJson other = of(*written.instead, around);
  if (written.mixed) return severalSchema(written, {{"anyOf", {std::move(single), std::move(other)}}});
  return {{"anyOf", {severalSchema(written, std::move(single)), std::move(other)}}};
}

// Of keys of which one must be there, each shuts out the others and what goes with these alone.
SchemaJson besideKey(const Key& key, const KeySet& keys) {
  SchemaJson shut = SchemaJson::object();
  for (const auto& other : keys.keys) {
    const auto with = wordsIn(other.with);
    const bool fits = with.empty() || std::find(with.begin(), with.end(), key.name) != with.end();
    const bool another = other.need == Need::kOneOfThese && other.name != key.name;
    if (!other.later && (another || !fits)) shut[std::string(other.name)] = false;
  }
  return when(has(key.name), {{"properties", shut},
                              {"errorMessage", "this means nothing beside `" + std::string(key.name) + "`"}});
}

SchemaJson Definitions::mapOf(const KeySet& keys) {
  SchemaJson properties = SchemaJson::object(), rules = SchemaJson::array();
  Words alternatives;
  for (const auto& key : keys.keys) {
    if (key.later) continue;
    properties[std::string(key.name)] = described(std::string(key.doc), of(key.written));
    if (key.need != Need::kOneOfThese) continue;
    alternatives.push_back(key.name);
    rules.push_back(besideKey(key, keys));
  }
  SchemaJson made{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (const auto required = requiredOf(keys); !required.empty()) made["required"] = required;
  if (!alternatives.empty())
    made.update(needsOneOf(alternatives, std::string(keys.of) + " needs " + listed(alternatives)));
  if (!rules.empty()) made["allOf"] = rules;
  return made;
}

SchemaJson Definitions::made(const Wanted& wanted) {
  const Written& written = wanted.written;
  if (written.form == Form::kSelector) return labelSelectorSchema();
  if (!isCondition(written)) return mapOf(written.keys());
  const ConditionForm form{wanted.place, written.form == Form::kLeaf,
                           written.keys != nullptr ? &written.keys() : nullptr};
  return conditionSchema(
      form, [&](const Written& inner) { return of(inner, wanted.place); }, reference(wanted.name));
}

SchemaJson Definitions::all() {
  SchemaJson definitions = SchemaJson::object();
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const Wanted wanted = wanted_[i];
    definitions[wanted.name] = made(wanted);
  }
  return definitions;
}

}  // namespace

SchemaJson documentSchema() {
  Definitions definitions;
  SchemaJson schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", "driftbar.io/v1alpha1"},
                    {"description", "a document of driftbar; `driftbar schema` prints this"}};
  schema.update(definitions.mapOf(documentKeys()));
  SchemaJson specs = SchemaJson::array();
  Words kinds;
  for (const auto& row : documentTable()) {
    kinds.push_back(row.name);
    SchemaJson is = has("kind");
    is["properties"]["kind"] = wordsSchema({row.name});
    specs.push_back(when(std::move(is), {{"properties", {{"spec", definitions.of(row.spec)}}}}));
  }
  schema["properties"]["kind"].update(wordsSchema(kinds));
  schema["properties"]["kind"].erase("type");
  schema["allOf"] = specs;
  schema["definitions"] = definitions.all();
  return schema;
}

}  // namespace driftbar::policy
