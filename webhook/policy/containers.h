// Containers: which of a pod's containers a subject looks at, and the modifiers that say it.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "base/glob.h"
#include "kube/accelerator.h"
#include "policy/subject_table.h"

namespace driftbar::policy {

// The words that `of` takes, beside what is the pod's and beside what is a container's.
inline constexpr std::string_view kOfPod[] = {"ranks"};
inline constexpr std::string_view kOfContainers[] = {"ranks", "init", "ephemeral"};

// `of` (unless it takes no words) and `containers`, where they are there; false where they were wrong, which
// is reported.
bool readPlaces(const syntax::Leaf& leaf, std::span<const std::string_view> ofWords, Argument& argument,
                Problems& problems);

// Looks at the pod that is judged: `each` gets the template, and a trail that stands for its place. Nothing
// is asked where there is none, or where it carries no ranks and only those are meant; one unknown value
// where the pod is not known.
template <typename Each>
void askPod(const Argument& argument, const Scope& scope, Seen& seen, const Each& each) {
  const Facts& facts = *scope.facts;
  const Trail top = facts.pod.top();
  if (!facts.podKnown) {
    Value value = Value::unknown(argument.names.empty() ? std::string_view{} : argument.names.front());
    value.trail = &top;
    value.why = "the pod could not be looked up";
    seen(value);
  } else if (facts.pod.pod.exists() && (argument.of != Of::kRanks || facts.pod.ranks)) {
    each(facts.pod, top);
  }
}

// What a subject means where nothing beside it says which containers.
enum class ByItself { kAll, kAccelerated };  // kAccelerated: all too where none asks for an accelerator

struct ContainerList {
  std::string_view name;
  Of of;
};
inline constexpr ContainerList kContainerLists[] = {
    {"initContainers", Of::kInit}, {"containers", Of::kOwn}, {"ephemeralContainers", Of::kEphemeral}};

namespace containers {

bool anyAccelerated(Json spec);

inline bool isNamed(const std::vector<std::string>& globs, Json container) {
  const std::string_view name = container["name"].text();
  return globs.empty() ||
         std::any_of(globs.begin(), globs.end(), [&](const auto& glob) { return globFits(glob, name); });
}

}  // namespace containers

// `seen(Json container, const Trail&)` gives false to stop; so does this then.
template <typename SeenContainer>
bool eachContainer(const Argument& argument, const PodTemplate& pod, const Trail& top, ByItself means,
                   const SeenContainer& seen) {
  const Json spec = pod.pod["spec"];
  const bool oneKind = argument.of == Of::kInit || argument.of == Of::kEphemeral;
  const bool accelerated = means == ByItself::kAccelerated && !oneKind && argument.containers.empty() &&
                           containers::anyAccelerated(spec);
  const Trail inSpec{&top, Trail::Kind::kKey, "spec", 0};
  for (const auto& list : kContainerLists) {
    if (oneKind && list.of != argument.of) continue;
    const Trail inList{&inSpec, Trail::Kind::kKey, list.name, 0};
    std::size_t number = 0;
    for (const Json container : spec[list.name].items()) {
      const auto name = container["name"].asText();
      const Trail at{&inList, name ? Trail::Kind::kElement : Trail::Kind::kNumber, name.value_or(""),
                     number++};
      if (!containers::isNamed(argument.containers, container)) continue;
      if (accelerated && !kube::asksForAccelerator(container)) continue;
      if (!seen(container, at)) return false;
    }
  }
  return true;
}

// ` of container trainer`; nothing where the value is of none, or it has no name.
std::string ofContainer(const Value& value);

// Whether the value is shown to fit a word or glob beside a valued subject: `must be one of …`.
std::string beOneOf(const std::vector<std::string>& names, bool holds);

}  // namespace driftbar::policy
