#include "policy/value.h"

#include "base/text.h"

namespace driftbar::policy {

std::string Trail::toString() const {
  if (kind == Kind::kRoot) return std::string(key);
  std::string out = up == nullptr ? std::string() : up->toString();
  switch (kind) {
    case Kind::kElement:
      return out + "[" + quoted(key) + "]";
    case Kind::kNumber:
      return out + "[" + std::to_string(number) + "]";
    default:
      break;
  }
  const std::string step = pathStep(key);
  return out.empty() && step.starts_with('.') ? step.substr(1) : out + step;
}

Value Value::of(Json json) {
  Value value;
  value.json = json;
  switch (json.type()) {
    case Json::Type::kMissing:
    case Json::Type::kNull:
      return value;
    case Json::Type::kBool:
      value.kind = Kind::kBool;
      value.flag = json.isTrue();
      break;
    case Json::Type::kInteger:
    case Json::Type::kReal:
      value.kind = Kind::kNumber;
      break;
    case Json::Type::kText:
      value.kind = Kind::kText;
      value.text = json.text();
      break;
    case Json::Type::kList:
      value.kind = Kind::kList;
      break;
    case Json::Type::kMap:
      value.kind = Kind::kMap;
      break;
  }
  value.written = true;
  return value;
}

Value Value::ofText(std::string_view text, std::string_view name) {
  Value value;
  value.kind = Kind::kText;
  value.written = true;
  value.text = text;
  value.name = name;
  return value;
}

Value Value::absent(std::string_view name) {
  Value value;
  value.name = name;
  return value;
}

Value Value::unknown(std::string_view name) {
  Value value;
  value.kind = Kind::kUnknown;
  value.name = name;
  return value;
}

std::string Value::raw() const {
  switch (kind) {
    case Kind::kAbsent:
    case Kind::kUnknown:
      return {};
    case Kind::kBool:
      return flag ? "true" : "false";
    case Kind::kText:
      return std::string(text);
    default:
      return json.exists() ? json.dump() : std::string(text);
  }
}

std::string Value::shown() const {
  if (hidden && kind != Kind::kAbsent) return std::string(kHidden);
  constexpr std::size_t kMostCharacters = 80;  // a line of a terminal, and enough to know the value by
  return shortened(kind == Kind::kText ? quoted(text) : printable(raw()), kMostCharacters);
}

Json elementOf(Json list, std::string_view listName, std::string_view wanted) {
  const auto by = mergeKey(listName);
  if (by.empty()) return {};
  for (const Json item : list.items()) {
    if (item[by].text() == wanted) return item;
  }
  return {};
}

}  // namespace driftbar::policy
