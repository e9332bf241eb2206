#include "inventory/snapshot.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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

// Sorts by name and keeps the last of each name.
template <typename Pointer>
void index(std::vector<Pointer>& objects) {
  const auto before = [](const Pointer& a, const Pointer& b) { return a->name() < b->name(); };
  if (!std::is_sorted(objects.begin(), objects.end(), before)) {
    std::stable_sort(objects.begin(), objects.end(), before);
  }
  const auto same = [](const Pointer& a, const Pointer& b) { return a->name() == b->name(); };
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

Snapshot::Snapshot(std::vector<NodePtr> nodes, std::vector<NamespacePtr> namespaces)
    : nodes_(std::move(nodes)), namespaces_(std::move(namespaces)) {
  index(nodes_);
  index(namespaces_);
}

const kube::Node* Snapshot::node(std::string_view name) const {
  return find(nodes_, name);
}

const Namespace* Snapshot::ns(std::string_view name) const {
  return find(namespaces_, name);
}

}  // namespace driftbar::inventory
