#include "decision/subject.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/text.h"
#include "policy/resources.h"
#include "scheduling/placement.h"
#include "schema/fits.h"

namespace driftbar::decision {
namespace {

// Jobs that people run have some tens at most. Rules that compare all templates with each other cost the
// square of this, whatever an object of 3 MiB could hold.
constexpr std::size_t kMostTemplates = 200;

// How people say what is asked beside creating, changing and deleting.
struct Asking {
  std::string_view subResource, words;
};
constexpr Asking kAskings[] = {
    {"exec", "exec into "},
    {"attach", "attach to "},
    {"portforward", "port-forward to "},
    {"proxy", "proxy to "},
    {"eviction", "eviction of "},
    {"binding", "binding of "},
    {"", "binding of "},  // the old `bindings`
    {"ephemeralcontainers", "ephemeral containers of "},
    {"resize", "resize of "},
    {"status", "status of "},
    {"log", "logs of "},
};

// The kind in a request for a subresource is that of its options, such as PodExecOptions.
struct KindOf {
  std::string_view resource, kind;
};
constexpr KindOf kKindsOf[] = {
    {"pods", "Pod"}, {"bindings", "Pod"}, {"nodes", "Node"}, {"services", "Service"}};

std::string_view wordsOf(const kube::Request& request) {
  for (const auto& row : kAskings) {
    if (row.subResource == request.subResource) return row.words;
  }
  return {};
}

// Settled at create, or when the last scheduling gate goes, or when an update of an unbound pod changes it. A
// bound pod's placement is not judged again.
bool podSettles(const kube::Request& request) {
  const kube::Pod now(request.object);
  if (request.operation == kube::Operation::kCreate) return !now.gated();
  if (request.operation != kube::Operation::kUpdate) return false;
  const kube::Pod before(request.oldObject);
  if (!before.nodeName().empty() || now.gated()) return false;
  return before.gated() || !scheduling::samePlacement(before.spec(), now.spec());
}

// The pods of a template go where it says once it runs: at create, when it is resumed, and when an update
// changes where they may go.
bool templateSettles(const kube::Request& request, const workload::Kind& kind, const policy::PodTemplate& now,
                     Json before) {
  if (kind.blueprint || kube::Pod(now.pod).gated() || workload::suspended(kind, request.object)) return false;
  if (request.operation == kube::Operation::kCreate) return true;
  if (request.operation != kube::Operation::kUpdate) return false;
  if (workload::suspended(kind, request.oldObject) || !before.exists()) return true;
  return kube::Pod(before).gated() || !scheduling::samePlacement(before["spec"], now.pod["spec"]);
}

std::vector<policy::PodTemplate> viewsOf(const std::vector<workload::Template>& templates) {
  std::vector<policy::PodTemplate> views;
  for (const auto& one : templates)
    views.push_back(
        {.pod = one.pod, .place = one.place, .role = one.role, .ranks = one.ranks, .bare = one.bare()});
  return views;
}

Json podAt(std::span<const policy::PodTemplate> pods, std::string_view place) {
  const auto found =
      std::find_if(pods.begin(), pods.end(), [&](const auto& one) { return one.place == place; });
  return found == pods.end() ? Json() : found->pod;
}

}  // namespace

std::string whatIsAsked(const kube::Request& request) {
  if (request.subResource.empty() && !policy::isAskedOfPod(request)) return printable(request.kind.kind);
  const auto kind = std::find_if(std::begin(kKindsOf), std::end(kKindsOf), [&](const KindOf& row) {
    return request.resource.group.empty() && row.resource == request.resource.resource;
  });
  const auto words = wordsOf(request);
  if (kind != std::end(kKindsOf) && !words.empty()) return std::string(words) + std::string(kind->kind);
  return printable(request.resource.resource) + "/" + printable(request.subResource);
}

const workload::Kinds& kindsIn(const World& world) {
  return world.policies->kinds();
}

Subject::Subject(const kube::Request& request, const World& world, const Answers& answers, Instant now)
    : request_(request), base_(policy::Facts::of(request)) {
  base_.pod.pod = base_.oldPod = {};
  base_.systemNamespaces = world.systemNamespaces;
  base_.now = now;
  base_.beyond = &answers;
  base_.ofDaemonSet = ofDaemonSet();
  readNamespace(world);
  setNames();
  const auto* kind = request.subResource.empty() && request.subject().isMap()
                         ? kindsIn(world).find(request.kind.group, request.kind.kind)
                         : nullptr;
  if (policy::isAboutPod(request)) {
    readPod();
  } else if (policy::isAskedOfPod(request)) {
    readLookedUpPod(answers);
  } else if (policy::isAboutNode(request)) {
    readNode();
  } else if (kind != nullptr) {
    readWorkload(*kind);
  } else {
    base_.about = policy::Facts::About::kNamed;
  }
  if (views_.empty()) views_.push_back({base_, shown_, {}, false, false});
}

// A request about a namespace carries it, and says its name for the request's namespace. As the API server's
// own namespaceSelector has it, the labels that it brings count, not those of before.
void Subject::readNamespace(const World& world) {
  const bool isItself = policy::isAboutNamespace(request_) && request_.subject().isMap();
  if (isItself) {
    ownLabels_ = kube::Labels(request_.subject()["metadata"]["labels"]);
    oldOwnLabels_ = kube::Labels(request_.oldObject["metadata"]["labels"]);
    base_.namespaceLabels = &*ownLabels_;
    base_.namespaceObject = request_.subject();
  } else if (const auto* ns = world.inventory ? world.inventory->ns(request_.ns) : nullptr) {
    base_.namespaceLabels = &ns->labels();
    base_.namespaceObject = ns->object();
  }
}

void Subject::setNames() {
  const bool asked = policy::isAskedOfPod(request_);
  const Json metadata = asked ? Json() : request_.subject()["metadata"];
  const auto name = metadata["name"].text(), begins = metadata["generateName"].text();
  kind_ = asked ? "Pod" : printable(request_.kind.kind);
  name_ = !name.empty()            ? std::string(name)
          : !request_.name.empty() ? std::string(request_.name)
          : !begins.empty()        ? std::string(begins) + "*"
                                   : std::string();
  shown_ = (asked ? std::string(wordsOf(request_)) : "") + kind_ + (name_.empty() ? "" : " " + quoted(name_));
}

void Subject::readPod() {
  base_.about = policy::Facts::About::kPod;
  base_.pod.pod = request_.subject();
  base_.oldPod = request_.oldObject;
  base_.placementSettled = podSettles(request_);
  const bool wasSettled = base_.oldPod.exists() && !kube::Pod(base_.oldPod).gated();
  views_.push_back({base_, shown_, {}, base_.placementSettled, wasSettled});
}

// A binding carries the uid of the pod that the scheduler meant.
void Subject::readLookedUpPod(const Answers& answers) {
  base_.about = policy::Facts::About::kNamed;
  base_.placementSettled = false;
  const auto found = answers.pod(request_.ns, request_.name, request_.object["metadata"]["uid"].text());
  base_.podKnown = found.known && found.object.exists();
  base_.pod.pod = base_.named = found.object;
  base_.oldPod = base_.oldNamed = {};
}

std::shared_ptr<const kube::Node> Subject::parsedNode(Json object) {
  if (!object.exists()) return nullptr;
  auto node = kube::Node::parse(object);
  if (node) return *std::move(node);
  const auto& first = node.errors().front();
  fault_ = "the node cannot be read: " + (first.path.empty() ? "" : first.path + ": ") + first.message;
  return nullptr;
}

void Subject::readNode() {
  base_.about = policy::Facts::About::kNode;
  node_ = parsedNode(request_.subject());
  if (request_.operation == kube::Operation::kUpdate) oldNode_ = parsedNode(request_.oldObject);
  base_.node = node_.get();
}

// An API server holds its own kinds to their types; what a custom resource has in a template may be anything,
// and would be nothing to a rule. What was so before the update is not held against it.
void Subject::checkTypes(const policy::PodTemplate& now, Json before) {
  if (!fault_.empty() || schema::kind(request_.kind.group, request_.kind.kind) != nullptr) return;
  const auto wrong = schema::misfit(schema::podTemplate(), now.pod);
  if (!wrong || wrong == schema::misfit(schema::podTemplate(), before)) return;
  fault_ = std::string(now.place) + "." + wrong->place + " is " + std::string(describe(wrong->found)) +
           ", and must be " + std::string(describe(wrong->wanted));
}

// Kinds that are shipped have known paths, and some of their objects rightly lead to nothing.
void Subject::checkTemplates(const workload::Kind& kind) {
  if (kind.document.empty()) return;
  std::string paths;
  for (const auto& path : workload::pathsWithoutTemplate(kind, request_.subject()))
    paths += (paths.empty() ? "" : " or ") + path;
  if (!paths.empty())
    untemplated_ = shown_ + " has no pod template at " + paths + " (WorkloadKind " + kind.document + ")";
}

void Subject::readWorkload(const workload::Kind& kind) {
  base_.about = policy::Facts::About::kWorkload;
  checkTemplates(kind);
  templates_ = workload::templatesOf(kind, request_.subject());
  if (request_.operation == kube::Operation::kUpdate)
    oldTemplates_ = workload::templatesOf(kind, request_.oldObject);
  if (templates_.size() > kMostTemplates) {
    fault_ = "it has " + std::to_string(templates_.size()) + " pod templates, and at most " +
             std::to_string(kMostTemplates) + " are judged";
    return;
  }
  pods_ = viewsOf(templates_);
  oldPods_ = viewsOf(oldTemplates_);
  base_.templates = pods_;
  for (const auto& pod : pods_) {
    View view{base_, shown_, {}, false, false};
    view.facts.pod = pod;
    view.facts.oldPod = podAt(oldPods_, pod.place);
    checkTypes(pod, view.facts.oldPod);
    if (pods_.size() > 1) view.role = printable(pod.role.empty() ? pod.place : pod.role);
    if (!view.role.empty()) view.shown += " (" + view.role + ")";
    view.settlesPlacement = templateSettles(request_, kind, pod, view.facts.oldPod);
    view.facts.placementSettled = view.settlesPlacement;
    view.wasSettled = view.facts.oldPod.exists() && !kube::Pod(view.facts.oldPod).gated() &&
                      !workload::suspended(kind, request_.oldObject);
    views_.push_back(std::move(view));
  }
}

policy::Facts Subject::before(const View& view) const {
  policy::Facts facts = view.facts.before(oldPods_, oldNode_.get());
  facts.placementSettled = view.settlesPlacement && view.wasSettled;
  if (ownLabels_) {
    facts.namespaceLabels = &oldOwnLabels_;
    facts.namespaceObject = request_.oldObject;
  }
  return facts;
}

bool Subject::ofDaemonSet() const {
  const bool itself = request_.kind.group == "apps" && request_.kind.kind == "DaemonSet";
  return itself || kube::controlledBy(request_.subject(), "apps", "DaemonSet");
}

bool isOwnMirror(const kube::Request& request) {
  if (!policy::isAboutPod(request)) return false;
  const kube::Pod pod(request.subject());
  constexpr std::string_view kNodeUser = "system:node:";
  return pod.claimsToBeMirror() && request.user.name.starts_with(kNodeUser) &&
         request.user.name.substr(kNodeUser.size()) == pod.nodeName() && request.user.inGroup("system:nodes");
}

namespace {

// Whether all but metadata and status is as it was.
bool onlyMetadataDiffers(Json now, Json before) {
  const auto counts = [](std::string_view key) { return key != "metadata" && key != "status"; };
  for (const auto& [key, value] : now.entries()) {
    if (counts(key) && !(value == before[key])) return false;
  }
  for (const auto& [key, value] : before.entries()) {
    if (counts(key) && !now[key].exists()) return false;
  }
  return true;
}

}  // namespace

bool onlyLetsGo(const kube::Request& request) {
  return request.operation == kube::Operation::kUpdate &&
         request.oldObject["metadata"]["deletionTimestamp"].exists() &&
         onlyMetadataDiffers(request.object, request.oldObject);
}

}  // namespace driftbar::decision
