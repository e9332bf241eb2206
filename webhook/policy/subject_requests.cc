// field, changed, requestedBy: what any object and any request has.
#include <algorithm>
#include <map>
#include <utility>

#include "base/glob.h"
#include "base/text.h"
#include "policy/containers.h"
#include "policy/privacy.h"
#include "policy/subjects.h"
#include "schema/shape.h"

namespace driftbar::policy::subjects {
namespace {

// ---- changed

// Kubernetes itself puts these on nodes and takes them off, all day long.
constexpr std::string_view kManagedByKubernetes[] = {"node.kubernetes.io/",
                                                     "node.cloudprovider.kubernetes.io/"};

// One thing at the path: an entry of a map, an element of a list, or the value itself.
struct Part {
  std::string name;   // what globs of `keys` are held against; empty for the value itself
  std::string place;  // for people
  Json value;         // missing where nobody wrote it, and `implied` is what its absence means
  Privacy privacy = Privacy::kOpen;
  std::string implied = {};
};
// By what tells it from the others, so that order means nothing.
using Parts = std::map<std::string, Part>;

// `key:Effect` of a taint; the merge key's value; the element itself where there is none.
std::string nameOfElement(Json element, std::string_view listName) {
  const auto by = mergeKey(listName);
  std::string name = by.empty() ? element.dump() : std::string(element[by].text());
  if (listName == "taints") name += ":" + std::string(element["effect"].text());
  return name;
}

// An element without a key has itself for a name, of which people see what they see of any value.
std::string shownName(Json element, std::string_view name, bool keyed, Privacy privacy) {
  if (keyed) return quoted(name);
  Value value = Value::of(element);
  value.privacy = privacy;
  return value.kind == Value::Kind::kText ? quoted(value.plain()) : printable(value.plain());
}

void splitList(Json list, const Trail& at, std::string_view listName, Parts& parts) {
  const bool keyed = !mergeKey(listName).empty();
  const std::string place = at.toString();
  std::map<std::string, int> seen;
  for (const Json element : list.items()) {
    const std::string name = nameOfElement(element, listName);
    const int same = seen[name]++;  // what has no key may be there several times
    const Trail step{&at, keyed ? Trail::Kind::kElement : Trail::Kind::kNumber, name, 0};
    const Privacy privacy = privacyOf(step);
    parts[place + "[" + quoted(name) + "]" + std::to_string(same)] = {
        name, place + "[" + shownName(element, name, keyed, privacy) + "]", element, privacy};
  }
}

void split(Json value, const Trail& at, std::string_view listName, Parts& parts) {
  if (value.isMap()) {
    const std::string place = at.toString();
    for (const auto& [key, one] : value.entries()) {
      const std::string to = place + pathStep(key);
      parts[to] = {std::string(key), to, one, privacyOf(Trail{&at, Trail::Kind::kKey, key, 0})};
    }
  } else if (value.isList()) {
    splitList(value, at, listName, parts);
  } else if (value.exists() && !value.isNull()) {
    const std::string place = at.toString();
    parts[place] = {"", place, value, privacyOf(at)};
  }
}

class Splitting final : public Seen {
 public:
  Splitting(std::string_view listName, Parts& parts) : listName_(listName), parts_(parts) {}
  bool operator()(const Value& value) override {
    if (value.kind == Value::Kind::kUnknown) {
      known_ = false;
      return false;
    }
    if (value.json.exists()) {
      split(value.json, *value.trail, listName_, parts_);
    } else if (value.kind != Value::Kind::kAbsent) {
      const std::string place = value.trail->toString();
      parts_[place] = {"", place, {}, privacyOf(*value.trail), value.raw()};
    }
    return true;
  }
  bool known() const { return known_; }

