#include "policy/field.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "policy/path_check.h"
#include "policy/subject_table.h"
#include "policy/vocabulary.h"
#include "schema/follow.h"
#include "schema/shape.h"

namespace driftbar::policy {
namespace {

using Root = Field::Root;

constexpr unsigned kPods = SubjectRow::kPods, kNodes = SubjectRow::kNodes, kObjects = SubjectRow::kObjects;

struct RootRow {
  std::string_view name;
  Root root;
  const schema::Shape& (*shape)();  // null: it depends on the rule
  unsigned about;
};

constexpr RootRow kRoots[] = {
    {"pod", Root::kPod, schema::pod, kPods},
    {"node", Root::kNode, schema::node, kNodes},
    {"object", Root::kObject, nullptr, kObjects},
    {"oldObject", Root::kOldObject, nullptr, kObjects},
    {"request", Root::kRequest, schema::request, kObjects},
    {"namespace", Root::kNamespace, schema::nameSpace, kObjects},
    {"templates", Root::kTemplates, schema::podTemplate, kPods},
    {"ranks", Root::kRanks, schema::podTemplate, kPods},
};

constexpr std::string_view kContainerLists[] = {"initContainers", "containers", "ephemeralContainers"};

std::vector<std::string_view> rootNames() {
  std::vector<std::string_view> names;
  for (const auto& row : kRoots) names.push_back(row.name);
  return names;
}

std::string patternOf(std::span<const PathStep> steps) {
  std::string out;
  std::string_view before;
  for (const auto& step : steps) {
    std::string_view key = step.key;
    if (key == "initContainers" || key == "ephemeralContainers") key = "containers";
    const bool element = step.kind != PathStep::Kind::kKey || !mergeKey(before).empty();
    out += element ? "[*]" : (out.empty() ? "" : ".") + std::string(key);
    before = element ? std::string_view{} : key;
  }
  return out;
}

// What stands in `{{ … }}`, as templates of other systems have it; empty where the text is none.
std::string_view insideOfBraces(std::string_view text) {
  if (!text.starts_with("{{") || !text.ends_with("}}")) return {};
  constexpr std::string_view kAround = "{} .";
  const auto first = text.find_first_not_of(kAround);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kAround) + 1 - first);
}

// Reads and checks one path.
class Reader {
 public:
  Reader(const yaml::Node& node, std::string_view of, const Surroundings& around, bool elements,
         Problems& problems)
      : node_(node), of_(of), around_(around), elements_(elements), problems_(problems) {}

  std::optional<Field> read() {
    if (textOf(node_, of_, problems_) == nullptr) return std::nullopt;
    if (const auto inner = insideOfBraces(node_.scalar); !inner.empty())
      return wrong(node_.where, "a path is written without braces", "write `" + printable(inner) + "`");
    auto path = FieldPath::parse(node_.scalar);
    if (!path) {
      for (const auto& d : path.errors()) {
        problems_.error(inside(node_, static_cast<std::size_t>(d.where.column), 1), "bad-path", d.message,
                        d.help);
      }
      return std::nullopt;
    }
    if (around_.inElement) return ofElement(*path);
    return ofRoot(*path);
  }

 private:
  std::optional<Field> wrong(const Location& where, std::string message, std::string help) {
    problems_.error(where, "bad-path", std::move(message), std::move(help));
    return std::nullopt;
  }

  std::optional<Field> ofElement(const FieldPath& path) {
    Field field;
    field.root = Root::kElement;
    field.paths.push_back(elements_ ? withEach(path) : path);
    field.pattern = around_.elements + "." + patternOf(field.paths[0].steps());
    return checked(checkPath(node_, path, 0, around_.element, around_, problems_), path, std::move(field));
  }

  std::optional<Field> ofRoot(const FieldPath& path) {
    const PathStep& first = path.steps().front();
    const auto row = std::find_if(std::begin(kRoots), std::end(kRoots), [&](const RootRow& r) {
      return first.kind == PathStep::Kind::kKey && r.name == first.key;
    });
    if (row == std::end(kRoots)) return unknownRoot(first);
    if (!fitsSurroundings(*row)) return std::nullopt;
    const bool ofTemplates = row->root == Root::kTemplates || row->root == Root::kRanks;
    if (ofTemplates) return ofTemplate(*row, path);
    if (path.steps().size() == 1) return whole(*row);
    return below(*row, path, 1);
  }

