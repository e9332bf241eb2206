#include "oracle/cases.h"

#include <string_view>

namespace driftbar::oracle {
namespace {

// What a label's value, or a requirement's, can look like to an operator.
const std::vector<Row> kValueLists = {Row::array(),
                                      Row{""},
                                      Row{"a"},
                                      Row{"5"},
                                      Row{"a", "b"},
                                      Row{"05"},
                                      Row{"-5"},
                                      Row{"5.0"},
                                      Row{"a b"},
                                      Row{"9223372036854775807"},
                                      Row{"5", "6"},
                                      Row{"", "a"},
                                      Row{"9223372036854775808"},
                                      Row(nullptr)};
const char* const kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "", "in", "Equals"};
const char* const kLabelValues[] = {"",
                                    "a",
                                    "b",
                                    "5",
                                    "4",
                                    "6",
                                    "05",
                                    "-1",
                                    "+7",
                                    "5.0",
                                    " 6",
                                    "x5x",
                                    "9223372036854775807",
                                    "9223372036854775808"};
const char* const kKeys[] = {"k", "zone", "example.com/k", "kubernetes.io/hostname"};
const char* const kBadKeys[] = {"", "a b", "-k", "k/", "/k", "a/b/c", "Example.com/k", "k_", "\u00e4"};

const char* const kEffects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule", ""};
const char* const kTolerationOperators[] = {"", "Equal", "Exists", "Lt", "Gt", "exists"};

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

// Long, rounded, capped, wrapped or nearly right.
const char* const kOddQuantities[] = {"",
                                      "0.0000000001",
                                      "1e-400000",
                                      "0e-400",
                                      "1.0000000001",
                                      "-0.1n",
                                      "0.00000000000000000000001Ki",
                                      "0.12345678901234567890Ki",
                                      "8Ei",
                                      "-100Ei",
                                      "99999999999999999999999999999999999999Ki",
                                      "7.9Ei",
                                      "10E",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "-9223372036854775808",
                                      "9.223372036854775807E",
                                      "8192Pi",
                                      "7.99999999999999999999999999Ei",
                                      "123456789012345678",
                                      "1234567890123456789",
                                      "12345678901234567890123",
                                      "0.123456789",
                                      "0.1234567891",
                                      "000000000000000000000000000001",
                                      "1.000000000000000000000000000000m",
                                      "3e4294967296",
                                      "3e-4294967293",
                                      "1e9223372036854775808",
                                      "1e28",
                                      "1e29",
                                      "-1e29",
                                      "1e30",
                                      "1e40",
                                      "99999e24",
                                      "1E+3",
                                      "1E-3",
                                      "1e+3",
                                      "1e+",
                                      "1e-",
                                      "1e",
                                      "E",
                                      "Ei",
                                      "Pi",
                                      "Ti",
                                      "Gi",
                                      "Ki",
                                      ".Pi",
                                      "0Pi",
                                      "0.Pi",
                                      "-Ti",
                                      "+",
                                      "-",
                                      "+.",
                                      "-.m",
                                      "e5",
                                      "e-9",
                                      "e-10",
                                      ".e-9",
                                      ".e-10",
                                      "0e-10",
                                      "1e1.5",
                                      "1Gi5",
                                      "--1",
                                      "+-1",
                                      "1-5",
                                      "1.2.3",
                                      "1,5",
                                      "0x10",
                                      "1_000",
                                      "1e1_0",
                                      " 1",
                                      "1 ",
                                      "1 Gi",
                                      "1\n",
                                      "1K",
                                      "1ki",
                                      "KI",
                                      "1mm",
                                      "1i",
                                      "1Mi ",
                                      "\u00b5",
                                      "1\u00b5",
                                      "1u",
                                      "1n",
                                      "0.5n",
                                      "1e-10",
                                      "1000000000n",
                                      "999999999999999999E",
                                      "1.5e-7",
                                      "-1.5Gi",
                                      "1G",
                                      "1T",
                                      "1P",
                                      "1E",
                                      "1Ei",
                                      "1e+-1",
                                      "1e-+1"};

Row expressionOf(const std::string& key, const std::string& op, const Row& values) {
  return {{"key", key}, {"operator", op}, {"values", values}};
}

Row labelExpressions(std::initializer_list<Row> list) {
  return {{"matchExpressions", std::vector<Row>(list)}};
}

Row specWith(const Row& required) {
  return {{"affinity", {{"nodeAffinity", {{"requiredDuringSchedulingIgnoredDuringExecution", required}}}}}};
}

Row specWithTerms(const Row& terms) {
  return specWith({{"nodeSelectorTerms", terms}});
}

void place(const Sink& sink, const Row& spec) {
  sink({{"kind", "place"}, {"spec", spec}});
}

Row roomyNode(const std::string& name) {
  return {{"metadata", {{"name", name}}}, {"status", {{"allocatable", {{"pods", "110"}}}}}};
}

Row nodesByLabel() {
  Row nodes = Row::array({roomyNode("n0")});
  for (const char* value : kLabelValues) {
    nodes.push_back(roomyNode("n" + std::to_string(nodes.size())));
    nodes.back()["metadata"]["labels"] = {{"k", value}};
  }
  nodes.push_back(roomyNode("n" + std::to_string(nodes.size())));
  nodes.back()["metadata"]["labels"] = {{"k", "a"}, {"example.com/k", "5"}};
  return nodes;
}

std::vector<Row> allExpressions() {
  std::vector<Row> list;
  for (const char* op : kOperators) {
    for (const auto& values : kValueLists) list.push_back(expressionOf("k", op, values));
  }
  for (const char* key : kBadKeys) {
    list.push_back(expressionOf(key, "Exists", Row::array()));
    list.push_back(expressionOf(key, "NotIn", {"a"}));
  }
  list.push_back(expressionOf("example.com/k", "Gt", {"4"}));
  list.push_back({{"key", "k"}, {"operator", "Exists"}});
  list.push_back({{"operator", "Exists"}});
  list.push_back({{"key", "k"}});
  list.push_back(Row::object());
  list.push_back(nullptr);
  return list;
}

// Those that are told apart by some label: one of each outcome, and two that can't be read.
std::vector<Row> someExpressions() {
  return {expressionOf("k", "In", {"a"}),
          expressionOf("k", "In", {"5", "6"}),
          expressionOf("k", "NotIn", {"a"}),
          expressionOf("k", "Exists", Row::array()),
          expressionOf("k", "DoesNotExist", nullptr),
          expressionOf("k", "Gt", {"4"}),
          expressionOf("k", "Lt", {"5"}),
          expressionOf("k", "Gt", {"x"}),
          expressionOf("a b", "Exists", Row::array())};
}

void enumerateAffinity(const Sink& sink) {
  sink({{"kind", "nodes"}, {"nodes", nodesByLabel()}});
  for (const auto& expression : allExpressions())
    place(sink, specWithTerms(Row::array({labelExpressions({expression})})));
  for (const auto& a : someExpressions()) {
    for (const auto& b : someExpressions()) {
      place(sink, specWithTerms(Row::array({labelExpressions({a, b})})));
      place(sink, specWithTerms(Row::array({labelExpressions({a}), labelExpressions({b})})));
    }
    for (const Row& selector :
         {Row{{"k", "a"}}, Row{{"k", ""}}, Row{{"k", "5"}, {"zone", "a"}}, Row{{"a b", "x"}}}) {
      Row spec = specWithTerms(Row::array({labelExpressions({a})}));
      spec["nodeSelector"] = selector;
      place(sink, spec);
      place(sink, {{"nodeSelector", selector}});
    }
  }
}

void enumerateFields(const Sink& sink) {
  const std::vector<Row> lists = {Row::array(), Row{""}, Row{"n0"}, Row{"n9"}, Row{"n0", "n1"}, Row(nullptr)};
  for (const char* key : {"metadata.name", "metadata.uid", ""}) {
    for (const char* op : kOperators) {
      for (const auto& values : lists) {
        const Row field = Row::array({expressionOf(key, op, values)});
        place(sink, specWithTerms(Row::array({{{"matchFields", field}}})));
        for (const auto& expression : someExpressions())
          place(sink, specWithTerms(Row::array(
                          {{{"matchFields", field}, {"matchExpressions", Row::array({expression})}}})));
      }
    }
  }
}

void enumerateShapes(const Sink& sink) {
  const Row good = labelExpressions({expressionOf("k", "Exists", Row::array())});
  for (const Row& required : {Row(nullptr), Row::object(), Row{{"nodeSelectorTerms", nullptr}},
                              Row{{"nodeSelectorTerms", Row::array()}}})
    place(sink, specWith(required));
  for (const Row& empty : {Row(nullptr), Row::object(), Row{{"matchExpressions", nullptr}},
                           Row{{"matchFields", Row::array()}}}) {
    place(sink, specWithTerms(Row::array({empty})));
    place(sink, specWithTerms(Row::array({empty, good})));
    place(sink, specWithTerms(Row::array({good, empty})));
  }
  for (const Row& spec : {Row::object(), Row{{"affinity", nullptr}}, Row{{"affinity", Row::object()}},
                          Row{{"affinity", {{"nodeAffinity", nullptr}}}}, Row{{"nodeSelector", nullptr}},
                          Row{{"nodeSelector", Row::object()}}, Row{{"tolerations", nullptr}}})
    place(sink, spec);
}

std::vector<Row> allTaints() {
  std::vector<Row> list;
  for (const char* key : {"k", "l", "node.kubernetes.io/unschedulable"}) {
    for (const char* value : {"", "v", "5"}) {
      for (const char* effect : kEffects)
        list.push_back({{"key", key}, {"value", value}, {"effect", effect}});
    }
  }
  return list;
}

void enumerateTolerations(const Sink& sink) {
  const auto taints = allTaints();
  Row nodes = Row::array();
  for (const auto& taint : taints) {
    nodes.push_back(roomyNode("n" + std::to_string(nodes.size())));
    nodes.back()["spec"] = {{"taints", Row::array({taint})}};
  }
  nodes.push_back(roomyNode("cordoned"));
  nodes.back()["spec"] = {{"unschedulable", true}};
  sink({{"kind", "nodes"}, {"nodes", nodes}});
  for (const char* key : {"", "k", "node.kubernetes.io/unschedulable"}) {
    for (const char* op : kTolerationOperators) {
      for (const char* value : {"", "v", "6"}) {
        for (const char* effect : kEffects) {
          const Row toleration = {{"key", key}, {"operator", op}, {"value", value}, {"effect", effect}};
          sink({{"kind", "toleration"}, {"toleration", toleration}, {"taints", taints}});
          place(sink, {{"tolerations", Row::array({toleration})}});
        }
      }
    }
  }
}

void enumerateSelectors(const Sink& sink) {
  Row sets = Row::array({Row::object()});
  for (const char* value : kLabelValues) sets.push_back({{"k", value}});
  const auto ask = [&](const Row& selector) {
    sink({{"kind", "selector"}, {"selector", selector}, {"labels", sets}});
  };
  ask(Row::object());
  for (const auto& expression : allExpressions()) {
    if (expression.is_null()) continue;  // to Kubernetes an empty one, here an error of its own
    ask({{"matchExpressions", Row::array({expression})}});
    ask({{"matchLabels", {{"k", "a"}}}, {"matchExpressions", Row::array({expression})}});
  }
  for (const char* value : kLabelValues) ask({{"matchLabels", {{"k", value}}}});
  for (const char* key : kBadKeys) ask({{"matchLabels", {{key, "a"}}}});
}

// Every text up to kLongest over an alphabet that has one of each kind of character that a quantity may have.
void enumerateQuantities(const Sink& sink) {
  constexpr std::string_view kAlphabet = "015.+-eEmkKiPn";
  constexpr std::size_t kLongest = 4, kARow = 500;
  Row texts = Row::array();
  const auto flush = [&] {
    if (!texts.empty()) sink({{"kind", "quantity"}, {"texts", texts}});
    texts = Row::array();
  };
  std::string text;
  const std::function<void()> extend = [&] {
    texts.push_back(text);
    if (texts.size() == kARow) flush();
    if (text.size() == kLongest) return;
    for (const char c : kAlphabet) {
      text.push_back(c);
      extend();
      text.pop_back();
    }
  };
  extend();
  flush();
  for (const char* odd : kOddQuantities) texts.push_back(odd);
  flush();
  sink({{"kind", "json-quantity"},
        {"values",
         {1, 0, -5, 0.5, 1e3, 1.25, "1", " 1 ", "\t2Gi\n", nullptr, true, "x", "", Row::object(),
          Row::array(), 9223372036854775807, 18446744073709551615U, 0.000001}}});
}

}  // namespace

void enumerateCases(const Sink& sink) {
  enumerateAffinity(sink);
  enumerateFields(sink);
  enumerateShapes(sink);
  enumerateTolerations(sink);
  enumerateSelectors(sink);
  enumerateQuantities(sink);
}

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
