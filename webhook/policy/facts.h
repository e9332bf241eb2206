// Facts: all that a rule may ask about a request, as plain values. Whoever judges fills them in; nothing here
// is fetched, and what is not known says so.
//
// A workload is judged template by template, so it makes as many Facts as it has pod templates; what is not
// about the pod is the same in each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"
#include "kube/label_selector.h"
#include "kube/labels.h"
#include "kube/node.h"
#include "kube/review.h"
#include "policy/truth.h"
#include "policy/value.h"

namespace driftbar::policy {

// A pod to the rules: the pod that a request is about, or a pod template inside of a workload.
struct PodTemplate {
  Json pod;                // metadata and spec, as a pod has them
  std::string_view place;  // where it sits in the object; empty for a pod itself
  std::string_view role;   // `worker`, `head`; empty where the kind has one template
  bool ranks = true;       // its pods carry ranks: no launcher, submitter or Ray head
  bool before = false;     // it is what was there before an update
  bool bare = false;       // a bare pod spec sits there, which `pod` has below `spec`

  // What places of things in the pod begin with.
  Trail top() const { return {nullptr, bare ? Trail::Kind::kSpec : Trail::Kind::kRoot, place, 0}; }
  std::string placeOfSpec() const {
    const Trail at = top();
    return Trail{&at, Trail::Kind::kKey, "spec", 0}.toString();
  }
};

// What rules ask beyond the request: of nodes, and of objects that only a look-up tells. Asked while judging,
// and never waits: what is not known yet says so, and whoever judges may find it and judge again.
class Beyond {
 public:
  struct NodeFound {
    const kube::Node* node = nullptr;
    bool known = false;  // false: it can't be told whether there is such a node
  };
  // Labels null, object missing: not known.
  struct NamespaceFound {
    const kube::Labels* labels = nullptr;
    Json object;
  };
  struct ObjectFound {
    Json object;  // missing: there is none
    bool known = false;
  };

  virtual ~Beyond() = default;
  virtual NodeFound node(std::string_view name) const = 0;
  virtual NamespaceFound ns(std::string_view name) const = 0;
  // The object that an entry of ownerReferences names.
  virtual ObjectFound owner(Json reference, std::string_view ns) const = 0;
  // Whether some node that the pod could land on fits the selector.
  virtual Truth canLandOn(const PodTemplate& pod, const kube::LabelSelector& nodes) const = 0;
};

struct Facts {
  // What a request is about, and so which rules look at it that say nothing of resources.
  enum class About {
    kPod,       // a pod, with what can change its spec or state
    kWorkload,  // an object with pod templates
    kNode,      // a node, or its status
    kNamed      // all else: only rules whose policy names the resource look at it
  };

  const kube::Request* request = nullptr;  // never null when judging
  About about = About::kPod;
  PodTemplate pod;                         // the one that is judged; its JSON is missing where there is none
  bool podKnown = true;                    // false: there is a pod, and it could not be looked up
  bool ofDaemonSet = false;                // the driver that would repair a node must get there
  bool placementSettled = true;            // the request settles where the pod may go: only then it is judged
  Json oldPod;                             // what it was before an update; missing where there was none
  std::span<const PodTemplate> templates;  // of a workload, all; empty for a pod
  Json object, oldObject;                  // what `object` and `oldObject` in field paths mean
  Json named;                              // what `names`, `labelSelector` and `ownedBy` are asked of
  Json oldNamed;
  const kube::Node* node = nullptr;                    // of a request about a node
  std::string_view ns;                                 // empty for what is not in a namespace
  const kube::Labels* namespaceLabels = nullptr;       // null: `beyond` may know
  Json namespaceObject;                                // missing: `beyond` may know
  std::span<const std::string_view> systemNamespaces;  // globs, besides `kube-*`
  const Beyond* beyond = nullptr;                      // null: nothing is known beyond the request
  Instant now{};

  // Of a request about a pod. What the request does not say (namespace, system namespaces, the time) is left
  // as it is.
  static Facts of(const kube::Request& request) {
    Facts facts;
    facts.request = &request;
    facts.pod.pod = facts.object = facts.named = request.subject();
    facts.oldPod = facts.oldObject = facts.oldNamed = request.oldObject;
    facts.ns = request.ns;
    return facts;
  }

  // What was there before the update: nothing has changed in it.
  Facts before(std::span<const PodTemplate> oldTemplates, const kube::Node* oldNode) const {
    Facts facts = *this;
    facts.pod.pod = oldPod;
    facts.pod.before = true;
    facts.object = facts.named = oldObject;
    facts.oldObject = Json();  // before it there was nothing to compare with
    facts.templates = oldTemplates;
    facts.node = oldNode;
    return facts;
  }

  // The namespace, asked for beyond the request only by those whose answer hangs on it.
  Beyond::NamespaceFound nameSpace() const {
    const bool asks = namespaceLabels == nullptr && !namespaceObject.exists() && !ns.empty();
    return asks && beyond != nullptr ? beyond->ns(ns)
                                     : Beyond::NamespaceFound{namespaceLabels, namespaceObject};
  }

  // All templates of a workload, or the pod itself.
  std::span<const PodTemplate> allTemplates() const {
    return templates.empty() ? std::span(&pod, 1) : templates;
  }
};

}  // namespace driftbar::policy
