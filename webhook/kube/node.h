// Node: what is kept of a node, the only thing that placement and rules about candidates may read.
//
// Kept: metadata.name, uid, resourceVersion, creationTimestamp, labels, annotations (each value up to
// kMaxAnnotationBytes, see there), spec.taints, spec.unschedulable, spec.providerID, status.conditions,
// capacity, allocatable, nodeInfo, addresses. Left out: images, managedFields, volumes, the daemon endpoints.
// What is kept sits in a small JSON document of the node's own, so that `field: node.…` reads a candidate and
// a request's node in one way; the typed members are views into it. Immutable, shared by snapshots.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/field_path.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "kube/labels.h"
#include "kube/quantity.h"
#include "kube/taint.h"

namespace driftbar::kube {

// Kubernetes allows 256 KiB of annotations an object; at 5,000 nodes that would be 1.3 GB. The largest that
// rules read is the fact sheet of a node, some 4 KiB. A value longer than this is kept out (its key reads as
// absent, and `droppedAnnotations` counts it).
inline constexpr std::size_t kMaxAnnotationBytes = 16 * 1024;

struct Condition {
  std::string_view type, status, reason, message;
  std::optional<Instant> lastTransition;
};

struct Resource {
  std::string_view name;
  Quantity amount;
};

// What a node's agent reports of it, such as `gpu.driver`: the value as text.
struct Fact {
  std::string_view name, text;
};
// Where it writes them, as JSON.
inline constexpr std::string_view kFactsAnnotation = "driftbar.io/facts";

class Node {
 public:
  // Reads a Node object (apiVersion v1; an item of a NodeList has no kind written). Errors: another kind, no
  // name, a label or an annotation that is not text, a quantity that is none: each with its path. `object` is
  // not referred to afterwards.
  static Result<std::shared_ptr<const Node>> parse(Json object);

  // The kept part, as a Node object.
  Json object() const { return document_.root(); }

  std::string_view name() const { return name_; }
  std::string_view uid() const { return object()["metadata"]["uid"].text(); }
  const Labels& labels() const { return labels_; }
  const Labels& annotations() const { return annotations_; }
  std::span<const Taint> taints() const { return taints_; }
  // Whether a taint closes the node to pods without tolerations.
  bool tainted() const { return tainted_; }
  bool unschedulable() const { return unschedulable_; }
  std::span<const Condition> conditions() const { return conditions_; }
  const Condition* condition(std::string_view type) const;                // null where there is none
  std::span<const Resource> allocatable() const { return allocatable_; }  // sorted by name
  std::size_t droppedAnnotations() const { return droppedAnnotations_; }
  // False where there is no agent, or what it wrote is not to be read (no JSON, no map, a value that is a
  // list or a map): then nothing is known of the node's facts, and there are none here.
  bool factsKnown() const { return factsKnown_; }
  std::span<const Fact> facts() const { return facts_; }              // sorted by name
  std::optional<std::string_view> fact(std::string_view name) const;  // nothing where it is not reported

  // Whether a field path below a node (its steps start at metadata, spec or status) is among what is kept.
  static bool keeps(const FieldPath& path);

 private:
  explicit Node(JsonDocument document) : document_(std::move(document)) {}
  void read();       // fills the typed members from the document
  void readFacts();  // from the annotation

  JsonDocument document_;
  std::string_view name_;
  Labels labels_, annotations_;
  std::vector<Taint> taints_;
  std::vector<Condition> conditions_;
  std::vector<Resource> allocatable_;
  std::string factTexts_;  // what facts_ looks at
  std::vector<Fact> facts_;
  bool factsKnown_ = false;
  std::size_t droppedAnnotations_ = 0;
  bool unschedulable_ = false;
  bool tainted_ = false;
};

}  // namespace driftbar::kube
