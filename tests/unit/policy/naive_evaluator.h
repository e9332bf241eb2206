// A second evaluator of conditions, written from the text of the language alone: as slow and simple as it can
// be, over nlohmann's JSON, sharing no code with the first. Random conditions and objects are judged by both.
//
// It reads a condition as JSON, which is YAML too. What it does not know, it does not judge: versions and
// durations have tests of their own.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace driftbar::policy::naive {

using nlohmann::json;

enum class Answer { kNo, kYes, kUnknown };

struct World {
  json pod;      // of deny and require
  json node;     // of avoidNodes; null where the condition is about a pod
  json request;  // userInfo
  std::optional<json> namespaceLabels;
  json element;  // inside of `where`
  std::string elementPath;
};

// A value that a subject has. `written` is what `exists` looks at.
struct Value {
  bool unknown = false;
  bool there = false;
  bool written = false;
  json value;
};

inline Answer negated(Answer a) {
  return a == Answer::kUnknown ? a : a == Answer::kYes ? Answer::kNo : Answer::kYes;
}

inline Answer allOf(const std::vector<Answer>& answers) {
  Answer result = Answer::kYes;
  for (const Answer a : answers) {
    if (a == Answer::kNo) return Answer::kNo;
    if (a == Answer::kUnknown) result = Answer::kUnknown;
  }
  return result;
}

inline Answer anyOf(const std::vector<Answer>& answers) {
  Answer result = Answer::kNo;
  for (const Answer a : answers) {
    if (a == Answer::kYes) return Answer::kYes;
    if (a == Answer::kUnknown) result = Answer::kUnknown;
  }
  return result;
}

// "`*` is any run of characters (`/` included); nothing else is special"
inline bool fits(const std::string& glob, const std::string& text) {
  if (glob.empty()) return text.empty();
  if (glob[0] == '*') return fits(glob.substr(1), text) || (!text.empty() && fits(glob, text.substr(1)));
  return !text.empty() && glob[0] == text[0] && fits(glob.substr(1), text.substr(1));
}

// Of regular expressions what the random conditions use: alternatives, `.`, a class of letters, `*`.
inline bool matchesOne(const std::string& re, const std::string& text) {
  if (re.empty()) return text.empty();
  const std::size_t atom = re[0] == '[' ? re.find(']') + 1 : 1;
  const bool here = !text.empty() &&
                    (re[0] == '.' || re.substr(0, atom).find(text[0], atom > 1 ? 1 : 0) != std::string::npos);
  if (re.size() > atom && re[atom] == '*')
    return matchesOne(re.substr(atom + 1), text) || (here && matchesOne(re, text.substr(1)));
  return here && matchesOne(re.substr(atom), text.substr(1));
}

inline bool matches(const std::string& re, const std::string& text) {
  const auto bar = re.find('|');
  if (bar == std::string::npos) return matchesOne(re, text);
  return matchesOne(re.substr(0, bar), text) || matches(re.substr(bar + 1), text);
}

// "numbers and Kubernetes quantities, by value"; text that is a quantity counts as one.
inline std::optional<double> number(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const std::string text = value.get<std::string>();
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  if (digits == 0) return std::nullopt;
  static const std::map<std::string, double> units = {
      {"", 1}, {"m", 0.001}, {"k", 1e3}, {"Mi", 1048576}, {"Gi", 1073741824}};
  const auto unit = units.find(text.substr(digits));
  if (unit == units.end()) return std::nullopt;
  return std::stod(text.substr(0, digits)) * unit->second;
}

// ---- paths

struct Step {
  std::string key;
  bool each = false;
};

inline std::vector<Step> steps(const std::string& path) {
  std::vector<Step> out;
  std::string rest = path;
  while (!rest.empty()) {
    if (rest[0] == '.') rest = rest.substr(1);
    if (rest.compare(0, 3, "[*]") == 0) {
      out.push_back({"", true});
      rest = rest.substr(3);
    } else if (rest[0] == '[') {
      const auto end = rest.find("\"]");
      out.push_back({rest.substr(2, end - 2), false});
      rest = rest.substr(end + 2);
    } else {
      const auto end = std::min(rest.find_first_of(".["), rest.size());
      out.push_back({rest.substr(0, end), false});
      rest = rest.substr(end);
    }
  }
  return out;
}

// "an absent toleration key is "", its operator Equal, an absent restartPolicy Always, an absent privileged
// false": those of the table that the random conditions look at.
inline std::optional<json> zero(const std::string& leafOf) {
  static const std::vector<std::pair<std::string, json>> table = {
      {"pod.spec.restartPolicy", "Always"},
      {"pod.spec.hostNetwork", false},
      {"pod.spec.tolerations.key", ""},
      {"pod.spec.tolerations.operator", "Equal"},
      {"pod.spec.containers.securityContext.privileged", false},
      {"node.spec.unschedulable", false},
  };
  for (const auto& [path, value] : table) {
    if (path == leafOf) return value;
  }
  return std::nullopt;
}

