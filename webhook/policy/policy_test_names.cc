// The names in PolicyTests: of tests, of the policies that judge, of the rules that are expected.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "policy/policy_test.h"

namespace driftbar::policy {
namespace {

std::string folderOf(const Location& where) {
  const std::string& file = where.source->name;
  const auto slash = file.rfind('/');
  return slash == std::string::npos ? std::string() : file.substr(0, slash);
}

const Policy* findIn(std::span<const std::shared_ptr<const PolicySet>> sets, std::string_view name) {
  for (const auto& set : sets) {
    if (const Policy* found = set->find(name)) return found;
  }
  return nullptr;
}

void reportPolicy(const Placed& name, std::span<const std::shared_ptr<const PolicySet>> sets,
                  Problems& problems) {
  if (name.text.find('/') != std::string::npos || name.text.ends_with(".yaml") || name.text.ends_with(".yml"))
    return problems.error(name.where, "unknown-policy",
                          "unknown policy `" + shortened(printable(name.text), 60) + "`",
                          "write the `metadata.name` of the policy: here stand names, and not files");
  std::set<std::string_view> known;
  for (const auto& set : sets) {
    for (const auto& policy : set->policies()) known.insert(policy.name);
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  if (!names.empty()) return problems.unknown(name.where, "policy", {}, name.text, names);
  problems.error(name.where, "unknown-policy", "unknown policy `" + shortened(printable(name.text), 60) + "`",
                 "no policy is here: give the folder of the policies beside that of the test");
}

// The rules that may be expected: every rule of the policies that judge, and what break-glass refuses with.
std::vector<std::string> rulesOf(const PolicySet& set) {
  std::vector<std::string> ids;
  for (const auto& policy : set.policies()) {
    for (const auto& rule : policy.rules) ids.push_back(rule.id);
    ids.push_back(policy.name + "/break-glass");
  }
  return ids;
}

// `drifted` where `training-nodes/drifted` is meant.
std::string withItsPolicy(const std::string& word, const std::vector<std::string>& ids) {
  for (const auto& id : ids) {
    if (id.ends_with("/" + word)) return id;
  }
  return {};
}

void checkRule(const Placed& rule, const std::vector<std::string>& ids,
               std::span<const std::shared_ptr<const PolicySet>> sets, Problems& problems) {
  if (std::find(ids.begin(), ids.end(), rule.text) != ids.end()) return;
  const std::string message = "unknown rule `" + shortened(printable(rule.text), 60) + "`";
  if (const auto whole = withItsPolicy(rule.text, ids); !whole.empty())
    return problems.error(rule.where, "unknown-rule", message, "write it with its policy: `" + whole + "`");
  if (const Policy* other = findIn(sets, rule.text.substr(0, rule.text.find('/')))) {
    const auto& rules = other->rules;
    if (std::any_of(rules.begin(), rules.end(), [&](const Rule& r) { return r.id == rule.text; }) &&
        std::find(ids.begin(), ids.end(), rules.front().id) == ids.end())
      return problems.error(rule.where, "unknown-rule",
                            "the rule `" + printable(rule.text) + "` does not judge in this test",
                            "name its policy under `policies`");
  }
  const std::vector<std::string_view> known(ids.begin(), ids.end());
  problems.unknown(rule.where, "rule", {}, rule.text, known);
}

}  // namespace

void checkTestNames(std::span<const PolicyTest> tests, Problems& problems) {
  std::map<std::pair<std::string, std::string>, Location> seen;
  for (const auto& test : tests) {
    const auto [first, fresh] = seen.emplace(std::pair(folderOf(test.where), test.name), test.where);
    if (fresh || test.name.empty()) continue;
    const bool here = first->second.source == test.where.source;
    problems.error(test.where, "duplicate-name",
                   "the name `" + printable(test.name) + "` is taken by another PolicyTest: " +
                       (here ? "" : printable(first->second.source->name) + ", ") + "line " +
                       std::to_string(first->second.line),
                   "name one of them otherwise");
  }
}

std::shared_ptr<const PolicySet> judging(const PolicyTest& test,
                                         std::span<const std::shared_ptr<const PolicySet>> sets,
                                         Problems& problems) {
  auto set = sets.front();
  if (!test.policies.empty()) {
    std::vector<Policy> named;
    for (const auto& name : test.policies) {
      const Policy* found = findIn(sets, name.text);
      if (found != nullptr) named.push_back(*found);
      if (found == nullptr) reportPolicy(name, sets, problems);
    }
    if (named.size() < test.policies.size()) return set;  // what rules there are is not known
    set = std::make_shared<const PolicySet>(std::move(named), set->declared());
  }
  const auto ids = rulesOf(*set);
  if (ids.empty()) return set;  // whoever runs it says that nothing judges
  for (const auto& one : test.cases) {
    for (const auto& list : ruleLists()) {
      const auto& rules = one.expected.*list.rules;
      for (const auto& rule : rules ? *rules : std::vector<Placed>{}) checkRule(rule, ids, sets, problems);
    }
  }
  return set;
}

}  // namespace driftbar::policy
