#include "policy/privacy.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "kube/environment.h"

namespace driftbar::policy {
namespace {

// `env` is Kubernetes' own; objects of other kinds have the others.
constexpr std::string_view kEnvironments[] = {"env", "envs", "envVars", "env_vars", "environment"};
constexpr std::string_view kCommandLines[] = {"command", "args", "entrypoint"};
// A whole environment in one text (Ray), or a whole object.
constexpr std::string_view kWholeTexts[] = {"runtimeEnvYAML", "runtimeEnv",
                                            "kubectl.kubernetes.io/last-applied-configuration"};
// What is no value of a variable, below it.
constexpr std::string_view kAboutVariables[] = {"name", "valueFrom"};

template <std::size_t N>
bool isOneOf(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// `variable` is the step below `env`, `part` the one below that, which may be missing.
bool mayBeShown(const Trail* variable, const Trail* part) {
  if (variable->kind == Trail::Kind::kNumber) return false;
  if (kube::mayBeShown(variable->key)) return true;
  return variable->kind == Trail::Kind::kElement && part != nullptr && part->kind == Trail::Kind::kKey &&
         isOneOf(kAboutVariables, part->key);
}

// Of a Secret all is hidden but what every object has. `steps` lead down from the object or the request.
bool holdsSecret(std::span<const Trail* const> steps) {
  constexpr std::string_view kObjects[] = {"object", "oldObject"};
  constexpr std::string_view kOpenParts[] = {"apiVersion", "kind", "metadata", "type", "immutable"};
  const Trail& root = *steps.front();
  steps = steps.subspan(1);
  if (root.key == "request") {
    if (!steps.empty() && !isOneOf(kObjects, steps.front()->key)) return false;
    if (!steps.empty()) steps = steps.subspan(1);
  }
  return steps.empty() || !isOneOf(kOpenParts, steps.front()->key);
}

bool holdsSecret(const Trail& at) {
  const Trail* root = &at;
  while (root->up != nullptr) root = root->up;
  if (!root->ofSecret) return false;
  std::vector<const Trail*> steps;
  for (const Trail* step = &at; step != nullptr; step = step->up) steps.push_back(step);
  std::reverse(steps.begin(), steps.end());
  return holdsSecret(steps);
}

}  // namespace

Privacy privacyOf(const Trail& at) {
  if (holdsSecret(at)) return Privacy::kHidden;
  const Trail *below = nullptr, *belowThat = nullptr;
  Privacy seen = Privacy::kOpen;
  for (const Trail* step = &at; step != nullptr; step = step->up) {
    const Privacy here = step->kind == Trail::Kind::kKey ? privacyOfKey(step->key) : Privacy::kOpen;
    const bool words = below == nullptr || (below->kind == Trail::Kind::kNumber && belowThat == nullptr);
    if (here == Privacy::kHidden) return here;
    if (here == Privacy::kEnvironment && below != nullptr && !mayBeShown(below, belowThat))
      return Privacy::kHidden;
    if ((here == Privacy::kCommandLine && words) || (here == Privacy::kEnvironment && below == nullptr))
      seen = here;
    belowThat = below;
    below = step;
  }
  return seen;
}

Privacy privacyOfKey(std::string_view key) {
  if (isOneOf(kWholeTexts, key)) return Privacy::kHidden;
  if (isOneOf(kEnvironments, key)) return Privacy::kEnvironment;
  return isOneOf(kCommandLines, key) ? Privacy::kCommandLine : Privacy::kOpen;
}

}  // namespace driftbar::policy
