// Subject: what a request is about, as rules see it: a pod, each pod template of a workload, a node, a pod
// that has been looked up, or just an object.
//
// Says which of them a rule may be asked of, where they were before an update, which requests settle where a
// pod goes, and how all of it is called in messages. The table of requests is the contract's ("What is
// judged, and when"); the rules of Kubernetes behind it: k8s.io/kubernetes pkg/apis/core/validation
// ValidatePodUpdate (what can change after create), kubelet/lifecycle/predicate.go.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decision/beyond.h"
#include "kube/pod.h"
#include "kube/review.h"
#include "workload/workload.h"

namespace driftbar::decision {

// One pod, or none, with all that rules may ask.
struct View {
  policy::Facts facts;
  std::string shown;  // `Pod "bert-0"`, `JobSet "bert" (workers)`
  std::string role;   // `workers`; empty where there is but one template
  bool settlesPlacement = false;
  bool wasSettled = false;  // before the update: neither gated nor suspended
};

class Subject {
 public:
  // Its arguments must outlive it.
  Subject(const kube::Request& request, const World& world, const Answers& answers, Instant now);
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  std::span<const View> views() const { return views_; }  // at least one
  // What the view was before the update.
  policy::Facts before(const View& view) const;
  // `Pod "bert-0"`, `Node "gpu-07"`, `exec into Pod "bert-0"`.
  const std::string& shown() const { return shown_; }
  const std::string& kind() const { return kind_; }
  const std::string& name() const { return name_; }  // as it is shown; `bert-*`
  // What about the request could not be read, though the API server takes it; empty: nothing.
  const std::string& fault() const { return fault_; }
  // That the paths of a WorkloadKind lead to no pod template in this object; empty: they do, or need not.
  const std::string& untemplated() const { return untemplated_; }

 private:
  void readNamespace(const World& world);
  void readPod();
  void readLookedUpPod(const Answers& answers);
  void readWorkload(const workload::Kind& kind);
  void checkTypes(const policy::PodTemplate& now, Json before);
  void checkTemplates(const workload::Kind& kind);
  void readNode();
  std::shared_ptr<const kube::Node> parsedNode(Json object);
  void setNames();
  bool ofDaemonSet() const;

  const kube::Request& request_;
  policy::Facts base_;
  std::string kind_, name_, shown_, fault_, untemplated_;
  std::vector<workload::Template> templates_, oldTemplates_;
  std::vector<policy::PodTemplate> pods_, oldPods_;  // views of the templates
  std::shared_ptr<const kube::Node> node_, oldNode_;
  std::optional<kube::Labels> ownLabels_;  // of a namespace that the request is about
  kube::Labels oldOwnLabels_;
  std::vector<View> views_;
};

// A pod that a kubelet runs from a file shows itself as a mirror: the node itself, asking for its own. Anyone
// else's annotation means nothing.
bool isOwnMirror(const kube::Request& request);

// An update of an object on its way out that changes only its metadata and status: finalizers must be able to
// go.
bool onlyLetsGo(const kube::Request& request);

// What is asked, as people say it: `Pod`, `exec into Pod`, `resize of Pod`, `deployments/scale`.
std::string whatIsAsked(const kube::Request& request);

// The kinds of objects that make pods, as this world knows them.
const workload::Kinds& kindsIn(const World& world);

}  // namespace driftbar::decision
