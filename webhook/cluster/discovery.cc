#include "cluster/discovery.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cluster/api.h"

namespace driftbar::cluster {
namespace {

using decision::Answer;
using Found = std::variant<Resource, Answer>;
using std::chrono::minutes;

// Resources come and go with the operators that are installed: not often.
constexpr auto kKeepsServed = minutes(10);
// One that is not there may be just about to be installed.
constexpr auto kKeepsNotServed = minutes(1);
// Clusters have some thirty groups; the rest is for those that people make up.
constexpr std::size_t kMostVersions = 256;
// The API server's own bound on a name.
constexpr std::size_t kLongestName = 253;

struct BuiltIn {
  const char *group, *kind, *version, *plural;
  bool namespaced;
};
constexpr BuiltIn kBuiltIns[] = {
    {"", "Pod", "v1", "pods", true},
    {"", "Node", "v1", "nodes", false},
    {"", "Namespace", "v1", "namespaces", false},
    {"", "ReplicationController", "v1", "replicationcontrollers", true},
    {"apps", "ReplicaSet", "v1", "replicasets", true},
    {"apps", "Deployment", "v1", "deployments", true},
    {"apps", "StatefulSet", "v1", "statefulsets", true},
    {"apps", "DaemonSet", "v1", "daemonsets", true},
    {"batch", "Job", "v1", "jobs", true},
    {"batch", "CronJob", "v1", "cronjobs", true},
};

std::optional<Resource> builtIn(const std::string& group, const std::string& kind) {
  for (const auto& row : kBuiltIns) {
    if (group == row.group && kind == row.kind)
      return Resource{group, row.version, row.plural, row.namespaced};
  }
  return std::nullopt;
}

// Groups and versions are DNS names.
bool isDnsName(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= kLongestName && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), fits);
}

// As apimachinery's path.IsValidPathSegmentName.
bool isPathSegment(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && name.find('%') == std::string_view::npos;
}

std::string base(const std::string& group, const std::string& version) {
  return group.empty() ? "/api/" + version : "/apis/" + group + "/" + version;
}

std::map<std::string, Resource> kindsOf(Json list, const std::string& group, const std::string& version) {
  std::map<std::string, Resource> out;
  for (const Json one : list["resources"].items()) {
    const std::string plural(one["name"].text());
    if (!isPathSegment(plural)) continue;  // `jobs/status` is a part of an object
    out.try_emplace(std::string(one["kind"].text()),
                    Resource{group, version, plural, one["namespaced"].isTrue()});
  }
  return out;
}

}  // namespace

std::optional<std::string> Resource::path(const std::string& ns, const std::string& name) const {
  if (!isPathSegment(name) || (namespaced && !isPathSegment(ns))) return std::nullopt;
  return base(group, version) + (namespaced ? "/namespaces/" + queryValue(ns) : "") + "/" +
         queryValue(plural) + "/" + queryValue(name);
}

Found Discovery::find(const std::string& group, const std::string& version, const std::string& kind,
                      const Get& get) {
  if (auto known = builtIn(group, kind)) return *std::move(known);
  if (group.empty() || !isDnsName(group) || kind.empty()) return Answer::notFound();
  if (isDnsName(version)) {
    auto found = inVersion(group, version, kind, get);
    const auto* answer = std::get_if<Answer>(&found);
    if (answer == nullptr || answer->state() != Answer::State::kNotFound) return found;
  }
  const Answer about = get("/apis/" + group);
  if (!about.isObject()) return about;
  const std::string preferred(about.object()["preferredVersion"]["version"].text());
  if (preferred == version || !isDnsName(preferred)) return Answer::notFound();
  return inVersion(group, preferred, kind, get);
}

Found Discovery::inVersion(const std::string& group, const std::string& version, const std::string& kind,
                           const Get& get) {
  const std::string groupVersion = group + "/" + version;
  if (const auto known = kept(groupVersion, kind)) return *known;
  const auto asked = now_();
  const Answer list = get("/apis/" + groupVersion);
  if (list.state() == Answer::State::kNone) return list;
  Served served{kindsOf(list.object(), group, version), asked};
  const auto at = served.kinds.find(kind);
  Found found = at == served.kinds.end() ? Found(Answer::notFound()) : Found(at->second);
  keep(groupVersion, std::move(served));
  return found;
}

std::optional<Found> Discovery::kept(const std::string& groupVersion, const std::string& kind) {
  const std::lock_guard lock(mutex_);
  const auto at = served_.find(groupVersion);
  if (at == served_.end()) return std::nullopt;
  const auto age = now_() - at->second.asked;
  const auto resource = at->second.kinds.find(kind);
  const bool there = resource != at->second.kinds.end();
  if (age >= (there ? kKeepsServed : kKeepsNotServed)) return std::nullopt;
  return there ? Found(resource->second) : Found(Answer::notFound());
}

void Discovery::keep(const std::string& groupVersion, Served served) {
  const std::lock_guard lock(mutex_);
  if (served_.size() >= kMostVersions && !served_.contains(groupVersion)) {
    const auto oldest = std::min_element(served_.begin(), served_.end(), [](const auto& a, const auto& b) {
      return a.second.asked < b.second.asked;
    });
    served_.erase(oldest);
  }
  served_.insert_or_assign(groupVersion, std::move(served));
}

}  // namespace driftbar::cluster
