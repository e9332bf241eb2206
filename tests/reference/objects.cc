#include "reference/objects.h"

#include "reference/vocabulary.h"
#include "reference/words.h"

namespace driftbar::reference {
namespace {

Row listOf(std::initializer_list<const char*> texts) {
  Row out = Row::array();
  for (const auto* text : texts) out.push_back(text);
  return out;
}

}  // namespace

// ---- pods

Row Objects::labels(bool ofNode) {
  Row out = Row::object();
  for (const auto* key : kKeys) {
    if (chance_.once(2))
      out[key] = ofNode && key == std::string("pool") ? chance_.pick(kPools) : chance_.pick(kTexts);
  }
  return out;
}

Row Objects::owners() {
  Row owner = Row::object();
  owner["apiVersion"] = "apps/v1";
  owner["kind"] = chance_.pick(kOwners);
  owner["name"] = "o";
  owner["uid"] = "1";
  owner["controller"] = true;
  return Row::array({owner});
}

Row Objects::metadata(const char* name) {
  Row out = Row::object();
  out["name"] = name;
  out["labels"] = labels();
  if (chance_.once(2)) out["annotations"] = labels();
  return out;
}

Row Objects::resources() {
  Row out = Row::object();
  for (const auto* name : kResources) {
    if (!chance_.once(3)) continue;
    const bool whole = name != std::string("cpu");
    out[chance_.once(3) && !whole ? "requests" : "limits"][name] =
        whole ? chance_.oneOf({"0", "1", "8"}) : chance_.oneOf({"500m", "1", "0.5"});
  }
  return out;
}

Row Objects::env() {
  Row out = Row::array();
  for (const auto* name : kVariables) {
    if (!chance_.once(3)) continue;
    Row one = Row::object();
    one["name"] = name;
    if (chance_.once(6)) {
      one["valueFrom"]["configMapKeyRef"] = {{"name", "c"}, {"key", "k"}};
    } else if (!chance_.once(6)) {
      one["value"] = chance_.oneOf({"INFO", "a", "8", "b"});
    }
    out.push_back(one);
  }
  return out;
}

Row Objects::container(const char* name) {
  Row out = Row::object();
  out["name"] = name;
  out["image"] = chance_.pick(kImages);
  if (chance_.once(2)) out["resources"] = resources();
  if (chance_.once(2)) out["env"] = env();
  if (chance_.once(8))
    out["envFrom"] = Row::array({{{"configMapRef", {{"name", chance_.oneOf({"c", "c", "d"})}}}}});
  if (chance_.once(2))
    out["command"] = chance_.oneOf({listOf({"sysctl", "-w"}), listOf({"sh", "-c", "export NCCL_ALGO=a; x"}),
                                    listOf({"a"}), Row::array()});
  if (chance_.once(4)) out["tty"] = chance_.once(2);
  if (chance_.once(4)) {
    out["livenessProbe"] = Row::object();
    if (chance_.once(2)) out["livenessProbe"]["timeoutSeconds"] = chance_.oneOf({1, 8});
  }
  if (chance_.once(3)) {
    Row security = Row::object();
    if (!chance_.once(3)) security["privileged"] = chance_.once(2);
    if (chance_.once(2)) security["capabilities"]["add"] = someOf(chance_, kCapabilities);
    out["securityContext"] = security;
  }
  if (chance_.once(2)) {
    Row mount = {{"name", chance_.oneOf({"v1", "v2"})}, {"mountPath", "/m"}};
    if (chance_.once(2)) mount["readOnly"] = chance_.once(2);
    out["volumeMounts"] = Row::array({mount});
  }
  return out;
}

Row Objects::volumes() {
  Row out = Row::array();
  for (const auto* name : {"v1", "v2"}) {
    if (chance_.once(3)) continue;
    Row volume = {{"name", name}};
    if (chance_.once(3)) {
      volume["emptyDir"] = Row::object();
      if (chance_.once(3)) volume["emptyDir"]["medium"] = chance_.oneOf({"", "Memory"});
    } else {
      volume["hostPath"]["path"] = chance_.pick(kPaths);
    }
    out.push_back(volume);
  }
  return out;
}

Row Objects::tolerations() {
  Row out = Row::array();
  for (std::size_t i = chance_.below(3); i > 0; --i) {
    Row one = Row::object();
    if (chance_.once(2)) one["key"] = chance_.pick(kKeys);
    if (chance_.once(2) || !one.contains("key")) {
      one["operator"] = "Exists";
    } else {
      if (chance_.once(2)) one["operator"] = "Equal";
      if (chance_.once(2)) one["value"] = chance_.pick(kPools);
    }
    if (chance_.once(3)) one["effect"] = chance_.pick(kEffects);
    out.push_back(one);
  }
  return out;
}

Row Objects::affinity() {
  Row terms = Row::array();
  for (std::size_t i = 1 + chance_.below(2); i > 0; --i) {
    Row expression = {{"key", chance_.pick(kKeys)},
                      {"operator", chance_.oneOf({"In", "NotIn", "Exists", "DoesNotExist"})}};
    if (expression["operator"] == "In" || expression["operator"] == "NotIn")
      expression["values"] = someOf(chance_, kPools);
    Row term = Row::object();
    term["matchExpressions"] = Row::array({expression});
    terms.push_back(term);
  }
  Row out = Row::object();
  out["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] = terms;
  return out;
}

Row Objects::podSpec() {
  Row out = Row::object();
  out["containers"] = Row::array({container("trainer")});
  if (chance_.once(2)) out["containers"].push_back(container("sidecar"));
  if (chance_.once(3)) out["initContainers"] = Row::array({container("setup")});
  if (chance_.once(3)) out["volumes"] = volumes();
  if (chance_.once(3)) out["tolerations"] = tolerations();
  if (chance_.once(4)) out["affinity"] = affinity();
  if (chance_.once(4)) out["nodeSelector"]["pool"] = chance_.pick(kPools);
  if (chance_.once(5)) {
    out["nodeName"] = chance_.oneOf({"n1", "n2", "gone"});
  } else if (chance_.once(6)) {
    out["schedulingGates"] = Row::array({{{"name", "queue"}}});
  }
  if (chance_.once(3)) out["restartPolicy"] = chance_.oneOf({"Always", "Never"});
  for (const auto* key : {"hostNetwork", "hostPID", "hostIPC"}) {
    if (chance_.once(4)) out[key] = chance_.once(2);
  }
  if (chance_.once(3)) out["priority"] = chance_.oneOf({0, 8, 1000});
  if (chance_.once(3)) out["serviceAccountName"] = chance_.pick(kAccounts);
  if (chance_.once(5)) {
    Row sysctl = {{"name", chance_.pick(kSysctls)}, {"value", chance_.oneOf({"1", "8", "a"})}};
    out["securityContext"]["sysctls"] = Row::array({sysctl});
  }
  if (chance_.once(8)) out["securityContext"]["runAsNonRoot"] = chance_.once(2);
  if (chance_.once(6)) out["terminationGracePeriodSeconds"] = chance_.oneOf({8, 30});
  if (chance_.once(20)) out["resourceClaims"] = Row::array({{{"name", "c"}, {"resourceClaimName", "c"}}});
  return out;
}

Row Objects::pod() {
  Row out = {{"apiVersion", "v1"}, {"kind", "Pod"}};
  out["metadata"] = metadata(chance_.pick(kNames));
  Row& metadata = out["metadata"];
  metadata["namespace"] = chance_.once(2) ? "ml" : chance_.pick(kNamespaces);
  if (chance_.once(8)) {
    metadata["generateName"] = "bert-";
    metadata.erase("name");
  }
  if (chance_.once(3)) {
    metadata["ownerReferences"] = owners();
    if (chance_.once(2)) metadata["labels"]["pod-template-hash"] = "5d8";
  }
  if (chance_.once(6)) metadata["labels"]["driftbar.io/workload"] = chance_.oneOf({"serving", "training"});
  if (chance_.once(10)) metadata["labels"]["training.kubeflow.org/job-name"] = "j";
  if (chance_.once(20)) metadata["annotations"]["kubernetes.io/config.mirror"] = "x";
  out["spec"] = podSpec();
  return out;
}

// ---- nodes and namespaces

Row Objects::node(const std::string& name) {
  Row out = {{"apiVersion", "v1"}, {"kind", "Node"}};
  out["metadata"] = metadata(name.c_str());
  out["metadata"]["labels"] = labels(true);
  if (chance_.once(3)) out["metadata"]["labels"]["driftbar.io/drift"] = chance_.oneOf({"minor", "major"});
  if (chance_.once(2)) {
    Row facts = Row::object();
    for (const auto* fact : kFacts) {
      if (chance_.once(2)) facts[fact] = chance_.oneOf({"9000", "1500", "enforcing"});
    }
    for (const auto* sysctl : kSysctls) {
      if (chance_.once(2)) facts[std::string("sysctl:") + sysctl] = chance_.oneOf({"1", "212992"});
    }
    out["metadata"]["annotations"]["driftbar.io/facts"] = facts.dump();
  }
  Row spec = Row::object();
  if (chance_.once(6)) spec["unschedulable"] = chance_.once(2);
  Row taints = Row::array();
  for (const auto* key : kKeys) {
    if (!chance_.once(8)) continue;
    Row taint = {{"key", key}, {"effect", chance_.pick(kEffects)}};
    if (chance_.once(2)) taint["value"] = chance_.pick(kPools);
    taints.push_back(taint);
  }
  if (!taints.empty()) spec["taints"] = taints;
  if (!spec.empty() || chance_.once(2)) out["spec"] = spec;
  Row conditions = Row::array();
  for (const auto* type : kConditions) {
    if (chance_.once(3)) continue;
    Row condition = {{"type", type}, {"status", chance_.pick(kStatuses)}};
    if (!chance_.once(5))
      condition["lastTransitionTime"] =
          chance_.oneOf({"2026-12-01T09:00:00Z", "2026-12-01T09:50:00Z", "2026-12-01T09:50:01Z"});
    conditions.push_back(condition);
  }
  out["status"]["conditions"] = conditions;
  out["status"]["allocatable"] = {{"pods", "110"}, {"cpu", chance_.oneOf({"64", "600m"})}, {"rdma/hca", "8"}};
  if (!chance_.once(4)) out["status"]["allocatable"]["nvidia.com/gpu"] = chance_.oneOf({"8", "4"});
  out["status"]["nodeInfo"]["kernelVersion"] = chance_.oneOf({"5.15.0-1034-aws", "6.1.0", "x"});
  return out;
}

Row Objects::nodes() {
  Row out = Row::array();
  for (std::size_t i = 1, count = chance_.below(5); i <= count; ++i)
    out.push_back(node("n" + std::to_string(i)));
  return out;
}

Row Objects::namespaces() {
  Row out = Row::array();
  for (const auto* name : {"ml", "prod", "kube-system"}) {
    Row ns = {{"apiVersion", "v1"}, {"kind", "Namespace"}};
    ns["metadata"] = metadata(name);
    ns["metadata"]["labels"]["kubernetes.io/metadata.name"] = name;  // as the API server has it
    out.push_back(ns);
  }
  return out;
}

// ---- requests

Row Objects::user(const Row& object) {
  Row out = {{"username", chance_.pick(kUsers)}};
  out["groups"] = someOf(chance_, kGroups);
  if (chance_.once(6)) {
    const std::string node = object.contains("spec") ? object["spec"].value("nodeName", "n1") : "n1";
    out["username"] = "system:node:" + node;
    out["groups"] = listOf({"system:nodes"});
  }
  if (chance_.once(8)) out["extra"]["authentication.kubernetes.io/node-name"] = listOf({"n1"});
  return out;
}

Row Objects::envelope(const Row& object, const std::string& group, const std::string& resource) {
  Row out = {{"uid", "u"}};
  const std::string apiVersion = object["apiVersion"];
  const auto slash = apiVersion.find('/');
  const std::string version = slash == std::string::npos ? apiVersion : apiVersion.substr(slash + 1);
  out["kind"] = {{"group", group}, {"version", version}, {"kind", object["kind"]}};
  out["resource"] = {{"group", group}, {"version", version}, {"resource", resource}};
  if (object["metadata"].contains("name")) out["name"] = object["metadata"]["name"];
  if (object["metadata"].contains("namespace")) out["namespace"] = object["metadata"]["namespace"];
  out["operation"] = "CREATE";
  out["userInfo"] = user(object);
  out["object"] = object;
  out["oldObject"] = nullptr;
  return out;
}

void Objects::changePod(Row& pod) {
  Row& spec = pod["spec"];
  switch (chance_.below(14)) {
    case 0:
    case 1:
      pod["metadata"]["labels"][chance_.pick(kKeys)] = chance_.pick(kTexts);
      break;
    case 2:
      pod["metadata"]["labels"].erase(chance_.pick(kKeys));
      break;
    case 3:
      pod["metadata"]["annotations"][chance_.pick(kKeys)] = chance_.pick(kTexts);
      break;
    case 4:
      chance_.pick(spec["containers"]);
      spec["containers"][0]["image"] = chance_.pick(kImages);
      break;
    case 5:
      spec["containers"].push_back(container("late"));
      break;
    case 6:
      chance_.shuffle(spec["containers"]);
      break;
    case 7:
      spec["tolerations"] = tolerations();
      break;
    case 8:
      spec.erase("schedulingGates");
      break;
    case 9:
      spec.erase("nodeName");
      break;
    case 10:
      spec["containers"][0]["env"] = env();
      break;
    case 11:
      spec["hostNetwork"] = chance_.once(2);
      break;
    case 12:
      spec["nodeSelector"]["pool"] = chance_.pick(kPools);
      break;
    default:
      spec["containers"][0]["securityContext"]["privileged"] = chance_.once(2);
  }
}

void Objects::changeNode(Row& node) {
  switch (chance_.below(5)) {
    case 0:
      node["metadata"]["labels"][chance_.pick(kKeys)] = chance_.pick(kTexts);
      break;
    case 1:
      node["metadata"]["labels"].erase(chance_.pick(kKeys));
      break;
    case 2:
      node["spec"]["unschedulable"] = chance_.once(2);
      break;
    case 3:
      node["spec"]["taints"].push_back({{"key", chance_.oneOf({"late", "node.kubernetes.io/not-ready"})},
                                        {"effect", chance_.pick(kEffects)}});
      break;
    default:
      node["metadata"]["annotations"][chance_.pick(kKeys)] = chance_.pick(kTexts);
  }
}

void Objects::change(Row& object) {
  const std::string kind = object["kind"];
  if (kind == "Pod") return changePod(object);
  if (kind == "Node") return changeNode(object);
  if (chance_.once(2)) return changeWorkload(object);
  object["metadata"]["labels"][chance_.pick(kKeys)] = chance_.pick(kTexts);
}

// The object as the old one, and what a few changes make of it; at times none.
Row Objects::update(Row request) {
  request["operation"] = "UPDATE";
  request["oldObject"] = request["object"];
  Row& now = request["object"];
  if (chance_.once(10))
    request["oldObject"]["metadata"]["deletionTimestamp"] = now["metadata"]["deletionTimestamp"] =
        "2026-12-01T09:59:00Z";
  for (std::size_t i = chance_.below(4); i > 0; --i) change(now);
  return request;
}

// A request about a pod that does not have it.
Row Objects::withoutPod() {
  const bool exec = chance_.once(2);
  Row object = {{"apiVersion", exec ? "v1" : "policy/v1"}, {"kind", exec ? "PodExecOptions" : "Eviction"}};
  if (exec) {
    object["command"] = listOf({"sh"});
  } else {
    object["metadata"] = {{"name", "bert-0"}, {"namespace", "ml"}};
    if (chance_.once(2) && isOn("judged", "what is looked up")) object["metadata"]["uid"] = "1";
  }
  Row out = {{"uid", "u"}, {"subResource", exec ? "exec" : "eviction"}, {"name", chance_.pick(kNames)}};
  out["kind"] = {{"group", exec ? "" : "policy"}, {"version", "v1"}, {"kind", object["kind"]}};
  out["resource"] = {{"group", ""}, {"version", "v1"}, {"resource", "pods"}};
  out["namespace"] = chance_.once(2) ? "ml" : chance_.pick(kNamespaces);
  out["operation"] = exec ? "CONNECT" : "CREATE";
  out["userInfo"] = user(object);
  if (!isOn("path", "onOwnNode of a node that is not named"))
    out["userInfo"] = {{"username", "alice"}, {"groups", someOf(chance_, kGroups)}};
  out["object"] = object;
  out["oldObject"] = nullptr;
  return out;
}

Row Objects::request() {
  if (isOn("judged", "connect") && chance_.once(12)) return withoutPod();
  if (!recorded_.empty() && chance_.once(25)) return chance_.pick(recorded_);
  Row out;
  if (isOn("judged", "nodes") && chance_.once(5)) {
    out = envelope(node(chance_.oneOf({"n1", "n9"})), "", "nodes");
    if (chance_.once(5)) out["subResource"] = "status";
  } else if (isOn("judged", "workloads") && chance_.once(4)) {
    std::string group, resource;
    const Row object = workload(group, resource);
    out = envelope(object, group, resource);
  } else {
    out = envelope(pod(), "", "pods");
  }
  const std::size_t kind = chance_.below(20);
  if (kind < 9) {
    out = update(std::move(out));
    if (out["resource"]["resource"] == "pods" && chance_.once(6)) {
      out["subResource"] = chance_.oneOf({"ephemeralcontainers", "status", "resize"});
      if (out["subResource"] == "ephemeralcontainers")
        out["object"]["spec"]["ephemeralContainers"] = Row::array({container("debugger")});
    }
  } else if (kind == 9) {
    out["operation"] = "DELETE";
    out["oldObject"] = out["object"];
    out["object"] = nullptr;
    const bool node = out["resource"]["resource"] == "nodes";
    if (chance_.once(2) && (!node || isOn("path", "onOwnNode of a node that is not named")))
      out.erase("name");  // one of a collection
  }
  return out;
}

}  // namespace driftbar::reference
