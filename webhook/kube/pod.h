// Pod: a typed look at a pod, or at the metadata and spec of a pod template. A view; no I/O, nothing kept.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "kube/quantity.h"
#include "kube/taint.h"

namespace driftbar::kube {

enum class ContainerKind { kInit, kOrdinary, kEphemeral };

struct Container {
  Json json;
  ContainerKind kind = ContainerKind::kOrdinary;
  std::size_t index = 0;  // in its own list
  std::string_view name() const { return json["name"].text(); }
  // A sidecar: an init container that goes on running (restartPolicy Always).
  bool restartsAlways() const { return json["restartPolicy"].text() == "Always"; }
};

class Pod {
 public:
  Pod() = default;
  explicit Pod(Json object) : metadata_(object["metadata"]), spec_(object["spec"]) {}

  Json metadata() const { return metadata_; }
  Json spec() const { return spec_; }
  std::string_view name() const { return metadata_["name"].text(); }
  std::string_view ns() const { return metadata_["namespace"].text(); }
  std::string_view nodeName() const { return spec_["nodeName"].text(); }
  // `bert-0`; `bert-*` for one that is yet to get its name.
  std::string shownName() const;
  bool gated() const { return spec_["schedulingGates"].size() > 0; }
  // The annotation kubernetes.io/config.mirror is there. Says nothing about who wrote it.
  bool claimsToBeMirror() const;
  // Kinds in metadata.ownerReferences; a ReplicaSet with the label pod-template-hash on the pod counts as
  // Deployment too.
  std::vector<std::string_view> ownerKinds() const;
  std::string serviceAccount(
      std::string_view ns) const;  // `namespace/name`; the name `default` where none is set

  // Init, ordinary, ephemeral containers, in this order.
  std::vector<Container> containers() const;
  std::vector<Toleration> tolerations() const { return Toleration::listOf(spec_["tolerations"]); }

 private:
  Json metadata_, spec_;
};

// Whether the object's controller, the owner with `controller: true`, is of this kind. Other references
// anyone may write: the garbage collector leaves an object that names an owner of a kind that there is not.
bool controlledBy(Json object, std::string_view group, std::string_view kind);

// What the scheduler counts a pod as asking for: containers added up, init containers by maximum, sidecars
// added to what runs beside them, spec.overhead, pod-level resources, limits where requests are absent (API
// defaulting). Source: component-helpers resource/helpers.go PodRequests. Sorted by name.
struct RequestedResource {
  std::string name;
  Quantity amount;
};
std::vector<RequestedResource> effectiveRequests(Json podSpec);
// Of one resource alone; 0 where it asks for none. Allocates nothing.
Quantity effectiveRequest(Json podSpec, std::string_view resource);

}  // namespace driftbar::kube
