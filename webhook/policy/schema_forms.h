// Forms as JSON Schema: what may be written beside a word, without what its keys are.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "policy/vocabulary.h"

namespace driftbar::policy {

using SchemaJson = nlohmann::ordered_json;

// A single value of this form, which is no condition, selector or map of keys.
SchemaJson formSchema(const Written& written);

// One of them, a list of them, or either, as `written.many` says.
SchemaJson severalSchema(const Written& written, SchemaJson one);

SchemaJson labelSelectorSchema();

SchemaJson wordsSchema(const std::vector<std::string_view>& words);

// {"if": `condition`, "then": `then`}
SchemaJson when(SchemaJson condition, SchemaJson then);
SchemaJson has(std::string_view key);  // an object that has the key
// An object that has one of the words at least; the message, where there is one, is what editors say else.
SchemaJson needsOneOf(const std::vector<std::string_view>& words, const std::string& message);

// The schema with its documentation before it.
SchemaJson described(const std::string& doc, const SchemaJson& schema);

// The keys that must be there.
std::vector<std::string_view> requiredOf(const KeySet& keys);

}  // namespace driftbar::policy
