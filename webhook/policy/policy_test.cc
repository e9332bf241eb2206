#include "policy/policy_test.h"

#include <algorithm>
#include <map>

#include "base/field_path.h"
#include "base/text.h"
#include "policy/check.h"
#include "policy/vocabulary.h"

namespace driftbar::policy {
namespace {

constexpr RuleList kRuleLists[] = {{"rules", &Expectation::refused},
                                   {"warned", &Expectation::warned},
                                   {"audited", &Expectation::audited},
                                   {"exempted", &Expectation::exempted}};

constexpr std::string_view kSubResources[] = {"exec", "attach", "portforward", "proxy"};

// A text that must be there and say something; empty where it does not, and that has been reported.
std::string requiredText(const Members& members, std::string_view key, const yaml::Node& owner,
                         std::string_view of, Problems& problems) {
  const yaml::Node* node = members[key];
  if (node == nullptr) {
    problems.error(owner.where, "missing-key", std::string(of) + " needs `" + std::string(key) + "`",
                   "write `" + std::string(key) + ": …`");
    return {};
  }
  const std::string* text = textOf(*node, key, problems);
  if (text == nullptr) return {};
  if (text->empty()) problems.error(node->where, "empty-text", "`" + std::string(key) + "` is empty");
  return *text;
}

std::string optionalText(const Members& members, std::string_view key, Problems& problems) {
  const yaml::Node* node = members[key];
  if (node == nullptr) return {};
  const std::string* text = textOf(*node, key, problems);
  if (text != nullptr && text->empty())
    problems.error(node->where, "empty-text", "`" + std::string(key) + "` is empty", "leave the key out");
  return text != nullptr ? *text : std::string();
}

std::vector<Placed> placedWords(const yaml::Node& node, std::string_view of, Problems& problems) {
  std::vector<Placed> words;
  for (const yaml::Node* word : wordsOf(node, of, problems)) words.push_back({word->scalar, word->where});
  return words;
}

std::vector<std::string> texts(const Members& members, std::string_view key, Problems& problems) {
  std::vector<std::string> out;
  if (members[key] == nullptr) return out;
  for (const yaml::Node* word : wordsOf(*members[key], key, problems)) out.push_back(word->scalar);
  return out;
}

// A file or an object.
TestObject readObject(const yaml::Node& node, std::string_view of, Problems& problems) {
  TestObject object{node.where, {}, {}};
  if (node.isMap()) {
    object.object = node;
  } else if (node.isText()) {
    object.file = node.scalar;
    if (node.scalar.empty())
      problems.error(node.where, "empty-text", "`" + std::string(of) + "` names no file");
  } else {
    problems.wrongType(node, of, "a file or an object", "name a file, or write the object here");
  }
  return object;
}

TestObject requiredObject(const Members& members, std::string_view key, const yaml::Node& owner,
                          std::string_view of, Problems& problems) {
  if (members[key] != nullptr) return readObject(*members[key], key, problems);
  problems.error(owner.where, "missing-key", std::string(of) + " needs `" + std::string(key) + "`",
                 "name a file, or write the object here");
  return {};
}

// ---- The request of a case: a row each.

void readPlain(TestCase& read, const yaml::Node& node, Problems& problems) {
  read.object = readObject(node, read.requestWord, problems);
}

void readUpdate(TestCase& read, const yaml::Node& node, Problems& problems) {
  if (node.find("kind") != nullptr || node.find("spec") != nullptr) {
    return problems.error(node.where, "missing-key", "`update` needs the object before and after",
                          "write `update: {old: …, new: …}`, with a file or an object for each");
  }
  const Members members = Members::read(node, updateKeys(), problems);
  if (!node.isMap()) return;
  read.old = requiredObject(members, "old", node, "`update`", problems);
  read.object = requiredObject(members, "new", node, "`update`", problems);
}

void readConnect(TestCase& read, const yaml::Node& node, Problems& problems) {
  const Members members = Members::read(node, connectKeys(), problems);
  if (!node.isMap()) return;
  read.object = requiredObject(members, "pod", node, "`connect`", problems);
  read.subResource = requiredText(members, "subresource", node, "`connect`", problems);
  read.command = texts(members, "command", problems);
  const auto known = std::find(std::begin(kSubResources), std::end(kSubResources), read.subResource);
  if (!read.subResource.empty() && known == std::end(kSubResources)) {
    problems.unknown(members["subresource"]->where, "subresource", "`connect`", read.subResource,
                     kSubResources);
  } else if (!read.command.empty() && read.subResource != "exec" && !read.subResource.empty()) {
    problems.error(members.key("command")->where, "wrong-key",
                   "`command` means nothing beside `subresource: " + read.subResource + "`",
                   "it goes with `exec`");
  }
}

void readBind(TestCase& read, const yaml::Node& node, Problems& problems) {
  const Members members = Members::read(node, bindKeys(), problems);
  if (!node.isMap()) return;
  read.object = requiredObject(members, "pod", node, "`bind`", problems);
  read.node = requiredText(members, "node", node, "`bind`", problems);
}

struct RequestRow {
  std::string_view key;
  TestRequest request;
  void (*read)(TestCase& read, const yaml::Node& node, Problems& problems);
};

constexpr RequestRow kRequests[] = {
    {"create", TestRequest::kCreate, readPlain}, {"update", TestRequest::kUpdate, readUpdate},
    {"delete", TestRequest::kDelete, readPlain}, {"connect", TestRequest::kConnect, readConnect},
    {"bind", TestRequest::kBind, readBind},      {"review", TestRequest::kReview, readPlain},
};

std::string requestWords() {
  std::vector<std::string_view> words;
  for (const auto& row : kRequests) words.push_back(row.key);
  return listed(words);
}

void readRequest(TestCase& read, const Members& members, Problems& problems) {
  const RequestRow* found = nullptr;
  for (const auto& row : kRequests) {
    if (members[row.key] == nullptr) continue;
    if (found != nullptr) {
      return problems.error(members.key(row.key)->where, "two-requests",
                            "a case has one request, and this one has `" + std::string(found->key) +
                                "` and `" + std::string(row.key) + "`",
                            "make two cases of it");
    }
    found = &row;
  }
  if (found == nullptr) {
    return problems.error(read.where, "no-request", "the case asks for nothing: a request is missing",
                          "write " + requestWords());
  }
  read.request = found->request;
  read.requestWord = found->key;
  read.requestWhere = members.key(found->key)->where;
  found->read(read, *members[found->key], problems);
}

// ---- Who asks.

void readServiceAccount(TestCase& read, const Members& members, Problems& problems) {
  read.serviceAccount = optionalText(members, "serviceAccount", problems);
  const auto& account = read.serviceAccount;
  const auto slash = account.find('/');
  if (account.empty() || (slash != 0 && slash != std::string::npos && slash + 1 < account.size() &&
                          account.find('/', slash + 1) == std::string::npos))
    return;
  problems.error(members["serviceAccount"]->where, "service-account",
                 "`serviceAccount` is NAMESPACE/NAME, and this is " + quoted(account),
                 "write it as in `ml/trainer`");
}

void readWho(TestCase& read, const Members& members, Problems& problems) {
  read.ns = optionalText(members, "namespace", problems);
  readServiceAccount(read, members, problems);
  const yaml::Node* as = members["as"];
  if (as == nullptr) return;
  if (members["serviceAccount"] != nullptr) {
    problems.error(members.key("serviceAccount")->where, "contradiction",
                   "`as` and `serviceAccount` both say who asks", "leave one of them out");
  }
  const Members who = Members::read(*as, asKeys(), problems);
  read.user = optionalText(who, "user", problems);
  read.groups = texts(who, "groups", problems);
  if (as->isMap() && as->entries.empty())
    problems.error(as->where, "nobody", "`as` names nobody", "write `as: {user: …, groups: […]}`");
}

// ---- What is expected.

// What people call the two, here and elsewhere.
struct VerdictWord {
  std::string_view word, meant;
};
constexpr VerdictWord kVerdictWords[] = {
    {"denied", "deny"},  {"refuse", "deny"},  {"refused", "deny"}, {"reject", "deny"},   {"rejected", "deny"},
    {"forbid", "deny"},  {"block", "deny"},   {"fail", "deny"},    {"allowed", "allow"}, {"pass", "allow"},
    {"accept", "allow"}, {"permit", "allow"}, {"admit", "allow"},  {"ok", "allow"},
};

std::string verdictHelp(const std::string& word) {
  if (word == "warn" || word == "audit")
    return "a request that only warns is allowed: write `allow`, and the rules under `warned` or `audited`";
  constexpr std::string_view kWords[] = {"allow", "deny"};
  auto meant = nearest(word, kWords);
  for (const auto& row : kVerdictWords) {
    if (row.word == word) meant = row.meant;
  }
  return meant.empty() ? "a verdict is `allow` or `deny`" : "did you mean `" + std::string(meant) + "`?";
}

void readVerdict(Expectation& expected, const yaml::Node& node, Problems& problems) {
  if (!node.isText()) return problems.wrongType(node, "verdict", "`allow` or `deny`");
  if (node.scalar == "allow" || node.scalar == "deny") {
    expected.allowed = node.scalar == "allow";
    return;
  }
  problems.error(node.where, "unknown-verdict",
                 "unknown verdict `" + shortened(printable(node.scalar), 60) + "`", verdictHelp(node.scalar));
}

// Unlike other lists this one may be empty: then none is expected.
Expectation::Rules readRules(const yaml::Node& node, std::string_view of, Problems& problems) {
  if (node.isList() && node.items.empty()) return std::vector<Placed>{};
  return placedWords(node, of, problems);
}

Expectation::Patched readPatched(const yaml::Node& node, Problems& problems) {
  Expectation::Patched patched;
  if (!node.isMap()) {
    problems.wrongType(node, "patched", "a map of paths and values",
                       "write `patched: {spec.nodeSelector.pool: h100}`, or `{}` for no change");
    return patched;
  }
  for (const auto& [key, value] : node.entries) {
    const auto path = FieldPath::parse(key.scalar);
    if (!path)
      problems.error(key.where, "bad-path", path.errors().front().message, path.errors().front().help);
    patched.push_back({{key.scalar, key.where}, value});
  }
  return patched;
}

void checkAgreement(const Expectation& expected, const Members& members, Problems& problems) {
  if (!expected.allowed || !expected.refused || *expected.allowed == expected.refused->empty()) return;
  problems.error(members.key("rules")->where, "contradiction",
                 *expected.allowed ? "`verdict: allow` with broken rules in `rules`"
                                   : "`verdict: deny` with no broken rule in `rules`",
                 *expected.allowed
                     ? "rules of the mode warn go under `warned`, those of audit under `audited`"
                     : "name the rules that refuse, or leave `rules` out");
}

void readExpectation(Expectation& expected, const yaml::Node& node, Problems& problems) {
  if (node.isNull() || (node.isMap() && node.entries.empty()))
    return problems.error(node.where, "nothing-expected", "the case expects nothing",
                          "write `verdict: deny`");
  const Members members = Members::read(node, expectKeys(), problems);
  if (!node.isMap()) return;
  if (members["verdict"] != nullptr) readVerdict(expected, *members["verdict"], problems);
  for (const auto& list : kRuleLists) {
    if (members[list.key] != nullptr)
      expected.*list.rules = readRules(*members[list.key], list.key, problems);
  }
  if (members["message"] != nullptr) expected.message = placedWords(*members["message"], "message", problems);
  if (members["patched"] != nullptr) expected.patched = readPatched(*members["patched"], problems);
  checkAgreement(expected, members, problems);
}

// ---- The document.

TestCase readCase(const yaml::Node& node, Problems& problems) {
  TestCase read;
  const Members members = Members::read(node, caseKeys(), problems);
  read.where = members["name"] != nullptr ? members["name"]->where : node.where;
  if (!node.isMap()) return read;
  read.name = requiredText(members, "name", node, "a case", problems);
  if (read.name.find('\n') != std::string::npos)
    problems.error(read.where, "several-lines", "the name of a case is one line");
  readRequest(read, members, problems);
  readWho(read, members, problems);
  if (members["expect"] != nullptr) {
    readExpectation(read.expected, *members["expect"], problems);
  } else {
    problems.error(read.where, "missing-key", "a case needs `expect`", "write `expect: {verdict: deny}`");
  }
  return read;
}

void readCases(PolicyTest& test, const yaml::Node& spec, const Members& members, Problems& problems) {
  const yaml::Node* list = members["cases"];
  if (list == nullptr) {
    return problems.error(spec.where, "missing-key", "a PolicyTest needs `cases`",
                          "write `cases:` and a list of cases");
  }
  if (!list->isList())
    return problems.wrongType(*list, "cases", "a list", "begin each case with `- name: …`");
  if (list->items.empty())
    problems.error(list->where, "empty-list", "`cases` is an empty list", "write a case");
  std::map<std::string, int> lines;
  for (const auto& item : list->items) {
    test.cases.push_back(readCase(item, problems));
    const auto& read = test.cases.back();
    const auto [first, fresh] = lines.emplace(read.name, read.where.line);
    if (fresh || read.name.empty()) continue;
    problems.error(
        read.where, "duplicate-name",
        "the name " + quoted(read.name) + " is taken by another case: line " + std::to_string(first->second),
        "name one of them otherwise");
  }
}

void readInventory(PolicyTest& test, const yaml::Node& node, Problems& problems) {
  if (!node.isList()) {
    return problems.wrongType(node, "inventory", "a list of files and objects", "begin each with `- `");
  }
  for (const auto& item : node.items) test.inventory.push_back(readObject(item, "inventory", problems));
}

void readNow(PolicyTest& test, const yaml::Node& node, Problems& problems) {
  constexpr char kHelp[] = "write it as in 2026-12-01T10:00:00Z";
  if (!node.isText()) return problems.wrongType(node, "now", "a time", kHelp);
  test.now = parseInstant(node.scalar);
  if (!test.now)
    problems.error(node.where, "time", "`now` is a time, and this is " + quoted(node.scalar), kHelp);
}

void readSpec(PolicyTest& test, const yaml::Node& spec, Problems& problems) {
  const Members members = Members::read(spec, testSpecKeys(), problems);
  if (!spec.isMap()) return;
  if (members["policies"] != nullptr) test.policies = placedWords(*members["policies"], "policies", problems);
  if (members["inventory"] != nullptr) readInventory(test, *members["inventory"], problems);
  if (members["now"] != nullptr) readNow(test, *members["now"], problems);
  readCases(test, spec, members, problems);
}

void readMetadata(PolicyTest& test, const yaml::Node& document, Problems& problems) {
  const yaml::Node* metadata = document.find("metadata");
  if (metadata == nullptr) {
    return problems.error(document.where, "missing-key", "a PolicyTest needs `metadata.name`",
                          "write `metadata: {name: …}`");
  }
  const Members members = Members::read(*metadata, metadataKeys(), problems);
  if (!metadata->isMap()) return;
  test.name = requiredText(members, "name", *metadata, "`metadata`", problems);
  if (members["name"] != nullptr) test.where = members["name"]->where;
  if (!test.name.empty()) checkName(test.name, "a PolicyTest", test.where, problems);
}

}  // namespace

std::span<const RuleList> ruleLists() {
  return kRuleLists;
}

bool isPolicyTest(const yaml::Node& document) {
  const yaml::Node* version = document.find("apiVersion");
  const yaml::Node* kind = document.find("kind");
  return version != nullptr && kind != nullptr && version->scalar == "driftbar.io/v1alpha1" &&
         kind->isText() && kind->scalar == "PolicyTest";
}

std::optional<PolicyTest> readPolicyTest(const yaml::Node& document, Problems& problems) {
  PolicyTest test;
  test.where = document.where;
  Members::read(document, documentKeys(), problems);
  readMetadata(test, document, problems);
  if (const yaml::Node* spec = document.find("spec")) {
    readSpec(test, *spec, problems);
  } else {
    problems.error(document.where, "missing-key", "a PolicyTest needs `spec`", "write `spec:` with `cases`");
  }
  return test;
}

LoadedTests loadTests(std::span<const Source> sources) {
  Problems problems;
  LoadedTests loaded;
  for (const auto& source : sources) {
    auto documents = yaml::parse(source);
    if (!documents) {
      problems.add(std::move(documents).errors());
      continue;
    }
    for (const auto& document : *documents) {
      if (!isPolicyTest(document)) continue;
      if (auto test = readPolicyTest(document, problems)) loaded.tests.push_back(*std::move(test));
    }
  }
  checkTestNames(loaded.tests, problems);
  loaded.diagnostics = problems.take();
  return loaded;
}

}  // namespace driftbar::policy
