// Evaluation: total, without side effects, its cost bounded by the object and the condition.
//
// Two passes: the first tells the truth and allocates nothing; only where a rule is not kept does the second
// gather the evidence. A value of the wrong type counts towards broken, whichever way the condition is read,
// and brings its own sentence.
#include <algorithm>
#include <set>
#include <utility>

#include "base/glob.h"
#include "base/text.h"
#include "kube/pod.h"
#include "policy/agreement.h"
#include "policy/bound_node.h"
#include "policy/condition.h"

namespace driftbar::policy {
namespace {

// What a value says under one reading: of the wrong type, it speaks against the object.
Truth truthOfOutcome(Outcome outcome, Reading reading) {
  switch (outcome) {
    case Outcome::kNo:
      return Truth::kFalse;
    case Outcome::kUnknown:
      return Truth::kUnknown;
    case Outcome::kYes:
      return Truth::kTrue;
    case Outcome::kWrongType:
      break;
  }
  return truthOf(reading == Reading::kAny);
}

// Speaks against the object.
Truth badTruth(Reading reading) {
  return truthOf(reading == Reading::kAny);
}

Truth joined(Reading reading, Truth a, Truth b) {
  return reading == Reading::kAny ? either(a, b) : both(a, b);
}

template <typename SeenValue>
class Calling final : public Seen {
 public:
  explicit Calling(const SeenValue& seen) : seen_(seen) {}
  bool operator()(const Value& value) override { return seen_(value); }

