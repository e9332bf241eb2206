#include "policy/document_vocabulary.h"

namespace driftbar::policy {
namespace {

// ---- WorkloadClass, WorkloadKind

constexpr Key kWorkloadClass[] = {
    {"sensitiveTo", "the classes of drift that hurt such pods; `[]`: none does"},
};

constexpr Key kWorkloadKind[] = {
    {"group", "the API group, without the version"},
    {"kind", "the kind, as in `kind:` of such an object"},
    {"resource", "the plural; the usual one where absent"},
    {"templates", "where its pod templates sit: a list, each with `path`"},
    {"suspend", "the path of the boolean that keeps its pods from being made"},
    {"minAvailable", "the path of how many pods must start together, if not all"},
    {"startsTogether", "`true`: its pods start together or not at all"},
    {"blueprint", "`true`: others are made of it, and no pod comes of itself"},
};

constexpr Key kTemplate[] = {
    {"path", "of a pod template or of a bare pod spec; `[*]` leads through lists and maps"},
    {"ranks", "`false`: its pods carry no ranks, as a launcher's or a submitter's"},
    {"notRanks", "roles among them that carry no ranks all the same"},
    {"replicas", "how many pods: a number, a path, {path, default, atLeast, atMost}, or a list, multiplied"},
    {"role", "a word, or a path; the key or name on the way where absent"},
};

constexpr Key kReplicas[] = {
    {"path", "where the object has the number"},
    {"default", "what stands for nothing written there; 1 where absent"},
    {"atLeast", "the path of a lower bound"},
    {"atMost", "the path of an upper bound"},
};

// ---- Exemption, breakGlass

constexpr Key kExemption[] = {
    {"reason", "why, and who agreed; people read it in warnings"},
    {"expires", "a day (its end, UTC) or a time, after which it lifts nothing"},
    {"rules", "the rules that it lifts, as globs of policy/rule"},
    {"match", "for which objects or people, with the keys of a policy's `match`"},
};

constexpr Key kBreakGlass[] = {
    {"users", "user names, as globs"},
    {"groups", "groups, as globs"},
    {"serviceAccounts", "namespace/name, as globs"},
    {"maxDuration", "how far off the end may be"},
};

// ---- NodeBaseline

constexpr Key kBaseline[] = {
    {"nodes", "which nodes: a label selector, and `names`; `{}` for every node"},
    {"maxAge", "an agent's values that are older than this are unknown"},
    {"bootGrace", "for so long after a boot an agent's values are unknown"},
    {"expect", "what each node must look like: a list"},
    {"quarantine", "which drift isolates a node, and how many at most"},
};

constexpr Key kBaselineNodes[] = {
    {"matchLabels", "labels that the nodes have"},
    {"matchExpressions", "as in a label selector"},
    {"names", "globs of their names, besides"},
};

constexpr Key kExpectation[] = {
    {"uniform", "`true`, in the place of tests: as more than half of the pool has it"},
    {"absent", "drift (default), ok or unknown: what a value that is not there means"},
    {"drift", "of which class and severity it is when it does not hold"},
};

constexpr Key kExpectedDrift[] = {
    {"class", "a word of the team's, or gpu, driver, rdma, nccl, kernel, os, storage, security"},
    {"severity", "minor, major or critical"},
};

constexpr Key kQuarantine[] = {
    {"atLeast", "from which severity on: minor, major or critical"},
    {"classes", "of which classes of drift; all where absent"},
    {"maxUnavailable", "never isolate more of the pool: a number of nodes, or a percentage"},
};

constexpr KeySet kWorkloadClassSet{"the `spec` of a WorkloadClass", kWorkloadClass,
                                   "spec of a WorkloadClass"};
constexpr KeySet kWorkloadKindSet{"the `spec` of a WorkloadKind", kWorkloadKind, "spec of a WorkloadKind"};
constexpr KeySet kTemplateSet{"a template", kTemplate, "templates"};
constexpr KeySet kReplicasSet{"`replicas`", kReplicas, "replicas"};
constexpr KeySet kExemptionSet{"the `spec` of an Exemption", kExemption, "spec of an Exemption"};
constexpr KeySet kBreakGlassSet{"`breakGlass`", kBreakGlass, "breakGlass"};
constexpr KeySet kBaselineSet{"the `spec` of a NodeBaseline", kBaseline, "spec of a NodeBaseline"};
constexpr KeySet kBaselineNodesSet{"`nodes`", kBaselineNodes, "nodes"};
constexpr KeySet kExpectationSet{"an expectation", kExpectation, "expect of a NodeBaseline"};
constexpr KeySet kExpectedDriftSet{"`drift`", kExpectedDrift, "drift of an expectation"};
constexpr KeySet kQuarantineSet{"`quarantine`", kQuarantine, "quarantine"};

constexpr const KeySet* kAll[] = {&kWorkloadClassSet, &kWorkloadKindSet, &kTemplateSet,      &kReplicasSet,
                                  &kExemptionSet,     &kBaselineSet,     &kBaselineNodesSet, &kExpectationSet,
                                  &kExpectedDriftSet, &kQuarantineSet};

}  // namespace

const KeySet& workloadClassKeys() {
  return kWorkloadClassSet;
}
const KeySet& workloadKindKeys() {
  return kWorkloadKindSet;
}
const KeySet& templateKeys() {
  return kTemplateSet;
}
const KeySet& replicasKeys() {
  return kReplicasSet;
}
const KeySet& exemptionKeys() {
  return kExemptionSet;
}
const KeySet& breakGlassKeys() {
  return kBreakGlassSet;
}
const KeySet& baselineKeys() {
  return kBaselineSet;
}
const KeySet& baselineNodesKeys() {
  return kBaselineNodesSet;
}
const KeySet& expectationKeys() {
  return kExpectationSet;
}
const KeySet& expectedDriftKeys() {
  return kExpectedDriftSet;
}
const KeySet& quarantineKeys() {
  return kQuarantineSet;
}
std::span<const KeySet* const> documentKeySets() {
  return kAll;
}

}  // namespace driftbar::policy