  std::optional<Field> whole(const RootRow& row) {
    return wrong(node_.where, "`" + node_.scalar + "` is the whole thing, and not one field of it",
                 row.root == Root::kRequest ? "go on with `.operation`" : "go on with `.metadata`");
  }

  // `ranks[*].spec…`, or `ranks["worker"].spec…` for the template of that role.
  std::optional<Field> ofTemplate(const RootRow& row, const FieldPath& path) {
    const std::string name(row.name);
    const auto& steps = path.steps();
    if (steps.size() < 2 || steps[1].kind == PathStep::Kind::kIndex ||
        node_.scalar.compare(name.size(), 1, "[") != 0) {
      return wrong(inside(node_, 0, name.size()), "`" + name + "` is every pod template of a workload",
                   "go on with `" + name + "[*].spec`, or name the role: `" + name + "[\"worker\"].spec`");
    }
    if (steps.size() == 2) return whole(row);
    auto field = below(row, path, 2);
    if (field && steps[1].kind == PathStep::Kind::kKey) field->role = steps[1].key;
    return field;
  }

  std::optional<Field> unknownRoot(const PathStep& first) {
    const auto names = rootNames();
    const auto meant = nearest(first.key, names);
    std::string_view rest = node_.scalar;
    if (first.key == "$")
      rest.remove_prefix(std::min<std::size_t>(rest.find_first_not_of("$."), rest.size()));
    const auto top = rest.substr(0, rest.find_first_of(".["));
    const bool bare = top == "spec" || top == "metadata" || top == "status";
    const std::string own = around_.about == Surroundings::About::kPod ? "pod." : "node.";
    return wrong(inside(node_, 0, first.key.size()),
                 "a path does not begin with `" + printable(first.key) + "`",
                 bare             ? "write `" + own + std::string(rest) + "`"
                 : !meant.empty() ? "did you mean `" + std::string(meant) + "`?"
                                  : "it begins with " + listed(names));
  }

  bool fitsSurroundings(const RootRow& row) {
    using About = Surroundings::About;
    const bool ofNode = row.root == Root::kNode;
    const bool candidate = around_.about == About::kCandidate;
    if (candidate && ofNode) return true;
    if (around_.about == About::kNode && (ofNode || row.about == kObjects)) return true;
    if (around_.about == About::kPod && !ofNode) return true;
    const std::string name(row.name);
    problems_.error(inside(node_, 0, row.name.size()), "wrong-subject",
                    candidate ? std::string(around_.word) + " looks at nodes, and `" + name + "` is none"
                    : ofNode  ? "`node` is about nodes, and a pod has none of its own"
                              : "the rule is about nodes, and `" + name + "` is none",
                    candidate && !around_.elsewhere.empty() ? std::string(around_.elsewhere)
                    : candidate ? "put what is about the pod into `match`, or use `deny`"
                    : ofNode    ? "write it under `avoidNodes`, or `resources: [nodes]` under `match`"
                                : "make a rule of its own for it");
    return false;
  }

  // The path from step number `first` on, which is below the root.
  std::optional<Field> below(const RootRow& row, const FieldPath& path, std::size_t first) {
    const CheckedPath check =
        row.about == kPods && path.steps()[first].key == "containers"
            ? checkContainers(node_, path, first, around_, problems_)
            : checkPath(node_, path, first, row.shape != nullptr ? &row.shape() : around_.object, around_,
                        problems_);
    return check.good ? checked(check, path, made(row, path.from(first))) : std::nullopt;
  }

  // The field with the shape of what it leads to.
  std::optional<Field> checked(const CheckedPath& check, const FieldPath& path, std::optional<Field> field) {
    if (!field || !check.good) return std::nullopt;
    if (elements_ && !checkElements(node_, of_, path, check, problems_)) return std::nullopt;
    field->shape = check.shape;
    if (!elements_) field->zero = check.zero;
    const bool inside = elements_ && path.steps().back().kind != PathStep::Kind::kEach;
    if (inside && field->shape != nullptr) field->shape = field->shape->element;
    return field;
  }

