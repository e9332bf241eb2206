#include "policy/subject_table.h"

#include <algorithm>

#include "policy/subjects.h"

namespace driftbar::policy {
namespace {

using namespace subjects;  // the functions of the rows

constexpr unsigned kPods = SubjectRow::kPods, kNodes = SubjectRow::kNodes, kObjects = SubjectRow::kObjects;

constexpr SubjectRow kSubjects[] = {
    {"label",
     "a label of the node in `avoidNodes` and in rules on nodes, else of the pod; `of: object` or `of: "
     "namespace`",
     "{label: pool, equals: h100}", "of", kPods | kNodes, false, ValueType::kLabelValue, "exists", parsePairs,
     labelValues, labelPlace, labelNoun, nullptr, nullptr},
    {"annotation",
     "an annotation of the node in `avoidNodes` and in rules on nodes, else of the pod; `of: object` or `of: "
     "namespace`",
     "{annotation: example.com/owner, exists: false}", "of", kPods | kNodes, false, ValueType::kText,
     "exists", parsePairs, annotationValues, annotationPlace, annotationNoun, nullptr, nullptr},
    {"taint", "a taint of the node, by key or as {key, value, effect}; its value",
     "{taint: {key: nvidia.com/gpu, effect: NoSchedule}}", "", kNodes, false, ValueType::kLabelValue,
     "exists", parseTaint, taintValues, taintPlace, taintNoun, taintSentence, nullptr},
    {"condition", "a condition of the node: its status, True, False or Unknown",
     "{condition: GPUMissing, equals: \"True\", for: 10m}", "", kNodes, false, ValueType::kStatus, "exists",
     parseCondition, conditionValues, conditionPlace, conditionNoun, nullptr, nullptr},
    {"canLandOn", "whether some node that the pod could land on fits the label selector",
     "{canLandOn: {matchLabels: {pool: h100}}}", "of", kPods, false, ValueType::kMembership, "member",
     parseCanLandOn, canLandOnValues, canLandOnPlace, canLandOnNoun, canLandOnSentence, canLandOnMust},
    {"field",
     "any field, by its path from `pod`, `node`, `object`, `oldObject`, `request`, `namespace`, "
     "`templates[*]` or `ranks[*]`",
     "{field: pod.spec.hostNetwork, equals: true}", "of", kPods | kNodes | kObjects, true, ValueType::kAny,
     "", parseField, fieldValues, trailPlace, trailPlace, fieldSentence, nullptr},
    {"changed",
     "what an update changes at the path: each key of a map or list, or the value; `keys` and `notKeys` "
     "narrow it",
     "{changed: node.metadata.labels, keys: [\"nvidia.com/*\"]}", "keys notKeys", kPods | kNodes | kObjects,
     true, ValueType::kMembership, "member", parseChanged, changedValues, trailPlace, changedNoun,
     changedSentence, changedMust},
    {"requestedBy", "who asks: any of the users, groups and service accounts named",
     "{requestedBy: {groups: [oncall]}}", "", kObjects, false, ValueType::kMembership, "member",
     parseRequestedBy, requestedByValues, requestedByPlace, requestedByNoun, requestedBySentence,
     requestedByMust},
};

constexpr Key kLaterSubjects[] = {
    {"env", "", true},           {"resource", "", true}, {"sysctl", "", true},     {"fact", "", true},
    {"image", "", true},         {"hostPath", "", true}, {"capability", "", true}, {"privileged", "", true},
    {"hostNamespace", "", true}, {"drift", "", true},    {"rankEnv", "", true},
};

constexpr Key kModifiers[] = {
    {"of",
     "`object` or `namespace` beside `label` and `annotation`; `ranks`: only templates that carry ranks"},
    {"keys", "beside `changed`: globs of the keys that count; taints as `key` or `key:Effect`"},
    {"notKeys", "beside `changed`: globs of the keys that do not count"},
    {"containers", "only in containers of these names", true},
    {"readOnly", "beside `hostPath`", true},
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
  return kLaterSubjects;
}

std::span<const Key> modifierKeys() {
  return kModifiers;
}

}  // namespace driftbar::policy
