#include "policy/resources.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/text.h"
#include "policy/vocabulary.h"

namespace driftbar::policy {
namespace {

struct CoreResource {
  std::string_view name;
  std::string_view kind;
  std::span<const std::string_view> covered;   // subresources that the bare name means too
  std::span<const std::string_view> own;       // those with requests of their own
  std::span<const std::string_view> connects;  // and those that one connects to
};

constexpr std::string_view kPodCovered[] = {"ephemeralcontainers", "resize", "status"};
constexpr std::string_view kPodOwn[] = {"binding", "eviction"};
constexpr std::string_view kPodConnects[] = {"exec", "attach", "portforward", "proxy"};
constexpr std::string_view kStatus[] = {"status"};
constexpr std::string_view kProxy[] = {"proxy"};

// The resources of the core group that are admitted (k8s.io/kubernetes pkg/registry/core/rest).
constexpr CoreResource kCore[] = {
    {"pods", "Pod", kPodCovered, kPodOwn, kPodConnects},
    {"nodes", "Node", kStatus, {}, kProxy},
    {"bindings", "Binding", {}, {}, {}},
    {"configmaps", "ConfigMap", {}, {}, {}},
    {"endpoints", "Endpoints", {}, {}, {}},
    {"events", "Event", {}, {}, {}},
    {"limitranges", "LimitRange", {}, {}, {}},
    {"namespaces", "Namespace", {}, kStatus, {}},
    {"persistentvolumeclaims", "PersistentVolumeClaim", {}, kStatus, {}},
    {"persistentvolumes", "PersistentVolume", {}, kStatus, {}},
    {"podtemplates", "PodTemplate", {}, {}, {}},
    {"replicationcontrollers", "ReplicationController", {}, kStatus, {}},
    {"resourcequotas", "ResourceQuota", {}, kStatus, {}},
    {"secrets", "Secret", {}, {}, {}},
    {"serviceaccounts", "ServiceAccount", {}, {}, {}},
    {"services", "Service", {}, kStatus, kProxy},
};

// Resources that people write without their group.
struct Grouped {
  std::string_view name, group;
};
constexpr Grouped kGrouped[] = {
    {"deployments", "apps"},
    {"replicasets", "apps"},
    {"statefulsets", "apps"},
    {"daemonsets", "apps"},
    {"jobs", "batch"},
    {"cronjobs", "batch"},
    {"jobsets", "jobset.x-k8s.io"},
    {"pytorchjobs", "kubeflow.org"},
    {"tfjobs", "kubeflow.org"},
    {"mpijobs", "kubeflow.org"},
    {"xgboostjobs", "kubeflow.org"},
    {"jaxjobs", "kubeflow.org"},
    {"paddlejobs", "kubeflow.org"},
    {"trainjobs", "trainer.kubeflow.org"},
    {"rayjobs", "ray.io"},
    {"rayclusters", "ray.io"},
    {"rayservices", "ray.io"},
    {"raycronjobs", "ray.io"},
    {"leaderworkersets", "leaderworkerset.x-k8s.io"},
    {"leases", "coordination.k8s.io"},
};

bool has(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const CoreResource* coreResource(std::string_view name) {
  for (const auto& row : kCore) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::vector<std::string_view> coreNames() {
  std::vector<std::string_view> names;
  for (const auto& row : kCore) names.push_back(row.name);
  return names;
}

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

void unknownCore(const Location& where, const std::string& word, std::string_view name, Problems& problems) {
  const std::string lower = lowered(name);
  for (const auto& row : kCore) {
    if (lower != lowered(row.kind) && lower != row.name) continue;
    problems.error(where, "unknown-word", "unknown resource `" + word + "`",
                   "resources are plural and in lower case: `" + std::string(row.name) + "`");
    return;
  }
  for (const auto& row : kGrouped) {
    if (lower != row.name && lower + "s" != row.name) continue;
    problems.error(where, "unknown-word", "unknown resource `" + word + "`",
                   "a resource outside of the core group carries its group: `" + std::string(row.name) + "." +
                       std::string(row.group) + "`");
    return;
  }
  if (has(kPodOwn, lower) || has(kPodConnects, lower)) {
    problems.error(where, "unknown-word", "unknown resource `" + word + "`", "write `pods/" + lower + "`");
    return;
  }
  const auto meant = nearest(name, coreNames());
  problems.error(where, "unknown-word", "unknown resource `" + word + "`",
                 meant.empty() ? "write the plural and the group, such as `jobs.batch`"
                               : "did you mean `" + std::string(meant) + "`?");
}

bool checkCore(const yaml::Node& word, std::string_view name, std::string_view sub, Problems& problems) {
  const CoreResource* row = coreResource(name);
  if (row == nullptr) return unknownCore(word.where, word.scalar, name, problems), false;
  if (sub.empty() || has(row->own, sub) || has(row->connects, sub)) return true;
  if (has(row->covered, sub)) {
    problems.error(word.where, "unknown-word",
                   "`" + word.scalar + "` is looked at with `" + std::string(name) + "`",
                   "write `" + std::string(name) + "`");
    return false;
  }
  std::vector<std::string_view> known(row->own.begin(), row->own.end());
  known.insert(known.end(), row->connects.begin(), row->connects.end());
  const auto meant = nearest(sub, known);
  problems.error(word.where, "unknown-word", "no request about `" + word.scalar + "` reaches a webhook",
                 !meant.empty()  ? "did you mean `" + std::string(name) + "/" + std::string(meant) + "`?"
                 : known.empty() ? ""
                                 : "`" + std::string(name) + "` has " + listed(known, "and"));
  return false;
}

}  // namespace

namespace {

// `v1`, `v1beta2`: where a subresource stands.
bool isVersion(std::string_view sub) {
  return sub.size() > 1 && sub[0] == 'v' && sub[1] >= '0' && sub[1] <= '9';
}

}  // namespace

std::optional<Resources> Resources::parse(const yaml::Node& node, Problems& problems) {
  const std::size_t before = problems.errorCount();
  Resources resources;
  for (const auto* word : wordsOf(node, "resources", problems)) {
    const std::string& text = word->scalar;
    const auto slash = std::min(text.find('/'), text.size());
    const auto dot = std::min(text.find('.'), slash);
    Name name{dot < slash ? text.substr(dot + 1, slash - dot - 1) : "", text.substr(0, dot),
              slash < text.size() ? text.substr(slash + 1) : ""};
    if (isVersion(name.subResource)) {
      problems.error(word->where, "unknown-word", "a resource has no version here: `" + printable(text) + "`",
                     "write `" + printable(std::string_view(text).substr(0, slash)) + "`");
      continue;
    }
    if (name.resource != "*" && name.group.empty() &&
        !checkCore(*word, name.resource, name.subResource, problems))
      continue;
    if (lowered(name.resource) != name.resource) {
      problems.error(word->where, "unknown-word", "unknown resource `" + text + "`",
                     "resources are plural and in lower case, such as `jobs.batch`");
      continue;
    }
    // Both mean the scheduler's binding of a pod to a node.
    if (name.resource == "bindings" && name.group.empty()) name = {"", "pods", "binding"};
    resources.names_.push_back(std::move(name));
  }
  return problems.errorCount() == before ? std::optional(resources) : std::nullopt;
}

bool Resources::has(const kube::Request& request) const {
  const auto& asked = request.resource;
  const bool binding = isAskedOfPod(request) && asked.resource == "bindings";
  const std::string_view resource = binding ? "pods" : asked.resource;
  const std::string_view sub = binding ? "binding" : request.subResource;
  const CoreResource* core = asked.group.empty() ? coreResource(resource) : nullptr;
  const bool whole = sub.empty() || (core != nullptr && policy::has(core->covered, sub));
  return std::any_of(names_.begin(), names_.end(), [&](const Name& name) {
    if (name.resource == "*") return name.subResource.empty() ? whole : name.subResource == sub;
    return name.resource == resource && name.group == asked.group &&
           (name.subResource.empty() ? whole : name.subResource == sub);
  });
}

namespace {

bool isNode(std::string_view group, std::string_view resource, std::string_view sub) {
  return group.empty() && resource == "nodes" && sub.empty();
}

bool connectsTo(std::string_view group, std::string_view resource, std::string_view sub) {
  const CoreResource* core = group.empty() ? coreResource(resource) : nullptr;
  return core != nullptr && !sub.empty() && has(core->connects, sub);
}

}  // namespace

bool Resources::namesNodes() const {
  return std::any_of(names_.begin(), names_.end(),
                     [](const Name& n) { return isNode(n.group, n.resource, n.subResource); });
}

bool Resources::namesOnlyNodes() const {
  return std::all_of(names_.begin(), names_.end(),
                     [](const Name& n) { return isNode(n.group, n.resource, n.subResource); });
}

bool Resources::connects() const {
  return std::any_of(names_.begin(), names_.end(), [](const Name& n) {
    return n.resource == "*" || connectsTo(n.group, n.resource, n.subResource);
  });
}

bool Resources::holds() const {
  return std::any_of(names_.begin(), names_.end(),
                     [](const Name& n) { return !connectsTo(n.group, n.resource, n.subResource); });
}

std::optional<Resources::One> Resources::one() const {
  if (names_.size() != 1 || !names_[0].subResource.empty() || names_[0].resource == "*") return std::nullopt;
  return One{names_[0].group, names_[0].resource};
}

bool isAboutPod(const kube::Request& request) {
  return request.resource.group.empty() && request.resource.resource == "pods" &&
         (request.subResource.empty() || has(kPodCovered, request.subResource));
}

bool isAboutNode(const kube::Request& request) {
  return request.resource.group.empty() && request.resource.resource == "nodes" &&
         (request.subResource.empty() || has(kStatus, request.subResource));
}

bool isAboutNamespace(const kube::Request& request) {
  return request.resource.group.empty() && request.resource.resource == "namespaces";
}

bool isAskedOfPod(const kube::Request& request) {
  if (!request.resource.group.empty()) return false;
  if (request.resource.resource == "bindings") return true;
  return request.resource.resource == "pods" &&
         (has(kPodOwn, request.subResource) || has(kPodConnects, request.subResource));
}

}  // namespace driftbar::policy
