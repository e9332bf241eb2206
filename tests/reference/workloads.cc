// Random workloads: objects with pod templates, and what changes of them.
#include "reference/objects.h"
#include "reference/vocabulary.h"
#include "reference/words.h"

namespace driftbar::reference {

namespace {

// Where a kind has `suspend`. To those that have none it means nothing.
Row& suspensionOf(const std::string& kind, Row& spec) {
  return kind == "PyTorchJob" || kind == "MPIJob" ? spec["runPolicy"] : spec;
}

// The pod templates inside of a workload's spec.
void collectTemplates(Row& part, std::vector<Row*>& out) {
  if (!part.is_structured()) return;
  if (part.is_object() && part.contains("template") && part["template"].contains("metadata"))
    out.push_back(&part["template"]);
  for (auto& [key, value] : part.items()) {
    if (key != "metadata") collectTemplates(value, out);
  }
}

}  // namespace

Row Objects::workload(std::string& group, std::string& resource) {
  struct Kind {
    const char *group, *version, *kind, *resource;
  };
  static constexpr Kind kKinds[] = {{"apps", "v1", "Deployment", "deployments"},
                                    {"apps", "v1", "DaemonSet", "daemonsets"},
                                    {"batch", "v1", "Job", "jobs"},
                                    {"jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets"},
                                    {"kubeflow.org", "v1", "PyTorchJob", "pytorchjobs"},
                                    {"kubeflow.org", "v2beta1", "MPIJob", "mpijobs"},
                                    {"batch.volcano.sh", "v1alpha1", "Job", "jobs"},
                                    {"sim.example.com", "v1", "RoundTable", "roundtables"}};
  const std::size_t kinds = std::size(kKinds) - (isOn("document", "WorkloadKind") ? 0 : 1);
  const Kind& kind = kKinds[chance_.below(kinds)];
  group = kind.group;
  resource = kind.resource;
  Row out = {{"apiVersion", std::string(kind.group) + "/" + kind.version}, {"kind", kind.kind}};
  out["metadata"] = metadata(chance_.pick(kNames));
  out["metadata"]["namespace"] = chance_.once(2) ? "ml" : chance_.pick(kNamespaces);
  const auto made = [&] {
    Row pod = Row::object();
    pod["metadata"]["labels"] = labels();
    if (chance_.once(6)) pod["metadata"]["labels"]["driftbar.io/workload"] = "training";
    pod["spec"] = podSpec();
    return pod;
  };
  Row spec = Row::object();
  const std::string name = kind.kind;
  if (name == "JobSet") {
    for (const auto* part : {"leader", "workers"}) {
      Row job = {{"name", part}, {"replicas", 1 + chance_.below(2)}};
      job["template"]["spec"]["template"] = made();
      spec["replicatedJobs"].push_back(job);
    }
  } else if (name == "PyTorchJob") {
    for (const auto* part : {"Master", "Worker"})
      spec["pytorchReplicaSpecs"][part] = {{"replicas", 1 + chance_.below(2)}, {"template", made()}};
  } else if (name == "MPIJob") {
    for (const auto* part : {"Launcher", "Worker"})
      spec["mpiReplicaSpecs"][part] = {{"replicas", 1 + chance_.below(2)}, {"template", made()}};
  } else if (group == "batch.volcano.sh") {
    for (const auto* part : {"master", "worker"})
      spec["tasks"].push_back({{"name", part}, {"replicas", 1 + chance_.below(2)}, {"template", made()}});
  } else if (name == "RoundTable") {
    for (const auto* part : {"knight", "squire"})
      spec["roles"].push_back({{"name", part}, {"replicas", 1 + chance_.below(2)}, {"template", made()}});
    if (chance_.once(2)) spec["head"]["pod"] = podSpec();
  } else {
    spec["template"] = made();
  }
  if (chance_.once(3) && isOn("judged", "placement of workloads"))
    suspensionOf(kind.kind, spec)["suspend"] = !chance_.once(3);
  out["spec"] = spec;
  return out;
}

void Objects::changeWorkload(Row& object) {
  Row& spec = object["spec"];
  if (chance_.once(3) && isOn("judged", "placement of workloads")) {
    suspensionOf(object["kind"], spec)["suspend"] = chance_.once(3);
    return;
  }
  std::vector<Row*> templates;
  collectTemplates(spec, templates);
  if (!templates.empty()) changePod(*templates[chance_.below(templates.size())]);
}

// ---- what is looked up

Row Objects::found() {
  Row out = {{"pods", Row::array()}, {"owners", Row::array()}, {"nodes", Row::array()}};
  for (const auto* ns : kNamespaces) {
    for (const auto* name : kNames) {
      if (chance_.once(4)) continue;
      Row one = pod();
      one["metadata"].erase("generateName");
      one["metadata"]["name"] = name;
      one["metadata"]["namespace"] = ns;
      one["metadata"]["uid"] = chance_.oneOf({"1", "2"});
      out["pods"].push_back(one);
    }
    for (const auto* kind : {"ReplicaSet", "StatefulSet", "Job", "JobSet"}) {
      if (chance_.once(4)) continue;
      Row owner = {{"apiVersion", "apps/v1"}, {"kind", kind}};
      owner["metadata"] = {{"name", "o"}, {"namespace", ns}, {"uid", chance_.once(6) ? "2" : "1"}};
      if (!chance_.once(3)) {  // and never one below it
        owner["metadata"]["ownerReferences"] = owners();
        owner["metadata"]["ownerReferences"][0]["kind"] =
            kind == std::string("JobSet") ? "CronJob" : chance_.oneOf({"CronJob", "JobSet", "Deployment"});
      }
      out["owners"].push_back(owner);
    }
  }
  for (const auto* name : {"gone", "n2", "n4"}) {
    if (chance_.once(2)) out["nodes"].push_back(node(name));
  }
  return out;
}

}  // namespace driftbar::reference
