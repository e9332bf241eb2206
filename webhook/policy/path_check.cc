#include "policy/path_check.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "schema/follow.h"

namespace driftbar::policy {
namespace {

using schema::Obstacle;
using schema::Shape;
using schema::Type;
using Kind = PathStep::Kind;

// As many names as are read at a glance; of more `kubectl explain` gives a list.
constexpr std::size_t kMostNames = 16;

// How far a field that is elsewhere is looked for: `.containers[*].securityContext.privileged` is three.
constexpr int kWaySteps = 3;

// Where a step is written.
struct Part {
  std::size_t begin = 0;  // of its name or bracket, the dot aside
  std::size_t end = 0;
  bool bracketed = false;
};

std::vector<Part> partsOf(std::string_view text) {
  std::vector<Part> parts;
  for (std::size_t at = 0; at < text.size();) {
    Part part;
    part.bracketed = text[at] == '[';
    if (text[at] == '.') ++at;
    part.begin = at;
    if (part.bracketed) {
      const bool key = at + 1 < text.size() && text[at + 1] == '"';
      at += key ? 2 : 1;
      for (; key && at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
      }
      at = std::min(text.find(']', at), text.size() - 1) + 1;
    } else {
      at = std::min(text.find_first_of(".[", at), text.size());
    }
    part.end = at;
    parts.push_back(part);
  }
  return parts;
}

// One path, and what can be said of it.
class Report {
 public:
  // `base`: how a path to the shape `from` is written.
  Report(const yaml::Node& node, const FieldPath& path, std::size_t first, const Shape& from,
         std::string_view base, const Surroundings& around, Problems& problems)
      : node_(node),
        text_(node.scalar),
        parts_(partsOf(text_)),
        steps_(path.steps()),
        first_(first),
        from_(from),
        base_(base),
        around_(around),
        problems_(problems) {}

  CheckedPath check() {
    const auto walk = schema::follow(from_, steps_.subspan(first_));
    const std::size_t last =
        walk.obstacle == Obstacle::kNone ? steps_.size() : first_ + walk.step;  // what can't be taken
    for (std::size_t i = first_; i < std::min(last + 1, steps_.size()); ++i) {
      if (isFieldOfList(i)) return fieldOfList(i);
    }
    if (walk.obstacle != Obstacle::kNone) return blocked(walk, last);
    if (walk.newer) {
      const std::size_t at = first_ + *walk.newer;
      warnOfNewer(place(at, at), "`" + upTo(at + 1) + "` is a field", around_, problems_);
    }
    return {true, walk.end, ZeroValue::of(walk)};
  }

 private:
  Location place(std::size_t from, std::size_t to) const {
    return inside(node_, parts_[from].begin, parts_[to].end - parts_[from].begin);
  }

  // The path as written, without step `step` and what follows.
  std::string upTo(std::size_t step) const {
    const auto end = step == 0 ? 0 : parts_[step - 1].end;
    return printable(text_.substr(0, end));
  }

  // What the step was tried on: by its path, or, for an element, as Kubernetes calls it.
  std::string on(std::size_t step, const Shape& shape) const {
    return "`" + (step == 0 ? std::string(shape.name) : upTo(step)) + "`";
  }

  std::string written(std::size_t step) const {
    return printable(text_.substr(parts_[step].begin, parts_[step].end - parts_[step].begin));
  }

  CheckedPath wrong(const Location& where, std::string message, std::string help) {
    problems_.error(where, "bad-path", std::move(message), std::move(help));
    return {false, nullptr};
  }

  const Shape* before(std::size_t step) const {
    return schema::follow(from_, steps_.subspan(first_, step - first_)).end;
  }

  // `containers.image` would be the container called image.
  bool isFieldOfList(std::size_t step) const {
    if (steps_[step].kind != Kind::kKey || parts_[step].bracketed || step == 0) return false;
    const Shape* shape = before(step);
    return shape != nullptr && shape->type == Type::kList;
  }

  CheckedPath fieldOfList(std::size_t step) {
    const std::string list = written(step - 1);
    const bool fields = before(step)->element->type == Type::kObject;
    return wrong(place(step - 1, step - 1), "`" + list + "` is a list, and has no field of its own",
                 "write `" + list + "[*]" + (fields ? printable(text_.substr(parts_[step - 1].end)) : "") +
                     "` for every element");
  }

