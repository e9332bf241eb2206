// Snapshot: the nodes and namespaces of a cluster at one moment. Immutable; published whole. One that was
// read from files also holds whatever other objects stood in them, for rules that look something up.
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

// An object of any other kind, as it was written.
class OtherObject {
 public:
  // `apps/v1` and `ReplicaSet` are given, for an object in a list need not say them itself.
  OtherObject(JsonDocument document, std::string_view apiVersion, std::string kind);
  // `apps`, without the version: one object can be had in several.
  std::string_view group() const { return group_; }
  std::string_view kind() const { return kind_; }
  std::string_view ns() const { return ns_; }
  std::string_view name() const { return name_; }
  Json object() const { return document_.root(); }

 private:
  JsonDocument document_;
  std::string group_, kind_;
  std::string_view ns_, name_;
};

using OtherPtr = std::shared_ptr<const OtherObject>;
using NodePtr = std::shared_ptr<const kube::Node>;
using NamespacePtr = std::shared_ptr<const Namespace>;

class Snapshot {
 public:
  Snapshot() = default;
  // Of two nodes or namespaces of one name the later counts.
  // As of two others of one group, kind, namespace and name.
  Snapshot(std::vector<NodePtr> nodes, std::vector<NamespacePtr> namespaces,
           std::vector<OtherPtr> others = {});

  // The same nodes and namespaces with these others.
  Snapshot withOthers(std::vector<OtherPtr> others) const {
    return Snapshot(nodes_, namespaces_, std::move(others));
  }

  std::span<const NodePtr> nodes() const { return nodes_; }  // sorted by name
  const kube::Node* node(std::string_view name) const;       // null where there is none
  const Namespace* ns(std::string_view name) const;
  std::size_t namespaceCount() const { return namespaces_.size(); }

  // An object of another kind than these two; null where there is none. People leave out the namespace
  // `default`, so it and none are the same.
  OtherPtr object(std::string_view group, std::string_view kind, std::string_view ns,
                  std::string_view name) const;
  std::size_t objectCount() const { return others_.size(); }

 private:
  std::vector<NodePtr> nodes_;
  std::vector<NamespacePtr> namespaces_;  // sorted by name
  std::vector<OtherPtr> others_;          // sorted by name first
};

}  // namespace driftbar::inventory