  std::optional<Field> made(const RootRow& row, FieldPath path) {
    if (around_.about == Surroundings::About::kCandidate && !kube::Node::keeps(path)) {
      return wrong(node_.where, "`" + node_.scalar + "` is not kept of a node",
                   "kept are labels, annotations, taints, unschedulable, conditions, capacity, allocatable, "
                   "nodeInfo and addresses");
    }
    if (row.root == Root::kNamespace && path.steps()[0].key != "metadata") {
      return wrong(node_.where, "`" + node_.scalar + "` is not kept of a namespace",
                   "kept are name, labels, annotations and the rest of metadata");
    }
    Field field;
    field.root = row.root;
    if (row.about == kPods && path.steps()[0].key == "containers") return containers(std::move(field), path);
    field.paths.push_back(elements_ ? withEach(path) : path);
    field.pattern = patternOf(field.paths[0].steps());
    return field;
  }

  std::optional<Field> containers(Field field, const FieldPath& path) {
    const FieldPath rest = elements_ && path.steps().size() == 1 ? withEach(path).from(1) : path.from(1);
    if (rest.empty() || rest.steps()[0].kind == PathStep::Kind::kIndex) {
      return wrong(node_.where, "`pod.containers` stands for every kind of container and has no order",
                   "go on with `[*]`, or with a name: `[\"trainer\"]`");
    }
    field.oneContainer = rest.steps()[0].kind == PathStep::Kind::kKey;
    for (const auto list : kContainerLists) {
      std::vector<PathStep> steps{{PathStep::Kind::kKey, "spec", 0},
                                  {PathStep::Kind::kKey, std::string(list), 0}};
      steps.insert(steps.end(), rest.steps().begin(), rest.steps().end());
      field.paths.push_back(elements_ ? withEach(FieldPath(std::move(steps))) : FieldPath(std::move(steps)));
    }
    field.pattern = patternOf(field.paths[1].steps());
    return field;
  }

  // The elements of the list that a path leads to.
  static FieldPath withEach(const FieldPath& path) {
    if (!path.empty() && path.steps().back().kind == PathStep::Kind::kEach) return path;
    std::vector<PathStep> steps = path.steps();
    steps.push_back({PathStep::Kind::kEach, {}, 0});
    return FieldPath(std::move(steps));
  }

  const yaml::Node& node_;
  std::string_view of_;
  const Surroundings& around_;
  bool elements_;
  Problems& problems_;
};

}  // namespace

std::optional<Field> Field::parse(const yaml::Node& node, std::string_view of, const Surroundings& around,
                                  bool elements, Problems& problems) {
  return Reader(node, of, around, elements, problems).read();
}

unsigned Field::aboutOf(std::string_view path) {
  const auto root = path.substr(0, path.find_first_of(".["));
  for (const auto& row : kRoots) {
    if (row.name == root) return row.about;
  }
  return 0;
}

namespace {

Trail rootAt(std::string_view place) {
  return {nullptr, Trail::Kind::kRoot, place, 0};
}

// A root that may be a Secret, or a request's about one.
Trail rootAt(std::string_view place, const Facts& facts) {
  Trail root = rootAt(place);
  root.ofSecret =
      facts.request != nullptr && facts.request->kind.group.empty() && facts.request->kind.kind == "Secret";
  return root;
}

}  // namespace

std::optional<Field::Start> Field::start(const Scope& scope) const {
  switch (root) {
    case Root::kElement:
      return Start{scope.element, rootAt(""), true};
    case Root::kNode:
      return scope.node == nullptr ? std::nullopt
                                   : std::optional(Start{scope.nodeObject, rootAt(scope.nodePlace), true});
    case Root::kPod: {
      const auto& pod = scope.facts->pod;
      if (scope.facts->podKnown && !pod.pod.exists()) return std::nullopt;
      return Start{pod.pod, pod.top(), scope.facts->podKnown};
    }
    case Root::kObject:
      return Start{scope.facts->object, rootAt("", *scope.facts), true};
    case Root::kOldObject:
      return Start{scope.facts->oldObject, rootAt("oldObject", *scope.facts), true};
    case Root::kRequest:
      return Start{scope.facts->request->root, rootAt("request", *scope.facts), true};
    case Root::kNamespace: {
      const Json object = scope.facts->nameSpace().object;
      return Start{object, rootAt("namespace"), scope.facts->ns.empty() || object.exists()};
    }
    case Root::kTemplates:
    case Root::kRanks:
      break;
  }
  return std::nullopt;
}

