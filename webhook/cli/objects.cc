#include "cli/objects.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "policy/object_check.h"

namespace driftbar::cli {
namespace {

std::string textAt(const yaml::Node& map, std::string_view key) {
  const auto* node = map.find(key);
  return node != nullptr && node->isText() ? node->scalar : std::string();
}

class Reader {
 public:
  void read(yaml::Node document) {
    if (!document.isMap()) {
      wrong(document, "not-an-object",
            "expected a Kubernetes object, found " + std::string(yaml::describe(document)));
      return;
    }
    if (textAt(document, "kind").ends_with("List") && document.find("items") != nullptr) {
      readList(document);
      return;
    }
    readObject(std::move(document));
  }

  Result<std::vector<Object>> finish() && {
    if (!diagnostics.empty()) return std::move(diagnostics);
    return std::move(objects);
  }

  std::vector<Object> objects;
  Diagnostics diagnostics;

 private:
  void readList(const yaml::Node& list) {
    const auto& items = *list.find("items");
    if (!items.isList() && !items.isNull()) {
      return wrong(items, "wrong-type",
                   "`items` must be a list, this is " + std::string(yaml::describe(items)));
    }
    for (const auto& item : items.items) read(item);
  }

  void readObject(yaml::Node document) {
    Object object{std::move(document), {}, {}, {}, {}};
    object.apiVersion = required(object.node, "apiVersion");
    object.kind = required(object.node, "kind");
    if (!object.isReview()) readMetadata(object);
    if (object.kind == "Pod" && object.apiVersion == "v1") checkContainers(object.node);
    if (!object.isReview()) checkTypes(object.node);
    objects.push_back(std::move(object));
  }

  std::string required(const yaml::Node& map, std::string_view key) {
    if (!checkText(map, key)) return {};
    const auto text = textAt(map, key);
    if (text.empty()) wrong(map, "missing-field", "the object has no `" + std::string(key) + "`");
    return text;
  }

  void readMetadata(Object& object) {
    const auto* metadata = object.node.find("metadata");
    if (metadata == nullptr || !metadata->isMap()) {
      return wrong(object.node, "missing-field", "the object has no `metadata`");
    }
    bool texts = true;
    for (const char* key : {"namespace", "name", "generateName"}) texts &= checkText(*metadata, key);
    object.ns = textAt(*metadata, "namespace");
    object.name = textAt(*metadata, "name");
    if (const auto generated = textAt(*metadata, "generateName"); object.name.empty() && !generated.empty()) {
      object.name = generated + "*";
    }
    if (object.name.empty() && texts)
      wrong(*metadata, "missing-field", "the object has neither a `name` nor a `generateName`");
    for (const char* pairs : {"labels", "annotations"}) checkTexts(metadata->find(pairs), pairs);
  }

  // An API server reads these into text, and refuses a number or a boolean.
  bool checkText(const yaml::Node& map, std::string_view key) {
    const auto* value = map.find(key);
    if (value == nullptr || value->isNull() || value->isText()) return true;
    wrong(*value, "not-text",
          "`" + std::string(key) + "` must be text, this is " + std::string(yaml::describe(*value)),
          inQuotes(*value));
    return false;
  }

  static std::string inQuotes(const yaml::Node& value) {
    return value.isScalar() ? "write it in quotes: \"" + printable(value.scalar) + "\"" : "";
  }

  void checkTexts(const yaml::Node* map, std::string_view what) {
    if (map == nullptr || map->isNull()) return;
    if (!map->isMap()) return wrong(*map, "wrong-type", "`" + std::string(what) + "` must be a map of texts");
    for (const auto& [key, value] : map->entries) {
      if (value.isText() || value.isNull()) continue;
      wrong(value, "not-text",
            "the value of `" + printable(key.scalar) + "` in " + std::string(what) +
                " must be text, this is " + std::string(yaml::describe(value)),
            inQuotes(value));
    }
  }

  void checkContainers(const yaml::Node& pod) {
    const auto* spec = pod.find("spec");
    const auto* containers = spec != nullptr ? spec->find("containers") : nullptr;
    if (containers == nullptr || !containers->isList() || containers->items.empty()) {
      return wrong(spec != nullptr ? *spec : pod, "missing-field", "the pod has no `spec.containers`");
    }
    for (const auto& container : containers->items) {
      if (!checkText(container, "name")) continue;
      if (textAt(container, "name").empty()) wrong(container, "missing-field", "the container has no `name`");
    }
  }

  // What is told already is not told again in other words.
  void checkTypes(const yaml::Node& object) {
    for (auto& found : policy::wrongTypes(object)) {
      const bool told = std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& known) {
        return known.where.line == found.where.line && known.where.column == found.where.column &&
               known.where.source == found.where.source;
      });
      if (!told) diagnostics.push_back(std::move(found));
    }
  }

  void wrong(const yaml::Node& node, std::string id, std::string message, std::string help = {}) {
    diagnostics.push_back(errorAt(node.where, std::move(id), std::move(message), std::move(help)));
  }
};

}  // namespace

Result<std::vector<Object>> readObjects(const std::vector<Source>& sources) {
  Reader reader;
  for (const auto& source : sources) {
    auto documents = yaml::parse(source);
    if (!documents) {
      const auto& errors = documents.errors();
      reader.diagnostics.insert(reader.diagnostics.end(), errors.begin(), errors.end());
      continue;
    }
    for (auto& document : *documents) reader.read(std::move(document));
  }
  return std::move(reader).finish();
}

Result<std::vector<Object>> readObjects(yaml::Node document) {
  Reader reader;
  reader.read(std::move(document));
  return std::move(reader).finish();
}

}  // namespace driftbar::cli
