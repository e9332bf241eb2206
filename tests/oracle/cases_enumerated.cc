#include "oracle/cases.h"

#include <string_view>

#include "oracle/vocabulary.h"

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

Row labelExpressions(std::initializer_list<Row> list) {
  return {{"matchExpressions", std::vector<Row>(list)}};
}

Row specWith(const Row& required) {
  return {{"affinity", {{"nodeAffinity", {{"requiredDuringSchedulingIgnoredDuringExecution", required}}}}}};
}

Row specWithTerms(const Row& terms) {
  return specWith({{"nodeSelectorTerms", terms}});
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

}  // namespace driftbar::oracle
