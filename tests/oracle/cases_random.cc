#include <string>

#include "oracle/cases.h"
#include "oracle/vocabulary.h"

namespace driftbar::oracle {
namespace {

// An amount stays below 2^63/1000, where Kubernetes' Value and MilliValue hold.
const char* const kAmounts[] = {"0",     "1",   "2",   "8",     "500m",  "0.5", "1500m", "1e3",  "1k",
                                "64",    "1Gi", "2Gi", "1.5Gi", "512Mi", "1n",  "1e-9",  "100u", "7999m",
                                "8001m", "1Ti", "1E3", "0.1",   "00",    "+4",  "4.",    ".5"};
const char* const kResources[] = {"cpu",
                                  "memory",
                                  "nvidia.com/gpu",
                                  "hugepages-2Mi",
                                  "ephemeral-storage",
                                  "example.com/nic",
                                  "kubernetes.io/thing",
                                  "attachable-volumes-x",
                                  "requests.example.com/y",
                                  "plain",
                                  "example.com/not valid",
                                  "pods"};

}  // namespace

std::size_t RandomCases::below(std::size_t bound) {
  return static_cast<std::size_t>(engine_() % bound);
}

Row RandomCases::labels() {
  Row map = Row::object();
  for (const char* key : kKeys) {
    if (chance(60)) map[key] = pick(kLabelValues);
  }
  return map;
}

std::string RandomCases::quantityText() {
  if (chance(80)) return pick(kAmounts);
  constexpr const char* kSuffixes[] = {"", "", "n", "u", "m", "k", "M", "Ki", "Mi", "Gi", "e2", "e-3", "E3"};
  std::string text = std::to_string(below(chance(50) ? 10 : 1000));
  if (chance(40)) text += "." + std::to_string(below(chance(50) ? 10 : 1'000'000'000'000));
  return text + pick(kSuffixes);
}

// As text, or as the number that people write in YAML.
Row RandomCases::quantity() {
  if (chance(5)) return static_cast<std::int64_t>(below(100));
  if (chance(2)) return static_cast<double>(below(100)) / 8;
  if (chance(1)) return nullptr;
  return quantityText();
}

Row RandomCases::resources(std::size_t most) {
  Row map = Row::object();
  for (std::size_t i = below(most + 1); i > 0; --i) {
    // Names late in the list are the odd ones.
    const std::size_t bound = chance(85) ? 4 : std::size(kResources);
    map[kResources[below(bound)]] = quantity();
  }
  return map;
}

Row RandomCases::taint() {
  constexpr const char* kTaintKeys[] = {"k", "l", "nvidia.com/gpu", "node.kubernetes.io/unschedulable"};
  Row made = {{"key", pick(kTaintKeys)}, {"effect", kEffects[below(3)]}};
  if (chance(50)) made["value"] = pick(kLabelValues);
  return made;
}

Row RandomCases::toleration() {
  Row made = taint();
  made["operator"] = chance(90) ? kTolerationOperators[below(3)] : pick(kTolerationOperators);
  if (chance(40)) made.erase("effect");
  if (chance(10)) made.erase("key");
  if (chance(20)) made["tolerationSeconds"] = 5;
  return made;
}

Row RandomCases::node(std::size_t number) {
  Row made = {{"metadata", {{"name", "n" + std::to_string(number)}, {"labels", labels()}}},
              {"spec", Row::object()},
              {"status", {{"allocatable", resources(8)}}}};
  if (chance(90)) made["status"]["allocatable"]["pods"] = "110";
  if (chance(60)) {
    for (const char* name : {"cpu", "memory", "nvidia.com/gpu"}) made["status"]["allocatable"][name] = "2Ti";
  }
  if (chance(15)) made["spec"]["unschedulable"] = true;
  while (chance(35)) made["spec"]["taints"].push_back(taint());
  return made;
}

Row RandomCases::expression() {
  Row made = expressionOf(chance(97) ? pick(kKeys) : pick(kBadKeys),
                          kOperators[below(chance(97) ? 6 : std::size(kOperators))], Row::array());
  const std::string op = made["operator"];
  const bool none = op == "Exists" || op == "DoesNotExist";
  const bool number = op == "Gt" || op == "Lt";
  for (std::size_t i = none ? chance(2) : number ? 1 : 1 + below(3); i > 0; --i)
    made["values"].push_back(number && chance(90) ? std::to_string(below(8))
                                                  : std::string(pick(kLabelValues)));
  return made;
}

Row RandomCases::field() {
  Row made = expressionOf(chance(95) ? "metadata.name" : "metadata.uid", chance(60) ? "In" : "NotIn",
                          {"n" + std::to_string(below(kNodes))});
  if (chance(3)) made["values"].push_back("n1");
  if (chance(3)) made["operator"] = pick(kOperators);
  return made;
}

Row RandomCases::term() {
  Row made = Row::object();
  for (std::size_t i = below(4); i > 0; --i) made["matchExpressions"].push_back(expression());
  if (chance(10)) made["matchFields"].push_back(field());
  return made;
}

Row RandomCases::affinity() {
  Row terms = Row::array();
  for (std::size_t i = below(5); i > 0; --i) terms.push_back(term());
  Row made = {
      {"nodeAffinity", {{"requiredDuringSchedulingIgnoredDuringExecution", {{"nodeSelectorTerms", terms}}}}}};
  if (chance(20)) made["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] = Row::array();
  return made;
}

Row RandomCases::container(bool init) {
  Row made = {{"name", "c"}};
  if (chance(60)) made["resources"]["requests"] = resources(3);
  if (chance(40)) made["resources"]["limits"] = resources(3);
  if (init && chance(40)) made["restartPolicy"] = chance(90) ? "Always" : "Never";
  return made;
}

Row RandomCases::podSpec() {
  Row spec = Row::object();
  for (std::size_t i = 1 + below(2); i > 0; --i) spec["containers"].push_back(container(false));
  for (std::size_t i = chance(40) ? below(4) : 0; i > 0; --i)
    spec["initContainers"].push_back(container(true));
  if (chance(10)) spec["overhead"] = resources(2);
  if (chance(15)) spec["resources"]["requests"] = resources(3);
  if (chance(15)) spec["resources"]["limits"] = resources(3);
  if (chance(25)) spec["nodeSelector"][pick(kKeys)] = pick(kLabelValues);
  if (chance(50)) spec["affinity"] = affinity();
  if (chance(15)) spec["tolerations"].push_back({{"operator", "Exists"}});
  while (chance(50)) spec["tolerations"].push_back(toleration());
  return spec;
}

Row RandomCases::selector() {
  Row made = Row::object();
  while (chance(40)) made["matchLabels"][pick(kKeys)] = pick(kLabelValues);
  while (chance(50)) made["matchExpressions"].push_back(expression());
  return made;
}

Row RandomCases::values() {
  Row list = Row::array();
  for (int i = 0; i < 50; ++i) list.push_back((chance(20) ? "-" : "") + quantityText());
  return list;
}

void RandomCases::batch(const Sink& sink) {
  Row nodes = Row::array(), sets = Row::array();
  for (std::size_t i = 0; i < kNodes; ++i) nodes.push_back(node(i));
  sink({{"kind", "nodes"}, {"nodes", nodes}});
  for (std::size_t i = 0; i < kPods; ++i) place(sink, podSpec());
  for (std::size_t i = 0; i < kPods; ++i) sink({{"kind", "requests"}, {"spec", podSpec()}});
  for (int i = 0; i < 5; ++i) sets.push_back(labels());
  for (int i = 0; i < 5; ++i) sink({{"kind", "selector"}, {"selector", selector()}, {"labels", sets}});
  sink({{"kind", "toleration"}, {"toleration", toleration()}, {"taints", {taint(), taint(), taint()}}});
  sink({{"kind", "quantity"}, {"texts", values()}});
}

}  // namespace driftbar::oracle
