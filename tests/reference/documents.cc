// What documents are made of beside policies, and the whole of a case's documents.
#include "reference/rules.h"
#include "reference/vocabulary.h"
#include "reference/words.h"

namespace driftbar::reference {

Row documentOf(const char* kind, const std::string& name, const Row& spec) {
  return {
      {"apiVersion", "driftbar.io/v1alpha1"}, {"kind", kind}, {"metadata", {{"name", name}}}, {"spec", spec}};
}

Row Rules::exemption(const Row& documents) {
  const Row& policy = chance_.pick(documents);
  const std::string name = policy["metadata"]["name"];
  const std::string rule = chance_.pick(policy["spec"]["rules"])["name"];
  Row spec = {{"reason", "trial"},
              {"expires", chance_.oneOf({"2026-12-01", "2026-11-30", "2026-12-01T10:00:00Z",
                                         "2026-12-01T10:00:01Z", "2026-12-02T00:00:00Z"})}};
  spec["rules"] = Row::array({chance_.oneOf<std::string>({name + "/*", name + "/" + rule, "*", "*1"})});
  Row& match = spec["match"];
  switch (chance_.below(6)) {
    case 0:
      match["namespaces"] = Row::array({chance_.oneOf({"ml*", "*"})});
      break;
    case 1:
      match["labelSelector"] = selector();
      break;
    case 2:
      match["podServiceAccounts"] = Row::array({chance_.oneOf({"ml/default", "*/runner"})});
      break;
    case 3:
      match["requestedBy"] = requester();
      break;
    default:
      while (match.empty()) match = this->match(chance_.once(4), true);
  }
  return spec;
}

// ---- what policies go by

namespace {

// A policy set wants a policy.
Row anyPolicy() {
  return documentOf("Policy", "any",
                    {{"rules", Row::array({{{"name", "r"}, {"deny", {{"label", "team"}}}}})}});
}

}  // namespace

void Rules::addClasses() {
  const auto add = [&](const char* name, bool membership) {
    Row spec = Row::object();
    if (membership) {
      const char* word = chance_.oneOf({"any", "all", "not"});
      spec[word] = word == std::string("not") ? condition(About::kPod, 1)
                                              : Row::array({leaf(About::kPod), condition(About::kPod, 1)});
    }
    if (!membership || chance_.once(2)) spec["sensitiveTo"] = Row::array({"gpu", "nccl"});
    Row made = documentOf("WorkloadClass", name, spec);
    if (loads_(Row::array({made, anyPolicy()}))) beside_.push_back(made);
  };
  for (const auto* name : {"wide", "deep"}) {
    if (chance_.once(4)) add(name, true);
  }
  for (const auto* name : {"training", "rdma-training"}) {
    if (chance_.once(8)) add(name, chance_.once(2));
  }
}

std::string Rules::aClass() {
  std::vector<std::string> names;
  for (const auto& document : beside_) {
    if (document.at("kind") == "WorkloadClass") names.push_back(document.at("metadata").at("name"));
  }
  return names.empty() ? std::string() : chance_.pick(names);
}

void Rules::addKind() {
  Row roles = {{"path", "spec.roles[*].template"}};
  if (chance_.once(2)) roles["ranks"] = chance_.once(2);
  if (chance_.once(2)) roles["replicas"] = chance_.once(2) ? Row(2) : Row("spec.roles[*].replicas");
  Row spec = {{"group", "sim.example.com"}, {"kind", "RoundTable"}, {"templates", Row::array({roles})}};
  if (chance_.once(2)) spec["resource"] = "roundtables";
  if (chance_.once(2)) spec["suspend"] = "spec.suspend";
  if (chance_.once(2)) spec["templates"].push_back({{"path", "spec.head.pod"}, {"ranks", false}});
  beside_.push_back(documentOf("WorkloadKind", "tables", spec));
}

// ---- what lifts rules

void Rules::addDocuments(Row& documents) {
  const auto add = [&](const char* kind, const std::string& name, const Row& spec) {
    Row with = documents;
    with.push_back(documentOf(kind, name, spec));
    if (loads_(with)) documents = with;
  };
  const Row policies = documents;
  documents.insert(documents.end(), beside_.begin(), beside_.end());
  for (const auto* name : {"inc-1", "inc-2"}) {
    if (isOn("document", "Exemption") && chance_.once(2)) add("Exemption", name, exemption(policies));
  }
}

Row Rules::documents() {
  while (true) {
    Row out = Row::array();
    beside_ = Row::array();
    if (isOn("document", "WorkloadClass")) addClasses();
    if (isOn("document", "WorkloadKind") && chance_.once(2)) addKind();
    for (std::size_t i = 1 + chance_.below(3); i > 0; --i) {
      Row made = policy("p" + std::to_string(i));
      if (!made["spec"]["rules"].empty()) out.push_back(made);
    }
    if (out.empty()) continue;
    addDocuments(out);
    return out;
  }
}

}  // namespace driftbar::reference
