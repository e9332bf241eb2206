#include "scheduling/narrowing.h"

#include <string_view>

#include "base/text.h"

namespace driftbar::scheduling {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

void podAffinity(Json spec, Names& names) {
  if (spec["affinity"]["podAffinity"][kRequired].size() > 0) names.push_back("pod affinity");
}

void podAntiAffinity(Json spec, Names& names) {
  if (spec["affinity"]["podAntiAffinity"][kRequired].size() > 0) names.push_back("pod anti-affinity");
}

// An absent whenUnsatisfiable is refused by the API server.
void topologySpread(Json spec, Names& names) {
  for (const Json constraint : spec["topologySpreadConstraints"].items()) {
    if (constraint["whenUnsatisfiable"].text() != "DoNotSchedule") continue;
    names.push_back("topology spread over " + printable(constraint["topologyKey"].text()));
  }
}

// A claim's volume may be reachable from some nodes only, and nodes attach so many.
void volumes(Json spec, Names& names) {
  constexpr std::string_view kOfClaims[] = {"persistentVolumeClaim", "ephemeral", "csi"};
  for (const Json volume : spec["volumes"].items()) {
    for (const auto source : kOfClaims) {
      if (volume[source].exists())
        names.push_back("volume " + printable(volume["name"].text()) + " (" + std::string(source) + ")");
    }
  }
}

void claims(Json spec, Names& names) {
  for (const Json claim : spec["resourceClaims"].items())
    names.push_back("resource claim " + printable(claim["name"].text()));
}

void hostPorts(Json spec, Names& names) {
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const Json container : spec[list].items()) {
      for (const Json port : container["ports"].items()) {
        const Json asked = spec["hostNetwork"].isTrue() ? port["containerPort"] : port["hostPort"];
        const auto number = asked.asInteger();
        if (number && *number > 0) names.push_back("host port " + std::to_string(*number));
      }
    }
  }
}

void scheduler(Json spec, Names& names) {
  const auto name = spec["schedulerName"].text();
  if (!name.empty() && name != "default-scheduler")
    names.push_back("scheduler " + printable(name) + ", which may filter by its own rules");
}

// Plugins of kube-scheduler that filter by more than the pod and the node (pkg/scheduler/framework/plugins:
// interpodaffinity, podtopologyspread, volumebinding, volumezone, nodevolumelimits, dynamicresources,
// nodeports).
constexpr void (*kTable[])(Json, Names&) = {podAffinity, podAntiAffinity, topologySpread, volumes,
                                            claims,      hostPorts,       scheduler};

}  // namespace

std::vector<std::string> narrowedBy(Json podSpec) {
  Names names;
  for (const auto row : kTable) row(podSpec, names);
  return names;
}

}  // namespace driftbar::scheduling
