#include "decision/subject.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "scheduling/placement.h"

namespace driftbar::decision {

bool concernsPod(const kube::Request& request) {
  constexpr std::array<std::string_view, 4> kSubResources{"", "ephemeralcontainers", "resize", "status"};
  return request.resource.group.empty() && request.resource.resource == "pods" &&
         std::find(kSubResources.begin(), kSubResources.end(), request.subResource) != kSubResources.end() &&
         request.subject().isMap();
}

bool isOwnMirror(const kube::Request& request) {
  const kube::Pod pod(request.subject());
  constexpr std::string_view kNodeUser = "system:node:";
  return pod.claimsToBeMirror() && request.user.name.starts_with(kNodeUser) &&
         request.user.name.substr(kNodeUser.size()) == pod.nodeName() && request.user.inGroup("system:nodes");
}

bool onlyLetsGo(const kube::Request& request) {
  return request.operation == kube::Operation::kUpdate &&
         request.oldObject["metadata"]["deletionTimestamp"].exists() &&
         request.object["spec"] == request.oldObject["spec"];
}

bool settlesPlacement(const kube::Request& request) {
  const kube::Pod now(request.object);
  if (request.operation == kube::Operation::kCreate) return !now.gated();
  if (request.operation != kube::Operation::kUpdate) return false;
  const kube::Pod before(request.oldObject);
  if (!before.nodeName().empty() || now.gated()) return false;
  return before.gated() || !scheduling::samePlacement(before.spec(), now.spec());
}

std::string shown(const kube::Pod& pod) {
  return "Pod " + quoted(pod.shownName());
}

}  // namespace driftbar::decision