 private:
  std::string_view listName_;
  Parts& parts_;
  bool known_ = true;
};

std::string_view listNameOf(const Field& field) {
  const auto& steps = field.paths.back().steps();
  return !steps.empty() && steps.back().kind == PathStep::Kind::kKey ? steps.back().key : std::string_view{};
}

bool isManagedByKubernetes(const Argument& argument, std::string_view name) {
  for (const auto prefix : kManagedByKubernetes) {
    if (!name.starts_with(prefix)) continue;
    return std::none_of(argument.keys.begin(), argument.keys.end(),
                        [&](const std::string& glob) { return glob.starts_with(prefix); });
  }
  return false;
}

bool anyFits(const std::vector<std::string>& globs, std::string_view name) {
  // A taint goes by its key alone too.
  const auto bare = name.substr(0, name.rfind(':'));
  return std::any_of(globs.begin(), globs.end(),
                     [&](const auto& glob) { return globFits(glob, name) || globFits(glob, bare); });
}

bool isMeant(const Argument& argument, const Part& part) {
  if (part.name.empty()) return argument.keys.empty();
  if (isManagedByKubernetes(argument, part.name)) return false;
  return (argument.keys.empty() || anyFits(argument.keys, part.name)) &&
         !anyFits(argument.notKeys, part.name);
}

bool tell(const Part& part, Json before, Json after, Seen& seen) {
  const Trail at{nullptr, Trail::Kind::kRoot, part.place, 0};
  Value value = Value::of(after);
  Value old = Value::of(before);
  value.privacy = old.privacy = part.privacy;
  value.written = true;  // the change is there, also where it takes something off
  value.flag = true;
  value.name = part.name;
  value.trail = &at;
  value.before = &old;
  return seen(value);
}

// Two values below a path, of which what Kubernetes manages and the order of lists is left out. `name` is the
// key that they stand under.
class Alike {
 public:
  explicit Alike(const Argument& argument) : argument_(argument) {}

  bool operator()(Json a, Json b, std::string_view name) const {
    if (a.isMap() || b.isMap())
      return (a.isMap() || isNothing(a)) && (b.isMap() || isNothing(b)) && maps(a, b, name);
    if (a.isList() || b.isList())
      return (a.isList() || isNothing(a)) && (b.isList() || isNothing(b)) && lists(a, b, name);
    return (isNothing(a) && isNothing(b)) || a == b;
  }

 private:
  // Of labels and annotations an empty text is a value.
  static bool isPairs(std::string_view name) { return name == "labels" || name == "annotations"; }

  // An API server leaves out what is empty.
  static bool isNothing(Json value) {
    const bool empty =
        value.isText() ? value.text().empty() : (value.isList() || value.isMap()) && value.size() == 0;
    return !value.exists() || value.isNull() || empty;
  }

  bool isManaged(std::string_view name, std::string_view key) const {
    return (name == "labels" || name == "taints") && isManagedByKubernetes(argument_, key);
  }

  bool maps(Json a, Json b, std::string_view name) const {
    const auto holds = [&](Json one, Json other) {
      for (const auto& [key, value] : one.entries()) {
        if (isManaged(name, key)) continue;
        const Json there = other[key];
        if (isPairs(name) ? !(value == there) : !(*this)(value, there, key)) return false;
      }
      return true;
    };
    return holds(a, b) && holds(b, a);
  }

  bool lists(Json a, Json b, std::string_view name) const {
    const auto left = elements(a, name), right = elements(b, name);
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [&](const auto& one, const auto& other) {
                        return one.first == other.first && (*this)(one.second, other.second, {});
                      });
  }

  // By what tells them apart.
  std::multimap<std::string, Json> elements(Json list, std::string_view name) const {
    std::multimap<std::string, Json> out;
    for (const Json element : list.items()) {
      auto key = nameOfElement(element, name);
      if (!isManaged(name, key)) out.emplace(std::move(key), element);
    }
    return out;
  }

