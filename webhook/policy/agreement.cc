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

// The role of the template that a value is of, by its place.
std::string roleIn(const Scope& scope, std::string_view place) {
  for (const auto& one : scope.facts->allTemplates()) {
    if (one.role.empty() || one.place.empty() || !place.starts_with(one.place)) continue;
    const auto rest = place.substr(one.place.size());
    if (rest.empty() || rest[0] == '.' || rest[0] == '[') return printable(one.role);
  }
  return {};
}

}  // namespace

Agreement Agreement::of(const SubjectRow& subject, const Argument& argument, const Scope& scope) {
  using Kind = Value::Kind;
  Agreement agreement;
  Gathering gather([&](const Value& value) {
    One one;
    one.known = value.kind != Kind::kUnknown;
    one.there = value.kind != Kind::kAbsent && (one.known || value.written);
    if (!one.known && value.json.exists()) one.source = value.json.dump();
    one.place = subject.place(argument, value, scope);
    // A word is no value that a text could be taken for.
    one.value = value.kind == Kind::kAbsent ? "" : !one.known ? "?" + one.source : "=" + value.raw();
    one.shown = value.kind == Kind::kAbsent ? "missing" : value.shown();
    one.hidden = one.shown == kHidden;
    one.role = roleIn(scope, one.place);
    one.container = printable(value.container);
    const std::string name(value.name);
    Value ofAll = value;  // the name of it alone, of no container
    ofAll.container = {};
    agreement.nouns_.emplace(name, subject.noun(argument, ofAll, scope));
    agreement.byName_[name].push_back(std::move(one));
    return true;
  });
  subject.values(argument, scope, gather);
  return agreement;
}

Truth Agreement::agreed(const std::vector<One>& values) {
  const One *known = nullptr, *unknown = nullptr;
  bool there = false, missing = false, sameSource = true;
  for (const auto& one : values) {
    if (one.known && known != nullptr && known->value != one.value) return Truth::kFalse;
    if (!one.known && unknown != nullptr) sameSource = sameSource && unknown->source == one.source;
    there = there || one.there;
    missing = missing || (one.known && !one.there);
    (one.known ? known : unknown) = &one;
  }
  if (there && missing) return Truth::kFalse;  // whatever the value that is not known
  if (unknown == nullptr) return Truth::kTrue;
  // One value agrees with itself, whatever it is; but what may not be there may be many.
  if (values.size() == 1) return unknown->there ? Truth::kTrue : Truth::kUnknown;
  const bool same = known == nullptr && sameSource && !unknown->source.empty();
  return same ? Truth::kTrue : Truth::kUnknown;
}

Truth Agreement::holds() const {
  Truth all = Truth::kTrue;
  for (const auto& [name, values] : byName_) all = both(all, agreed(values));
  return all;
}

// `worker`, or `trainer` where there are no roles; both where the containers of one role disagree.
std::string Agreement::whereOf(const One& one, const std::vector<One>& values) {
  if (one.role.empty()) return one.container;
  const bool alone = std::none_of(values.begin(), values.end(), [&](const One& other) {
    return other.role == one.role && other.container != one.container && other.value != one.value;
  });
  return alone || one.container.empty() ? one.role : one.role + " (" + one.container + ")";
}

std::string Agreement::sentence(const std::string& noun, const std::vector<One>& values) {
  std::string out = noun + " is ";
  std::set<std::string> told;
  bool hidden = false;
  const bool missing =
      std::any_of(values.begin(), values.end(), [](const One& one) { return one.known && !one.there; });
  for (const auto& one : values) {
    if (!told.insert(one.known ? one.value : "?" + one.source).second) continue;
    if (told.size() > kMostShown) return out + " and others";
    out += told.size() > 1 ? ", " : "";
    const std::string_view again = one.hidden && hidden ? "another " : "";
    hidden = hidden || one.hidden;
    out += one.known ? std::string(again) + one.shown : one.there && missing ? "there" : "not known";
    if (const auto where = whereOf(one, values); !where.empty()) out += " in " + where;
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
    evidence.thing = "agreement of " + name;  // order means nothing, and the place depends on it
    std::set<std::string> all;
    for (const auto& one : values) {
      if (one.known || one.there) all.insert(one.value);  // what may not be there says nothing yet
    }
    for (const auto& value : all) evidence.value += value + "\n";
    evidence.noun = nouns_.at(name);
    evidence.sentence = sentence(evidence.noun, values);
    evidence.shown = evidence.sentence;
    evidence.expected = wanted ? "must be the same everywhere" : "must differ";
    out.push_back(std::move(evidence));
  }
}

}  // namespace driftbar::policy
