#include "inventory/snapshot.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

namespace driftbar::inventory {
namespace {

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";

std::string jsonText(std::string_view text) {
  return nlohmann::json(text).dump();
}

// The labels of a namespace as JSON, with the label that the API server gives each (its name).
std::string labelsText(Json labels, std::string_view name) {
  std::string out = "{" + jsonText(kNameLabel) + ":" + jsonText(name);
  for (const auto& [key, value] : labels.entries()) {
    if (key != kNameLabel) out += "," + jsonText(key) + ":" + value.dump();
  }
  return out + "}";
}

std::string keptText(Json metadata, std::string_view name) {
  std::string out = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"labels":)";
  out += labelsText(metadata["labels"], name);
  for (const auto& [key, value] : metadata.entries()) {
    if (key != "labels" && key != "managedFields") out += "," + jsonText(key) + ":" + value.dump();
  }
  return out + "}}";
}

// What an object of these is known by: its name, unless there may be several kinds.
template <typename Pointer>
auto keyOf(const Pointer& object) {
  return object->name();
}

using OtherKey = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

OtherKey otherKey(std::string_view group, std::string_view kind, std::string_view ns, std::string_view name) {
  return {name, kind, group, ns == "default" ? "" : ns};
}

OtherKey keyOf(const OtherPtr& object) {
  return otherKey(object->group(), object->kind(), object->ns(), object->name());
}

// Sorts by key and keeps the last of each.
template <typename Pointer>
void index(std::vector<Pointer>& objects) {
  const auto before = [](const Pointer& a, const Pointer& b) { return keyOf(a) < keyOf(b); };
  if (!std::is_sorted(objects.begin(), objects.end(), before)) {
    std::stable_sort(objects.begin(), objects.end(), before);
  }
  const auto same = [](const Pointer& a, const Pointer& b) { return keyOf(a) == keyOf(b); };
  // Read backwards, the last of a name is the first that is met.
  const auto first = std::unique(objects.rbegin(), objects.rend(), same);
  objects.erase(objects.begin(), first.base());
}

template <typename Pointer>
auto find(const std::vector<Pointer>& objects, std::string_view name) -> decltype(objects.front().get()) {
  const auto at = std::lower_bound(objects.begin(), objects.end(), name,
                                   [](const Pointer& p, std::string_view n) { return p->name() < n; });
  return at != objects.end() && (*at)->name() == name ? at->get() : nullptr;
}

}  // namespace

Result<std::shared_ptr<const Namespace>> Namespace::parse(Json object) {
  const Json metadata = object["metadata"];
  const std::string_view name = metadata["name"].text();
  if (name.empty()) {
    return error("missing-name", "a namespace without a name", "give it `metadata.name`", "metadata.name");
  }
  if (auto checked = kube::Labels::checked(metadata["labels"], "metadata.labels"); !checked) {
    return std::move(checked).errors();
  }
  auto document = JsonDocument::parse(keptText(metadata, name));
  if (!document) return std::move(document).errors();
  std::shared_ptr<Namespace> made(new Namespace(std::move(*document)));
  const Json kept = made->document_.root()["metadata"];
  made->name_ = kept["name"].text();
  made->labels_ = kube::Labels(kept["labels"]);
  return std::shared_ptr<const Namespace>(std::move(made));
}

OtherObject::OtherObject(JsonDocument document, std::string_view apiVersion, std::string kind)
    : document_(std::move(document)), kind_(std::move(kind)) {
  const auto slash = apiVersion.find('/');
  if (slash != std::string_view::npos) group_ = apiVersion.substr(0, slash);
  const Json metadata = document_.root()["metadata"];
  ns_ = metadata["namespace"].text();
  name_ = metadata["name"].text();
}

Snapshot::Snapshot(std::vector<NodePtr> nodes, std::vector<NamespacePtr> namespaces,
                   std::vector<OtherPtr> others)
    : nodes_(std::move(nodes)), namespaces_(std::move(namespaces)), others_(std::move(others)) {
  index(nodes_);
  index(namespaces_);
  index(others_);
}

const kube::Node* Snapshot::node(std::string_view name) const {
  return find(nodes_, name);
}

OtherPtr Snapshot::object(std::string_view group, std::string_view kind, std::string_view ns,
                          std::string_view name) const {
  const OtherKey key = otherKey(group, kind, ns, name);
  const auto at = std::lower_bound(others_.begin(), others_.end(), key,
                                   [](const OtherPtr& one, const OtherKey& k) { return keyOf(one) < k; });
  return at != others_.end() && keyOf(*at) == key ? *at : nullptr;
}

const Namespace* Snapshot::ns(std::string_view name) const {
  return find(namespaces_, name);
}

}  // namespace driftbar::inventory
