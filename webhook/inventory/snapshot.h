// Snapshot: the nodes and namespaces of a cluster at one moment. Immutable; published whole.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "kube/labels.h"
#include "kube/node.h"

namespace driftbar::inventory {

class Namespace {
 public:
  static Result<std::shared_ptr<const Namespace>> parse(Json object);
  std::string_view name() const { return name_; }
  const kube::Labels& labels() const { return labels_; }
  Json object() const { return document_.root(); }  // its metadata without managedFields

 private:
  explicit Namespace(JsonDocument document) : document_(std::move(document)) {}
  JsonDocument document_;
  std::string_view name_;
  kube::Labels labels_;
};

using NodePtr = std::shared_ptr<const kube::Node>;
using NamespacePtr = std::shared_ptr<const Namespace>;

class Snapshot {
 public:
  Snapshot() = default;
  // Of two nodes or namespaces of one name the later counts.
  Snapshot(std::vector<NodePtr> nodes, std::vector<NamespacePtr> namespaces);

  std::span<const NodePtr> nodes() const { return nodes_; }  // sorted by name
  const kube::Node* node(std::string_view name) const;       // null where there is none
  const Namespace* ns(std::string_view name) const;
  std::size_t namespaceCount() const { return namespaces_.size(); }

 private:
  std::vector<NodePtr> nodes_;
  std::vector<NamespacePtr> namespaces_;  // sorted by name
};

}  // namespace driftbar::inventory
