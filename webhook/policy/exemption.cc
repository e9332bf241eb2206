#include "policy/exemption.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/glob.h"
#include "base/text.h"

namespace driftbar::policy {
namespace {

constexpr std::string_view kOf = "an Exemption";

// The value under a key that every exemption has; null, and reported, where it is not there.
const yaml::Node* required(const Envelope& document, std::string_view key, std::string help,
                           Problems& problems) {
  const yaml::Node* node = document.members[key];
  if (node == nullptr)
    problems.error(document.spec->where, "missing-key",
                   std::string(kOf) + " needs `" + std::string(key) + "`", std::move(help));
  return node;
}

void readReason(Exemption& exemption, const Envelope& document, Problems& problems) {
  constexpr std::string_view kHelp = "say why, and who agreed: people read it in warnings";
  const yaml::Node* node = required(document, "reason", std::string(kHelp), problems);
  if (node == nullptr) return;
  const std::string* text = textOf(*node, "reason", problems);
  if (text == nullptr) return;
  std::string_view reason = *text;
  if (reason.ends_with('\n')) reason.remove_suffix(1);
  if (reason.find_first_not_of(' ') == std::string_view::npos) {
    problems.error(node->where, "empty-text", "`reason` is empty", std::string(kHelp));
  } else if (reason.find('\n') != std::string_view::npos) {
    problems.error(node->where, "several-lines", "`reason` is one line",
                   "write it with `>-`, which makes one line of several");
  }
  exemption.reason = reason;
}

void readEnd(Exemption& exemption, const Envelope& document, std::optional<Instant> now, Problems& problems) {
  constexpr std::string_view kHelp =
      "write a day, such as `2026-12-24` (its end, UTC), or `2026-12-24T18:00:00Z`";
  const yaml::Node* node = required(document, "expires", std::string(kHelp), problems);
  if (node == nullptr) return;
  const auto end = node->isScalar() ? endOf(node->scalar) : std::nullopt;
  if (!end) {
    problems.error(node->where, "bad-time",
                   node->isScalar() && !node->isNull()
                       ? "`expires` is a day or a time, and " + quoted(node->scalar) + " is neither"
                       : "`expires` is a day or a time, and this is " + std::string(describe(*node)),
                   std::string(kHelp));
    return;
  }
  exemption.expires = *end;
  if (now && *end <= *now) {
    problems.warning(node->where, "expired",
                     "the exemption ended at " + driftbar::toString(*end) + " and lifts nothing",
                     "take the document away, or agree on a new end");
  }
}

std::vector<std::string> ruleIds(const Trees& trees) {
  std::vector<std::string> ids;
  for (const auto& policy : trees.policies) {
    for (const auto& rule : policy.rules) {
      const yaml::Node* name = rule.members["name"];
      if (name != nullptr && name->isText()) ids.push_back(policy.name + "/" + name->scalar);
    }
  }
  return ids;
}

std::string ruleHelp(const std::string& word, const Trees& trees, const std::vector<std::string>& ids) {
  std::vector<std::string_view> policies, rules(ids.begin(), ids.end());
  for (const auto& policy : trees.policies) policies.push_back(policy.name);
  if (word.find('/') == std::string::npos) {
    if (std::find(policies.begin(), policies.end(), word) != policies.end())
      return "write `" + word + "/*` for all of its rules";
    for (const auto& id : ids) {
      if (id.substr(id.find('/') + 1) == word) return "write `" + id + "`";
    }
    const auto meant = nearest(word, policies);
    if (!meant.empty()) return "did you mean `" + std::string(meant) + "/*`?";
    return "write it as policy/rule, such as `training-nodes/drifted`";
  }
  const auto meant = nearest(word, rules);
  if (!meant.empty()) return "did you mean `" + std::string(meant) + "`?";
  const std::string policy = word.substr(0, word.find('/'));
  std::vector<std::string_view> own;
  for (const auto& id : rules) {
    if (id.substr(0, id.find('/')) == policy) own.push_back(id);
  }
  if (!own.empty()) return "the policy has " + listed(own, "and");
  const auto near = nearest(policy, policies);
  return near.empty() ? "no policy here has the name `" + policy + "`"
                      : "did you mean the policy `" + std::string(near) + "`?";
}

void checkRule(const yaml::Node& word, const Trees& trees, const std::vector<std::string>& ids,
               Problems& problems) {
  const bool found =
      std::any_of(ids.begin(), ids.end(), [&](const auto& id) { return globFits(word.scalar, id); });
  if (found || !trees.complete) return;
  if (!isGlob(word.scalar)) {
    problems.error(word.where, "unknown-rule", "there is no rule " + quoted(word.scalar),
                   ruleHelp(word.scalar, trees, ids));
  } else {
    problems.warning(word.where, "matches-nothing", quoted(word.scalar) + " fits no rule",
                     "rules are known as policy/rule, such as `training-nodes/drifted`");
  }
}

void readRules(Exemption& exemption, const Envelope& document, const Trees& trees,
               const std::vector<std::string>& ids, Problems& problems) {
  constexpr std::string_view kHelp = "name what it lifts: `rules: [policy/rule]`, or `policy/*`";
  const yaml::Node* node = required(document, "rules", std::string(kHelp), problems);
  if (node == nullptr) return;
  if (node->isList() && node->items.empty())
    return problems.error(node->where, "empty-list", "`rules` is an empty list", std::string(kHelp));
  for (const auto* word : wordsOf(*node, "rules", problems)) {
    exemption.rules.push_back(word->scalar);
    checkRule(*word, trees, ids, problems);
  }
}

// To lift a rule for everyone is to take the rule away, and should be done there.
void readMatch(Exemption& exemption, const Envelope& document, const Declared& declared, Problems& problems) {
  constexpr std::string_view kHelp =
      "say for which objects or people: `match: {namespaces: [fw-trial]}`; for everyone, set the rule's "
      "`mode` to warn";
  const yaml::Node* node = required(document, "match", std::string(kHelp), problems);
  if (node == nullptr) return;
  if (node->isMap() && node->entries.empty()) {
    problems.error(node->where, "empty-list", "an empty `match` lifts the rules for everyone",
                   std::string(kHelp));
    return;
  }
  exemption.match = compileExcept(*node, "the `match` of an Exemption", declared, problems);
}

}  // namespace

std::optional<Instant> endOf(std::string_view text) {
  const bool day = text.size() == std::string_view("2026-12-24").size();
  if (!day) return parseInstant(text);
  const auto begins = parseInstant(std::string(text) + "T00:00:00Z");
  return begins ? std::optional(*begins + std::chrono::days(1)) : std::nullopt;
}

std::vector<Exemption> exemptionsOf(const Trees& trees, const Declared& declared, std::optional<Instant> now,
                                    Problems& problems) {
  const auto ids = ruleIds(trees);
  std::vector<Exemption> exemptions;
  for (const auto& document : trees.exemptions) {
    if (document.spec == nullptr) continue;
    Exemption exemption;
    exemption.name = document.name;
    exemption.where = document.where;
    readReason(exemption, document, problems);
    readEnd(exemption, document, now, problems);
    readRules(exemption, document, trees, ids, problems);
    readMatch(exemption, document, declared, problems);
    exemptions.push_back(std::move(exemption));
  }
  std::sort(exemptions.begin(), exemptions.end(), [](const Exemption& a, const Exemption& b) {
    return std::tie(a.expires, a.name) < std::tie(b.expires, b.name);
  });
  return exemptions;
}

bool Exemption::covers(std::string_view ruleId) const {
  if (ruleId.substr(ruleId.find('/') + 1) == kBreakGlassRule) return false;
  return std::any_of(rules.begin(), rules.end(), [&](const auto& glob) { return globFits(glob, ruleId); });
}

const Exemption* PolicySet::exemptionFor(std::string_view ruleId, const Facts& facts) const {
  for (const auto& one : exemptions()) {
    if (one.expires > facts.now && one.covers(ruleId) && one.match.fits(facts) == Truth::kTrue) return &one;
  }
  return nullptr;
}

}  // namespace driftbar::policy