  const Argument& argument_;
};

// What is written and what its absence means may be the same.
bool same(const Argument& argument, const Part& one, const Part& other) {
  const auto text = [](const Part& part) {
    return part.value.exists() ? Value::of(part.value).raw() : part.implied;
  };
  if (one.value.exists() && other.value.exists()) {
    const bool parts = one.value.isMap() || one.value.isList();
    return parts ? Alike(argument)(one.value, other.value, one.name) : one.value == other.value;
  }
  return text(one) == text(other);
}

// Whether the part is nothing but what Kubernetes manages, so that to have it is no change.
bool isIdle(const Argument& argument, const Part& part) {
  return (part.value.isMap() || part.value.isList()) && Alike(argument)(part.value, Json(), part.name);
}

// Whether a path with `[*]` has led below something that Kubernetes manages. What a path names outright is
// meant.
bool isBelowManaged(const Argument& argument, const Field& field, const Part& part) {
  const std::string path = field.paths.front().toString();
  return std::any_of(std::begin(kManagedByKubernetes), std::end(kManagedByKubernetes),
                     [&](std::string_view prefix) {
                       if (path.find(prefix) != std::string::npos || !isManagedByKubernetes(argument, prefix))
                         return false;
                       return part.place.find("taints[\"" + std::string(prefix)) != std::string::npos ||
                              part.place.find("labels[\"" + std::string(prefix)) != std::string::npos;
                     });
}

// Each thing that differs between the two.
bool compare(const Argument& argument, const Field& field, const Parts& before, const Parts& after,
             Seen& seen) {
  const auto meant = [&](const Part& part) {
    return isMeant(argument, part) && !isBelowManaged(argument, field, part);
  };
  for (const auto& [key, part] : before) {
    const bool gone = part.value.exists() && after.find(key) == after.end() && !isIdle(argument, part);
    if (gone && meant(part) && !tell(part, part.value, {}, seen)) return false;
  }
  for (const auto& [key, part] : after) {
    const auto old = before.find(key);
    const bool differs = old == before.end() ? part.value.exists() && !isIdle(argument, part)
                                             : !same(argument, old->second, part);
    const Json was = old == before.end() ? Json() : old->second.value;
    if (differs && meant(part) && !tell(part, was, part.value, seen)) return false;
  }
  return true;
}

// The same path in what was there before.
Scope beforeOf(const Scope& scope, Facts& facts) {
  facts = *scope.facts;
  facts.pod.pod = facts.oldPod;
  facts.object = facts.oldObject;
  Scope before = scope;
  before.facts = &facts;
  before.nodeObject = facts.oldObject;
  return before;
}

bool compareField(const Argument& argument, const Field& field, const Scope& scope, Seen& seen) {
  Facts facts;
  const Scope old = beforeOf(scope, facts);
  Parts before, after;
  Splitting then(listNameOf(field), before), now(listNameOf(field), after);
  field.each(old, then);
  field.each(scope, now);
  if (now.known() && then.known()) return compare(argument, field, before, after, seen);
  const Trail at{nullptr, Trail::Kind::kRoot, "", 0};
  Value unknown = Value::unknown({});
  unknown.trail = &at;
  return seen(unknown);
}

std::vector<std::string> globsBeside(const syntax::Leaf& leaf, std::string_view key, Problems& problems) {
  std::vector<std::string> globs;
  if (const yaml::Node* node = leaf.modifier(key)) {
    for (const auto* word : wordsOf(*node, key, problems)) globs.push_back(word->scalar);
  }
  return globs;
}

bool checkChangeable(const Field& field, const yaml::Node& node, Problems& problems) {
  using Root = Field::Root;
  const bool good = field.root == Root::kPod || field.root == Root::kNode || field.root == Root::kObject;
  if (!good) {
    problems.error(node.where, "bad-path", "`changed` compares the object with what it was before",
                   "begin the path with `pod`, `node` or `object`");
  }
  return good;
}

// Keys are of maps and lists: beside anything else they would take out every change.
void checkKeys(const syntax::Leaf& leaf, const Field& field, const yaml::Node& path, Problems& problems) {
  using Type = schema::Type;
  const yaml::Node* globs =
      leaf.modifier("keys") != nullptr ? leaf.modifier("keys") : leaf.modifier("notKeys");
  if (globs != nullptr && path.scalar.ends_with("[*]")) {
    const auto list = printable(std::string_view(path.scalar).substr(0, path.scalar.size() - 3));
    problems.error(path.where, "no-keys", "with `[*]` the globs are held against the keys of each element",
                   "write `" + list + "`");
    return;
  }
  if (field.shape == nullptr) return;
  const Type type = field.shape->type;
  if (type == Type::kMap || type == Type::kObject || type == Type::kList || type == Type::kAny) return;
  const yaml::Node* keys = leaf.modifier("keys");
  if (keys == nullptr) return;
  problems.error(
      keys->where, "no-keys",
      "`" + printable(path.scalar) + "` is " + std::string(schema::describe(type)) + ", and has no keys",
      "leave `keys` out; what is meant is any change of it");
}

// What the place is called by people: `label pool`, `taint gpu:NoSchedule`; else the place itself.
std::string nameOfPlace(const Value& value) {
  struct Named {
    std::string_view in, noun;
  };
  constexpr Named kNamed[] = {{"metadata.labels", "label "},
                              {"metadata.annotations", "annotation "},
                              {"spec.taints", "taint "},
                              {"status.conditions", "condition "}};
  const std::string place = value.trail->toString();
  for (const auto& row : kNamed) {
    // Below it, and not all of it: the part may be the whole list.
    if (!value.name.empty() && place.starts_with(row.in) && place.size() > row.in.size())
      return std::string(row.noun) + printable(value.name);
  }
  return place;
}

}  // namespace

// ---- field

std::optional<Argument> parseField(const syntax::Leaf& leaf, const Surroundings& around, Problems& problems) {
  Argument argument;
  argument.field = Field::parse(*leaf.subject.value, "field", around, false, problems);
  if (!argument.field || !readPlaces(leaf, kOfPod, argument, problems)) return std::nullopt;
  return argument;
}

