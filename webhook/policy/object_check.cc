#include "policy/object_check.h"

#include <string>
#include <string_view>

#include "base/text.h"
#include "policy/path_check.h"
#include "schema/follow.h"

namespace driftbar::policy {
namespace {

using schema::Shape;
using schema::Type;

std::string_view textAt(const yaml::Node& map, std::string_view key) {
  const yaml::Node* node = map.find(key);
  return node != nullptr && node->isText() ? std::string_view(node->scalar) : std::string_view{};
}

void missing(const yaml::Node& object, std::string_view what, Problems& problems) {
  problems.error(object.where, "missing-field", "the object has no `" + std::string(what) + "`",
                 "it is written as for `kubectl apply`");
}

class Walk {
 public:
  explicit Walk(Problems& problems) : problems_(problems) {}

  // `of` is the key that the value stands under.
  void check(const yaml::Node& value, const Shape& shape, std::string_view of) {
    if (value.isNull()) return;
    switch (shape.type) {
      case Type::kObject:
        if (!value.isMap()) return wrongType(value, of, "a map");
        for (const auto& entry : value.entries) checkField(entry, shape);
        return;
      case Type::kMap:
        if (!value.isMap()) return wrongType(value, of, "a map");
        for (const auto& [key, item] : value.entries) check(item, *shape.element, key.scalar);
        return;
      case Type::kList:
        if (!value.isList()) return wrongType(value, of, "a list");
        for (const auto& item : value.items) check(item, *shape.element, of);
        return;
      case Type::kAny:
        return;
      default:
        if (!value.isScalar()) wrongType(value, of, describe(shape.type));
    }
  }

 private:
  void checkField(const yaml::Node::Entry& entry, const Shape& shape) {
    const std::string& name = entry.key.scalar;
    if (const auto* field = shape.field(name)) return check(entry.value, *field->shape, name);
    const auto names = shape.fieldNames();
    const auto meant = nearest(name, names);
    problems_.warning(
        entry.key.where, "unknown-field",
        "`" + std::string(shape.name) + "` has no field `" + shortened(printable(name), 60) + "`",
        meant.empty() ? elsewhere(name, shape) : "did you mean `" + std::string(meant) + "`?");
  }

  static std::string elsewhere(std::string_view name, const Shape& shape) {
    constexpr int kWaySteps = 3;  // as far as path_check looks
    const auto way = schema::wayTo(shape, name, kWaySteps);
    return way.empty() ? fieldsOf(shape, {}) : "it stands in `" + way.substr(1) + "`";
  }

  void wrongType(const yaml::Node& value, std::string_view of, std::string_view wanted) {
    problems_.warning(value.where, "wrong-type",
                      "`" + printable(of) + "` is " + std::string(wanted) + ", and this is " +
                          std::string(describe(value)));
  }

  Problems& problems_;
};

// What every pod needs to be taken for one.
void checkContainers(const yaml::Node& pod, Problems& problems) {
  const yaml::Node* spec = pod.find("spec");
  const yaml::Node* containers = spec != nullptr ? spec->find("containers") : nullptr;
  if (containers != nullptr && containers->isList() && !containers->items.empty()) return;
  problems.error(spec != nullptr ? spec->where : pod.where, "missing-field",
                 "the pod has no `spec.containers`", "write `containers: [{name: …, image: …}]`");
}

}  // namespace

void checkObject(const yaml::Node& object, Problems& problems) {
  const std::string_view version = textAt(object, "apiVersion"), kind = textAt(object, "kind");
  if (version.empty()) missing(object, "apiVersion", problems);
  if (kind.empty()) missing(object, "kind", problems);
  if (kind == "AdmissionReview" || version.empty() || kind.empty()) return;
  if (const yaml::Node* items = object.find("items"); items != nullptr && kind.ends_with("List")) {
    for (const auto& item : items->items) checkObject(item, problems);
    return;
  }
  if (object.find("metadata") == nullptr) missing(object, "metadata", problems);
  const auto slash = version.find('/');
  const auto group = slash == std::string_view::npos ? std::string_view{} : version.substr(0, slash);
  const Shape* shape = schema::kind(group, kind);
  if (shape != nullptr) Walk(problems).check(object, *shape, kind);
  if (kind == "Pod" && version == "v1") checkContainers(object, problems);
}

}  // namespace driftbar::policy
