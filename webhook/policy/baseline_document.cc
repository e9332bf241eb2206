#include "policy/baseline_document.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "policy/choice.h"
#include "policy/compile.h"
#include "policy/document_vocabulary.h"
#include "policy/operand.h"
#include "policy/path_check.h"
#include "policy/selector.h"
#include "policy/subject_table.h"

namespace driftbar::policy {
namespace {

using Absent = Baseline::Expectation::Absent;

constexpr Choice<DriftSeverity> kSeverities[] = {{"minor", DriftSeverity::kMinor},
                                                 {"major", DriftSeverity::kMajor},
                                                 {"critical", DriftSeverity::kCritical}};
constexpr Choice<Absent> kAbsent[] = {
    {"drift", Absent::kDrift}, {"ok", Absent::kOk}, {"unknown", Absent::kUnknown}};

void missing(const Location& where, std::string_view of, std::string_view key, std::string help,
             Problems& problems) {
  problems.error(where, "missing-key", std::string(of) + " needs `" + std::string(key) + "`",
                 std::move(help));
}

// ---- nodes, durations

void readNodes(Baseline& baseline, const Envelope& document, Problems& problems) {
  const yaml::Node* nodes = document.members["nodes"];
  if (nodes == nullptr) {
    return missing(document.spec->where, "a NodeBaseline", "nodes",
                   "write `nodes: {matchLabels: {pool: h100}}`, or `{}` for every node", problems);
  }
  const Members members = Members::read(*nodes, baselineNodesKeys(), problems);
  if (!nodes->isMap()) return;
  if (const yaml::Node* names = members["names"]) {
    for (const auto* name : wordsOf(*names, "names", problems)) baseline.names.push_back(name->scalar);
  }
  yaml::Node selector = *nodes;
  std::erase_if(selector.entries, [](const auto& entry) {
    return entry.key.scalar != "matchLabels" && entry.key.scalar != "matchExpressions";
  });
  if (auto read = selectorOf(selector, "nodes", problems)) baseline.nodes = *std::move(read);
}

std::optional<Duration> durationIn(const Members& members, std::string_view key, Problems& problems) {
  const yaml::Node* node = members[key];
  if (node == nullptr) return std::nullopt;
  const auto read = parseFor(*node, key, ValueType::kText, problems);
  return read ? std::optional(read->duration) : std::nullopt;
}

// ---- expect

void readDrift(Baseline::Expectation& expectation, const yaml::Node& node, std::vector<DriftClassUse>& uses,
               Problems& problems) {
  const Members members = Members::read(node, expectedDriftKeys(), problems);
  if (!node.isMap()) return;
  constexpr std::string_view kHelp = "write `drift: {class: gpu, severity: critical}`";
  if (const yaml::Node* name = members["class"]) {
    if (name->isList()) {
      problems.wrongType(*name, "class", "one class of drift", "write an expectation for each");
    } else {
      for (auto& use : driftClassesOf(*name, "class", problems)) {
        expectation.driftClass = use.name;
        uses.push_back(std::move(use));
      }
    }
  } else {
    missing(node.where, "`drift`", "class", std::string(kHelp), problems);
  }
  if (members["severity"] == nullptr)
    return missing(node.where, "`drift`", "severity", std::string(kHelp), problems);
  expectation.severity = chosen(members, "severity", kSeverities, problems).value_or(DriftSeverity::kMinor);
}

bool isUniform(const Members& members, Problems& problems) {
  const yaml::Node* node = members["uniform"];
  if (node == nullptr) return false;
  const auto flag = parseFlag(*node, "uniform", ValueType::kAny, problems);
  if (!flag || flag->flag) return flag.has_value();
  problems.error(node->where, "never-matches", "`uniform: false` asks for nothing",
                 "take it out, and write a test such as `equals: …`");
  return false;
}

// A leaf is read with some test, so that one without any is not taken for unfinished.
yaml::Node::Entry anyTest(const Location& where) {
  yaml::Node key, value;
  key.where = value.where = where;
  key.kind = yaml::Node::Kind::kText;
  key.scalar = "exists";
  value.kind = yaml::Node::Kind::kBool;
  value.scalar = "true";
  return {std::move(key), std::move(value)};
}

// What the leaf is about and asks, without the keys that only expectations have.
std::optional<syntax::Condition> leafOf(const yaml::Node& rest, bool uniform, Problems& problems) {
  auto condition = syntax::readCondition(rest, problems);
  if (!condition) return std::nullopt;
  if (condition->kind != syntax::Condition::Kind::kLeaf) {
    problems.error(condition->where, "not-a-leaf", "an expectation is about one thing",
                   "write an expectation for each, with its own `drift`");
    return std::nullopt;
  }
  const auto& tests = condition->leaf.tests;
  if (uniform && tests.size() > 1) {  // the first is ours
    problems.error(tests[1].key->where, "not-alone",
                   "`" + tests[1].key->scalar + "` can't stand beside `uniform`",
                   "the value of most of the pool is what is wanted: take one of the two out");
    return std::nullopt;
  }
  return condition;
}

// What the reader of conditions would tell in words that do not fit here.
bool checkKeys(const yaml::Node& rest, Problems& problems) {
  const auto own = namesOf(expectationKeys().keys);
  const yaml::Node* subject = nullptr;
  for (const auto& [key, value] : rest.entries) {
    if (!nearest(key.scalar, own).empty()) {
      problems.unknown(key.where, "key", expectationKeys().of, key.scalar, own);
      return false;
    }
    if (subjectRow(key.scalar) == nullptr) continue;
    if (subject != nullptr) {
      problems.error(key.where, "two-subjects",
                     "an expectation is about one thing, and this one has `" + subject->scalar + "` and `" +
                         key.scalar + "`",
                     "write an expectation for each, with its own `drift`");
      return false;
    }
    subject = &key;
  }
  return true;
}

void readLeaf(Baseline::Expectation& expectation, const yaml::Node& item, int kubernetes,
              Problems& problems) {
  const Members own = Members::among(item, expectationKeys());
  yaml::Node rest = item;
  std::erase_if(rest.entries, [&](const auto& entry) { return own.key(entry.key.scalar) != nullptr; });
  if (!checkKeys(rest, problems)) return;
  if (rest.entries.empty()) {
    problems.error(item.where, "no-subject", "the expectation says not what it is about",
                   "begin it with a subject: `label`, `condition`, `field` and the like");
    return;
  }
  if (expectation.uniform) rest.entries.insert(rest.entries.begin(), anyTest(item.where));
  const auto condition = leafOf(rest, expectation.uniform, problems);
  if (!condition) return;
  expectation.where = condition->where;
  Surroundings around;
  around.about = Surroundings::About::kCandidate;
  around.word = "a NodeBaseline";
  around.elsewhere = "take it out: what pods must be like is for the rules of a Policy";
  around.readsEach = true;
  around.kubernetes = kubernetes;
  auto compiled = compileCondition(*condition, around, problems);
  if (!compiled) return;
  if (expectation.uniform) compiled->tests.clear();
  expectation.leaf = std::make_shared<const Condition>(*std::move(compiled));
}

Baseline::Expectation readExpectation(const yaml::Node& item, int kubernetes,
                                      std::vector<DriftClassUse>& uses, Problems& problems) {
  Baseline::Expectation expectation;
  expectation.where = item.where;
  if (!item.isMap()) {
    problems.error(item.where, "wrong-type",
                   "an expectation is a map of keys, and this is " + std::string(describe(item)),
                   "write a subject, a test and `drift`");
    return expectation;
  }
  const Members members = Members::among(item, expectationKeys());
  expectation.uniform = isUniform(members, problems);
  expectation.absent = chosen(members, "absent", kAbsent, problems).value_or(Absent::kDrift);
  if (const yaml::Node* drift = members["drift"]) {
    readDrift(expectation, *drift, uses, problems);
  } else {
    missing(item.where, "an expectation", "drift", "write `drift: {class: gpu, severity: critical}`",
            problems);
  }
  readLeaf(expectation, item, kubernetes, problems);
  return expectation;
}

void readExpect(Baseline& baseline, const Envelope& document, std::vector<DriftClassUse>& uses,
                Problems& problems) {
  const yaml::Node* list = document.members["expect"];
  if (list == nullptr) {
    return missing(document.spec->where, "a NodeBaseline", "expect", "write `expect:` and a list", problems);
  }
  if (!list->isList()) return problems.wrongType(*list, "expect", "a list", "begin each with `- `");
  if (list->items.empty())
    problems.error(list->where, "empty-list", "`expect` is an empty list", "write what the nodes look like");
  const int kubernetes = clusterMinor(document.kubernetes, problems);
  for (const auto& item : list->items)
    baseline.expect.push_back(readExpectation(item, kubernetes, uses, problems));
}

// ---- quarantine

void readBudget(Baseline::Quarantine& quarantine, const yaml::Node& node, Problems& problems) {
  const std::string& text = node.scalar;
  quarantine.percent = text.ends_with('%');
  const char* end = text.data() + text.size() - (quarantine.percent ? 1 : 0);
  const auto [stop, failed] = std::from_chars(text.data(), end, quarantine.maxUnavailable);
  const bool whole = failed == std::errc{} && stop == end && node.isScalar();
  const bool typed = quarantine.percent ? node.isText() : node.kind == yaml::Node::Kind::kInteger;
  if (!whole || !typed) {
    problems.wrongType(node, "maxUnavailable", "a number of nodes or a percentage", "write 2 or `10%`");
  } else if (quarantine.maxUnavailable < 1 || (quarantine.percent && quarantine.maxUnavailable > 100)) {
    problems.error(
        node.where, "never-matches",
        quarantine.maxUnavailable < 1 ? "`maxUnavailable: " + text + "` isolates no node"
                                      : "a pool has no more than 100% of its nodes",
        quarantine.maxUnavailable < 1 ? "take `quarantine` out, or write 1 or more" : "write `100%` or less");
  }
}

void readQuarantine(Baseline& baseline, const yaml::Node& node, std::vector<DriftClassUse>& uses,
                    Problems& problems) {
  const Members members = Members::read(node, quarantineKeys(), problems);
  if (!node.isMap()) return;
  Baseline::Quarantine quarantine;
  if (members["atLeast"] == nullptr)
    missing(node.where, "`quarantine`", "atLeast", "write `atLeast: critical`", problems);
  quarantine.atLeast = chosen(members, "atLeast", kSeverities, problems).value_or(DriftSeverity::kCritical);
  if (const yaml::Node* classes = members["classes"]) {
    for (auto& use : driftClassesOf(*classes, "classes", problems)) {
      quarantine.classes.push_back(use.name);
      uses.push_back(std::move(use));
    }
  }
  if (const yaml::Node* budget = members["maxUnavailable"]) {
    readBudget(quarantine, *budget, problems);
  } else {
    missing(node.where, "`quarantine`", "maxUnavailable",
            "write `maxUnavailable: 10%`, so that it never takes the whole pool", problems);
  }
  baseline.quarantine = std::move(quarantine);
}

Baseline read(const Envelope& document, std::vector<DriftClassUse>& uses, Problems& problems) {
  Baseline baseline;
  baseline.name = document.name;
  baseline.where = document.where;
  if (document.spec == nullptr) return baseline;
  problems.warning(document.document->find("kind")->where, "not-judged",
                   "a NodeBaseline is checked here, and no node is judged by it in this version");
  readNodes(baseline, document, problems);
  baseline.maxAge = durationIn(document.members, "maxAge", problems);
  baseline.bootGrace = durationIn(document.members, "bootGrace", problems);
  readExpect(baseline, document, uses, problems);
  if (const yaml::Node* node = document.members["quarantine"])
    readQuarantine(baseline, *node, uses, problems);
  return baseline;
}

}  // namespace

std::vector<Baseline> baselinesOf(std::span<const Envelope> documents, std::vector<DriftClassUse>& uses,
                                  Problems& problems) {
  std::vector<Baseline> baselines;
  for (const auto& document : documents) baselines.push_back(read(document, uses, problems));
  std::sort(baselines.begin(), baselines.end(),
            [](const Baseline& a, const Baseline& b) { return a.name < b.name; });
  return baselines;
}

}  // namespace driftbar::policy