// The leaf that a path means to Kubernetes: without elements, every kind of container as `containers`.
inline std::string leafName(const std::vector<Step>& path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i].each) continue;
    const bool element = i > 0 && (path[i - 1].key == "containers" || path[i - 1].key == "initContainers");
    if (element) continue;
    std::string key = path[i].key;
    if (key == "initContainers") key = "containers";
    out += (out.empty() ? "" : ".") + key;
  }
  return out;
}

// "An element without the leaf is an absent value"; over nothing there are no values.
inline void follow(const json& at, const std::vector<Step>& path, std::size_t step, bool elementThere,
                   const std::optional<json>& zeroValue, std::vector<Value>& out) {
  if (step == path.size()) {
    Value value;
    value.there = value.written = !at.is_null();
    value.value = at;
    if (!value.there && zeroValue && elementThere) {
      value.there = true;
      value.value = *zeroValue;
    }
    out.push_back(value);
    return;
  }
  if (path[step].each) {
    if (at.is_array() || at.is_object()) {
      for (const auto& item : at) follow(item, path, step + 1, !item.is_null(), zeroValue, out);
    }
    return;
  }
  if (at.is_array()) {  // "a list's element by its key"
    for (const auto& item : at) {
      if (item.is_object() && item.value("name", "") == path[step].key)
        return follow(item, path, step + 1, true, zeroValue, out);
    }
    return follow(json(), path, step + 1, false, zeroValue, out);
  }
  const json next = at.is_object() && at.contains(path[step].key) ? at[path[step].key] : json();
  // An absent securityContext is not privileged; a spec that is not there says nothing.
  const bool mayMiss = path[step].key == "securityContext";
  follow(next, path, step + 1, step + 1 == path.size() || mayMiss ? elementThere : !next.is_null(), zeroValue,
         out);
}

inline std::vector<Value> fieldValues(const std::string& path, const World& world) {
  std::vector<Value> out;
  if (!world.elementPath.empty()) {
    std::vector<Step> whole = steps(world.elementPath + "." + path);
    follow(world.element, steps(path), 0, true, zero(leafName(whole)), out);
    return out;
  }
  std::vector<Step> all = steps(path);
  if (all[0].key == "pod" && all[1].key == "containers") {  // "stands for all containers"
    std::string rest = path.substr(std::string("pod.containers").size());
    for (const std::string list : {"initContainers", "containers", "ephemeralContainers"}) {
      const auto some = fieldValues("pod.spec." + list + rest, world);
      out.insert(out.end(), some.begin(), some.end());
    }
    return out;
  }
  const json& root = all[0].key == "node" ? world.node : world.pod;
  follow(root, all, 1, !root.is_null(), zero(leafName(all)), out);
  return out;
}

// ---- subjects

inline std::vector<std::string> names(const json& argument) {
  if (argument.is_string()) return {argument.get<std::string>()};
  return argument.get<std::vector<std::string>>();
}

// "names one thing (or a list of names, or globs: then each that is there is a value)"
inline std::vector<Value> named(const json& argument,
                                const std::vector<std::pair<std::string, json>>& there) {
  const auto wanted = names(argument);
  const bool each = argument.is_array() || wanted[0].find('*') != std::string::npos;
  std::vector<Value> out;
  for (const auto& [name, value] : there) {
    for (const auto& glob : wanted) {
      if (!fits(glob, name)) continue;
      out.push_back({false, true, true, value});
      break;
    }
  }
  if (!each && out.empty()) out.push_back({});
  return out;
}

inline std::vector<std::pair<std::string, json>> pairs(const json& map) {
  std::vector<std::pair<std::string, json>> out;
  if (map.is_object()) {
    for (const auto& [key, value] : map.items()) out.emplace_back(key, value);
  }
  return out;
}

inline std::vector<std::pair<std::string, json>> listed(const json& list, const char* key,
                                                        const char* value) {
  std::vector<std::pair<std::string, json>> out;
  if (list.is_array()) {
    for (const auto& item : list) out.emplace_back(item.value(key, ""), item.value(value, ""));
  }
  return out;
}

inline json at(const json& object, const std::vector<std::string>& keys) {
  json here = object;
  for (const auto& key : keys) here = here.is_object() && here.contains(key) ? here[key] : json();
  return here;
}

inline std::vector<Value> values(const json& leaf, const World& world) {
  const json& object = world.node.is_null() ? world.pod : world.node;
  if (leaf.contains("field")) return fieldValues(leaf["field"], world);
  if (leaf.contains("label")) {
    if (leaf.value("of", "") != "namespace")
      return named(leaf["label"], pairs(at(object, {"metadata", "labels"})));
    if (!world.namespaceLabels) return {{true, false, false, {}}};
    return named(leaf["label"], pairs(*world.namespaceLabels));
  }
  if (leaf.contains("annotation"))
    return named(leaf["annotation"], pairs(at(object, {"metadata", "annotations"})));
  if (leaf.contains("taint"))
    return named(leaf["taint"], listed(at(object, {"spec", "taints"}), "key", "value"));
  return named(leaf["condition"], listed(at(object, {"status", "conditions"}), "type", "status"));
}

// ---- tests

enum class Passes { kNo, kWrongType, kUnknown, kYes };

