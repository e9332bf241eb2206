// Conditions as JSON Schema: one subject or combinator in each, and beside it what its row allows.
#pragma once

#include <functional>

#include "policy/schema_forms.h"
#include "policy/vocabulary.h"

namespace driftbar::policy {

struct ConditionForm {
  Place place = Place::kRule;
  bool leaf = false;                // a subject and its tests alone
  const KeySet* besides = nullptr;  // keys that stand in the same map
};

// `of` gives the schema of what stands beside a word in this place. A condition without keys of others beside
// it can also be a list, of conditions of the schema `self`.
SchemaJson conditionSchema(const ConditionForm& form, const std::function<SchemaJson(const Written&)>& of,
                           const SchemaJson& self);

}  // namespace driftbar::policy
