#include "policy/value.h"

#include "base/text.h"
#include "kube/command_line.h"
#include "policy/privacy.h"

namespace driftbar::policy {

std::string Trail::toString() const {
  if (kind == Kind::kRoot || kind == Kind::kSpec) return std::string(key);
  if (up != nullptr && up->kind == Kind::kSpec && key == "spec") return up->toString();
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
      // `flag` of a change says that it is one.
      return (json.exists() ? json.isTrue() : flag) ? "true" : "false";
    case Kind::kText:
      return std::string(text);
    default:
      return json.exists() ? json.dump() : std::string(text);
  }
}

namespace {

// More lists and maps, or what is private.
bool holdsMore(Json json) {
  for (const Json item : json.items()) {
    if (item.isList() || item.isMap()) return true;
  }
  for (const auto& [key, value] : json.entries()) {
    if (value.isList() || value.isMap() || privacyOfKey(key) != Privacy::kOpen) return true;
  }
  return false;
}

}  // namespace

Privacy Value::privacyOfThis() const {
  if (privacy) return *privacy;
  return trail != nullptr ? privacyOf(*trail) : Privacy::kOpen;
}

std::string Value::plain() const {
  if (kind == Kind::kAbsent || kind == Kind::kUnknown) return {};
  const Privacy seen = privacyOfThis();
  if (seen == Privacy::kHidden) return std::string(kHidden);
  const bool list = kind == Kind::kList;
  if ((list || kind == Kind::kMap) && (seen == Privacy::kEnvironment || holdsMore(json)))
    return (list ? "a list of " : "a map of ") + std::to_string(json.size());
  if (seen == Privacy::kCommandLine && list) return kube::withoutValues(json);
  if (seen != Privacy::kOpen && kind == Kind::kText) return kube::withoutValues(text);
  return asWritten.empty() ? raw() : std::string(asWritten);
}

std::string Value::shown() const {
  constexpr std::size_t kMostCharacters = 80;  // a line of a terminal, and enough to know the value by
  const bool quotes = kind == Kind::kText && privacyOfThis() != Privacy::kHidden;
  return shortened(quotes ? quoted(plain()) : printable(plain()), kMostCharacters);
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
