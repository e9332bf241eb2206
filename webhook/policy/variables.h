// Variables: what env and rankEnv share. Where one is set, its value, and why that may not be known.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "kube/environment.h"
#include "policy/value.h"

namespace driftbar::policy {

// The trail to where a container sets a variable: env["NAME"].value, command[2], args[0].
class VariablePlace {
 public:
  VariablePlace(const Trail& container, const kube::Setting& setting);
  VariablePlace(const VariablePlace&) = delete;  // its parts point at each other
  VariablePlace& operator=(const VariablePlace&) = delete;

  const Trail& trail() const { return value_; }

 private:
  Trail list_, element_, value_;
};

// Whether a variable of the name may come with a whole ConfigMap or Secret (`envFrom`, whose `prefix` each of
// its names begins with). Of a glob: whether any that fits may.
bool mayComeWithOthers(Json container, std::string_view name);

// The entries of a container's `env`, by number.
std::vector<Json> entriesOf(Json container);

// The value of a setting: its text, or unknown with the reason, and for people only where the name says so.
// Of one in `env`, `entry` is its entry there; what refers to a ConfigMap or Secret keeps the reference as
// `json`, for two that refer to the same have the same value.
Value valueOf(const kube::Setting& setting, Json entry);
// The same, where the entries are at hand.
Value valueOf(const kube::Setting& setting, const std::vector<Json>& entries);

}  // namespace driftbar::policy