  CheckedPath blocked(const schema::Walk& walk, std::size_t step) {
    switch (walk.obstacle) {
      case Obstacle::kUnknownField:
        return unknownField(step, *walk.at);
      case Obstacle::kNoKey:
        return wrong(place(step, step), "the elements of " + on(step, *walk.at) + " are known by no key",
                     "write `[*]` for every element, or a number such as `[0]`");
      case Obstacle::kNoOrder:
        return noOrder(step, *walk.at);
      case Obstacle::kNotMany:
        return wrong(place(step, step),
                     on(step, *walk.at) + " has fields of its own, and `[*]` is for lists and maps",
                     fieldsOf(*walk.at, upTo(step)));
      default:
        return scalar(step, *walk.at);
    }
  }

  CheckedPath unknownField(std::size_t step, const Shape& at) {
    const std::string& name = steps_[step].key;
    const auto names = at.fieldNames();
    const auto meant = nearest(name, names);
    std::string message = on(step, at) + " has no field `" + shortened(printable(name), 60) + "`";
    std::string help = meant.empty() ? elsewhere(step, at) : "did you mean `" + std::string(meant) + "`?";
    if (isBeyondSchema(around_)) {
      problems_.warning(place(step, step), "unknown-field",
                        message + " in Kubernetes 1." + std::to_string(schema::release()), std::move(help));
      return {true, nullptr};
    }
    problems_.error(place(step, step), "unknown-field", std::move(message), std::move(help));
    return {false, nullptr};
  }

  // A field of that name below, or anywhere near the beginning.
  std::string elsewhere(std::size_t step, const Shape& at) const {
    const std::string& name = steps_[step].key;
    if (const auto below = schema::wayTo(at, name, kWaySteps); !below.empty())
      return "write `" + asPath(upTo(step) + below) + "`";
    if (const auto near = schema::wayTo(from_, name, kWaySteps); !near.empty())
      return "write `" + asPath(std::string(base_) + near) + "`";
    return fieldsOf(at, upTo(step));
  }

  // A path does not begin with a dot.
  static std::string asPath(const std::string& path) { return path[0] == '.' ? path.substr(1) : path; }

  CheckedPath noOrder(std::size_t step, const Shape& at) {
    return wrong(
        place(step, step), on(step, at) + " is a map, and has no order",
        at.type == Type::kMap ? "name a key, or write `[*]` for every value" : fieldsOf(at, upTo(step)));
  }

  // Below a map that is most likely the rest of a key with dots: `limits.nvidia.com/gpu`.
  CheckedPath scalar(std::size_t step, const Shape& at) {
    const std::string is = " is " + std::string(describe(at.type));
    if (steps_[step].kind != Kind::kKey)
      return wrong(place(step, step), on(step, at) + is + ", and no list", "end the path before it");
    const Shape* above = step - first_ >= 1 ? before(step - 1) : nullptr;
    if (above == nullptr || above->type != Type::kMap || parts_[step].bracketed || parts_[step - 1].bracketed)
      return wrong(place(step, step), on(step, at) + is + ", and has no fields", "end the path before it");
    std::size_t last = step;
    while (last + 1 < steps_.size() && !parts_[last + 1].bracketed) ++last;
    const auto begin = parts_[step - 1].begin;
    const std::string key = printable(text_.substr(begin, parts_[last].end - begin));
    return wrong(place(step - 1, last), on(step, at) + is + ", and has no fields",
                 "a key with dots is written in brackets: `" + upTo(step - 1) + "[\"" + key + "\"]`");
  }

