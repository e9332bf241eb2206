#include "reference/rules.h"

#include <algorithm>

#include "reference/vocabulary.h"
#include "reference/words.h"

namespace driftbar::reference {
namespace {

using Pointer = Row::json_pointer;

// The words of a group that are on, of those given.
std::vector<std::string> onlyOn(std::string_view of, std::initializer_list<const char*> names) {
  std::vector<std::string> out;
  for (const auto* name : names) {
    if (isOn(of, name)) out.emplace_back(name);
  }
  return out;
}

constexpr const char* kPodFields[] = {"pod.spec.restartPolicy",
                                      "pod.spec.hostNetwork",
                                      "pod.spec.priority",
                                      "pod.spec.terminationGracePeriodSeconds",
                                      "pod.spec.securityContext.runAsNonRoot",
                                      "pod.containers[*].livenessProbe.timeoutSeconds",
                                      "pod.spec.volumes[*].emptyDir.medium",
                                      "pod.spec.nodeName",
                                      "pod.spec.tolerations[*].key",
                                      "pod.spec.tolerations[*].operator",
                                      "pod.spec.tolerations[*].effect",
                                      "pod.spec.containers[*].image",
                                      "pod.containers[*].image",
                                      "pod.containers[*].securityContext.privileged",
                                      "pod.containers[*].command",
                                      "pod.containers[*].command[*]",
                                      "pod.spec.containers[*].tty",
                                      "pod.spec.containers[\"trainer\"].image",
                                      "pod.spec.containers[\"sidecar\"].securityContext.privileged",
                                      "pod.containers[\"setup\"].image",
                                      "pod.containers[\"debugger\"].name",
                                      "pod.spec.containers[0].name",
                                      "pod.spec.containers[1].resources.limits.cpu",
                                      "pod.containers[*].resources.limits[\"nvidia.com/gpu\"]",
                                      "pod.containers[*].env[*].value",
                                      "pod.spec.volumes[*].hostPath.path",
                                      "pod.spec.volumes[*].hostPath.type",
                                      "pod.containers[*].volumeMounts[*].readOnly",
                                      "pod.metadata.labels[*]",
                                      "pod.metadata.labels[\"x.io/a\"]",
                                      "pod.metadata.annotations.team",
                                      "object.metadata.name",
                                      "object.metadata.labels.team",
                                      "object.spec.hostNetwork",
                                      "object.spec.parallelism",
                                      "object.spec.replicas",
                                      "oldObject.spec.dnsPolicy",
                                      "oldObject.spec.priority",
                                      "oldObject.metadata.labels[*]",
                                      "request.operation",
                                      "request.userInfo.username",
                                      "request.userInfo.groups[*]",
                                      "namespace.metadata.labels.team",
                                      "namespace.metadata.name"};
constexpr const char* kNodeFields[] = {"node.spec.unschedulable",
                                       "node.status.allocatable[\"nvidia.com/gpu\"]",
                                       "node.status.allocatable.cpu",
                                       "node.metadata.labels[*]",
                                       "node.metadata.labels[\"x.io/a\"]",
                                       "node.metadata.annotations.team",
                                       "node.status.nodeInfo.kernelVersion",
                                       "node.spec.taints[*].value"};
constexpr const char* kContainerFields[] = {
    "name", "image", "command", "securityContext.privileged", "tty", "env[*].name", "resources.limits.cpu"};
constexpr const char* kTolerationFields[] = {"key", "operator", "value", "effect"};
constexpr const char* kVolumeFields[] = {"name", "hostPath.path"};

}  // namespace

Row Rules::name() {
  if (chance_.once(5)) return someOf(chance_, kKeys);
  if (chance_.once(5)) return chance_.pick(kKeyGlobs);
  return chance_.pick(kKeys);
}

Row Rules::selector() {
  Row out = Row::object();
  if (chance_.once(2)) {
    out["matchLabels"][chance_.pick(kKeys)] = chance_.pick(kPools);
  } else {
    Row expression = {{"key", chance_.pick(kKeys)},
                      {"operator", chance_.oneOf({"In", "NotIn", "Exists", "DoesNotExist"})}};
    if (expression["operator"] == "In" || expression["operator"] == "NotIn")
      expression["values"] = someOf(chance_, kPools);
    out["matchExpressions"] = Row::array({expression});
  }
  return out;
}

Row Rules::requester() {
  Row out = Row::object();
  const std::string who =
      chance_.pick(onlyOn("requestedBy", {"users", "groups", "serviceAccounts", "onOwnNode"}));
  if (who == "users") out[who] = Row::array({chance_.oneOf({"alice", "b*", "system:node:*"})});
  if (who == "groups") out[who] = Row::array({chance_.oneOf({"ml-*", "oncall"})});
  if (who == "serviceAccounts") out[who] = Row::array({chance_.oneOf({"ml/runner", "*/runner", "prod/*"})});
  if (who == "onOwnNode") out[who] = true;
  if (chance_.once(4) && isOn("requestedBy", "groups")) out["groups"] = Row::array({"oncall"});
  return out;
}

// ---- tests

Row Rules::operand(const std::string& test, bool status) {
  const auto one = [&]() -> Row {
    if (status) return chance_.pick(kStatuses);
    if (chance_.once(6)) return chance_.oneOf<Row>({8, true, false, 0.5, 1000});
    return chance_.once(8) ? Row(chance_.oneOf({"INFO", "registry/a:1", "Always", "Exists", "NoSchedule",
                                                "trainer", "/etc", "alice", "CREATE"}))
                           : Row(chance_.pick(kTexts));
  };
  if (test == "exists") return chance_.once(2);
  if (test == "in" || test == "notIn") return Row::array({one(), one()});
  if (test == "matches" || test == "notMatches")
    return chance_.oneOf({"a.*", "[ab]", ".*", "8|true", "\\d+", "registry/.*", "(?i)TR.*"});
  if (test == "atLeast" || test == "atMost" || test == "moreThan" || test == "lessThan")
    return chance_.oneOf<Row>({8, 0, 0.5, "500m", "1Gi", "8k", 4});
  if (test == "startsWith" || test == "endsWith" || test == "contains")
    return chance_.oneOf({"a", "b", "8", "-", "sysctl", "reg"});
  if (test == "version") return chance_.oneOf({">=535.104 <550", "<2", "!=1.2.3", "=535.104", ">5.15.0"});
  return one();
}

void Rules::addTest(Row& leaf, bool status) {
  const auto tests = status ? onlyOn("test", {"exists", "equals", "notEquals", "in", "notIn"})
                            : onlyOn("test", {"exists", "equals", "notEquals", "in", "notIn", "matches",
                                              "notMatches", "startsWith", "endsWith", "contains", "atLeast",
                                              "atMost", "moreThan", "lessThan", "version"});
  const std::string test = chance_.pick(tests);
  leaf[test] = operand(test, status);
}

void Rules::addTests(Row& leaf, std::size_t least) {
  const bool status = leaf.contains("condition");
  for (std::size_t i = std::max(least, chance_.below(3)); i > 0; --i) addTest(leaf, status);
  if (status && chance_.once(3) && isOn("test", "for")) leaf["for"] = chance_.oneOf({"10m", "1h", "30s"});
}

// ---- leaves

Row Rules::podLeaf() {
  static const auto subjects =
      onlyOn("subject", {"label", "annotation", "field", "field", "field", "requestedBy", "env", "rankEnv",
                         "resource", "image", "hostPath", "capability", "sysctl", "hostNamespace",
                         "privileged", "changed", "canLandOn", "onNode"});
  const std::string subject = chance_.pick(subjects);
  Row out = Row::object();
  const auto of = [&](std::initializer_list<const char*> words) {
    for (const auto* word : words) {
      if (chance_.once(5) && isOn("beside", std::string("of: ") + word)) {
        out["of"] = word;
        return;
      }
    }
  };
  const auto containers = [&] {
    if (chance_.once(6) && isOn("beside", "containers")) {
      out["containers"] = Row::array({chance_.oneOf({"trainer", "s*", "*"})});
    } else {
      of({"init", "ephemeral", "ranks"});
    }
  };
  if (subject == "label" || subject == "annotation") {
    out[subject] = name();
    of({"object", "namespace"});
    addTests(out, 0);
  } else if (subject == "field") {
    out[subject] = chance_.pick(kPodFields);
    if (chance_.once(12) && isOn("path", "an element of a list that is not there"))
      out[subject] = "pod.spec.containers[*].env[\"NCCL_DEBUG\"].value";
    if (chance_.once(12) && isOn("test", "agree")) {
      out[subject] = chance_.oneOf({"ranks[*].spec.containers[0].image", "templates[*].metadata.labels.team",
                                    "templates[*].spec.hostNetwork"});
      if (chance_.once(3)) out[subject] = "ranks[*].spec.containers[*].image";
      out["agree"] = true;
      return out;
    }
    if (chance_.once(12) && isOn("judged", "workloads"))
      out[subject] =
          chance_.oneOf({"ranks[*].spec.containers[0].image", "templates[*].metadata.labels.team"});
    addTests(out, 1);
  } else if (subject == "requestedBy") {
    out[subject] = requester();
  } else if (subject == "env") {
    out[subject] = chance_.once(4)   ? Row("NCCL_*")
                   : chance_.once(4) ? someOf(chance_, kVariables)
                                     : Row(chance_.pick(kVariables));
    containers();
    addTests(out, 0);
  } else if (subject == "rankEnv") {
    out[subject] = Row::array({chance_.oneOf({"NCCL_*", "WORLD_*", "HOM*"})});
    if (isOn("path", "rankEnv that is named outright") && chance_.once(2))
      out[subject] = Row::array({chance_.oneOf({"NCCL_*", "WORLD_SIZE", "HOME"})});
    out["agree"] = true;
  } else if (subject == "resource") {
    out[subject] = chance_.once(5) ? Row("nvidia.com/*") : Row(chance_.pick(kResources));
    of({"ranks"});
    const std::string test = chance_.oneOf(
        {"exists", "equals", "notEquals", "in", "notIn", "atLeast", "atMost", "moreThan", "lessThan"});
    if (isOn("test", test)) {
      const auto amount = [&] { return chance_.oneOf<Row>({0, 1, 8, 0.5, "500m"}); };
      out[test] = test == "exists"                  ? Row(chance_.once(2))
                  : test == "in" || test == "notIn" ? Row::array({amount(), amount()})
                                                    : amount();
    }
  } else if (subject == "image") {
    out[subject] = chance_.oneOf<Row>({"registry/*", "other/a:1", Row::array({"registry/a*", "other/*"})});
    containers();
    if (chance_.once(4)) out["notMatches"] = ".*:latest";
  } else if (subject == "hostPath") {
    out[subject] = chance_.oneOf<Row>({"/*", "/", "/mnt/*", Row::array({"/etc*", "/proc*"})});
    if (chance_.once(3) && isOn("beside", "readOnly")) out["readOnly"] = false;
  } else if (subject == "capability") {
    out[subject] = chance_.oneOf<Row>({"SYS_ADMIN", "NET_*", "*", Row::array({"NET_RAW", "SYS_ADMIN"})});
    containers();
  } else if (subject == "sysctl") {
    out[subject] = chance_.oneOf<Row>({"unsafe", "net.*", "net.core.somaxconn"});
    if (chance_.once(3)) addTest(out, false);
  } else if (subject == "hostNamespace") {
    out[subject] = chance_.oneOf<Row>({"pid", "network", Row::array({"pid", "ipc"})});
  } else if (subject == "privileged") {
    out[subject] = chance_.once(2);
    containers();
  } else if (subject == "changed") {
    out[subject] =
        chance_.oneOf<Row>({"object.metadata.labels", "object.metadata.annotations", "pod.spec.tolerations",
                            "pod.spec.containers[*].image", "pod.spec.hostNetwork"});
    addKeys(out);
  } else if (subject == "canLandOn") {
    out[subject] = selector();
  } else if (subject == "onNode") {
    out[subject] = condition(About::kCandidate, 1);
  }
  return out;
}

void Rules::addKeys(Row& leaf) {
  const std::string path = leaf["changed"].is_string() ? leaf["changed"] : leaf["changed"][0];
  const bool taints = path == "node.spec.taints";
  if (!path.ends_with("labels") && !taints) return;
  const auto globs = [&] {
    return taints ? Row::array({chance_.oneOf(
                        {"late", "t*", "late:NoSchedule", "*:NoExecute", "node.kubernetes.io/*"})})
                  : someOf(chance_, kKeyGlobs);
  };
  if (chance_.once(3) && isOn("beside", "keys")) leaf["keys"] = globs();
  if (chance_.once(3) && isOn("beside", "notKeys")) leaf["notKeys"] = globs();
}

Row Rules::nodeLeaf(About about) {
  if (about == About::kNode && chance_.once(4) && isOn("subject", "changed")) {
    Row out = Row::object();
    out["changed"] = chance_.oneOf<Row>({"node.metadata.labels", "node.metadata.annotations",
                                         "node.spec.taints", "node.spec.unschedulable",
                                         Row::array({"node.metadata.labels", "node.spec.taints"})});
    addKeys(out);
    return out;
  }
  if (about == About::kNode && chance_.once(6)) return {{"requestedBy", requester()}};
  static const auto subjects = onlyOn(
      "subject", {"label", "label", "annotation", "taint", "condition", "field", "fact", "sysctl", "drift"});
  const std::string subject = chance_.pick(subjects);
  Row out = Row::object();
  if (subject == "label" || subject == "annotation") {
    out[subject] = subject == "label" && chance_.once(4) ? Row("driftbar.io/drift") : name();
    addTests(out, 0);
  } else if (subject == "taint") {
    out[subject] = name();
    const bool glob =
        out[subject].is_string() && out[subject].get<std::string>().find('*') != std::string::npos;
    if (out[subject].is_string() && chance_.once(2) &&
        (!glob || isOn("path", "taint with a glob in a map"))) {
      Row taint = Row::object();
      if (!chance_.once(4)) taint["key"] = out[subject];
      if (chance_.once(3)) taint["value"] = chance_.pick(kPools);
      if (chance_.once(2) || taint.empty()) taint["effect"] = chance_.pick(kEffects);
      out[subject] = taint;
    }
    addTests(out, 0);
  } else if (subject == "condition") {
    out[subject] =
        chance_.oneOf<Row>({"Ready", "GPUMissing", "None", "*", Row::array({"Ready", "GPUMissing"})});
    addTests(out, 0);
  } else if (subject == "field") {
    out[subject] = chance_.pick(kNodeFields);
    if (chance_.once(8) && isOn("path", "an element of a list that is not there"))
      out[subject] =
          chance_.oneOf({"node.spec.taints[\"team\"].effect", "node.status.conditions[\"Ready\"].status"});
    addTests(out, 1);
  } else if (subject == "fact") {
    out[subject] = chance_.pick(kFacts);
    addTests(out, 0);
  } else if (subject == "sysctl") {
    out[subject] = chance_.pick(kSysctls);
    addTests(out, 1);
  } else if (subject == "drift") {
    out[subject] = {{"atLeast", chance_.oneOf({"minor", "major"})}};
  }
  return out;
}

Row Rules::leaf(About about) {
  return about == About::kPod ? podLeaf() : nodeLeaf(about);
}

// ---- conditions

Row Rules::inElement(const std::string& list, unsigned depth) {
  if (depth > 0 && chance_.once(2)) {
    const auto part = [&] { return inElement(list, depth - 1); };
    switch (chance_.below(3)) {
      case 0:
        return Row::array({part(), part()});
      case 1:
        return {{"any", Row::array({part(), part()})}};
      default:
        return {{"not", part()}};
    }
  }
  Row out = Row::object();
  out["field"] = list.find("ontainers") != std::string::npos ? chance_.pick(kContainerFields)
                 : list == "pod.spec.tolerations"            ? chance_.pick(kTolerationFields)
                                                             : chance_.pick(kVolumeFields);
  addTests(out, 1);
  return out;
}

Row Rules::condition(About about, unsigned depth) {
  if (depth == 0 || chance_.once(2)) return leaf(about);
  const auto part = [&] { return condition(about, depth - 1); };
  switch (chance_.below(about == About::kPod ? 6 : 4)) {
    case 0:
      return Row::array({part(), part()});
    case 1:
      return {{"all", Row::array({part(), part()})}};
    case 2:
      return {{"any", Row::array({part(), part()})}};
    case 3:
      return {{"not", part()}};
    default: {
      const std::string list = chance_.oneOf(
          {"pod.spec.tolerations", "pod.containers", "pod.spec.containers", "pod.spec.volumes"});
      Row out = Row::object();
      out[chance_.oneOf({"some", "every"})] = list;
      out["where"] = inElement(list, depth - 1);
      return out;
    }
  }
}

// ---- policies

void Rules::addRuleKeys(Row& rule) {
  const bool placement = rule.contains("avoidNodes");
  const auto on = [&](const char* word, std::size_t in) { return isOn("rule", word) && chance_.once(in); };
  if (on("mode", 4)) rule["mode"] = chance_.oneOf({"enforce", "warn", "audit"});
  if (placement && !isOn("path", "avoidNodes in audit"))
    rule["mode"] = chance_.oneOf({"enforce", "enforce", "warn"});
  if (on("onUnknown", 3)) rule["onUnknown"] = chance_.oneOf({"deny", "warn", "allow"});
  if (!placement && on("onUpdate", 4)) rule["onUpdate"] = chance_.oneOf({"changes", "always"});
  if (placement && on("minSafe", 4)) rule["minSafe"] = 1 + chance_.below(3);
  if (placement && on("when", 6)) rule["when"] = "any";
  if (rule.contains("when") && !isOn("path", "when: any and onUnknown: warn"))
    rule["onUnknown"] = chance_.oneOf({"deny", "allow"});
  if (placement && on("staleInventory", 4)) rule["staleInventory"] = chance_.oneOf({"deny", "warn", "allow"});
}

Row Rules::rule(const std::string& name, bool& aboutNode) {
  Row out = {{"name", name}};
  aboutNode = isOn("judged", "nodes") && chance_.once(4);
  if (!aboutNode && chance_.once(3) && isOn("rule", "avoidNodes")) {
    out["avoidNodes"] = condition(About::kCandidate, 2);
  } else {
    out[chance_.oneOf({"deny", "require"})] = condition(aboutNode ? About::kNode : About::kPod, 2);
  }
  addRuleKeys(out);
  return out;
}

Row Rules::match(bool aboutNode, bool entry) {
  Row out = Row::object();
  const auto on = [&](const char* word, std::size_t in) { return isOn("match", word) && chance_.once(in); };
  if (on("resources", aboutNode ? 2 : 3) && !entry) {
    out["resources"] = Row::array({aboutNode ? "nodes" : "pods"});
    if (!aboutNode && isOn("judged", "connect") && chance_.once(2)) {
      out["resources"] = Row::array({"pods/exec", "pods/eviction"});
    } else if (!aboutNode && isOn("judged", "workloads") && chance_.once(2))
      out["resources"] =
          chance_.oneOf<Row>({Row::array({"jobs.batch", "pods"}), Row::array({"deployments.apps"}),
                              Row::array({"jobs.batch.volcano.sh", "jobsets.jobset.x-k8s.io"})});
    if (!aboutNode && isOn("document", "WorkloadKind") && chance_.once(3))
      out["resources"] = Row::array({"roundtables.sim.example.com"});
  }
  if (on("operations", 5))
    out["operations"] =
        chance_.oneOf<Row>({Row::array({"create"}), Row::array({"UPDATE"}), Row::array({"Create", "delete"}),
                            Row::array({"create", "update"})});
  if (!aboutNode && on("workload", 5)) {
    out["workload"] = chance_.oneOf<Row>({"training", Row::array({"training"})});
    if (isOn("class", "rdma-training") && chance_.once(2)) out["workload"] = "rdma-training";
    const std::string declared = aClass();
    if (!declared.empty() && chance_.once(2)) out["workload"] = Row::array({declared});
  }
  if (on("kinds", 12)) {
    out["kinds"] = Row::array({aboutNode ? "Node" : "Pod"});
    if (isOn("judged", "workloads") && chance_.once(2))
      out["kinds"] = Row::array({chance_.oneOf({"Job", "JobSet", "Deployment", "DaemonSet"}), "Pod"});
  }
  if (!aboutNode && on("ownedBy", 6) && (!entry || isOn("path", "ownedBy of templates"))) {
    out["ownedBy"] = chance_.oneOf<Row>({Row::array({"Job"}), "DaemonSet", Row::array({"Deployment"}),
                                         Row::array({"CronJob"}), Row::array({"Job", "DaemonSet"})});
    if (!isOn("path", "ownedBy of templates")) out["resources"] = Row::array({"pods"});
  }
  if (!aboutNode && on("namespaces", 5))
    out["namespaces"] = chance_.oneOf<Row>(
        {Row::array({"ml*"}), Row::array({"prod", "lost"}), Row::array({"*"}), Row::array({"kube-*"})});
  if (on("names", 8))
    out["names"] =
        chance_.oneOf<Row>({Row::array({"bert-*"}), Row::array({"bert-0", "n1"}), Row::array({"*-1", "n*"})});
  if (!aboutNode && on("namespaceSelector", 8)) out["namespaceSelector"] = selector();
  if (on("labelSelector", 6)) out["labelSelector"] = selector();
  if (!aboutNode && on("podServiceAccounts", 10))
    out["podServiceAccounts"] = Row::array({chance_.oneOf({"ml/default", "*/runner", "prod/*"})});
  if (on("requestedBy", 8)) out["requestedBy"] = requester();
  return out;
}

Row Rules::policy(const std::string& name) {
  Row spec = Row::object();
  if (chance_.once(4)) spec["mode"] = chance_.oneOf({"enforce", "warn", "audit"});
  Row rules = Row::array();
  bool aboutNode = false;
  for (std::size_t i = 1 + chance_.below(3); i > 0; --i) {
    bool this_one = false;
    Row made = rule("r" + std::to_string(i), this_one);
    if (rules.empty()) aboutNode = this_one;
    if (this_one == aboutNode) rules.push_back(made);
  }
  if (aboutNode || !chance_.once(4)) spec["match"] = match(aboutNode, false);
  // What a workload's placement is, is not compared while this is off.
  const bool placement =
      std::any_of(rules.begin(), rules.end(), [](const Row& one) { return one.contains("avoidNodes"); });
  if (placement && !isOn("judged", "placement of workloads"))
    spec["match"]["resources"] = Row::array({"pods"});
  if (placement && !isOn("path", "minSafe of pods that start together") &&
      spec.value(Pointer("/match/resources"), Row()) != Row::array({"pods"})) {
    for (auto& one : rules) {
      if (one.contains("avoidNodes") && !one.contains("minSafe")) one["minSafe"] = 1 + chance_.below(2);
    }
  }
  if (isOn("rule", "except") && chance_.once(3)) {
    for (std::size_t i = 1 + chance_.below(2); i > 0; --i) {
      const Row entry = match(aboutNode, true);
      if (!entry.empty()) spec["except"].push_back(entry);
    }
  }
  // One rule at a time: what the loader refuses in one (a test that can never match, say) is no word on the
  // others.
  spec["rules"] = Row::array();
  Row kept = Row::array();
  for (const auto& one : rules) {
    spec["rules"] = Row::array({one});
    Row documents = beside_;
    documents.push_back(documentOf("Policy", name, spec));
    if (loads_(documents)) kept.push_back(one);
  }
  spec["rules"] = kept;
  return documentOf("Policy", name, spec);
}

}  // namespace driftbar::reference
