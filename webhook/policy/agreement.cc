#include "policy/agreement.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"

namespace driftbar::policy {
namespace {

// Enough to see who differs.
constexpr std::size_t kMostShown = 3;

template <typename SeenValue>
class Gathering final : public Seen {
 public:
  explicit Gathering(SeenValue seen) : seen_(std::move(seen)) {}
  bool operator()(const Value& value) override { return seen_(value); }

 private:
  SeenValue seen_;
};

// The template or container that a value is of, as its place has it.
std::string ownerIn(const Scope& scope, const std::string& place) {
  for (const auto& one : scope.facts->allTemplates()) {
    if (!one.role.empty() && !one.place.empty() && place.starts_with(one.place)) return printable(one.role);
  }
  return {};
}

}  // namespace

Agreement Agreement::of(const SubjectRow& subject, const Argument& argument, const Scope& scope) {
  Agreement agreement;
  Gathering gather([&](const Value& value) {
    One one;
    one.known = value.kind != Value::Kind::kUnknown;
    one.place = subject.place(argument, value, scope);
    // A word is no value that a text could be taken for.
    one.value = value.kind == Value::Kind::kAbsent ? "" : "=" + value.raw();
    one.shown = value.kind == Value::Kind::kAbsent ? "missing" : value.shown();
    one.where = ownerIn(scope, one.place);
    if (one.where.empty()) one.where = printable(value.container);
    const std::string name(value.name);
    agreement.nouns_.emplace(name, subject.noun(argument, value, scope));
    agreement.byName_[name].push_back(std::move(one));
    return true;
  });
  subject.values(argument, scope, gather);
  return agreement;
}

Truth Agreement::agreed(const std::vector<One>& values) {
  const One* first = nullptr;
  bool unknown = false;
  for (const auto& one : values) {
    if (!one.known) {
      unknown = true;
    } else if (first == nullptr) {
      first = &one;
    } else if (first->value != one.value) {
      return Truth::kFalse;
    }
  }
  return unknown && values.size() > 1 ? Truth::kUnknown : Truth::kTrue;
}

Truth Agreement::holds() const {
  Truth all = Truth::kTrue;
  for (const auto& [name, values] : byName_) all = both(all, agreed(values));
  return all;
}

std::string Agreement::sentence(const std::string& noun, const std::vector<One>& values) {
  std::string out = noun + " is ";
  std::set<std::string> told;
  for (const auto& one : values) {
    if (!told.insert(one.known ? one.value : "?").second) continue;
    if (told.size() > kMostShown) return out + " and others";
    out += told.size() > 1 ? ", " : "";
    out += one.known ? one.shown : "not known";
    if (!one.where.empty()) out += " in " + one.where;
  }
  return out;
}

void Agreement::explain(bool wanted, Evidence::Kind what, std::vector<Evidence>& out) const {
  const bool asksUnknown = what == Evidence::Kind::kUnknown;
  for (const auto& [name, values] : byName_) {
    const Truth truth = agreed(values);
    if (truth != (asksUnknown ? Truth::kUnknown : truthOf(!wanted))) continue;
    Evidence evidence;
    evidence.kind = asksUnknown ? Evidence::Kind::kUnknown : Evidence::Kind::kBroken;
    evidence.place = values.front().place;
    std::set<std::string> all;
    for (const auto& one : values) all.insert(one.value);
    for (const auto& value : all) evidence.value += value + "\n";
    evidence.sentence = sentence(nouns_.at(name), values);
    evidence.shown = evidence.sentence;
    evidence.expected = wanted ? "must be the same everywhere" : "must differ";
    out.push_back(std::move(evidence));
  }
}

}  // namespace driftbar::policy
