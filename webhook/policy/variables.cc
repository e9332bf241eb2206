#include "policy/variables.h"

#include <algorithm>

#include "base/glob.h"

namespace driftbar::policy {
namespace {

struct Source {
  std::string_view key, why, ifOptional;
  bool same = false;  // to all that refer to it alike
};

constexpr Source kSources[] = {
    {"secretKeyRef", "it comes from a Secret", "it comes from a Secret, if that has it", true},
    {"configMapKeyRef", "it comes from a ConfigMap", "it comes from a ConfigMap, if that has it", true},
    {"fileKeyRef", "it comes from a file of a volume", "it comes from a file, if that is there"},
    {"fieldRef", "it comes from the pod itself, as it runs", {}},
    {"resourceFieldRef", "it comes from what the container asks for", {}}};

// One that is optional is not set where the source lacks it.
Value referred(std::string_view name, Json valueFrom) {
  Value value = Value::unknown(name);
  value.written = true;
  value.why = "it comes from elsewhere";
  for (const auto& source : kSources) {
    const Json reference = valueFrom[source.key];
    if (!reference.exists()) continue;
    value.written = !reference["optional"].isTrue();
    value.why = value.written ? source.why : source.ifOptional;
    if (source.same) value.json = valueFrom;
  }
  return value;
}

Value ofSetting(const kube::Setting& setting, Json entry) {
  if (setting.value) return Value::ofText(*setting.value, setting.name);
  const Json source = entry["valueFrom"];
  const bool inEnv = setting.in == kube::Setting::In::kEnv;
  if (inEnv && source.exists() && !source.isNull()) return referred(setting.name, source);
  Value value = Value::unknown(setting.name);
  value.written = true;
  value.why = inEnv ? "it is made of other variables" : "the command line makes it";
  return value;
}

}  // namespace

VariablePlace::VariablePlace(const Trail& container, const kube::Setting& setting) {
  using Kind = Trail::Kind;
  using In = kube::Setting::In;
  if (setting.in == In::kEnv) {
    list_ = {&container, Kind::kKey, "env", 0};
    element_ = {&list_, Kind::kElement, setting.name, 0};
    value_ = {&element_, Kind::kKey, "value", 0};
  } else {
    list_ = {&container, Kind::kKey, setting.in == In::kCommand ? "command" : "args", 0};
    value_ = {&list_, Kind::kNumber, {}, setting.index};
  }
}

bool mayComeWithOthers(Json container, std::string_view name) {
  const auto plain = name.substr(0, name.find('*'));
  const bool glob = isGlob(name);
  for (const Json source : container["envFrom"].items()) {
    const auto prefix = source["prefix"].text();
    if (name.starts_with(prefix) || (glob && (prefix.starts_with(plain) || plain.starts_with(prefix))))
      return true;
  }
  return false;
}

std::vector<Json> entriesOf(Json container) {
  std::vector<Json> entries;
  for (const Json entry : container["env"].items()) entries.push_back(entry);
  return entries;
}

Value valueOf(const kube::Setting& setting, Json entry) {
  Value value = ofSetting(setting, entry);
  value.privacy = kube::mayBeShown(setting.name) ? Privacy::kOpen : Privacy::kHidden;
  return value;
}

Value valueOf(const kube::Setting& setting, const std::vector<Json>& entries) {
  const bool inEnv = setting.in == kube::Setting::In::kEnv && setting.index < entries.size();
  return valueOf(setting, inEnv ? entries[setting.index] : Json());
}

}  // namespace driftbar::policy
