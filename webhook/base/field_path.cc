#include "base/field_path.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace driftbar {
namespace {

// A list's name, and the key by which Kubernetes merges it. Source: the patchMergeKey tags of k8s.io/api
// core/v1; ports are merged by two keys there and are left to numbers here. The last ones are lists of pod
// templates (JobSet, KubeRay, Volcano, HyperPod), whose controllers tell the elements apart by these keys.
constexpr std::pair<std::string_view, std::string_view> kMergeKeys[] = {
    {"containers", "name"},
    {"initContainers", "name"},
    {"ephemeralContainers", "name"},
    {"volumes", "name"},
    {"env", "name"},
    {"volumeMounts", "mountPath"},
    {"volumeDevices", "devicePath"},
    {"conditions", "type"},
    {"taints", "key"},
    {"addresses", "type"},
    {"imagePullSecrets", "name"},
    {"schedulingGates", "name"},
    {"hostAliases", "ip"},
    {"ownerReferences", "uid"},
    {"topologySpreadConstraints", "topologyKey"},
    {"resourceClaims", "name"},
    {"sysctls", "name"},
    {"replicatedJobs", "name"},
    {"workerGroupSpecs", "groupName"},
    {"tasks", "name"},
    {"replicaSpecs", "name"},
};

bool isPlain(std::string_view key) {
  return !key.empty() && key.find_first_of(".[]\"'/ *") == std::string_view::npos;
}

// Reads a path from left to right; `at_` is the byte that comes next.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<FieldPath> read() {
    if (text_.empty()) return wrong(0, "a field path is empty", "write one such as `pod.spec.nodeName`");
    std::vector<PathStep> steps;
    while (at_ < text_.size()) {
      auto next = text_[at_] == '[' ? bracket() : name(steps.empty());
      if (!next) return std::move(next).errors();
      steps.push_back(*std::move(next));
    }
    return FieldPath(std::move(steps));
  }

 private:
  Result<PathStep> name(bool first) {
    if (!first) {
      if (text_[at_] != '.') return wrong(at_, "expected `.` or `[` here", {});
      ++at_;
    }
    const auto end = std::min(text_.find_first_of(".[]\"' ", at_), text_.size());
    const auto key = text_.substr(at_, end - at_);
    if (key.empty()) return wrong(at_, "a name is missing after `.`", {});
    if (key == "*") return wrong(at_, "`.*` is not a step", "write `[*]` for every element");
    at_ = end;
    return PathStep{PathStep::Kind::kKey, std::string(key), 0};
  }

  // 'app' as people know it from JSONPath, and `name=app` from other systems.
  static std::string_view unquoted(std::string_view inside) {
    if (const auto equals = inside.find('='); equals != std::string_view::npos)
      inside.remove_prefix(equals + 1);
    const bool quotes = inside.size() > 2 && inside.front() == '\'' && inside.back() == '\'';
    return quotes ? inside.substr(1, inside.size() - 2) : inside;
  }

  Result<PathStep> bracket() {
    const auto start = at_++;
    if (at_ < text_.size() && text_[at_] == '"') return key(start);
    const auto end = text_.find(']', at_);
    if (end == std::string_view::npos) return wrong(start, "`[` is not closed", "close it with `]`");
    const auto inside = text_.substr(at_, end - at_);
    at_ = end + 1;
    if (inside == "*") return PathStep{PathStep::Kind::kEach, {}, 0};
    std::size_t index = 0;
    const auto [stop, failed] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
    if (inside.empty()) return wrong(start, "`[]` is not a step", "write `[*]` for every element");
    if (failed != std::errc{} || stop != inside.data() + inside.size()) {
      return wrong(start,
                   "`[" + printable(inside) + "]` is neither a number, `[*]` nor a key in double quotes",
                   "write `[\"" + printable(unquoted(inside)) + "\"]` for a key");
    }
    return PathStep{PathStep::Kind::kIndex, {}, index};
  }

  Result<PathStep> key(std::size_t start) {
    std::string key;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      key += text_[at_];
    }
    if (at_ + 1 >= text_.size() || text_[at_ + 1] != ']') {
      return wrong(start, "`[\"` is not closed", "close it with `\"]`");
    }
    at_ += 2;
    return PathStep{PathStep::Kind::kKey, std::move(key), 0};
  }

  static Diagnostic wrong(std::size_t at, std::string message, std::string help) {
    Diagnostic d = error("field-path", std::move(message), std::move(help));
    d.where.column = static_cast<int>(at);
    return d;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Follows a path below a value and writes down where it is.
class Walk {
 public:
  Walk(const std::vector<PathStep>& steps, const std::function<void(const std::string&, Json)>& seen)
      : steps_(steps), seen_(seen) {}

  void from(std::size_t step, std::string place, std::string_view listName, Json value) {
    if (step == steps_.size()) return seen_(place, value);
    switch (steps_[step].kind) {
      case PathStep::Kind::kKey:
        return byKey(step, place, listName, value);
      case PathStep::Kind::kIndex:
        return from(step + 1, place + "[" + std::to_string(steps_[step].index) + "]", {},
                    value.at(steps_[step].index));
      case PathStep::Kind::kEach:
        return throughEach(step, place, listName, value);
    }
  }

 private:
  void byKey(std::size_t step, const std::string& place, std::string_view listName, Json value) {
    const std::string& key = steps_[step].key;
    if (value.isList()) {
      from(step + 1, place + "[" + quoted(key) + "]", key, element(value, listName, key));
    } else {
      from(step + 1, below(place, key), key, value[key]);
    }
  }

  // A place does not begin with a dot.
  static std::string below(const std::string& place, std::string_view key) {
    const std::string written = pathStep(key);
    return place.empty() && written.starts_with('.') ? written.substr(1) : place + written;
  }

  // The element of a list whose merge key has this value. A list that Kubernetes does not merge has none.
  static Json element(Json list, std::string_view listName, std::string_view wanted) {
    const auto by = mergeKey(listName);
    if (by.empty()) return {};
    for (const Json item : list.items()) {
      if (item[by].text() == wanted) return item;
    }
    return {};
  }

  void throughEach(std::size_t step, const std::string& place, std::string_view listName, Json value) {
    const auto by = mergeKey(listName);
    std::size_t index = 0;
    for (const Json item : value.items()) {
      const auto name = by.empty() ? std::nullopt : item[by].asText();
      from(step + 1, place + (name ? "[" + quoted(*name) + "]" : "[" + std::to_string(index) + "]"), {},
           item);
      ++index;
    }
    for (const auto& [key, item] : value.entries()) from(step + 1, below(place, key), key, item);
  }

  const std::vector<PathStep>& steps_;
  const std::function<void(const std::string&, Json)>& seen_;
};

}  // namespace

