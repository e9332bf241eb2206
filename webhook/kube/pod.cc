#include "kube/pod.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace driftbar::kube {
namespace {

struct ContainerList {
  std::string_view name;
  ContainerKind kind;
};

constexpr ContainerList kContainerLists[] = {{"initContainers", ContainerKind::kInit},
                                             {"containers", ContainerKind::kOrdinary},
                                             {"ephemeralContainers", ContainerKind::kEphemeral}};

using Amounts = std::map<std::string_view, Quantity>;

// What is no quantity is left out: the API server lets none through.
Amounts amountsOf(Json resources) {
  Amounts amounts;
  for (const auto& [name, amount] : resources.entries()) {
    if (const auto quantity = Quantity::read(amount)) amounts.emplace(name, *quantity);
  }
  return amounts;
}

void add(Amounts& to, const Amounts& more) {
  for (const auto& [name, amount] : more) to[name] = to[name] + amount;
}

void raise(Amounts& to, const Amounts& least) {
  for (const auto& [name, amount] : least) {
    const auto [at, added] = to.emplace(name, amount);
    if (!added) at->second = std::max(at->second, amount);
  }
}

// A container's requests; a limit stands for a request that is not there (defaults.go SetDefaults_Pod).
Amounts requestsOf(Json container) {
  Amounts requests = amountsOf(container["resources"]["requests"]);
  requests.merge(amountsOf(container["resources"]["limits"]));
  return requests;
}

// The sum of the ordinary containers and sidecars, and at least what each init container needs beside the
// sidecars started before it.
Amounts requestsOfContainers(Json spec) {
  Amounts total, sidecars, peak;
  for (const Json container : spec["containers"].items()) add(total, requestsOf(container));
  for (const Json json : spec["initContainers"].items()) {
    Amounts needed = requestsOf(json);
    if (Container{json, ContainerKind::kInit, 0}.restartsAlways()) {
      add(total, needed);
      add(sidecars, needed);
    } else {
      add(needed, sidecars);
      raise(peak, needed);
    }
  }
  raise(total, peak);
  return total;
}

bool isHugePages(std::string_view name) {
  return name.starts_with("hugepages-");
}

bool isPodLevel(std::string_view name) {
  return name == "cpu" || name == "memory" || isHugePages(name);
}

// What spec.resources says for the pod as a whole takes the place of what its containers say. A pod-level
// limit stands for a request that neither the pod nor, for cpu and memory, a container has (defaults.go
// defaultPodRequests).
void applyPodLevel(Json resources, Amounts& total) {
  Amounts podLevel = amountsOf(resources["requests"]);
  for (const auto& [name, amount] : amountsOf(resources["limits"])) {
    if (isHugePages(name) || !total.contains(name)) podLevel.emplace(name, amount);
  }
  for (const auto& [name, amount] : podLevel) {
    if (isPodLevel(name)) total[name] = amount;
  }
}

// ---- the same of one resource; nothing where nobody says an amount

using Amount = std::optional<Quantity>;

Amount plus(Amount a, Amount b) {
  return a && b ? *a + *b : a ? a : b;
}

Amount requestOf(Json container, std::string_view resource) {
  const Json resources = container["resources"];
  for (const auto list : {"requests", "limits"}) {
    const Json amount = resources[list][resource];
    if (!amount.exists()) continue;
    if (const auto quantity = Quantity::read(amount)) return quantity;
  }
  return std::nullopt;
}

Amount requestOfContainers(Json spec, std::string_view resource) {
  Amount total, sidecars, peak;
  for (const Json container : spec["containers"].items()) total = plus(total, requestOf(container, resource));
  for (const Json json : spec["initContainers"].items()) {
    const Amount needed = requestOf(json, resource);
    if (Container{json, ContainerKind::kInit, 0}.restartsAlways()) {
      total = plus(total, needed);
      sidecars = plus(sidecars, needed);
    } else {
      peak = std::max(peak, plus(needed, sidecars));
    }
  }
  return std::max(total, peak);
}

Amount podLevelRequest(Json resources, std::string_view resource, const Amount& ofContainers) {
  if (const Json asked = resources["requests"][resource]; asked.exists()) {
    if (const auto quantity = Quantity::read(asked)) return quantity;
  }
  const Json limit = resources["limits"][resource];
  const bool counts = limit.exists() && (isHugePages(resource) || !ofContainers);
  return counts ? Quantity::read(limit) : std::nullopt;
}

}  // namespace

std::string Pod::shownName() const {
  if (!name().empty()) return std::string(name());
  return std::string(metadata_["generateName"].text()) + "*";
}

bool Pod::claimsToBeMirror() const {
  return metadata_["annotations"]["kubernetes.io/config.mirror"].exists();
}

bool controlledBy(Json object, std::string_view group, std::string_view kind) {
  for (const Json owner : object["metadata"]["ownerReferences"].items()) {
    const auto version = owner["apiVersion"].text();
    const bool ofGroup = version.starts_with(group) && version.substr(group.size()).starts_with('/');
    if (ofGroup && owner["kind"].text() == kind && owner["controller"].isTrue()) return true;
  }
  return false;
}

std::vector<std::string_view> Pod::ownerKinds() const {
  std::vector<std::string_view> kinds;
  for (const Json owner : metadata_["ownerReferences"].items()) {
    const std::string_view kind = owner["kind"].text();
    kinds.push_back(kind);
    // Deployments put this label on the pods of their ReplicaSets; nobody else does.
    if (kind == "ReplicaSet" && metadata_["labels"]["pod-template-hash"].exists())
      kinds.emplace_back("Deployment");
  }
  return kinds;
}

std::string Pod::serviceAccount(std::string_view ns) const {
  std::string_view account = spec_["serviceAccountName"].text();
  if (account.empty()) account = spec_["serviceAccount"].text();  // its old name
  if (account.empty()) account = "default";
  return std::string(ns) + "/" + std::string(account);
}

std::vector<Container> Pod::containers() const {
  std::vector<Container> all;
  for (const auto& list : kContainerLists) {
    std::size_t index = 0;
    for (const Json json : spec_[list.name].items()) all.push_back({json, list.kind, index++});
  }
  return all;
}

std::vector<RequestedResource> effectiveRequests(Json podSpec) {
  Amounts total = requestsOfContainers(podSpec);
  applyPodLevel(podSpec["resources"], total);
  add(total, amountsOf(podSpec["overhead"]));
  std::vector<RequestedResource> sorted;
  for (const auto& [name, amount] : total) sorted.push_back({std::string(name), amount});
  return sorted;
}

Quantity effectiveRequest(Json podSpec, std::string_view resource) {
  Amount total = requestOfContainers(podSpec, resource);
  if (isPodLevel(resource)) {
    if (const Amount podLevel = podLevelRequest(podSpec["resources"], resource, total)) total = podLevel;
  }
  const Json overhead = podSpec["overhead"][resource];
  if (overhead.exists()) total = plus(total, Quantity::read(overhead));
  return total.value_or(Quantity());
}

}  // namespace driftbar::kube