bool Field::isThere(const FieldPath& path, Json from) const {
  constexpr std::size_t kStepsToContainer = 3;  // spec, the list, the name
  bool there = false;
  walk(std::span(path.steps()).first(kStepsToContainer), {}, from, Trail{},
       [&](Json container, const Trail&) {
         there = container.exists();
         return true;
       });
  return there;
}

// Of an object that may be of several kinds the request alone says which it is.
std::optional<ZeroValue> Field::zeroIn(const FieldPath& path, const Scope& scope) const {
  if (shape != nullptr || (root != Root::kObject && root != Root::kOldObject)) return zero;
  const auto& kind = scope.facts->request->kind;
  const auto* known = schema::kind(kind.group, kind.kind);
  return known == nullptr ? std::nullopt : ZeroValue::of(schema::follow(*known, path.steps()));
}

// Where absence means a value, it does so only below an element that is there.
bool Field::valuesOf(const FieldPath& path, const std::optional<ZeroValue>& absent, Json from,
                     const Trail& at, Seen& seen) const {
  const std::span steps(path.steps());
  const auto leaf = [&](bool zeroCounts) {
    return [&seen, &absent, zeroCounts](Json json, const Trail& trail) {
      const bool missing = !json.exists() || json.isNull();
      Value value = missing && zeroCounts ? absent->value() : Value::of(json);
      value.trail = &trail;
      return seen(value);
    };
  };
  if (!absent) return walk(steps, {}, from, at, leaf(false));
  const std::size_t above = steps.size() - 1 - std::min(steps.size() - 1, absent->missingMaps);
  const auto rest = steps.subspan(above);
  const std::string_view listName = above > 0 && steps[above - 1].kind == PathStep::Kind::kKey
                                        ? std::string_view(steps[above - 1].key)
                                        : "";
  return walk(steps.first(above), {}, from, at, [&](Json parent, const Trail& trail) {
    return walk(rest, listName, parent, trail, leaf(parent.exists() && !parent.isNull()));
  });
}

bool Field::hasRoot(const Scope& scope) const {
  bool there = false;
  starts(scope, [&](const Start& from) { return !(there = from.root.exists()); });
  return there;
}

std::string Field::placeIn(const Scope& scope) const {
  std::string top;
  starts(scope, [&](const Start& from) {
    top = (root == Root::kElement ? *scope.above : from.top).toString();
    return false;
  });
  // Of the three kinds of containers the ordinary ones.
  std::string path = (paths.size() > 1 ? paths[1] : paths.front()).toString();
  if (path.ends_with("[*]")) path.resize(path.size() - 3);
  return top + (top.empty() || path.starts_with('[') ? "" : ".") + path;
}

void Field::each(const Scope& scope, Seen& seen) const {
  starts(scope, [&](const Start& from) { return eachBelow(from, scope, seen); });
}

bool Field::eachBelow(const Start& from, const Scope& scope, Seen& seen) const {
  if (!from.known) {
    Value value = Value::unknown({});
    value.trail = &from.top;
    return seen(value);
  }
  const Trail& at = root == Root::kElement ? *scope.above : from.top;
  const FieldPath* only = nullptr;
  if (oneContainer) {
    only = &paths[1];  // `containers`, where the place of one that is nowhere is shown
    for (const auto& path : paths) {
      if (isThere(path, from.root)) only = &path;
    }
  }
  for (const auto& path : paths) {
    if (only != nullptr && only != &path) continue;
    if (!valuesOf(path, zeroIn(path, scope), from.root, at, seen)) return false;
  }
  return true;
}

}  // namespace driftbar::policy
