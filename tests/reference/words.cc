#include "reference/words.h"

namespace driftbar::reference {
namespace {

constexpr Word kWords[] = {
    {"subject", "label", true},
    {"subject", "annotation", true},
    {"subject", "taint", true},
    {"subject", "condition", true},
    {"subject", "field", true},
    {"subject", "requestedBy", true},
    {"subject", "env", true},
    {"subject", "rankEnv", true},
    {"subject", "resource", true},
    {"subject", "image", true},
    {"subject", "hostPath", true},
    {"subject", "capability", true},
    {"subject", "sysctl", true},
    {"subject", "hostNamespace", true},
    {"subject", "privileged", true},
    {"subject", "changed", true},
    // Off: on an update the engine asks the old candidates again, and it asks of gated pods.
    {"subject", "canLandOn", false},
    {"subject", "onNode", true},
    {"subject", "fact", true},
    {"subject", "drift", true},

    {"beside", "of: object", true},
    {"beside", "of: namespace", true},
    {"beside", "of: init", true},
    {"beside", "of: ephemeral", true},
    {"beside", "of: ranks", true},
    {"beside", "containers", true},
    {"beside", "readOnly", true},
    {"beside", "keys", true},
    {"beside", "notKeys", true},

    {"test", "exists", true},
    {"test", "equals", true},
    {"test", "notEquals", true},
    {"test", "in", true},
    {"test", "notIn", true},
    {"test", "matches", true},
    {"test", "notMatches", true},
    {"test", "startsWith", true},
    {"test", "endsWith", true},
    {"test", "contains", true},
    {"test", "atLeast", true},
    {"test", "atMost", true},
    {"test", "moreThan", true},
    {"test", "lessThan", true},
    {"test", "version", true},
    {"test", "for", true},
    {"test", "agree", true},

    {"match", "resources", true},
    {"match", "operations", true},
    {"match", "workload", true},
    {"match", "kinds", true},
    {"match", "ownedBy", true},
    {"match", "namespaces", true},
    {"match", "names", true},
    {"match", "namespaceSelector", true},
    {"match", "labelSelector", true},
    {"match", "podServiceAccounts", true},
    {"match", "requestedBy", true},

    {"requestedBy", "users", true},
    {"requestedBy", "groups", true},
    {"requestedBy", "serviceAccounts", true},
    {"requestedBy", "onOwnNode", true},

    {"rule", "deny", true},
    {"rule", "require", true},
    {"rule", "avoidNodes", true},
    {"rule", "mode", true},
    {"rule", "minSafe", true},
    {"rule", "when", true},
    {"rule", "onUnknown", true},
    {"rule", "staleInventory", true},
    {"rule", "onUpdate", true},
    {"rule", "except", true},

    {"class", "training", true},
    {"class", "rdma-training", true},

    {"document", "WorkloadClass", false},
    {"document", "WorkloadKind", false},
    {"document", "Exemption", false},

    // Off: the engine asks `taint: {key: GLOB}` of one absent taint where it should ask nothing.
    {"path", "taint with a glob in a map", false},
    // Off: a rule in audit that meets what is told once keeps the others from telling it.
    {"path", "avoidNodes in audit", false},
    // Off: to the engine a template is not owned by the workload that it stands in.
    {"path", "ownedBy of templates", false},
    // Off: what the engine takes for evidence of `agree` changes with the order of containers and with one
    // more of them.
    {"path", "what disagreed before an update", false},
    // Off: in a deletecollection of nodes the engine does not know which node is asked about, and takes a pod
    // that is not known for one on another node.
    {"path", "onOwnNode of a node that is not named", false},
    // Off: rules that close all nodes only together are not found by the engine where another rule has
    // refused.
    {"path", "closed together beside a refusal", false},
    // Off: what can't be told is held against an update though it could not be told before, where the old
    // object broke the rule besides; and what the update brings in that can't be told is let pass, where both
    // break it.
    {"path", "unknown and broken in an update", false},
    // Off: `when: any` says nothing of a candidate that can't be told where another is surely safe.
    {"path", "when: any and onUnknown: warn", false},
    // Off: what only envFrom may set is the same everywhere to the engine, where it can't be told.
    {"path", "rankEnv that is named outright", false},
    // Off: the engine names an element of a list that is not there as one of a map.
    {"path", "an element of a list that is not there", false},

    // What requests are judged: objects of these kinds, and rules about them.
    {"judged", "pods", true},
    {"judged", "nodes", true},
    {"judged", "workloads", true},
    {"judged", "connect", true},
    {"judged", "placement of workloads", false},
};

}  // namespace

std::span<const Word> listedWords() {
  return kWords;
}

bool isOn(std::string_view of, std::string_view name) {
  for (const auto& word : kWords) {
    if (word.of == of && word.name == name) return word.on;
  }
  return false;
}

}  // namespace driftbar::reference