inline bool isText(const json& leaf) {
  return !leaf.contains("field");
}

inline std::string textOf(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

inline bool equal(const json& value, const json& wanted, const json& leaf) {
  if (isText(leaf)) return textOf(value) == textOf(wanted);
  if (value.is_number() || wanted.is_number()) return number(value) && number(value) == number(wanted);
  return textOf(value) == textOf(wanted);
}

inline Passes passes(const std::string& test, const json& wanted, const Value& value, const json& leaf) {
  const auto yes = [](bool b) { return b ? Passes::kYes : Passes::kNo; };
  if (value.unknown) return Passes::kUnknown;
  if (test == "exists") return yes(value.written == wanted.get<bool>());
  const bool negative = test == "notEquals" || test == "notIn" || test == "notMatches";
  if (!value.there) return yes(negative);
  const json& v = value.value;
  if (test == "equals" || test == "notEquals" || test == "in" || test == "notIn") {
    if (v.is_structured()) return Passes::kWrongType;
    bool any = false;
    for (const auto& one : wanted.is_array() ? wanted : json::array({wanted}))
      any = any || equal(v, one, leaf);
    return yes(any != negative);
  }
  if (test == "contains" && v.is_array()) {
    bool any = false;
    for (const auto& item : v)
      any = any || (item.is_string() && item.get<std::string>().find(textOf(wanted)) != std::string::npos);
    return yes(any);
  }
  if (test == "atLeast" || test == "atMost" || test == "moreThan" || test == "lessThan") {
    const auto left = number(v), right = number(wanted);
    if (!left) return Passes::kWrongType;
    return yes(test == "atLeast"    ? *left >= *right
               : test == "atMost"   ? *left <= *right
               : test == "moreThan" ? *left > *right
                                    : *left < *right);
  }
  if (!v.is_string()) return Passes::kWrongType;
  const std::string text = v.get<std::string>(), with = textOf(wanted);
  if (test == "contains") return yes(text.find(with) != std::string::npos);
  if (test == "startsWith") return yes(text.compare(0, with.size(), with) == 0);
  if (test == "endsWith")
    return yes(text.size() >= with.size() && text.substr(text.size() - with.size()) == with);
  return yes(matches(with, text) != negative);
}

// "A value of the wrong type for the test is a broken rule": it counts as whatever breaks.
inline Answer leafOf(const json& leaf, const World& world, bool each) {
  if (leaf.contains("requestedBy")) {
    bool any = false;
    for (const auto& group : leaf["requestedBy"]["groups"]) {
      for (const auto& has : world.request["groups"]) any = any || fits(group, has);
    }
    return any ? Answer::kYes : Answer::kNo;
  }
  std::vector<Answer> answers;
  for (const auto& value : values(leaf, world)) {
    Passes least = Passes::kYes;
    bool tested = false;
    for (const auto& [key, wanted] : leaf.items()) {
      if (key == "label" || key == "annotation" || key == "taint" || key == "condition" || key == "field" ||
          key == "of")
        continue;
      tested = true;
      least = std::min(least, passes(key, wanted, value, leaf));
    }
    if (!tested) least = passes("exists", true, value, leaf);
    answers.push_back(least == Passes::kNo        ? Answer::kNo
                      : least == Passes::kYes     ? Answer::kYes
                      : least == Passes::kUnknown ? Answer::kUnknown
                      : each                      ? Answer::kNo
                                                  : Answer::kYes);
  }
  return each ? allOf(answers) : anyOf(answers);
}

// Whether a condition holds: `each` as in require, where every value must pass, else as in deny, where one is
// enough.
inline Answer holds(const json& condition, const World& world, bool each) {
  if (condition.is_array() || condition.contains("all") || condition.contains("any")) {
    std::vector<Answer> parts;
    const json& list = condition.is_array()        ? condition
                       : condition.contains("all") ? condition["all"]
                                                   : condition["any"];
    for (const auto& part : list) parts.push_back(holds(part, world, each));
    return !condition.is_array() && condition.contains("any") ? anyOf(parts) : allOf(parts);
  }
  if (condition.contains("not")) return negated(holds(condition["not"], world, !each));
  const bool some = condition.contains("some");
  if (!some && !condition.contains("every")) return leafOf(condition, world, each);
  const std::string path = condition[some ? "some" : "every"];
  std::vector<Answer> answers;
  for (const auto& element : fieldValues(path + "[*]", world)) {
    if (!element.written) continue;
    World inner = world;
    inner.element = element.value;
    inner.elementPath = path + "[*]";
    if (path == "pod.containers") inner.elementPath = "pod.spec.containers[*]";
    answers.push_back(holds(condition["where"], inner, each));
  }
  // "Over nothing there is nothing to judge: neither is broken."
  if (answers.empty()) return each ? Answer::kYes : Answer::kNo;
  return some ? anyOf(answers) : allOf(answers);
}

inline Answer broken(const std::string& verb, const json& condition, const World& world) {
  return verb == "require" ? negated(holds(condition, world, true)) : holds(condition, world, false);
}

}  // namespace driftbar::policy::naive
