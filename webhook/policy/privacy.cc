#include "policy/privacy.h"

#include <algorithm>
#include <iterator>

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

}  // namespace

Privacy privacyOf(const Trail& at) {
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