 private:
  const SeenValue& seen_;
};

}  // namespace

Outcome Condition::asks(const Value& value, Instant now) const {
  if (tests.empty()) {
    if (value.kind == Value::Kind::kUnknown) return Outcome::kUnknown;
    return value.flag ? Outcome::kYes : Outcome::kNo;
  }
  Outcome all = Outcome::kYes;
  for (const auto& test : tests) all = std::min(all, test.asks(value, now));
  return all;
}

Truth Condition::eachHolds(Reading reading, const Scope& scope) const {
  Truth all = !badTruth(reading);
  const auto seen = [&](const Value& value) {
    all = joined(reading, all, truthOfOutcome(asks(value, scope.now), reading));
    return all != badTruth(reading);
  };
  Calling call(seen);
  subject->values(argument, scope, call);
  return all;
}

// `agree` is asked of all values together, the other tests of each.
Truth Condition::leafHolds(Reading reading, const Scope& scope) const {
  if (!agree) return eachHolds(reading, scope);
  const Agreement agreement = Agreement::of(*subject, argument, scope);
  if (agreement.empty()) return !badTruth(reading);
  const Truth agreed = *agree ? agreement.holds() : !agreement.holds();
  return tests.empty() ? agreed : both(agreed, eachHolds(reading, scope));
}

// Of a pod that is on no node there is nothing to judge.
Truth Condition::holdsOnNode(Reading reading, const Scope& scope) const {
  const BoundNode bound(scope);
  if (bound.name().empty()) return scope.facts->podKnown ? !badTruth(reading) : Truth::kUnknown;
  return bound.known() ? parts.front().holds(reading, bound.scope()) : Truth::kUnknown;
}

// Over no elements `some` does not hold: who requires one wants it to be there. `every` breaks no rule then,
// as nothing over nothing does, nor does either of what is not there at all (the old object of a create).
Truth Condition::quantified(Reading reading, const Scope& scope) const {
  const bool some = kind == Kind::kSome;
  bool any = false;
  Truth all = truthOf(!some);
  const bool known = list->eachElement(scope, [&](const Scope& element) {
    any = true;
    const Truth one = parts.front().holds(reading, element);
    all = some ? either(all, one) : both(all, one);
    return all != truthOf(some);
  });
  if (!known) return Truth::kUnknown;
  if (any) return all;
  return some && list->hasRoot(scope) ? Truth::kFalse : !badTruth(reading);
}

Truth Condition::holds(Reading reading, const Scope& scope) const {
  switch (kind) {
    case Kind::kLeaf:
      return leafHolds(reading, scope);
    case Kind::kNot:
      return !parts.front().holds(!reading, scope);
    case Kind::kSome:
    case Kind::kEvery:
      return quantified(reading, scope);
    case Kind::kOnNode:
      return holdsOnNode(reading, scope);
    case Kind::kAll:
    case Kind::kAny:
      break;
  }
  const bool all = kind == Kind::kAll;
  Truth sum = truthOf(all);
  for (const auto& part : parts) {
    const Truth one = part.holds(reading, scope);
    sum = all ? both(sum, one) : either(sum, one);
    if (sum == truthOf(!all)) break;
  }
  return sum;
}

namespace {

// Whether a part has a say in what is told. What can't be told counts also in a part that is broken by
// something else: an update that mends that alone brings nothing in that was not there.
bool tells(Truth part, Reading reading, Evidence::Kind what) {
  if (what == Evidence::Kind::kUnknown) return part != !badTruth(reading);
  return part == badTruth(reading);
}

}  // namespace

void Condition::explain(Reading reading, const Scope& scope, Evidence::Kind what,
                        std::vector<Evidence>& out) const {
  switch (kind) {
    case Kind::kLeaf:
      return explainLeaf(reading, scope, what, out);
    case Kind::kNot:
      return parts.front().explain(!reading, scope, what, out);
    case Kind::kSome:
    case Kind::kEvery:
      return explainElements(reading, scope, what, out);
    case Kind::kOnNode:
      return explainOnNode(reading, scope, what, out);
    case Kind::kAll:
    case Kind::kAny:
      break;
  }
  const std::size_t first = out.size();
  std::vector<std::size_t> ends;  // of what each part tells
  for (const auto& part : parts) {
    const std::size_t before = out.size();
    if (tells(part.holds(reading, scope), reading, what)) part.explain(reading, scope, what, out);
    if (out.size() > before) ends.push_back(out.size());
  }
  // Parts that must all hold to break the rule are alternatives for who mends it. The outermost such parts
  // are what people see beside each other in the rule.
  const bool together = (kind == Kind::kAll) == (reading == Reading::kAny);
  if (!together || ends.size() < 2 || what != Evidence::Kind::kBroken) return;
  for (std::size_t i = first, alternative = 0; i < out.size(); ++i) {
    if (i == ends[alternative]) ++alternative;
    out[i].clause = first + 1;
    out[i].alternative = alternative;
  }
}

namespace {

Evidence unknownEvidence(std::string place, std::string sentence) {
  Evidence evidence;
  evidence.kind = Evidence::Kind::kUnknown;
  evidence.place = std::move(place);
  evidence.sentence = std::move(sentence);
  return evidence;
}

}  // namespace

void Condition::explainOnNode(Reading reading, const Scope& scope, Evidence::Kind what,
                              std::vector<Evidence>& out) const {
  const BoundNode bound(scope);
  if (!bound.known()) {
    if (what != Evidence::Kind::kUnknown) return;
    const bool strange = !bound.name().empty();
    auto unknown = unknownEvidence(
        scope.facts->pod.placeOfSpec() + ".nodeName",
        strange ? "node " + printable(bound.name()) + " is not known" : "the pod is not known");
    unknown.strangeNode = strange;
    out.push_back(std::move(unknown));
    return;
  }
  const std::size_t first = out.size();
  parts.front().explain(reading, bound.scope(), what, out);
  const std::string onNode = "node " + printable(bound.name()) + ": ";
  for (std::size_t i = first; i < out.size(); ++i) {
    out[i].sentence = onNode + out[i].sentence;
    out[i].noun = onNode + out[i].noun;
  }
}

namespace {

// That a list has no element, and what one must be: `must have one: name must be "preflight"`. What `where`
// asks is told of an element that has nothing.
Evidence noElement(const Field& list, const Condition& where, const Scope& scope) {
  Evidence evidence;
  evidence.place = list.placeIn(scope);
  evidence.absent = true;
  evidence.noun = evidence.place;
  evidence.sentence = evidence.place + " has no element";
  evidence.expected = "must have one";
  const Trail above{nullptr, Trail::Kind::kRoot, "", 0};
  Scope none = scope;
  none.element = Json();
  none.above = &above;
  std::vector<Evidence> wanted;
  where.explain(Reading::kEach, none, Evidence::Kind::kBroken, wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool either = i > 0 && wanted[i].clause != 0 && wanted[i].alternative != wanted[i - 1].alternative;
    evidence.expected += (i == 0   ? ": "
                          : either ? " or "
                                   : " and ") +
                         wanted[i].noun + " " + wanted[i].expected;
  }
  return evidence;
}

}  // namespace

void Condition::explainElements(Reading reading, const Scope& scope, Evidence::Kind what,
                                std::vector<Evidence>& out) const {
  bool any = false;
  const bool known = list->eachElement(scope, [&](const Scope& element) {
    any = true;
    if (tells(parts.front().holds(reading, element), reading, what))
      parts.front().explain(reading, element, what, out);
    return true;
  });
  if (known && !any && kind == Kind::kSome && what == Evidence::Kind::kBroken && reading == Reading::kEach)
    out.push_back(noElement(*list, parts.front(), scope));
  if (known) return;
  const bool pod = !scope.facts->podKnown;
  out.push_back(unknownEvidence(pod ? "pod" : "namespace",
                                pod ? "the pod is not known" : "the namespace is not known"));
}

void Condition::explainLeaf(Reading reading, const Scope& scope, Evidence::Kind what,
                            std::vector<Evidence>& out) const {
  if (agree)
    Agreement::of(*subject, argument, scope).explain(*agree == (reading == Reading::kEach), what, out);
  if (agree && tests.empty()) return;
  const Truth wanted = what == Evidence::Kind::kUnknown ? Truth::kUnknown : badTruth(reading);
  const auto seen = [&](const Value& value) {
    const Outcome outcome = asks(value, scope.now);
    if (truthOfOutcome(outcome, reading) == wanted) out.push_back(evidenceOf(reading, value, outcome, scope));
    return true;
  };
  Calling call(seen);
  subject->values(argument, scope, call);
}

namespace {

bool isPinned(const Scope& scope) {
  return scope.facts->podKnown && !kube::Pod(scope.facts->pod.pod).nodeName().empty();
}

}  // namespace

Evidence Condition::evidenceOf(Reading reading, const Value& value, Outcome outcome,
                               const Scope& scope) const {
  Evidence evidence;
  evidence.place = subject->place(argument, value, scope);
  evidence.value = value.raw();
  evidence.absent = !value.written;
  evidence.shown = value.plain();
  evidence.noun = subject->noun(argument, value, scope);
  evidence.sentence = sentence(value, scope);
  evidence.expected = expected(reading, value, scope.now);
  if (outcome == Outcome::kUnknown) evidence.kind = Evidence::Kind::kUnknown;
  evidence.strangeNode = outcome == Outcome::kUnknown && subject->name == "canLandOn" && isPinned(scope);
  if (outcome == Outcome::kWrongType) evidence.kind = Evidence::Kind::kWrongType;
  return evidence;
}

std::string Condition::sentence(const Value& value, const Scope& scope) const {
  const std::string noun = subject->noun(argument, value, scope);
  if (value.kind == Value::Kind::kAbsent && !value.written) return noun + " is missing";
  if (value.kind == Value::Kind::kUnknown) {
    const std::string why = value.why.empty() ? "" : ": " + std::string(value.why);
    return noun + (value.written ? " is there, and its value is not known" : " is not known") + why;
  }
  std::string out = subject->sentence != nullptr ? subject->sentence(argument, value, scope)
                                                 : noun + " is " + value.shown();
  const bool lasting =
      std::any_of(tests.begin(), tests.end(), [](const Test& test) { return test.row->name == "for"; });
  if (!lasting) return out;
  if (!value.since) return out + " since an unknown time";
  return out + " for " +
         driftbar::toString(Duration(std::chrono::floor<std::chrono::seconds>(scope.now - *value.since)));
}

namespace {

// Of several values beside a test, those that decide what it says of this one: the one that a value must not
// be, and not the thirty others. Where none is met, all of them.
Operand deciding(const Test& test, const Value& value, Instant now) {
  if (test.operand.literals.size() < 2) return test.operand;
  const Outcome outcome = test.asks(value, now);
  Test one = test;
  std::vector<Literal> kept;
  for (const auto& literal : test.operand.literals) {
    one.operand.literals.assign(1, literal);
    if (one.asks(value, now) == outcome) kept.push_back(literal);
  }
  one.operand.literals = std::move(kept);
  return one.operand;
}

// The same of names and globs beside a subject.
Argument deciding(const Argument& argument, const Value& value) {
  Argument met = argument;
  std::erase_if(met.names, [&](const std::string& name) { return !globFits(name, value.text); });
  return met.names.empty() ? argument : met;
}

}  // namespace

// Under kAny the value passed all tests, and any one of them must not hold; under kEach those that it failed
// must. A value of the wrong type must first of all be of the right one.
std::string Condition::expected(Reading reading, const Value& value, Instant now) const {
  // Which of several it is would tell what the value is.
  const bool secret = !value.isOpen();
  if (subject->must != nullptr && tests.empty())
    return subject->must(secret ? argument : deciding(argument, value), reading == Reading::kEach);
  std::string out;
  for (const auto& test : tests) {
    const Outcome outcome = test.asks(value, now);
    if (outcome == Outcome::kWrongType) return "must be " + std::string(test.row->wants);
    if (reading == Reading::kEach && outcome == Outcome::kYes) continue;
    if (!out.empty()) out += reading == Reading::kAny ? " or " : " and ";
    out += test.row->must(secret ? test.operand : deciding(test, value, now), reading == Reading::kEach);
  }
  return out;
}

namespace {

Judgement judged(const Condition& condition, Reading reading, const Scope& scope) {
  const Truth holds = condition.holds(reading, scope);
  Judgement judgement;
  judgement.broken = reading == Reading::kAny ? holds : !holds;
  if (judgement.broken == Truth::kFalse) return judgement;
  const bool unknown = judgement.broken == Truth::kUnknown;
  condition.explain(reading, scope, unknown ? Evidence::Kind::kUnknown : Evidence::Kind::kBroken,
                    judgement.evidence);
  return judgement;
}

}  // namespace

namespace {

Scope scopeOf(const Rule& rule, const Facts& facts) {
  Scope scope;
  scope.facts = &facts;
  scope.now = facts.now;
  scope.meansDaemonSets = rule.meansDaemonSets;
  if (rule.about == About::kNodes) {
    scope.node = facts.node;
    scope.nodeObject = facts.object;
  }
  return scope;
}

Reading readingOf(const Rule& rule) {
  return rule.verb == Verb::kRequire ? Reading::kEach : Reading::kAny;
}

}  // namespace

Judgement evaluate(const Rule& rule, const Facts& facts) {
  return judged(*rule.condition, readingOf(rule), scopeOf(rule, facts));
}

std::vector<Evidence> untold(const Rule& rule, const Facts& facts) {
  std::vector<Evidence> out;
  rule.condition->explain(readingOf(rule), scopeOf(rule, facts), Evidence::Kind::kUnknown, out);
  return out;
}

namespace {

Scope scopeOf(const kube::Node& node, const Facts& facts) {
  Scope scope;
  scope.facts = &facts;
  scope.node = &node;
  scope.nodeObject = node.object();
  scope.now = facts.now;
  return scope;
}

}  // namespace

Judgement evaluate(const Rule& rule, const kube::Node& node, const Facts& facts) {
  return judged(*rule.condition, Reading::kAny, scopeOf(node, facts));
}

Truth unsafe(const Rule& rule, const kube::Node& node, const Facts& facts) {
  return rule.condition->holds(Reading::kAny, scopeOf(node, facts));
}

Truth holds(const Condition& condition, const Facts& facts) {
  Scope scope;
  scope.facts = &facts;
  scope.now = facts.now;
  return condition.holds(Reading::kAny, scope);
}

std::vector<Evidence> broughtIn(const Judgement& now, const Judgement& before) {
  const bool onlyRequest =
      std::all_of(now.evidence.begin(), now.evidence.end(), [](const Evidence& e) { return e.ofRequest(); });
  if (onlyRequest) return now.evidence;
  std::set<Evidence::Key> old;  // a pod may have thousands of places
  for (const auto& evidence : before.evidence) old.insert(evidence.key());
  std::vector<Evidence> fresh;
  for (const auto& evidence : now.evidence) {
    if (!evidence.ofRequest() && !old.contains(evidence.key())) fresh.push_back(evidence);
  }
  return fresh;
}

}  // namespace driftbar::policy
