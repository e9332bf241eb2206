#include "policy/document_vocabulary.h"

#include "policy/match_table.h"

namespace driftbar::policy {
namespace {

constexpr Written kOfPod = written::condition(Place::kPod);
constexpr Written kReplicasMap = written::map(replicasKeys);

// ---- WorkloadClass, WorkloadKind

constexpr Key kWorkloadClass[] = {
    {"sensitiveTo", "the classes of drift that hurt such pods; `[]`: none does",
     written::a(Form::kDriftClass).orList().orEmpty()},
};

constexpr Key kWorkloadKind[] = {
    {"group", "the API group, without the version", written::a(Form::kSentence), Need::kMust},
    {"kind", "the kind, as in `kind:` of such an object", written::a(Form::kSentence), Need::kMust},
    {"resource", "the plural; the usual one where absent", written::a(Form::kSentence)},
    {"templates", "where its pod templates sit: a list, each with `path`", written::map(templateKeys).list(),
     Need::kMust},
    {"suspend", "the path of the boolean that keeps its pods from being made, or a list of such",
     written::a(Form::kPath).orList()},
    {"minAvailable", "the path of how many pods must start together, if not all", written::a(Form::kPath)},
    {"startsTogether", "`true`: its pods start together or not at all", written::a(Form::kFlag)},
    {"blueprint", "`true`: others are made of it, and no pod comes of itself", written::a(Form::kFlag)},
};

constexpr Key kTemplate[] = {
    {"path", "of a pod template or of a bare pod spec; `[*]` leads through lists and maps",
     written::a(Form::kPath), Need::kMust},
    {"ranks", "`false`: its pods carry no ranks, as a launcher's or a submitter's", written::a(Form::kFlag)},
    {"notRanks", "roles among them that carry no ranks all the same", written::texts()},
    {"replicas", "how many pods: a number, a path, {path, default, atLeast, atMost}, or a list, multiplied",
     written::a(Form::kWholeOrPath).or_(kReplicasMap).orList()},
    {"role", "a word, or a path; the key or name on the way where absent", written::a(Form::kSentence)},
};

constexpr Key kReplicas[] = {
    {"path", "where the object has the number", written::a(Form::kPath), Need::kMust},
    {"default", "what stands for nothing written there; 1 where absent", written::a(Form::kWhole)},
    {"atLeast", "the path of a lower bound", written::a(Form::kPath)},
    {"atMost", "the path of an upper bound", written::a(Form::kPath)},
};

// ---- Exemption, breakGlass

constexpr Key kExemption[] = {
    {"reason", "why, and who agreed; people read it in warnings", written::a(Form::kSentence), Need::kMust},
    {"expires", "a day (its end, UTC) or a time, after which it lifts nothing", written::a(Form::kEnd),
     Need::kMust},
    {"rules", "the rules that it lifts, as globs of policy/rule", written::texts(), Need::kMust},
    {"match", "for which objects or people, with the keys of a policy's `match`", written::map(matchKeys),
     Need::kMust},
};

constexpr Key kBreakGlass[] = {
    {"users", "user names, as globs", written::texts()},
    {"groups", "groups, as globs", written::texts()},
    {"serviceAccounts", "namespace/name, as globs", written::texts()},
    {"maxDuration", "how far off the end may be", written::a(Form::kDuration)},
};

// ---- NodeBaseline

constexpr Key kBaseline[] = {
    {"nodes", "which nodes: a label selector, and `names`; `{}` for every node",
     written::map(baselineNodesKeys).orEmpty(), Need::kMust},
    {"maxAge", "an agent's values that are older than this are unknown", written::a(Form::kDuration)},
    {"bootGrace", "for so long after a boot an agent's values are unknown", written::a(Form::kDuration)},
    {"expect", "what each node must look like: a list", written::leaf(Place::kNode, expectationKeys).list(),
     Need::kMust},
    {"quarantine", "which drift isolates a node, and how many at most", written::map(quarantineKeys)},
};

constexpr Key kBaselineNodes[] = {
    {"matchLabels", "labels that the nodes have", written::a(Form::kLabels)},
    {"matchExpressions", "as in a label selector", written::a(Form::kExpressions)},
    {"names", "globs of their names, besides", written::texts()},
};

constexpr Key kExpectation[] = {
    {"uniform", "`true`, in the place of tests: as more than half of the pool has it",
     written::a(Form::kTrue), Need::kOneOfThese},
    {"absent", "drift (default), ok or unknown: what a value that is not there means",
     written::oneOf("drift ok unknown")},
    {"drift", "of which class and severity it is when it does not hold", written::map(expectedDriftKeys),
     Need::kMust},
};

constexpr Key kExpectedDrift[] = {
    {"class", "a word of the team's, or gpu, driver, rdma, nccl, kernel, os, storage, security",
     written::a(Form::kDriftClass), Need::kMust},
    {"severity", "minor, major or critical", written::severity(), Need::kMust},
};

constexpr Key kQuarantine[] = {
    {"atLeast", "from which severity on: minor, major or critical", written::severity(), Need::kMust},
    {"classes", "of which classes of drift; all where absent", written::a(Form::kDriftClass).orList()},
    {"maxUnavailable", "never isolate more of the pool: a number of nodes, or a percentage",
     written::a(Form::kCountOrShare), Need::kMust},
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
