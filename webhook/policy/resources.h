// Resources: what `match.resources` names, and which requests are meant by it.
//
// A word is `pods`, `pods/exec`, `jobs.batch`, `deployments.apps/scale`, or `*`. `pods` and `nodes` cover the
// subresources that can change what rules look at; any other subresource goes by its own name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/review.h"
#include "policy/problems.h"

namespace driftbar::policy {

class Resources {
 public:
  // What is wrong is reported: a kind for a resource, a group that is missing, a subresource that nobody asks
  // about.
  static std::optional<Resources> parse(const yaml::Node& node, Problems& problems);

  bool has(const kube::Request& request) const;
  bool namesNodes() const;      // `nodes` is among them
  bool namesOnlyNodes() const;  // and nothing else
  // Whether any of them is connected to (exec, proxy…), and whether any is something else.
  bool connects() const;
  bool holds() const;
  // The group and resource, where exactly one is named, and no subresource.
  struct One {
    std::string group, resource;
  };
  std::optional<One> one() const;

 private:
  struct Name {
    std::string group, resource, subResource;
  };
  std::vector<Name> names_;
};

// Requests about a pod: the pod itself, and the subresources that can change its spec or state.
bool isAboutPod(const kube::Request& request);
// Likewise of a node.
bool isAboutNode(const kube::Request& request);
// A namespace, its status, or its finalizing: what carries the namespace itself.
bool isAboutNamespace(const kube::Request& request);
// What is asked of a pod and does not carry it: exec, attach, portforward, proxy, binding, eviction, and the
// old `bindings`.
bool isAskedOfPod(const kube::Request& request);

}  // namespace driftbar::policy