std::string_view mergeKey(std::string_view listName) {
  for (const auto& [list, key] : kMergeKeys) {
    if (list == listName) return key;
  }
  return {};
}

std::string pathStep(std::string_view key) {
  return isPlain(key) ? "." + printable(key) : "[" + quoted(key) + "]";
}

Result<FieldPath> FieldPath::parse(std::string_view text) {
  return Reader(text).read();
}

bool FieldPath::hasEach() const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [](const PathStep& step) { return step.kind == PathStep::Kind::kEach; });
}

FieldPath FieldPath::from(std::size_t step) const {
  return FieldPath(
      {steps_.begin() + static_cast<std::ptrdiff_t>(std::min(step, steps_.size())), steps_.end()});
}

void FieldPath::each(Json root, const std::function<void(const std::string&, Json)>& seen) const {
  Walk(steps_, seen).from(0, {}, {}, root);
}

std::string FieldPath::toString() const {
  std::string out;
  for (const auto& step : steps_) {
    switch (step.kind) {
      case PathStep::Kind::kKey:
        out += pathStep(step.key);
        break;
      case PathStep::Kind::kIndex:
        out += "[" + std::to_string(step.index) + "]";
        break;
      case PathStep::Kind::kEach:
        out += "[*]";
        break;
    }
  }
  return out.starts_with('.') ? out.substr(1) : out;
}

}  // namespace driftbar
