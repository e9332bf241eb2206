#include "policy/zero_values.h"

namespace driftbar::policy {

// None of the texts has a character that JSON escapes: a test looks.
std::optional<ZeroValue> ZeroValue::of(const schema::Walk& walk) {
  const auto json = walk.absent;
  if (json.empty() || json == "{}") return std::nullopt;
  if (json.starts_with('"'))
    return ZeroValue{Value::Kind::kText, json.substr(1, json.size() - 2), walk.absentMaps};
  const bool flag = json == "true" || json == "false";
  return ZeroValue{flag ? Value::Kind::kBool : Value::Kind::kNumber, json, walk.absentMaps};
}

Value ZeroValue::value() const {
  Value value;
  value.kind = kind;
  value.text = text;
  value.flag = text == "true";
  return value;
}

}  // namespace driftbar::policy
