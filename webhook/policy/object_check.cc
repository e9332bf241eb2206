#include "policy/object_check.h"

#include <string>
#include <string_view>

#include "base/text.h"
#include "policy/path_check.h"
#include "schema/fits.h"
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

Json::Type sortOf(const yaml::Node& value) {
  using Kind = yaml::Node::Kind;
  switch (value.kind) {
    case Kind::kNull:
      return Json::Type::kNull;
    case Kind::kBool:
      return Json::Type::kBool;
    case Kind::kInteger:
      return Json::Type::kInteger;
    case Kind::kReal:
      return Json::Type::kReal;
    case Kind::kText:
      return Json::Type::kText;
    case Kind::kList:
      return Json::Type::kList;
    case Kind::kMap:
      return Json::Type::kMap;
  }
  return Json::Type::kMissing;
}

class Walk {
 public:
  explicit Walk(Problems& problems) : problems_(problems) {}

  // `of` is the key that the value stands under.
  void check(const yaml::Node& value, const Shape& shape, std::string_view of) {
    if (value.isNull()) return;
    if (!schema::isOf(shape.type, sortOf(value))) return wrongType(value, of, shape.type);
    if (shape.type == Type::kObject) {
      for (const auto& entry : value.entries) checkField(entry, shape);
    } else if (shape.element != nullptr) {
      for (const auto& [key, item] : value.entries) check(item, *shape.element, key.scalar);
      for (const auto& item : value.items) check(item, *shape.element, of);
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

  void wrongType(const yaml::Node& value, std::string_view of, Type wanted) {
    problems_.error(value.where, "wrong-type",
                    "`" + printable(of) + "` is " + std::string(describe(wanted)) + ", and this is " +
                        std::string(describe(value)),
                    mend(value, wanted));
  }

  static std::string mend(const yaml::Node& value, Type wanted) {
    const std::string written = shortened(printable(value.scalar), 60);
    if (wanted == Type::kText && value.isScalar()) return "write it in quotes: " + quoted(written);
    const bool flag = written == "true" || written == "false";
    const bool number = !written.empty() && written.find_first_not_of("0123456789") == std::string::npos;
    const bool meant = (wanted == Type::kBoolean && flag) || (wanted == Type::kInteger && number);
    return value.isText() && meant ? "take the quotes off: `" + written + "`" : "";
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

// What the walk says of an object that severely.
Diagnostics walked(const yaml::Node& object, Severity severity) {
  Problems problems;
  const auto kind = textAt(object, "kind");
  if (const Shape* shape = shapeOf(textAt(object, "apiVersion"), kind))
    Walk(problems).check(object, *shape, kind);
  auto all = problems.take();
  std::erase_if(all, [&](const Diagnostic& d) { return d.severity != severity; });
  return all;
}

}  // namespace

Diagnostics wrongTypes(const yaml::Node& object) {
  return walked(object, Severity::kError);
}

Diagnostics unknownFields(const yaml::Node& object) {
  return walked(object, Severity::kWarning);
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
