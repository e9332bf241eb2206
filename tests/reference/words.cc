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
    {"subject", "canLandOn", true},
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

    {"document", "WorkloadClass", true},
    {"document", "WorkloadKind", true},
    {"document", "Exemption", true},

    {"path", "taint with a glob in a map", true},
    {"path", "avoidNodes in audit", true},
    {"path", "ownedBy of templates", true},
    {"path", "what disagreed before an update", true},
    {"path", "onOwnNode of a node that is not named", true},
    {"path", "closed together beside a refusal", true},
    {"path", "unknown and broken in an update", true},
    {"path", "when: any and onUnknown: warn", true},
    {"path", "rankEnv that is named outright", true},
    {"path", "an element of a list that is not there", true},
    // Off: avoidNodes without minSafe is generated for pods only, since the nodes that Kubeflow jobs and the
    // like need by default are not counted by the engine yet.
    {"path", "minSafe of pods that start together", false},

    // What requests are judged: objects of these kinds, and rules about them.
    {"judged", "pods", true},
    {"judged", "nodes", true},
    {"judged", "workloads", true},
    {"judged", "connect", true},
    {"judged", "placement of workloads", true},
    {"judged", "what is looked up", true},
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
