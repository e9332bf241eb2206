#include "policy/schema_forms.h"

#include <array>
#include <string>

#include "kube/label_selector.h"
#include "policy/vocabulary.h"

namespace driftbar::policy {
namespace {

SchemaJson ofType(std::string_view type) {
  return {{"type", type}};
}

SchemaJson matching(std::string_view pattern) {
  return {{"type", "string"}, {"pattern", pattern}};
}

// Whole texts alone are told by patterns here, in what JavaScript, Python and RE2 have in common.
constexpr std::string_view kName =
    "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$";
constexpr std::string_view kUrl = "^https?://[^\\n]*\\n?$";
constexpr std::string_view kDuration = "^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$";
constexpr std::string_view kInstant = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}";
constexpr std::string_view kEnd = "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}.*)?$";
constexpr std::string_view kBounds = "^ *(=|!=|<=?|>=?)v?[0-9][^ ]*( +(=|!=|<=?|>=?)v?[0-9][^ ]*)* *$";
constexpr std::string_view kAccount = "^[^/]+/[^/]+$";
constexpr std::string_view kDriftClass = "^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$";
constexpr std::string_view kShare = "^[0-9]+%$";
constexpr std::string_view kQuantity =
    "^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+|[numkMGTPE]|[KMGTPE]i)?$";

SchemaJson sentence() {
  return {{"type", "string"}, {"minLength", 1}};
}

SchemaJson named() {
  SchemaJson made = matching(kName);
  made["maxLength"] = 253;
  return made;
}

SchemaJson duration() {
  SchemaJson made = matching(kDuration);
  made["minLength"] = 1;
  return made;
}

// Editors offer the words, and every other spelling is right as well.
SchemaJson inAnyCase(std::string_view words) {
  std::string pattern;
  for (const auto word : wordsIn(words)) {
    pattern += pattern.empty() ? "^(" : "|";
    for (const char c : word) pattern += {'[', static_cast<char>(c - 'a' + 'A'), c, ']'};
  }
  return {{"anyOf", {wordsSchema(wordsIn(words)), matching(pattern + ")$")}}};
}

SchemaJson wholeFrom(int least) {
  return {{"type", "integer"}, {"minimum", least}};
}

// What every object says of itself; of a file's name `required` asks nothing.
SchemaJson fileOrObject() {
  return {{"type", {"string", "object"}}, {"minLength", 1}, {"required", {"apiVersion", "kind"}}};
}

// The operators take values or none, as `arity` of kube/label_selector has it.
SchemaJson expression() {
  using Op = kube::SelectorOperator;
  constexpr Op kWithValues[] = {Op::kIn, Op::kNotIn}, kAlone[] = {Op::kExists, Op::kDoesNotExist};
  std::vector<std::string_view> with, alone, all;
  for (const auto op : kWithValues) with.push_back(toString(op));
  for (const auto op : kAlone) alone.push_back(toString(op));
  all = with;
  all.insert(all.end(), alone.begin(), alone.end());
  const auto is = [](const std::vector<std::string_view>& words) {
    return SchemaJson{{"properties", {{"operator", wordsSchema(words)}}}, {"required", {"operator"}}};
  };
  const SchemaJson some{{"required", {"values"}}, {"properties", {{"values", {{"minItems", 1}}}}}};
  const SchemaJson none{{"properties", {{"values", {{"maxItems", 0}}}}}};
  const SchemaJson texts{{"type", "array"}, {"items", ofType("string")}};
  return {{"type", "object"},
          {"properties", {{"key", ofType("string")}, {"operator", wordsSchema(all)}, {"values", texts}}},
          {"additionalProperties", false},
          {"required", {"key", "operator"}},
          {"allOf", {when(is(with), some), when(is(alone), none)}}};
}

}  // namespace

SchemaJson wordsSchema(const std::vector<std::string_view>& words) {
  return {{"enum", words}};
}

SchemaJson when(SchemaJson condition, SchemaJson then) {
  return {{"if", std::move(condition)}, {"then", std::move(then)}};
}

