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

// Whether a scalar is one that an API server reads into this type.
bool isOf(const yaml::Node& value, Type type) {
  using Kind = yaml::Node::Kind;
  switch (type) {
    case Type::kText:
    case Type::kTime:
      return value.isText();
    case Type::kQuantity:
      return value.isText() || value.isNumber();
    case Type::kIntOrString:
      return value.isText() || value.kind == Kind::kInteger;
    case Type::kInteger:
      return value.kind == Kind::kInteger;
    case Type::kNumber:
      return value.isNumber();
    case Type::kBoolean:
      return value.kind == Kind::kBool;
    default:
      return value.isScalar();
  }
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
        if (!isOf(value, shape.type)) wrongType(value, of, describe(shape.type));
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
    problems_.error(
        value.where, "wrong-type",
        "`" + printable(of) + "` is " + std::string(wanted) + ", and this is " + std::string(describe(value)),
        mend(value, wanted));
  }

  static std::string mend(const yaml::Node& value, std::string_view wanted) {
    const std::string written = shortened(printable(value.scalar), 60);
    if (!value.isText())
      return value.isScalar() && wanted == describe(Type::kText) ? "write it in quotes: " + quoted(written)
                                                                 : "";
    const bool flag = written == "true" || written == "false",
               number = written.find_first_not_of("0123456789") == std::string::npos;
    if (flag && wanted == describe(Type::kBoolean)) return "take the quotes off: `" + written + "`";
    if (number && !written.empty() && wanted == describe(Type::kInteger))
      return "take the quotes off: `" + written + "`";
    return {};
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

const Shape* shapeOf(std::string_view apiVersion, std::string_view kind) {
  const auto slash = apiVersion.find('/');
  return schema::kind(slash == std::string_view::npos ? std::string_view{} : apiVersion.substr(0, slash),
                      kind);
}

}  // namespace

Diagnostics wrongTypes(const yaml::Node& object) {
  Problems problems;
  const auto kind = textAt(object, "kind");
  if (const Shape* shape = shapeOf(textAt(object, "apiVersion"), kind))
    Walk(problems).check(object, *shape, kind);
  auto all = problems.take();
  std::erase_if(all, [](const Diagnostic& d) { return d.severity != Severity::kError; });
  return all;
}

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
  const Shape* shape = shapeOf(version, kind);
  if (shape != nullptr) Walk(problems).check(object, *shape, kind);
  if (kind == "Pod" && version == "v1") checkContainers(object, problems);
}

}  // namespace driftbar::policy
