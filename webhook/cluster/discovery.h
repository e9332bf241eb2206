// Discovery: under which path the API server has the objects of a kind.
//
// A reference names an API version and a kind (`jobset.x-k8s.io/v1alpha2`, `JobSet`), a path the plural of
// it. Kinds of Kubernetes' own come from a table; for others the API server is asked for the resources of
// their group, and that is kept. A version that is not served any more leads to the one that the group
// prefers: it has the same objects. Everything in a reference was written by whoever made the object, so
// nothing of it gets into a path that is not a name.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "decision/needs.h"
#include "lookup/clock.h"

namespace driftbar::cluster {

struct Resource {
  std::string group, version, plural;
  bool namespaced = true;

  // `replicasets.apps`, `pods`: as kubectl and roles have it.
  std::string shown() const { return group.empty() ? plural : plural + "." + group; }
  // Of the object of this name; nullopt where no object can have it.
  std::optional<std::string> path(const std::string& ns, const std::string& name) const;
};

class Discovery {
 public:
  // What a GET came to: what the server has there, kNotFound for a 404, or why there is no answer.
  using Get = std::function<decision::Answer(const std::string& path)>;
  using Now = std::function<lookup::Time()>;

  explicit Discovery(Now now) : now_(std::move(now)) {}

  // The resource, or kNotFound where the API server has none such, or why it cannot be told. From any thread;
  // `get` is called without a lock held.
  std::variant<Resource, decision::Answer> find(const std::string& group, const std::string& version,
                                                const std::string& kind, const Get& get);

 private:
  // The resources of a group in one version, by kind.
  struct Served {
    std::map<std::string, Resource> kinds;
    lookup::Time asked;
  };
  std::variant<Resource, decision::Answer> inVersion(const std::string& group, const std::string& version,
                                                     const std::string& kind, const Get& get);
  std::optional<std::variant<Resource, decision::Answer>> kept(const std::string& groupVersion,
                                                               const std::string& kind);
  void keep(const std::string& groupVersion, Served served);

  const Now now_;
  std::mutex mutex_;
  std::map<std::string, Served> served_;  // by group/version
};

}  // namespace driftbar::cluster
