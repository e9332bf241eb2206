#include "decision/needs.h"

#include <utility>

#include "base/text.h"

namespace driftbar::decision {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// THE TABLE OF LOOK-UPS. Nothing is kept longer than a person would be surprised by: what a pod is labelled
// decides at once, while the owners of an owner are set once and do not change. A `not found` is kept by name
// and uid; a uid that is gone never comes back.
constexpr NeedRow kNeeds[] = {
    {Need::Kind::kPod, "pod",
     "exec, attach, portforward, proxy, eviction and both bindings, which carry no pod", "a read of that pod",
     // Both webhooks ask about one request within milliseconds, and people repeat a command.
     seconds(1), seconds(1), "one GET", "get on `pods`",
     "the request is judged as if it fitted `match`; what is asked of the pod is unknown",
     "as not found, and the message says why"},
    {Need::Kind::kOwner, "owner", "`ownedBy`, for kinds that own a pod's owner", "a read of that object",
     // The pods of a job of a thousand come within minutes and have one owner.
     minutes(5), minutes(1), "one GET for each step up; one more for each API group that is met first",
     "get on the owners' resources: `replicasets.apps`, `jobs.batch` and those of the operators in use",
     "the chain ends with the kind that the reference names",
     "whether anything further up owns it is unknown"},
    {Need::Kind::kNode, "node",
     "a node that a pod is pinned or bound to and that the inventory does not have",
     "the inventory; then a read of that node",
     // Until the watch has brought it, which takes less than a second.
     seconds(2), seconds(1), "one GET", "get on `nodes`",
     "the node is unknown: `onUnknown`, which is deny here if the rule does not say", "as not found"},
    {Need::Kind::kNamespace, "namespace",
     "the request's namespace where the inventory does not have it and `namespaceSelector`, `of: namespace` "
     "or "
     "a `namespace` path asks about it; of a request about a namespace never, for it carries it",
     "the inventory; then a read of that namespace",
     // Until the watch has brought it, as a node.
     seconds(2), seconds(1), "one GET", "get on `namespaces`",
     "its labels are unknown: the policy looks at the request, an `except` and an Exemption do not take it "
     "out, "
     "a condition is unknown: `onUnknown`; the message says which namespace",
     "as not found, and the message says why"},
    {Need::Kind::kRuntime, "runtime", "the pod templates of a TrainJob, which are its runtime's",
     "a read of that object",
     // It is edited by people, who look at what their edit does.
     seconds(10), seconds(2), "one GET; one more for its API group when it is met first",
     "get on `trainingruntimes.trainer.kubeflow.org` and `clustertrainingruntimes.trainer.kubeflow.org`",
     "the templates are unknown", "as not found"},
};

constexpr bool inOrder() {
  for (std::size_t i = 0; i < std::size(kNeeds); ++i)
    if (static_cast<std::size_t>(kNeeds[i].kind) != i) return false;
  return std::size(kNeeds) == static_cast<std::size_t>(Need::Kind::kEnd);
}
static_assert(inOrder(), "the table and the enumeration must have the same order");

// `apps/v1` and `v1`.
std::pair<std::string, std::string> groupAndVersion(std::string_view apiVersion) {
  const auto slash = apiVersion.find('/');
  if (slash == std::string_view::npos) return {"", std::string(apiVersion)};
  return {std::string(apiVersion.substr(0, slash)), std::string(apiVersion.substr(slash + 1))};
}

std::string textOr(Json value, std::string_view otherwise) {
  return std::string(value.text().empty() ? otherwise : value.text());
}

}  // namespace

Need Need::pod(std::string_view ns, std::string_view name, std::string_view uid) {
  return {Kind::kPod, "", "v1", "Pod", std::string(ns), std::string(name), std::string(uid)};
}

Need Need::owner(Json reference, std::string_view ns) {
  auto [group, version] = groupAndVersion(reference["apiVersion"].text());
  return {Kind::kOwner,
          std::move(group),
          std::move(version),
          std::string(reference["kind"].text()),
          std::string(ns),
          std::string(reference["name"].text()),
          std::string(reference["uid"].text())};
}

Need Need::node(std::string_view name) {
  return {Kind::kNode, "", "v1", "Node", "", std::string(name), ""};
}

Need Need::nameSpace(std::string_view name) {
  return {Kind::kNamespace, "", "v1", "Namespace", "", std::string(name), ""};
}

// Defaults: kubeflow/trainer pkg/apis/trainer/v1alpha1 RuntimeRef.
Need Need::runtime(Json reference, std::string_view ns) {
  Need need{Kind::kRuntime,
            textOr(reference["apiGroup"], "trainer.kubeflow.org"),
            "",
            textOr(reference["kind"], "ClusterTrainingRuntime"),
            "",
            std::string(reference["name"].text()),
            ""};
  if (need.object == "TrainingRuntime") need.ns = ns;
  return need;
}

std::string shown(const Need& need) {
  return printable(need.object) + " " + (need.ns.empty() ? "" : printable(need.ns) + "/") +
         printable(need.name);
}

Answer Answer::found(Json object, std::shared_ptr<const void> keep, std::size_t bytes) {
  Answer out;
  out.state_ = State::kObject;
  out.object_ = object;
  out.keep_ = std::move(keep);
  out.bytes_ = bytes;
  return out;
}

Answer Answer::found(JsonDocument document, std::size_t bytes) {
  auto kept = std::make_shared<const JsonDocument>(std::move(document));
  const Json root = kept->root();
  return found(root, std::move(kept), bytes);
}

Answer Answer::notFound() {
  return {};
}

Answer Answer::none(Silence why, std::string reason) {
  Answer out;
  out.state_ = State::kNone;
  out.silence_ = why;
  out.reason_ = printable(reason);
  return out;
}

std::string_view toString(const Answer& answer) {
  constexpr std::string_view kSilences[] = {"busy", "late", "forbidden", "failed", "stopped"};
  switch (answer.state()) {
    case Answer::State::kObject:
      return "found";
    case Answer::State::kNotFound:
      return "not-found";
    case Answer::State::kNone:
      break;
  }
  return kSilences[static_cast<std::size_t>(answer.silence())];
}

Answer ofThatUid(const Need& need, Answer answer) {
  if (need.uid.empty() || !answer.isObject()) return answer;
  const auto uid = answer.object()["metadata"]["uid"].text();
  return uid.empty() || uid == need.uid ? answer : Answer::notFound();
}

void Found::add(const Found& more) {
  for (const auto& [need, answer] : more.answers_) add(need, answer);
}

const Answer* Found::answer(const Need& need) const {
  const auto at = answers_.find(need);
  return at == answers_.end() ? nullptr : &at->second;
}

Json Found::object(const Need& need) const {
  const auto* found = answer(need);
  return found == nullptr ? Json() : found->object();
}

std::span<const NeedRow> needTable() {
  return kNeeds;
}

const NeedRow& rowOf(Need::Kind kind) {
  return kNeeds[static_cast<std::size_t>(kind)];
}

}  // namespace driftbar::decision
