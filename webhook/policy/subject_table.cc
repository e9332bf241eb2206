#include "policy/subject_table.h"

#include <algorithm>

#include "policy/subjects.h"

namespace driftbar::policy {
namespace {

using namespace subjects;  // the functions of the rows

constexpr unsigned kPods = SubjectRow::kPods, kNodes = SubjectRow::kNodes, kObjects = SubjectRow::kObjects;

constexpr Written kTaintMap = written::map(taintKeys);

constexpr std::string_view kOfPairs = "object namespace ranks", kOfPods = "ranks",
                           kOfContainersOfPods = "ranks init ephemeral";

constexpr SubjectRow kSubjects[] = {
    {"label",
     "a label of the node in `avoidNodes` and in rules on nodes, else of the pod; `of: object` or `of: "
     "namespace`",
     "{label: pool, equals: h100}", written::texts(), "of", kOfPairs, kPods | kNodes, false,
     ValueType::kLabelValue, "exists", parsePairs, labelValues, labelPlace, labelNoun, nullptr, nullptr},
    {"annotation",
     "an annotation of the node in `avoidNodes` and in rules on nodes, else of the pod; `of: object` or `of: "
     "namespace`",
     "{annotation: example.com/owner, exists: false}", written::texts(), "of", kOfPairs, kPods | kNodes,
     false, ValueType::kText, "exists", parsePairs, annotationValues, annotationPlace, annotationNoun,
     nullptr, nullptr},
    {"taint", "a taint of the node, by key or as {key, value, effect}; its value",
     "{taint: {key: nvidia.com/gpu, effect: NoSchedule}}", written::texts().or_(kTaintMap), "", "", kNodes,
     false, ValueType::kLabelValue, "exists", parseTaint, taintValues, taintPlace, taintNoun, taintSentence,
     nullptr},
    {"condition", "a condition of the node: its status, True, False or Unknown",
     "{condition: GPUMissing, equals: \"True\", for: 10m}", written::texts(), "", "", kNodes, false,
     ValueType::kStatus, "exists", parseCondition, conditionValues, conditionPlace, conditionNoun, nullptr,
     nullptr},
    {"fact",
     "what the node's agent reports, by name: `gpu.driver`, `nic.mtu`, `kernel.cmdline[NAME]`…; not known "
     "without an agent",
     "{fact: gpu.driver, version: '>=550.54 <560'}", written::texts(), "", "", kNodes, false, ValueType::kAny,
     "exists", parseFact, factValues, factPlace, factNoun, factSentence, nullptr},
    {"sysctl", "of a node: the value of a sysctl, as the node's agent reports it",
     "{sysctl: net.core.rmem_max, atLeast: 512Mi}", written::texts(), "", "", kNodes, false, ValueType::kAny,
     "exists", parseNodeSysctl, nodeSysctlValues, nodeSysctlPlace, sysctlNoun, nodeSysctlSentence, nullptr},
    {"drift",
     "whether the node has drifted from its baselines: {class, atLeast}; not known in this version, which "
     "judges no baselines",
     "{drift: {atLeast: major}}", written::map(driftKeys).orEmpty(), "", "", kNodes, false,
     ValueType::kMembership, "member", parseDrift, driftValues, driftPlace, driftNoun, nullptr, driftMust},
    {"canLandOn", "whether some node that the pod could land on fits the label selector",
     "{canLandOn: {matchLabels: {pool: h100}}}", written::a(Form::kSelector), "of", kOfPods, kPods, false,
     ValueType::kMembership, "member", parseCanLandOn, canLandOnValues, canLandOnPlace, canLandOnNoun,
     canLandOnSentence, canLandOnMust},
    {"env",
     "a variable of the containers that ask for an accelerator (of all where none does), as set in `env` or "
     "on the command line",
     "{env: NCCL_DEBUG, in: [INFO, TRACE]}", written::texts(), "of containers", kOfContainersOfPods, kPods,
     false, ValueType::kText, "exists", parseEnv, envValues, envPlace, envNoun, nullptr, nullptr},
    {"rankEnv",
     "for `agree`: the variables of all pod templates that carry ranks, by globs; those that may differ by "
     "host count only when named outright",
     "{rankEnv: [\"NCCL_*\", \"FI_*\"], agree: true}", written::texts(), "containers", "", kPods, false,
     ValueType::kShared, "", parseRankEnv, rankEnvValues, trailPlace, rankEnvNoun, nullptr, nullptr},
    {"resource", "how much the pod asks for, as the scheduler counts it; 0 where it asks for none",
     "{resource: nvidia.com/gpu, lessThan: 8}", written::texts(), "of", kOfPods, kPods, false,
     ValueType::kQuantity, "exists", parseResource, resourceValues, resourcePlace, resourceNoun,
     resourceSentence, nullptr},
    {"image", "whether the images of containers are among these, as globs",
     "{image: \"registry.example.com/*\"}", written::a(Form::kSentence).orList(), "of containers",
     kOfContainersOfPods, kPods, false, ValueType::kText, "member", parseImage, imageValues, trailPlace,
     imageNoun, nullptr, nameMust},
    {"hostPath",
     "whether the paths of hostPath volumes are among these, as globs; `readOnly: false`: of those mounted "
     "for writing",
     "{hostPath: [/, \"/etc*\"]}", written::texts(), "of readOnly", kOfPods, kPods, false, ValueType::kText,
     "member", parseHostPath, hostPathValues, trailPlace, hostPathNoun, hostPathSentence, nameMust},
    {"capability", "whether the capabilities that containers add are among these; `ALL` counts as every name",
     "{capability: [SYS_ADMIN, NET_ADMIN]}", written::texts(), "of containers", kOfContainersOfPods, kPods,
     false, ValueType::kText, "member", parseCapability, capabilityValues, capabilityPlace, capabilityNoun,
     capabilitySentence, capabilityMust},
    {"sysctl",
     "of a pod: whether the sysctls that it sets are among these, as globs; `unsafe`: those that Kubernetes "
     "does not count as safe",
     "{sysctl: unsafe}", written::texts(), "of", kOfPods, kPods, false, ValueType::kText, "member",
     parsePodSysctl, podSysctlValues, trailPlace, sysctlNoun, podSysctlSentence, podSysctlMust},
    {"hostNamespace", "whether the host's namespaces that the pod shares are among these: pid, ipc, network",
     "{hostNamespace: [pid, ipc]}", written::oneOf("pid ipc network *").orList(), "of", kOfPods, kPods, false,
     ValueType::kText, "member", parseHostNamespace, hostNamespaceValues, trailPlace, hostNamespaceNoun,
     hostNamespaceSentence, hostNamespaceMust},
    {"privileged", "whether containers are privileged (HostProcess on Windows), or are not",
     "{privileged: true}", written::a(Form::kFlag), "of containers", kOfContainersOfPods, kPods, false,
     ValueType::kMembership, "member", parsePrivileged, privilegedValues, trailPlace, privilegedNoun,
     privilegedSentence, privilegedMust},
    {"field",
     "any field, by its path from `pod`, `node`, `object`, `oldObject`, `request`, `namespace`, "
     "`templates[*]` or `ranks[*]`",
     "{field: pod.spec.hostNetwork, equals: true}", written::a(Form::kPath), "of", kOfPods,
     kPods | kNodes | kObjects, true, ValueType::kAny, "", parseField, fieldValues, trailPlace, trailPlace,
     fieldSentence, nullptr},
    {"changed",
     "what an update changes at the path: each key of a map or list, or the value; `keys` and `notKeys` "
     "narrow it",
     "{changed: node.metadata.labels, keys: [\"nvidia.com/*\"]}", written::a(Form::kPath).orList(),
     "keys notKeys", "", kPods | kNodes | kObjects, true, ValueType::kMembership, "member", parseChanged,
     changedValues, trailPlace, changedNoun, changedSentence, changedMust},
    {"requestedBy", "who asks: any of the users, groups and service accounts named",
     "{requestedBy: {groups: [oncall]}}", written::map(requestedByKeys), "", "", kObjects, false,
     ValueType::kMembership, "member", parseRequestedBy, requestedByValues, requestedByPlace, requestedByNoun,
     requestedBySentence, requestedByMust},
};

constexpr Key kModifiers[] = {
    {"of",
     "`object` or `namespace` beside `label` and `annotation`; `ranks`: only templates that carry ranks; "
     "`init`, `ephemeral`: only such containers",
     written::oneOf("object namespace ranks init ephemeral")},
    {"keys", "beside `changed`: globs of the keys that count; taints as `key` or `key:Effect`",
     written::texts()},
    {"notKeys", "beside `changed`: globs of the keys that do not count", written::texts()},
    {"containers", "globs: only containers of these names", written::texts()},
    {"readOnly", "beside `hostPath`; `false`: only those mounted for writing, `true`: only the others",
     written::a(Form::kFlag)},
};

}  // namespace

std::span<const SubjectRow> subjectTable() {
  return kSubjects;
}

const SubjectRow* subjectRow(std::string_view name) {
  for (const auto& row : kSubjects) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

const SubjectRow* subjectRow(std::string_view name, unsigned about) {
  for (const auto& row : kSubjects) {
    if (row.name == name && (row.byPath || (row.about & about) != 0)) return &row;
  }
  return subjectRow(name);
}

std::vector<std::string_view> subjectNames() {
  std::vector<std::string_view> names;
  for (const auto& row : kSubjects) {
    if (std::find(names.begin(), names.end(), row.name) == names.end()) names.push_back(row.name);
  }
  return names;
}

std::span<const Key> laterSubjects() {
  return {};
}

std::span<const Key> modifierKeys() {
  return kModifiers;
}

}  // namespace driftbar::policy
