#include "inventory/file.h"

#include <array>
#include <optional>

#include "base/field_path.h"
#include "inventory/store.h"

namespace driftbar::inventory {
namespace {

struct KindName {
  std::string_view name;
  Kind kind;
};
constexpr std::array<KindName, 2> kKinds{{{"Node", Kind::kNode}, {"Namespace", Kind::kNamespace}}};
constexpr std::string_view kCoreVersion = "v1";  // a `Node` of another API group is something else
constexpr std::string_view kListEnd = "List";

std::optional<Kind> keptKind(std::string_view kind, std::string_view version) {
  if (version != kCoreVersion) return std::nullopt;
  for (const auto& row : kKinds) {
    if (row.name == kind) return row.kind;
  }
  return std::nullopt;
}

std::string_view textOf(const yaml::Node& map, std::string_view key) {
  const yaml::Node* value = map.find(key);
  return value != nullptr && value->isScalar() && !value->isNull() ? std::string_view(value->scalar)
                                                                   : std::string_view();
}

const yaml::Node* elementOf(const yaml::Node& list, std::string_view listName, std::string_view key) {
  for (const auto& item : list.items) {
    if (textOf(item, mergeKey(listName)) == key) return &item;
  }
  return nullptr;
}

// Where `path` leads to below `object`, or the last thing on the way that is there.
Location locate(const yaml::Node& object, std::string_view path) {
  const auto parsed = FieldPath::parse(path);
  const yaml::Node* at = &object;
  std::string_view listName;
  for (const auto& step : parsed ? parsed->steps() : std::vector<PathStep>{}) {
    const yaml::Node* next = nullptr;
    if (step.kind == PathStep::Kind::kKey) {
      next = at->isList() ? elementOf(*at, listName, step.key) : at->find(step.key);
      listName = step.key;
    } else if (step.kind == PathStep::Kind::kIndex && step.index < at->items.size()) {
      next = &at->items[step.index];
    }
    if (next == nullptr) break;
    at = next;
  }
  return at->where;
}

bool isNamed(const yaml::Node& object) {
  const yaml::Node* metadata = object.find("metadata");
  const yaml::Node* name = metadata == nullptr ? nullptr : metadata->find("name");
  return name != nullptr && !name->isNull();
}

// `name: 12` and `name: no` are a number and false; nowhere where the name is text or missing.
Location nameThatIsNoText(const yaml::Node& object) {
  const yaml::Node* metadata = object.find("metadata");
  const yaml::Node* name = metadata == nullptr ? nullptr : metadata->find("name");
  const bool bad = name != nullptr && !name->isNull() && name->kind != yaml::Node::Kind::kText;
  return bad ? name->where : Location{};
}

std::string placeText(const Location& where) {
  return where.source->name + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

// What an object in a list is where it does not say so itself: the API server leaves it out.
struct Inherited {
  std::string kind, version;
};

class Reader {
 public:
  void read(const Source& source) {
    auto documents = yaml::parse(source);
    if (!documents) return add(std::move(documents).errors());
    for (const auto& document : *documents) readObject(document);
  }

  void readObject(const yaml::Node& document) { readAny(document, {}); }

  Result<FileInventory> finish(std::span<const Source> sources) {
    if (hasErrors(errors_)) return std::move(errors_);
    FileInventory out{snapshot(), std::move(nameless_), {}};
    if (store_.count(Kind::kNode) == 0) out.warnings.push_back(noNodes(sources, held_));
    return out;
  }

 private:
  void add(Diagnostics more) {
    for (auto& d : more) errors_.push_back(std::move(d));
  }

  void readAny(const yaml::Node& node, const Inherited& inherited) {
    if (!node.isMap()) {
      return add({errorAt(node.where, "not-an-object",
                          "an object is expected here, not " + std::string(yaml::describe(node)),
                          "an inventory holds objects with `kind` and `metadata`, or lists of them")});
    }
    std::string kind(textOf(node, "kind"));
    std::string version(textOf(node, "apiVersion"));
    if (kind.empty()) kind = inherited.kind;
    if (version.empty()) version = inherited.version;
    if (kind.empty()) {
      return add({errorAt(node.where, "missing-kind", "an object without `kind`",
                          "name what it is: `kind: Node` or `kind: Namespace`")});
    }
    const yaml::Node* items = node.find("items");
    if (kind.ends_with(kListEnd) && (items != nullptr || kind == kListEnd)) {
      return readList(items, kind.substr(0, kind.size() - kListEnd.size()), version);
    }
    readOne(node, kind, version.empty() ? std::string(kCoreVersion) : version);
  }

  void readList(const yaml::Node* items, std::string itemKind, std::string version) {
    if (items == nullptr || items->isNull()) return;
    if (!items->isList()) {
      return add({errorAt(items->where, "not-a-list",
                          "`items` is a list of objects, not " + std::string(yaml::describe(*items)))});
    }
    const Inherited inherited = itemKind.empty() ? Inherited{} : Inherited{itemKind, version};
    for (const auto& item : items->items) readAny(item, inherited);
  }

  void readOne(const yaml::Node& node, const std::string& kindName, const std::string& version) {
    const auto kind = keptKind(kindName, version);
    if (!kind) ++held_[kindName];
    if (!kind && !isNamed(node)) {
      ++nameless_[kindName];
      return;
    }
    if (const Location where = nameThatIsNoText(node)) {
      return add({errorAt(where, "bad-name", "the name of an object must be text", "put it in quotes")});
    }
    auto json = yaml::toJson(node);
    if (!json) return add(placed(std::move(json).errors(), node));
    if (!kind) return keepOther(std::make_shared<OtherObject>(std::move(*json), version, kindName), node);
    auto object = parseObject(*kind, json->root());
    if (!object) return add(placed(std::move(object).errors(), node));
    if (isFirst("", kindName, "", nameOf(*object), node)) store_.put(std::move(*object));
  }

  void keepOther(OtherPtr object, const yaml::Node& node) {
    const std::string_view ns = object->ns() == "default" ? "" : object->ns();  // as Snapshot::object has it
    if (isFirst(object->group(), object->kind(), ns, object->name(), node)) others_.push_back(object);
  }

  bool isFirst(std::string_view group, std::string_view kind, std::string_view ns, std::string_view name,
               const yaml::Node& node) {
    const Location where = locate(node, "metadata.name");
    const auto [first, added] = places_.try_emplace(
        {std::string(group), std::string(kind), std::string(ns), std::string(name)}, where);
    if (added) return true;
    add({errorAt(where, "duplicate-object",
                 "the " + std::string(kind) + " `" + (ns.empty() ? "" : std::string(ns) + "/") +
                     std::string(name) + "` is here twice",
                 "the first is at " + placeText(first->second) + ": remove one of them")});
    return false;
  }

  std::shared_ptr<const Snapshot> snapshot() {
    auto kept = store_.snapshot();
    if (others_.empty()) return kept;
    return std::make_shared<const Snapshot>(kept->withOthers(std::move(others_)));
  }

  // An object's errors know a path in it; here they get the place in the text too.
  static Diagnostics placed(Diagnostics errors, const yaml::Node& node) {
    for (auto& d : errors) {
      if (!d.where) d.where = locate(node, d.path);
    }
    return errors;
  }

  static Diagnostic noNodes(std::span<const Source> sources, const std::map<std::string, std::size_t>& held) {
    std::string others;
    for (const auto& [kind, count] : held) {
      others += (others.empty() ? "; it holds " : ", ") + std::to_string(count) + " of kind " + kind;
    }
    Location where;
    if (!sources.empty()) where.source = sources.front();
    return warningAt(
        where, "no-nodes", "an inventory without any node" + others,
        "rules about nodes see no node with it; `kubectl get nodes,namespaces -o yaml` prints one");
  }

  Store store_;
  std::vector<OtherPtr> others_;
  std::map<std::array<std::string, 4>, Location> places_;  // by group, kind, namespace, name
  std::map<std::string, std::size_t> held_, nameless_;     // of other kinds, by kind
  Diagnostics errors_;
};

}  // namespace

Result<FileInventory> readInventory(std::span<const Source> sources, std::span<const yaml::Node> objects) {
  Reader reader;
  for (const auto& source : sources) reader.read(source);
  for (const auto& object : objects) reader.readObject(object);
  return reader.finish(sources);
}

}  // namespace driftbar::inventory