void fieldValues(const Argument& argument, const Scope& scope, Seen& seen) {
  if (argument.of == Of::kRanks && !scope.facts->pod.ranks) return;
  argument.field->each(scope, seen);
}
std::string trailPlace(const Argument&, const Value& value, const Scope&) {
  return value.trail->toString();
}
std::string fieldSentence(const Argument&, const Value& value, const Scope&) {
  const bool written = value.written || value.kind == Value::Kind::kUnknown;
  return value.trail->toString() + " is " + value.shown() + (written ? "" : " (not written)");
}

// ---- changed

std::optional<Argument> parseChanged(const syntax::Leaf& leaf, const Surroundings& around,
                                     Problems& problems) {
  const std::size_t before = problems.errorCount();
  Argument argument;
  for (const auto* word : wordsOf(*leaf.subject.value, "changed", problems)) {
    auto field = Field::parse(*word, "changed", around, false, problems);
    if (!field || !checkChangeable(*field, *word, problems)) continue;
    checkKeys(leaf, *field, *word, problems);
    argument.fields.push_back(*std::move(field));
  }
  argument.keys = globsBeside(leaf, "keys", problems);
  argument.notKeys = globsBeside(leaf, "notKeys", problems);
  return problems.errorCount() == before ? std::optional(std::move(argument)) : std::nullopt;
}

namespace {

// Hands on, and notes that there was something.
class Noting final : public Seen {
 public:
  explicit Noting(Seen& seen) : seen_(seen) {}
  bool operator()(const Value& value) override {
    any_ = true;
    return seen_(value);
  }
  bool any() const { return any_; }

 private:
  Seen& seen_;
  bool any_ = false;
};

}  // namespace

// An update that changes none of it is one value, which says that it is not so: else `not` around it would
// ask nothing of such an update.
void changedValues(const Argument& argument, const Scope& scope, Seen& seen) {
  const auto& facts = *scope.facts;
  if (facts.request->operation != kube::Operation::kUpdate || !facts.oldObject.exists()) return;
  Noting noting(seen);
  for (const auto& field : argument.fields) {
    if (!compareField(argument, field, scope, noting)) return;
  }
  if (noting.any()) return;
  const std::string place = argument.fields.front().placeIn(scope);
  const Trail at{nullptr, Trail::Kind::kRoot, place, 0};
  Value unchanged;
  unchanged.written = true;
  unchanged.trail = &at;
  seen(unchanged);
}
std::string changedNoun(const Argument&, const Value& value, const Scope&) {
  return value.trail->toString();
}
// Of what has parts, such as a taint, the name says it.
std::string changedSentence(const Argument&, const Value& value, const Scope&) {
  const auto hasParts = [](const Value& one) {
    return one.kind == Value::Kind::kMap || one.kind == Value::Kind::kList;
  };
  if (value.before == nullptr) return value.trail->toString() + " is not changed";
  const std::string name = nameOfPlace(value);
  const bool was = value.before->kind != Value::Kind::kAbsent, is = value.kind != Value::Kind::kAbsent;
  const bool bare = hasParts(value) || hasParts(*value.before);
  if (was && is)
    return name + " is changed" + (bare ? "" : " from " + value.before->shown() + " to " + value.shown());
  if (is) return name + " is added" + (bare ? "" : " as " + value.shown());
  return name + " is taken off" + (bare ? "" : "; it was " + value.before->shown());
}
std::string changedMust(const Argument&, bool holds) {
  return holds ? "must be changed" : "must not be changed";
}

// ---- requestedBy

std::optional<Argument> parseRequestedBy(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  auto requester = Requester::parse(*leaf.subject.value, problems);
  if (!requester) return std::nullopt;
  Argument argument;
  argument.requester = std::make_shared<const Requester>(*std::move(requester));
  return argument;
}

void requestedByValues(const Argument& argument, const Scope& scope, Seen& seen) {
  const kube::User& user = scope.facts->request->user;
  Value value = Value::ofText(user.name, user.name);
  const Truth fits = argument.requester->fits(*scope.facts);
  if (fits == Truth::kUnknown) value.kind = Value::Kind::kUnknown;
  value.flag = fits == Truth::kTrue;
  seen(value);
}
std::string requestedByPlace(const Argument&, const Value&, const Scope&) {
  return "request.userInfo";
}
std::string requestedByNoun(const Argument&, const Value&, const Scope&) {
  return "the request";
}
std::string requestedBySentence(const Argument&, const Value& value, const Scope&) {
  return "the request comes from " + value.shown();
}
std::string requestedByMust(const Argument& argument, bool holds) {
  return (holds ? "must come from " : "must not come from ") + argument.requester->described();
}

}  // namespace driftbar::policy::subjects
