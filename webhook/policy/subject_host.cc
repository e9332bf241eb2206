// hostPath and a pod's sysctl: what pods take of the host.
#include <algorithm>
#include <vector>

#include "base/glob.h"
#include "base/text.h"
#include "kube/sysctl.h"
#include "policy/containers.h"
#include "policy/names.h"
#include "policy/subjects.h"

namespace driftbar::policy::subjects {
namespace {

constexpr auto kKey = Trail::Kind::kKey;

// ---- hostPath

// The next step of a path, which is taken off it; empty at its end.
std::string_view takeStep(std::string_view& path) {
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  const auto step = path.substr(0, path.find('/'));
  path.remove_prefix(step.size());
  return step;
}

bool isClean(std::string_view path) {
  if (path.size() > 1 && path.ends_with('/')) return false;
  for (std::string_view rest = path.substr(1); !rest.empty();) {
    const auto step = rest.substr(0, rest.find('/'));
    if (step.empty() || step == "." || step == "..") return false;
    rest.remove_prefix(std::min(step.size() + 1, rest.size()));
  }
  return true;
}

// As the kernel reads it, symbolic links aside: `//etc/`, `/./etc` and `/var/../etc` are `/etc`. `room` holds
// what had to be changed. What does not begin with `/` (on Windows) is left alone.
std::string_view cleaned(std::string_view path, std::string& room) {
  if (!path.starts_with('/') || isClean(path)) return path;
  room.clear();
  while (true) {
    const auto step = takeStep(path);
    if (step.empty()) break;
    if (step == ".") continue;
    if (step == "..") {
      room.resize(room.empty() ? 0 : room.rfind('/'));
    } else {
      room += '/';
      room += step;
    }
  }
  if (room.empty()) room = "/";
  return room;
}

bool checkHostPath(const yaml::Node& word, Problems& problems) {
  const std::string& path = word.scalar;
  const bool windows = path.find('\\') != std::string::npos || path.find(':') == 1;
  if (!path.starts_with('/') && !path.starts_with('*') && !windows) {
    problems.error(word.where, "never-matches",
                   path.empty() ? "a host path is never empty" : "a host path begins with `/`",
                   path.empty() ? "write a glob, such as `/etc*`" : "write `/" + printable(path) + "`");
    return false;
  }
  if (path.find("/../") == std::string::npos && !path.ends_with("/..")) return true;
  problems.error(word.where, "never-matches", "paths are looked at without their `..`",
                 "write the path that it leads to");
  return false;
}

bool checkReadOnly(const syntax::Leaf& leaf, Argument& argument, Problems& problems) {
  const yaml::Node* node = leaf.modifier("readOnly");
  if (node == nullptr) return true;
  if (node->kind != yaml::Node::Kind::kBool) {
    problems.wrongType(*node, "readOnly", "true or false", node->isText() ? "write it without quotes" : "");
    return false;
  }
  argument.readOnly = node->isTrue();
  return true;
}

using Names = std::vector<std::string_view>;

// Of the volumes that some container mounts for writing; sorted.
Names writtenVolumes(Json spec) {
  Names names;
  for (const auto& list : kContainerLists) {
    for (const Json container : spec[list.name].items()) {
      for (const Json mount : container["volumeMounts"].items()) {
        if (!mount["readOnly"].isTrue()) names.push_back(mount["name"].text());
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool hasHostPaths(Json spec) {
  for (const Json volume : spec["volumes"].items()) {
    if (volume["hostPath"].isMap()) return true;
  }
  return false;
}

bool tellHostPath(const Argument& argument, Json volume, const Trail& at, Seen& seen) {
  const Trail in{&at, kKey, "hostPath", 0}, place{&in, kKey, "path", 0};
  const auto written = volume["hostPath"]["path"].text();
  std::string room;
  Value value = Value::ofText(cleaned(written, room), volume["name"].text());
  if (value.text != written) value.asWritten = written;
  value.trail = &place;
  value.flag = nameFits(argument, value.text);
  return (argument.picks && !value.flag) || seen(value);
}

// ---- sysctl

constexpr std::string_view kUnsafe = "unsafe";

bool checkSysctl(const yaml::Node& word, Problems& problems) {
  std::string plain = word.scalar;
  std::replace(plain.begin(), plain.end(), '*', 'x');
  const bool alone = plain.find_first_of("./") == std::string::npos && !isGlob(word.scalar);
  if (word.scalar == kUnsafe || (kube::isSysctlName(plain) && !alone)) return true;
  constexpr std::string_view kWords[] = {kUnsafe};
  const bool near = !nearest(word.scalar, kWords).empty();
  problems.error(word.where, "never-matches", "no sysctl of a pod can have the name " + quoted(word.scalar),
                 near    ? "did you mean `unsafe`?"
                 : alone ? "write it with dots, such as `net.core.somaxconn`"
                         : "it has small letters, digits, `-` and `_`, with dots or slashes between");
  return false;
}

bool namesUnsafe(const Argument& argument) {
  return std::find(argument.names.begin(), argument.names.end(), kUnsafe) != argument.names.end();
}

bool fitsSysctl(const Argument& argument, std::string_view dotted) {
  return nameFits(argument, dotted) || (namesUnsafe(argument) && !kube::isSafeSysctl(dotted));
}

}  // namespace

// ---- hostPath

std::optional<Argument> parseHostPath(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  Argument argument;
  const std::size_t before = problems.errorCount();
  for (const auto* word : wordsOf(*leaf.subject.value, "hostPath", problems)) {
    if (!checkHostPath(*word, problems)) continue;
    std::string room;
    argument.names.emplace_back(cleaned(word->scalar, room));
  }
  checkReadOnly(leaf, argument, problems);
  readPlaces(leaf, kOfPod, argument, problems);
  return problems.errorCount() == before ? std::optional(std::move(argument)) : std::nullopt;
}

void hostPathValues(const Argument& argument, const Scope& scope, Seen& seen) {
  askPod(argument, scope, seen, [&](const PodTemplate& pod, const Trail& top) {
    const Json spec = pod.pod["spec"];
    const bool asksWriting = argument.readOnly.has_value() && hasHostPaths(spec);
    const Names written = asksWriting ? writtenVolumes(spec) : Names{};
    const Trail inSpec{&top, kKey, "spec", 0}, list{&inSpec, kKey, "volumes", 0};
    for (const Json volume : spec["volumes"].items()) {
      if (!volume["hostPath"].isMap()) continue;
      const auto name = volume["name"].text();
      const bool writes = asksWriting && std::binary_search(written.begin(), written.end(), name);
      if (asksWriting && writes == *argument.readOnly) continue;
      const Trail at{&list, Trail::Kind::kElement, name, 0};
      if (!tellHostPath(argument, volume, at, seen)) return;
    }
  });
}
std::string hostPathNoun(const Argument&, const Value& value, const Scope&) {
  return "hostPath" + (value.name.empty() ? "" : " of volume " + printable(value.name));
}
std::string hostPathSentence(const Argument& argument, const Value& value, const Scope& scope) {
  const std::string out = hostPathNoun(argument, value, scope) + " is " + value.shown();
  return argument.readOnly == false ? out + ", mounted for writing" : out;
}

// ---- sysctl

std::optional<Argument> parsePodSysctl(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  Argument argument;
  const std::size_t before = problems.errorCount();
  for (const auto* word : wordsOf(*leaf.subject.value, "sysctl", problems)) {
    if (!checkSysctl(*word, problems)) continue;
    std::string room;
    argument.names.emplace_back(kube::dottedSysctl(word->scalar, room));
  }
  readPlaces(leaf, kOfPod, argument, problems);
  return problems.errorCount() == before ? std::optional(std::move(argument)) : std::nullopt;
}

void podSysctlValues(const Argument& argument, const Scope& scope, Seen& seen) {
  askPod(argument, scope, seen, [&](const PodTemplate& pod, const Trail& top) {
    const Trail spec{&top, kKey, "spec", 0}, context{&spec, kKey, "securityContext", 0};
    const Trail list{&context, kKey, "sysctls", 0};
    for (const Json sysctl : pod.pod["spec"]["securityContext"]["sysctls"].items()) {
      std::string room;
      const auto name = sysctl["name"].text();
      const Trail at{&list, Trail::Kind::kElement, name, 0}, place{&at, kKey, "value", 0};
      const auto dotted = kube::dottedSysctl(name, room);
      Value value = Value::ofText(sysctl["value"].text(), dotted);
      value.trail = &place;
      value.flag = fitsSysctl(argument, dotted);
      if (!(argument.picks && !value.flag) && !seen(value)) return;
    }
  });
}
std::string sysctlNoun(const Argument&, const Value& value, const Scope&) {
  return "sysctl" + (value.name.empty() ? "" : " " + printable(value.name));
}
std::string podSysctlSentence(const Argument& argument, const Value& value, const Scope& scope) {
  const bool unsafe = namesUnsafe(argument) && !kube::isSafeSysctl(value.name);
  return sysctlNoun(argument, value, scope) +
         (unsafe ? ", which Kubernetes does not count as safe, is " : " is ") + value.shown();
}
std::string podSysctlMust(const Argument& argument, bool holds) {
  return holds ? beOneOf(argument.names, true) : "must not be set";
}

}  // namespace driftbar::policy::subjects
