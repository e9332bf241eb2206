// Rules that forbid something, and are blind to it where it stands elsewhere or is written shorter.
//
// `env` looks at the containers that ask for an accelerator, which is right for the knobs of training. A few
// variables do their harm in any container; only of those is anything said. `image` compares what is written,
// and `nginx` is short for `docker.io/library/nginx:latest`.
#include <algorithm>

#include "base/glob.h"
#include "base/text.h"
#include "policy/sense.h"

namespace driftbar::policy {
namespace {

// Globs. With the first a container takes devices that it did not ask for; the loader's are run in every
// program; the others are what nobody wants to find in an object at all.
constexpr std::string_view kAnywhere[] = {
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_DISABLE_REQUIRE",
    "AMD_VISIBLE_DEVICES",
    "LD_PRELOAD",
    "LD_AUDIT",

    "BASH_ENV",
    "*_TOKEN",
    "*_PASSWORD",
    "*_SECRET",
    "*_SECRET_*",
};

bool harmsAnywhere(std::string_view name) {
  return std::any_of(std::begin(kAnywhere), std::end(kAnywhere),
                     [&](auto glob) { return globFits(glob, name); });
}

// Whether the leaf is there to find the variable, and not its absence or another value.
bool findsVariable(const syntax::Leaf& leaf) {
  constexpr std::string_view kOfAbsence[] = {"notEquals", "notIn", "notMatches"};
  return std::none_of(leaf.tests.begin(), leaf.tests.end(), [&](const syntax::Member& test) {
    const std::string& name = test.key->scalar;
    return (name == "exists" && !test.value->isTrue()) ||
           std::find(std::begin(kOfAbsence), std::end(kOfAbsence), name) != std::end(kOfAbsence);
  });
}

template <typename Check>
void eachText(const yaml::Node& value, const Check& check) {
  if (value.isText()) check(value);
  for (const auto& item : value.items) eachText(item, check);
}

void checkEnv(const syntax::Leaf& leaf, Problems& problems) {
  if (!leaf.modifiers.empty() || !findsVariable(leaf)) return;
  eachText(*leaf.subject.value, [&](const yaml::Node& word) {
    if (!harmsAnywhere(word.scalar)) return;
    problems.warning(word.where, "blind-env",
                     "where a container asks for an accelerator, `env` looks at no other, and any may set `" +
                         word.scalar + "`",
                     "write `containers: [\"*\"]` beside it, to look at all of them");
  });
}

void checkImage(const syntax::Leaf& leaf, Problems& problems) {
  if (!leaf.tests.empty()) return;
  eachText(*leaf.subject.value, [&](const yaml::Node& word) {
    if (word.scalar.ends_with(":latest")) {
      problems.warning(
          word.where, "blind-image",
          "an image without a tag is the latest one too, and " + quoted(word.scalar) + " does not fit it",
          R"(write `{image: "*", matches: "(.*/)?[^/:@]+(:latest)?"}`)");
    }
    if (word.scalar.starts_with("docker.io/")) {
      problems.warning(word.where, "blind-image",
                       "an image without a registry comes from docker.io too, and " + quoted(word.scalar) +
                           " does not fit it",
                       "write `require` with the registries that images may come from");
    }
  });
}

void checkLeaf(const syntax::Leaf& leaf, Problems& problems) {
  const std::string& subject = leaf.subject.key->scalar;
  if (subject == "env") checkEnv(leaf, problems);
  if (subject == "image") checkImage(leaf, problems);
}

// `forbids`: what holds speaks against the object.
void walk(const syntax::Condition& condition, bool forbids, Problems& problems) {
  if (condition.kind == syntax::Condition::Kind::kLeaf && forbids) checkLeaf(condition.leaf, problems);
  const bool inner = condition.kind == syntax::Condition::Kind::kNot ? !forbids : forbids;
  for (const auto& part : condition.parts) walk(part, inner, problems);
}

}  // namespace

void checkBlindSense(const syntax::Rule& rule, Problems& problems) {
  if (rule.condition) walk(*rule.condition, rule.verbKind == Verb::kDeny, problems);
}

}  // namespace driftbar::policy
