#include "reference/coverage.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "policy/policy.h"
#include "reference/words.h"

namespace driftbar::reference {
namespace {

// Every word in a condition, a rule or a match: a key is one, beside some the value too.
void collect(const Row& part, std::set<std::string>& out) {
  if (part.is_array()) {
    for (const auto& item : part) collect(item, out);
  }
  if (!part.is_object()) return;
  for (const auto& [key, value] : part.items()) {
    for (const auto* of : {"subject", "beside", "test", "requestedBy", "rule"}) {
      if (isOn(of, key)) out.insert(std::string(of) + " " + key);
    }
    if (key == "of" && value.is_string()) out.insert("beside of: " + value.get<std::string>());
    collect(value, out);
  }
}

bool isDeclared(const Row& policies, const Row& name) {
  return std::any_of(policies.begin(), policies.end(), [&](const Row& document) {
    return document.at("kind") == "WorkloadClass" && document.at("metadata").at("name") == name;
  });
}

void collectMatch(const Row& policies, const Row& match, std::set<std::string>& out) {
  for (const auto& [key, value] : match.items()) {
    out.insert("match " + key);
    if (key == "requestedBy") collect(value, out);
    if (key == "workload") {
      for (const auto& name : value.is_array() ? value : Row::array({value})) {
        out.insert("class " + name.get<std::string>());
        if (isDeclared(policies, name)) out.insert("document WorkloadClass");
      }
    }
  }
}

std::string kindOf(const Row& request) {
  const Row& resource = request.at("resource");
  const std::string sub = request.value("subResource", "");
  if (sub == "exec" || sub == "eviction") return "judged connect";
  if (resource.at("group") == "" && resource.at("resource") == "pods") return "judged pods";
  return resource.at("group") == "" && resource.at("resource") == "nodes" ? "judged nodes"
                                                                          : "judged workloads";
}

bool isOfDeclaredKind(const Row& policies, const Row& request) {
  return std::any_of(policies.begin(), policies.end(), [&](const Row& document) {
    return document.at("kind") == "WorkloadKind" &&
           document.at("spec").at("group") == request.at("resource").at("group") &&
           document.at("spec").at("kind") == request.at("kind").at("kind");
  });
}

}  // namespace

const std::vector<std::pair<std::string, Coverage::Words>>& Coverage::wordsOf(const Row& policies) {
  if (policies == lastPolicies_) return lastWords_;
  lastPolicies_ = policies;
  lastWords_.clear();
  for (const auto& document : policies) {
    if (document.at("kind") != "Policy") continue;
    const Row& spec = document.at("spec");
    std::set<std::string> looking;
    if (spec.contains("match")) collectMatch(policies, spec.at("match"), looking);
    if (spec.contains("except")) {
      looking.insert("rule except");
      for (const auto& entry : spec.at("except")) collectMatch(policies, entry, looking);
    }
    for (const auto& rule : spec.at("rules")) {
      std::set<std::string> judging;
      collect(rule, judging);
      lastWords_.emplace_back(
          document.at("metadata").at("name").get<std::string>() + "/" + rule.at("name").get<std::string>(),
          Words{{judging.begin(), judging.end()}, {looking.begin(), looking.end()}});
    }
  }
  return lastWords_;
}

void Coverage::countRefused(const std::string& id, const std::string& said) {
  Refused& refused = refusedByLoader_[id];
  if (refused.times++ == 0) refused.first = said;
}

void Coverage::count(const Row& policies, const Row& request, const Row& answer, bool looksUp) {
  const auto add = [&](const std::string& word, char letter) {
    Counts& counts = counts_[word];
    ++(letter == 'b' ? counts.broken : letter == 'k' ? counts.kept : counts.unknown);
  };
  for (const auto& [rule, words] : wordsOf(policies)) {
    const char letter = answer.at("rules").at(rule).get<std::string>()[0];
    for (const auto& word : words.looking) add(word, letter == '-' ? 'k' : 'b');
    if (letter == '-') continue;
    for (const auto& word : words.judging) add(word, letter);
    const std::string kind = kindOf(request);
    add(kind, letter);
    const bool placement =
        std::find(words.judging.begin(), words.judging.end(), "rule avoidNodes") != words.judging.end();
    if (placement && kind == "judged workloads") add("judged placement of workloads", letter);
    if (kind == "judged connect" && looksUp) add("judged what is looked up", letter);
    if (isOfDeclaredKind(policies, request)) add("document WorkloadKind", letter);
  }
  for (const auto& document : policies) {
    if (document.at("kind") == "Exemption")
      add("document Exemption", answer.at("exempted").empty() ? 'k' : 'b');
  }
}

bool Coverage::print() const {
  bool enough = true;
  std::printf("%-28s %10s %10s %10s   (of match and except: looked at, left out)\n", "word", "broken", "kept",
              "unknown");
  for (const auto& word : listedWords()) {
    if (!word.on || word.of == "path") continue;
    const std::string name = std::string(word.of) + " " + std::string(word.name);
    const auto found = counts_.find(name);
    const Counts counts = found == counts_.end() ? Counts{} : found->second;
    const bool seen = counts.broken > 0 && counts.kept > 0;
    std::printf("%-28s %10llu %10llu %10llu%s\n", name.c_str(),
                static_cast<unsigned long long>(counts.broken), static_cast<unsigned long long>(counts.kept),
                static_cast<unsigned long long>(counts.unknown), seen ? "" : "  <- never both");
    enough = enough && seen;
  }
  for (const auto& [id, refused] : refusedByLoader_)
    std::printf("rules left out, for the loader refuses them as %s: %llu, the first:\n%s", id.c_str(),
                static_cast<unsigned long long>(refused.times), refused.first.c_str());
  std::string off;
  for (const auto& word : policy::words()) {
    for (const auto& listed : listedWords()) {
      const std::string of = std::string(word.of);
      const bool same = listed.name == word.name && (of == "a " + std::string(listed.of) || of == listed.of);
      if (same && !listed.on) off += " " + std::string(word.name);
    }
  }
  if (!off.empty()) std::printf("in the engine, and off in tests/reference/words.cc:%s\n", off.c_str());
  return enough;
}

}  // namespace driftbar::reference