SchemaJson has(std::string_view key) {
  return {{"required", {key}}};
}

SchemaJson needsOneOf(const std::vector<std::string_view>& words, const std::string& message) {
  SchemaJson alternatives = SchemaJson::array();
  for (const auto word : words) {
    alternatives.push_back(has(word));
    if (!message.empty()) alternatives.back()["errorMessage"] = message;
  }
  return {{"anyOf", alternatives}};
}

SchemaJson described(const std::string& doc, const SchemaJson& schema) {
  SchemaJson made{{"description", doc}};
  made.update(schema);
  return made;
}

std::vector<std::string_view> requiredOf(const KeySet& keys) {
  std::vector<std::string_view> names;
  for (const auto& key : keys.keys) {
    if (key.need == Need::kMust) names.push_back(key.name);
  }
  return names;
}

SchemaJson formSchema(const Written& written) {
  switch (written.form) {
    case Form::kText:
      return ofType("string");
    case Form::kSentence:
    case Form::kPath:
      return sentence();
    case Form::kName:
      return named();
    case Form::kUrl:
      return matching(kUrl);
    case Form::kWord:
      return wordsSchema(wordsIn(written.words));
    case Form::kWordOfAnyCase:
      return inAnyCase(written.words);
    case Form::kFlag:
      return ofType("boolean");
    case Form::kTrue:
      return {{"enum", {true}}};
    case Form::kCount:
      return wholeFrom(1);
    case Form::kWhole:
      return wholeFrom(0);
    case Form::kCountOrShare:
      return {{"type", {"integer", "string"}}, {"minimum", 1}, {"pattern", kShare}};
    case Form::kWholeOrPath:
      return {{"type", {"integer", "string"}}, {"minimum", 0}, {"minLength", 1}};
    case Form::kLiteral:
      return {{"type", {"string", "number", "boolean"}}};
    case Form::kPiece:
      return {{"type", {"string", "number", "boolean"}}, {"minLength", 1}};
    case Form::kStatus:
      return {{"enum", {"True", "False", "Unknown", true, false}}};
    case Form::kQuantity:
      return {{"type", {"number", "string"}}, {"pattern", kQuantity}};
    case Form::kDuration:
      return duration();
    case Form::kInstant:
      return matching(kInstant);
    case Form::kEnd:
      return matching(kEnd);
    case Form::kVersionBounds:
      return matching(kBounds);
    case Form::kDriftClass:
      return matching(kDriftClass);
    case Form::kAccount:
      return matching(kAccount);
    case Form::kLabels:
      return {{"type", {"object", "null"}}, {"additionalProperties", ofType("string")}};
    case Form::kExpressions:
      return {{"type", {"array", "null"}}, {"items", expression()}};
    case Form::kObject:
      return ofType("object");
    case Form::kFileOrObject:
      return fileOrObject();
    default:
      return SchemaJson::object();
  }
}

SchemaJson severalSchema(const Written& written, SchemaJson one) {
  if (written.many == Written::Many::kOne) return one;
  SchemaJson list{{"type", "array"}, {"items", one}};
  if (!written.empty) list["minItems"] = 1;
  if (written.many == Written::Many::kList) return list;
  // Of texts in one schema, for that is what people read in errors: what holds of a text says nothing of a
  // list.
  const bool texts = one.contains("type") && one["type"] == "string";
  if (!texts) return {{"anyOf", {std::move(one), std::move(list)}}};
  one.update(list);
  one["type"] = {"string", "array"};
  return one;
}

SchemaJson labelSelectorSchema() {
  SchemaJson labels = formSchema(written::a(Form::kLabels));
  SchemaJson expressions = formSchema(written::a(Form::kExpressions));
  labels["description"] = "labels that must have these values";
  expressions["description"] = "what else must be so of labels: a list of {key, operator, values}";
  return {{"type", "object"},
          {"properties", {{"matchLabels", labels}, {"matchExpressions", expressions}}},
          {"additionalProperties", false}};
}

}  // namespace driftbar::policy
