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
    {"subject", "env", false},
    {"subject", "rankEnv", false},
    {"subject", "resource", false},
    {"subject", "image", false},
    {"subject", "hostPath", false},
    {"subject", "capability", false},
    {"subject", "sysctl", false},
    {"subject", "hostNamespace", false},
    {"subject", "privileged", false},
    {"subject", "changed", true},
    // Off: on an update the engine asks the old candidates again, and it asks of gated pods.
    {"subject", "canLandOn", false},
    {"subject", "onNode", true},
    {"subject", "fact", false},
    {"subject", "drift", false},

    {"beside", "of: object", true},
    {"beside", "of: namespace", true},
    {"beside", "of: init", false},
    {"beside", "of: ephemeral", false},
    {"beside", "of: ranks", false},
    {"beside", "containers", false},
    {"beside", "readOnly", false},
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
    // Off: what the engine takes for evidence of `agree` changes with the order of containers.
    {"path", "agree over all containers", false},
    // Off: in a deletecollection of nodes the engine does not know which node is asked about, and takes a pod
    // that is not known for one on another node.
    {"path", "onOwnNode of a node that is not named", false},
    // Off: rules that close all nodes only together are not found by the engine where another rule has
    // refused.
    {"path", "closed together beside a refusal", false},
    // Off: what could not be told before either is held against an update of an object that broke the rule.
    {"path", "unknown before, and broken", false},
    // Off: `when: any` says nothing of a candidate that can't be told where another is surely safe.
    {"path", "when: any and onUnknown: warn", false},
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
