#include "policy/zero_values.h"

namespace driftbar::policy {
namespace {

using Kind = Value::Kind;

constexpr ZeroValue kZeroValues[] = {
    {"spec.restartPolicy", Kind::kText, "Always"},
    {"spec.dnsPolicy", Kind::kText, "ClusterFirst"},
    {"spec.schedulerName", Kind::kText, "default-scheduler"},
    {"spec.serviceAccountName", Kind::kText, "default"},
    {"spec.preemptionPolicy", Kind::kText, "PreemptLowerPriority"},
    {"spec.terminationGracePeriodSeconds", Kind::kNumber, "30"},
    {"spec.nodeName", Kind::kText, ""},
    {"spec.priorityClassName", Kind::kText, ""},
    {"spec.hostname", Kind::kText, ""},
    {"spec.subdomain", Kind::kText, ""},
    {"spec.hostNetwork", Kind::kBool, "false"},
    {"spec.hostPID", Kind::kBool, "false"},
    {"spec.hostIPC", Kind::kBool, "false"},
    {"spec.hostUsers", Kind::kBool, "true"},
    {"spec.shareProcessNamespace", Kind::kBool, "false"},
    {"spec.setHostnameAsFQDN", Kind::kBool, "false"},
    {"spec.enableServiceLinks", Kind::kBool, "true"},
    {"spec.securityContext.runAsNonRoot", Kind::kBool, "false", 1},
    {"spec.securityContext.fsGroupChangePolicy", Kind::kText, "Always", 1},
    {"spec.tolerations[*].key", Kind::kText, ""},
    {"spec.tolerations[*].operator", Kind::kText, "Equal"},
    {"spec.tolerations[*].value", Kind::kText, ""},
    {"spec.tolerations[*].effect", Kind::kText, ""},
    {"spec.topologySpreadConstraints[*].nodeAffinityPolicy", Kind::kText, "Honor"},
    {"spec.topologySpreadConstraints[*].nodeTaintsPolicy", Kind::kText, "Ignore"},
    {"spec.containers[*].securityContext.privileged", Kind::kBool, "false", 1},
    {"spec.containers[*].securityContext.allowPrivilegeEscalation", Kind::kBool, "true", 1},
    {"spec.containers[*].securityContext.readOnlyRootFilesystem", Kind::kBool, "false", 1},
    {"spec.containers[*].securityContext.procMount", Kind::kText, "Default", 1},
    {"spec.containers[*].stdin", Kind::kBool, "false"},
    {"spec.containers[*].stdinOnce", Kind::kBool, "false"},
    {"spec.containers[*].tty", Kind::kBool, "false"},
    {"spec.containers[*].workingDir", Kind::kText, ""},
    {"spec.containers[*].terminationMessagePath", Kind::kText, "/dev/termination-log"},
    {"spec.containers[*].terminationMessagePolicy", Kind::kText, "File"},
    {"spec.containers[*].ports[*].protocol", Kind::kText, "TCP"},
    {"spec.containers[*].ports[*].hostPort", Kind::kNumber, "0"},
    {"spec.containers[*].ports[*].hostIP", Kind::kText, ""},
    {"spec.containers[*].volumeMounts[*].readOnly", Kind::kBool, "false"},
    {"spec.containers[*].volumeMounts[*].subPath", Kind::kText, ""},
    {"spec.volumes[*].hostPath.type", Kind::kText, ""},
    {"spec.volumes[*].emptyDir.medium", Kind::kText, ""},
    {"spec.unschedulable", Kind::kBool, "false"},  // of a node
    {"spec.taints[*].value", Kind::kText, ""},
};

}  // namespace

Value ZeroValue::value() const {
  Value value;
  value.kind = kind;
  value.text = text;
  value.flag = text == "true";
  return value;
}

std::span<const ZeroValue> zeroValues() {
  return kZeroValues;
}

const ZeroValue* zeroValueOf(std::string_view pattern) {
  for (const auto& row : kZeroValues) {
    if (row.field == pattern) return &row;
  }
  return nullptr;
}

std::string patternOf(std::span<const PathStep> steps) {
  std::string out;
  std::string_view before;
  for (const auto& step : steps) {
    std::string_view key = step.key;
    if (key == "initContainers" || key == "ephemeralContainers") key = "containers";
    const bool element = step.kind != PathStep::Kind::kKey || !mergeKey(before).empty();
    out += element ? "[*]" : (out.empty() ? "" : ".") + std::string(key);
    before = element ? std::string_view{} : key;
  }
  return out;
}

}  // namespace driftbar::policy