  const yaml::Node& node_;
  std::string_view text_;
  std::vector<Part> parts_;
  std::span<const PathStep> steps_;
  std::size_t first_;
  const Shape& from_;
  std::string_view base_;
  const Surroundings& around_;
  Problems& problems_;
};

constexpr std::string_view kContainerLists[] = {"containers", "initContainers", "ephemeralContainers"};

std::string release(int minor) {
  return "1." + std::to_string(minor);
}

}  // namespace

CheckedPath checkPath(const yaml::Node& node, const FieldPath& path, std::size_t first, const Shape* from,
                      const Surroundings& around, Problems& problems) {
  if (from == nullptr) return {};
  const auto parts = partsOf(node.scalar);
  const auto base = std::string_view(node.scalar).substr(0, first == 0 ? 0 : parts[first - 1].end);
  return Report(node, path, first, *from, base, around, problems).check();
}

CheckedPath checkContainers(const yaml::Node& node, const FieldPath& path, std::size_t first,
                            const Surroundings& around, Problems& problems) {
  const Shape& spec = *schema::pod().field("spec")->shape;
  std::vector<PathStep> steps(path.steps().begin() + static_cast<std::ptrdiff_t>(first), path.steps().end());
  for (const auto list : kContainerLists) {
    steps.front().key = list;
    const auto walk = schema::follow(spec, steps);
    if (walk.end != nullptr && list != kContainerLists[0]) return {true, walk.end};
    if (walk.end != nullptr) break;  // with all that is to be said of it
  }
  const auto parts = partsOf(node.scalar);
  const std::string base = node.scalar.substr(0, parts[first - 1].end) + ".spec";
  return Report(node, path, first, spec, base, around, problems).check();
}

bool checkElements(const yaml::Node& node, std::string_view word, const FieldPath& path,
                   const CheckedPath& checked, Problems& problems) {
  if (checked.shape == nullptr || path.steps().back().kind == Kind::kEach) return true;
  const Type type = checked.shape->type;
  if (type == Type::kList || type == Type::kMap || type == Type::kAny) return true;
  problems.error(node.where, "bad-path",
                 "`" + std::string(word) + "` looks at the elements of a list, and `" +
                     printable(node.scalar) + "` is none",
                 "write the path of a list or map, such as `pod.containers`");
  return false;
}

int clusterMinor(const yaml::Node* annotation, Problems& problems) {
  if (annotation == nullptr) return 0;
  const std::string* text = textOf(*annotation, "driftbar.io/kubernetes", problems);
  if (text == nullptr) return 0;
  std::string_view rest = *text;
  if (rest.starts_with('v')) rest.remove_prefix(1);
  int minor = 0;
  if (rest.starts_with("1.")) {
    rest.remove_prefix(2);
    const auto [stop, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), minor);
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    if (failed == std::errc{} && minor > 0 && (rest.empty() || rest[0] == '.')) return minor;
  }
  problems.error(annotation->where, "bad-version", quoted(*text) + " is no version of Kubernetes",
                 "write the cluster's, such as \"" + release(schema::release()) + "\"");
  return 0;
}

void warnOfNewer(const Location& where, const std::string& what, const Surroundings& around,
                 Problems& problems) {
  if (around.kubernetes >= schema::release()) return;
  problems.warning(where, "newer-field",
                   what + " of Kubernetes " + release(schema::release()) + " that " +
                       release(schema::olderRelease()) + " does not have",
                   "if the cluster has it, say so in the policy's metadata: `annotations: "
                   "{driftbar.io/kubernetes: \"" +
                       release(schema::release()) + "\"}`");
}

bool isBeyondSchema(const Surroundings& around) {
  return around.kubernetes > schema::release();
}

Location inside(const yaml::Node& node, std::size_t offset, std::size_t width) {
  Location where = node.where;
  if (!where || offset > node.scalar.size() || where.width < static_cast<int>(offset + width)) return where;
  const std::size_t column = static_cast<std::size_t>(where.column) + offset + (node.quoted ? 1 : 0);
  const std::string_view line = where.source->line(where.line);
  const std::string_view part = std::string_view(node.scalar).substr(offset, width);
  if (column > line.size() || line.substr(column - 1, width) != part) return where;
  where.column = static_cast<int>(column);
  where.width = static_cast<int>(std::max<std::size_t>(width, 1));
  return where;
}

std::string fieldsOf(const Shape& shape, std::string_view path) {
  const auto names = shape.fieldNames();
  const bool explained = path.starts_with("pod.") || path.starts_with("node.");
  if (names.size() <= kMostNames) return "it has " + listed(names, "and");
  if (!explained) {
    const std::span<const std::string_view> first(names.data(), kMostNames);
    return "it has " + listed(first, "and") + ", and " + std::to_string(names.size() - kMostNames) + " more";
  }
  constexpr std::string_view kEveryKind = "pod.containers";
  std::string plain;
  if (path.starts_with(kEveryKind)) {
    plain = "pod.spec.containers";
    path.remove_prefix(kEveryKind.size());
  }
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (path[at] == '[') at = std::min(path.find(']', at), path.size() - 1);
    if (path[at] != ']') plain += path[at];
  }
  return "`kubectl explain " + plain + "` lists its fields";
}

}  // namespace driftbar::policy
