// image, capability, privileged: what containers have.
#include <algorithm>

#include "base/text.h"
#include "kube/capability.h"
#include "policy/containers.h"
#include "policy/glob_sense.h"
#include "policy/names.h"
#include "policy/subjects.h"

namespace driftbar::policy::subjects {
namespace {

constexpr auto kKey = Trail::Kind::kKey;

std::optional<Argument> withPlaces(std::optional<Argument> argument, const syntax::Leaf& leaf,
                                   Problems& problems) {
  if (!argument || !readPlaces(leaf, kOfContainers, *argument, problems)) return std::nullopt;
  return argument;
}

bool isEmptyWord(const yaml::Node& node, std::string_view of, Problems& problems) {
  if (!node.scalar.empty()) return false;
  problems.error(node.where, "empty-text", "`" + std::string(of) + "` is an empty text",
                 "write a glob, such as `\"*\"` for any");
  return true;
}

// What fits is told as it is; with tests beside it, what does not fit is not asked.
bool tell(Value value, bool fits, const Argument& argument, Seen& seen) {
  value.flag = fits;
  return (argument.picks && !fits) || seen(value);
}

// ---- capability

bool isKnownCapability(std::string_view glob) {
  const auto names = kube::capabilityNames();
  return std::any_of(names.begin(), names.end(), [&](auto name) { return globFits(glob, name); });
}

bool checkCapability(const yaml::Node& word, std::string& plain, Problems& problems) {
  std::string room;
  plain = kube::plainCapability(word.scalar, room);
  if (isKnownCapability(plain)) return true;
  const auto meant = nearest(plain, kube::capabilityNames());
  problems.error(word.where, "never-matches", "there is no capability " + quoted(word.scalar),
                 meant.empty() ? "write them as pods do: `SYS_ADMIN`, `NET_RAW`, or `ALL`"
                               : "did you mean `" + std::string(meant) + "`?");
  return false;
}

bool fitsCapability(const Argument& argument, std::string_view plain) {
  return nameFits(argument, plain);
}

// ALL stands for those that the argument names, and for those that it does not.
bool tellAll(const Value& value, const Argument& argument, Seen& seen) {
  if (!tell(value, true, argument, seen)) return false;
  return argument.picks || fitsCapability(argument, "ALL") || tell(value, false, argument, seen);
}

bool tellCapability(Json name, const Argument& argument, std::string_view container, const Trail& at,
                    Seen& seen) {
  if (!name.isText()) return true;
  std::string room;
  Value value = Value::ofText(kube::plainCapability(name.text(), room), name.text());
  value.container = container;
  value.trail = &at;
  if (value.text == "ALL") return tellAll(value, argument, seen);
  return tell(value, fitsCapability(argument, value.text), argument, seen);
}

// ---- privileged

// A HostProcess container of Windows has the host as a privileged one of Linux has.
bool isHostProcess(Json container, Json spec) {
  const Json own = container["securityContext"]["windowsOptions"]["hostProcess"];
  return (own.asBool() ? own : spec["securityContext"]["windowsOptions"]["hostProcess"]).isTrue();
}

}  // namespace

// ---- image

std::optional<Argument> parseImage(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  Argument argument;
  const std::size_t before = problems.errorCount();
  for (const auto* word : wordsOf(*leaf.subject.value, "image", problems)) {
    if (isEmptyWord(*word, "image", problems)) continue;
    argument.names.push_back(word->scalar);
    warnOfImageGlob(*word, problems);
  }
  if (problems.errorCount() != before) return std::nullopt;
  return withPlaces(std::move(argument), leaf, problems);
}

void imageValues(const Argument& argument, const Scope& scope, Seen& seen) {
  askPod(argument, scope, seen, [&](const PodTemplate& pod, const Trail& top) {
    eachContainer(argument, pod, top, ByItself::kAll, [&](Json container, const Trail& at) {
      const auto image = container["image"].asText();
      const Trail place{&at, kKey, "image", 0};
      Value value = image ? Value::ofText(*image, "") : Value::absent("");
      value.container = container["name"].text();
      value.trail = &place;
      return tell(value, image && nameFits(argument, *image), argument, seen);
    });
  });
}
std::string imageNoun(const Argument&, const Value& value, const Scope&) {
  return "image" + ofContainer(value);
}
std::string nameMust(const Argument& argument, bool holds) {
  return beOneOf(argument.names, holds);
}

// ---- capability

std::optional<Argument> parseCapability(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  Argument argument;
  const std::size_t before = problems.errorCount();
  for (const auto* word : wordsOf(*leaf.subject.value, "capability", problems)) {
    std::string plain;
    if (checkCapability(*word, plain, problems)) argument.names.push_back(std::move(plain));
  }
  if (problems.errorCount() != before) return std::nullopt;
  return withPlaces(std::move(argument), leaf, problems);
}

void capabilityValues(const Argument& argument, const Scope& scope, Seen& seen) {
  askPod(argument, scope, seen, [&](const PodTemplate& pod, const Trail& top) {
    eachContainer(argument, pod, top, ByItself::kAll, [&](Json container, const Trail& at) {
      const Trail context{&at, kKey, "securityContext", 0}, capabilities{&context, kKey, "capabilities", 0};
      const Trail list{&capabilities, kKey, "add", 0};
      std::size_t number = 0;
      for (const Json name : container["securityContext"]["capabilities"]["add"].items()) {
        const Trail place{&list, Trail::Kind::kNumber, {}, number++};
        if (!tellCapability(name, argument, container["name"].text(), place, seen)) return false;
      }
      return true;
    });
  });
}
// Not by its number, which others before it change.
std::string capabilityPlace(const Argument&, const Value& value, const Scope&) {
  return value.trail->up == nullptr ? value.trail->toString()
                                    : value.trail->up->toString() + "[" + quoted(value.name) + "]";
}
std::string capabilityNoun(const Argument&, const Value& value, const Scope&) {
  return "capability " + printable(value.name) + ofContainer(value);
}
std::string capabilitySentence(const Argument& argument, const Value& value, const Scope& scope) {
  return capabilityNoun(argument, value, scope) + " is added";
}
std::string capabilityMust(const Argument& argument, bool holds) {
  return holds ? beOneOf(argument.names, true) : "must not be added";
}

// ---- privileged

std::optional<Argument> parsePrivileged(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  const yaml::Node& node = *leaf.subject.value;
  if (node.kind != yaml::Node::Kind::kBool) {
    problems.wrongType(node, "privileged", "true or false", node.isText() ? "write it without quotes" : "");
    return std::nullopt;
  }
  Argument argument;
  argument.wanted = node.isTrue();
  return withPlaces(std::move(argument), leaf, problems);
}

void privilegedValues(const Argument& argument, const Scope& scope, Seen& seen) {
  askPod(argument, scope, seen, [&](const PodTemplate& pod, const Trail& top) {
    const Json spec = pod.pod["spec"];
    eachContainer(argument, pod, top, ByItself::kAll, [&](Json container, const Trail& at) {
      const Trail context{&at, kKey, "securityContext", 0}, place{&context, kKey, "privileged", 0};
      const Trail options{&context, kKey, "windowsOptions", 0}, ofWindows{&options, kKey, "hostProcess", 0};
      const bool plain = container["securityContext"]["privileged"].isTrue();
      const bool host = !plain && isHostProcess(container, spec);
      Value value = Value::ofText(plain || host ? "true" : "false", "");
      value.container = container["name"].text();
      value.trail = host ? &ofWindows : &place;
      value.flag = (plain || host) == argument.wanted;
      return seen(value);
    });
  });
}
std::string privilegedNoun(const Argument&, const Value& value, const Scope&) {
  return value.container.empty() ? "whether it is privileged" : "container " + printable(value.container);
}
std::string privilegedSentence(const Argument& argument, const Value& value, const Scope& scope) {
  const bool host = value.trail->key == "hostProcess";
  return privilegedNoun(argument, value, scope) + (value.text != "true" ? " is not privileged"
                                                   : host               ? " is a HostProcess container"
                                                                        : " is privileged");
}
std::string privilegedMust(const Argument& argument, bool holds) {
  return holds == *argument.wanted ? "must be privileged" : "must not be privileged";
}

}  // namespace driftbar::policy::subjects
