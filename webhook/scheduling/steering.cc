#include "scheduling/steering.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "scheduling/placement.h"

namespace driftbar::scheduling {
namespace {

using Made = nlohmann::ordered_json;

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kTerms = "nodeSelectorTerms";
constexpr const char* kNameField = "metadata.name";
// Of a preferred term: the most that the API has.
constexpr int kWeight = 100;

Made copyOf(Json json) {
  return json.isMap() || json.isList() ? Made::parse(json.dump()) : Made();
}

Made expression(const kube::Requirement& requirement) {
  Made made;
  made["key"] = requirement.key;
  made["operator"] = std::string(kube::toString(requirement.op));
  if (!requirement.values.empty()) made["values"] = requirement.values;
  return made;
}

// A field takes one value, so each node is a requirement of its own.
Made notOn(const std::string& node) {
  return Made{{"key", kNameField}, {"operator", "NotIn"}, {"values", {node}}};
}

std::vector<Made> valuesOf(const Made& expression) {
  std::vector<Made> values;
  if (const auto at = expression.find("values"); at != expression.end() && at->is_array())
    values.assign(at->begin(), at->end());
  std::sort(values.begin(), values.end());
  return values;
}

bool sameExpression(const Made& a, const Made& b) {
  const auto word = [](const Made& one, const char* key) { return one.value(key, std::string()); };
  return word(a, "key") == word(b, "key") && word(a, "operator") == word(b, "operator") &&
         valuesOf(a) == valuesOf(b);
}

bool has(const Made& term, const char* list, const Made& wanted) {
  const auto at = term.find(list);
  return at != term.end() && at->is_array() &&
         std::any_of(at->begin(), at->end(), [&](const Made& one) { return sameExpression(one, wanted); });
}

void add(Made& term, const char* list, Made wanted) {
  if (has(term, list, wanted)) return;
  auto& into = term[list];
  if (!into.is_array()) into = Made::array();
  into.push_back(std::move(wanted));
}

bool satisfies(const Made& term, const kube::Clause& clause) {
  return std::any_of(clause.begin(), clause.end(), [&](const kube::Requirement& one) {
    return has(term, "matchExpressions", expression(one));
  });
}

struct Term {
  Made term;
  bool open = true;  // some node could match it
};

// Terms that grow by what is required.
class Terms {
 public:
  // Without required affinity: one term, which is none as long as nothing is added to it.
  Terms(Json required, bool onlyAppends) : fixed_(onlyAppends && required.isMap()) {
    if (!required.isMap()) terms_.push_back({Made::object(), true});
    for (const Json term : required[kTerms].items())
      terms_.push_back({copyOf(term), Placement::canMatch(term)});
  }

  bool require(const kube::Clause& clause) {
    const auto growing = static_cast<std::size_t>(
        std::count_if(terms_.begin(), terms_.end(), [&](const Term& one) { return grows(one, clause); }));
    const std::size_t after = terms_.size() + growing * (clause.size() - 1);
    if (clause.size() > 1 && growing > 0 && (fixed_ || after > std::max(kMostTerms, terms_.size())))
      return false;
    std::vector<Term> grown;
    for (auto& one : terms_) {
      if (!grows(one, clause)) {
        grown.push_back(std::move(one));
        continue;
      }
      for (const auto& requirement : clause) {
        grown.push_back(one);
        add(grown.back().term, "matchExpressions", expression(requirement));
      }
    }
    terms_ = std::move(grown);
    return true;
  }

  void requireNotOn(const std::string& node) {
    for (auto& one : terms_) {
      if (one.open) add(one.term, "matchFields", notOn(node));
    }
  }

  Made list() const {
    Made out = Made::array();
    for (const auto& one : terms_) {
      if (!one.term.empty() || !one.open) out.push_back(one.term);
    }
    return out;
  }

 private:
  static bool grows(const Term& one, const kube::Clause& clause) {
    return one.open && !satisfies(one.term, clause);
  }

  bool fixed_;
  std::vector<Term> terms_;
};

void prefer(const Wanted& wanted, Made& affinity) {
  Terms terms(Json(), false);
  for (const auto& clause : wanted.clauses) {
    if (!terms.require(clause)) return;
  }
  for (const auto& node : wanted.notOn) terms.requireNotOn(node);
  for (Made& term : terms.list()) {
    auto& list = affinity[kPreferred];
    if (!list.is_array()) list = Made::array();
    Made preferred{{"weight", kWeight}, {"preference", std::move(term)}};
    if (std::find(list.begin(), list.end(), preferred) == list.end()) list.push_back(std::move(preferred));
  }
}

}  // namespace

Steered steered(Json podSpec, const Wanted& required, std::span<const Wanted> preferred, bool onlyAppends) {
  const Json before = podSpec["affinity"]["nodeAffinity"];
  Steered out;
  Terms terms(before[kRequired], onlyAppends);
  for (const auto& clause : required.clauses) {
    if (!terms.require(clause)) out.left.push_back(clause);
  }
  for (const auto& node : required.notOn) terms.requireNotOn(node);
  const Made was = before.isMap() ? copyOf(before) : Made::object();
  Made affinity = was;
  if (Made list = terms.list(); !list.empty()) affinity[kRequired][kTerms] = std::move(list);
  for (const auto& wish : preferred) prefer(wish, affinity);
  if (affinity != was) out.affinity = affinity.dump();
  return out;
}

}  // namespace driftbar::scheduling
