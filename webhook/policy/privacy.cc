#include "policy/privacy.h"

#include <algorithm>
#include <iterator>

#include "kube/environment.h"

namespace driftbar::policy {
namespace {

// `env` is Kubernetes' own; objects of other kinds have the others.
constexpr std::string_view kEnvironments[] = {"env", "envs", "envVars", "env_vars", "environment"};
constexpr std::string_view kCommandLines[] = {"command", "args", "entrypoint"};
// A whole environment in one text (Ray).
constexpr std::string_view kTexts[] = {"runtimeEnvYAML", "runtimeEnv"};
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
// What is no value of a variable, below it.
constexpr std::string_view kAboutVariables[] = {"name", "valueFrom"};

template <std::size_t N>
bool isOneOf(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// `variable` is the step below `env`, `part` the one below that; either may be missing.
bool mayBeShown(const Trail* variable, const Trail* part) {
  if (variable == nullptr) return false;
  if (variable->kind == Trail::Kind::kNumber) return false;
  if (kube::mayBeShown(variable->key)) return true;
  return variable->kind == Trail::Kind::kElement && part != nullptr && part->kind == Trail::Kind::kKey &&
         isOneOf(kAboutVariables, part->key);
}

}  // namespace

Privacy privacyOf(const Trail& at) {
  const Trail *below = nullptr, *belowThat = nullptr;
  bool commandLine = false;
  for (const Trail* step = &at; step != nullptr; step = step->up) {
    if (step->kind == Trail::Kind::kKey) {
      if (isOneOf(kEnvironments, step->key) && below != nullptr && !mayBeShown(below, belowThat))
        return Privacy::kHidden;
      if (isOneOf(kTexts, step->key) || privacyOfAnnotation(step->key) == Privacy::kHidden)
        return Privacy::kHidden;
      const bool words = below == nullptr || (below->kind == Trail::Kind::kNumber && belowThat == nullptr);
      commandLine = commandLine || (words && isOneOf(kCommandLines, step->key));
    }
    belowThat = below;
    below = step;
  }
  return commandLine ? Privacy::kCommandLine : Privacy::kOpen;
}

Privacy privacyOfAnnotation(std::string_view key) {
  return key == kLastApplied ? Privacy::kHidden : Privacy::kOpen;
}

}  // namespace driftbar::policy
