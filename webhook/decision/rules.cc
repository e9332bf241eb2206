#include "decision/rules.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <set>
#include <utility>

#include "base/text.h"
#include "decision/words.h"

namespace driftbar::decision {
namespace {

using policy::Evidence;
using policy::Mode;
using policy::OnUnknown;
using policy::Truth;

std::string sentence(const Evidence& evidence) {
  std::string out = shortened(evidence.sentence, kLongestSentence);
  if (!evidence.expected.empty()) out += ", " + shortened(evidence.expected, kLongestSentence);
  return out;
}

}  // namespace

Rules::Rules(const kube::Request& request, const World& world, const Subject& subject, const Answers& answers)
    : request_(request), world_(world), subject_(subject), answers_(answers) {}

void Rules::judge(const policy::Rule& rule, std::span<const View* const> views) try {
  if (rule.about != policy::About::kObjects && !subject_.fault().empty())
    return tellFault(rule, "could not be judged: " + subject_.fault());
  if (rule.verb != policy::Verb::kAvoidNodes) return judgeContent(rule, views);
  // The driver that would repair a node must get there.
  if (!subject_.views().front().facts.ofDaemonSet || rule.meansDaemonSets) judgePlacement(rule, views);
} catch (const std::exception& bug) {
  tellBug(rule, bug);
}

Verdict Rules::take() {
  try {
    judgeTogether();
  } catch (const std::exception& bug) {
    tellBug(*kept_.front().first, bug);
  }
  verdict_.needs = answers_.needs();
  return std::move(verdict_);
}

void Rules::tellBug(const policy::Rule& rule, const std::exception& bug) {
  tellFault(rule, "could not be judged, by an error of driftbar's own: " + std::string(bug.what()));
}

void Rules::tellFault(const policy::Rule& rule, const std::string& fault) {
  const std::string what = shortened(printable(fault), kLongestSentence);
  verdict_.faulted.push_back(rule.id);
  if (rule.onError == policy::OnError::kDeny) {
    tell(rule, subject_.views().front(), finding(rule, subject_.shown() + " " + what));
  } else {
    note(rule, what);
  }
}

// ---- content: deny, require

struct Rules::Content {
  struct One {
    Evidence evidence;
    const View* view;
  };
  Truth broken = Truth::kFalse;
  const View* worst = nullptr;  // the first view that is broken so
  std::deque<One> found;        // stays in its place, for `told` looks at it
  std::set<Evidence::Key> told;

  // What is broken speaks louder than what is not known. What is not about the pod is found in every view.
  void add(policy::Judgement judgement, const View& view);
};

void Rules::Content::add(policy::Judgement judgement, const View& view) {
  if (judgement.broken < broken) return;
  if (judgement.broken > broken) {
    told.clear();
    found.clear();
    worst = &view;
  }
  broken = judgement.broken;
  for (auto& evidence : judgement.evidence) {
    if (told.contains(evidence.key())) continue;
    found.push_back({std::move(evidence), &view});
    told.insert(found.back().evidence.key());
  }
}

// An exemption lifts a rule for the templates that it fits, and lets nothing through where another is
// refused.
void Rules::judgeContent(const policy::Rule& rule, std::span<const View* const> views) {
  Content open, lifted;
  for (const View* view : views) {
    auto judgement = judgeView(rule, *view);
    if (judgement.broken != Truth::kFalse) {
      if (rule.ofWhole) view = &notLifted(rule, views);
      (isLifted(rule, *view) ? lifted : open).add(std::move(judgement), *view);
    }
    if (rule.ofWhole) break;  // the same in every view
  }
  if (!tellContent(rule, open)) tellContent(rule, lifted);
}

// A view that no exemption lifts, where there is any.
const View& Rules::notLifted(const policy::Rule& rule, std::span<const View* const> views) const {
  const auto at =
      std::find_if(views.begin(), views.end(), [&](const View* one) { return !isLifted(rule, *one); });
  return at == views.end() ? *views.front() : **at;
}

bool Rules::tellContent(const policy::Rule& rule, const Content& content) {
  if (content.broken == Truth::kFalse) return false;
  const View& view = *content.worst;
  if (content.broken == Truth::kTrue) {
    tell(rule, view, contentFinding(rule, content));
    return true;
  }
  auto unknown = contentFinding(rule, content);
  unknown.sentence = "cannot be told of " + unknown.sentence;
  if (hangsOnNamespace([&] { evaluate(rule, view.facts); })) unknown.unsure.push_back(whyNoNamespace());
  // As with avoidNodes: a pod on a node that nobody knows is not let pass by default.
  const bool strange = std::any_of(content.found.begin(), content.found.end(),
                                   [](const Content::One& one) { return one.evidence.strangeNode; });
  const auto otherwise = strange ? OnUnknown::kDeny : OnUnknown::kWarn;
  tellUnknown(rule, view, otherwise, std::move(unknown));
  return rule.onUnknown.value_or(otherwise) == OnUnknown::kDeny;
}

policy::Judgement Rules::judgeView(const policy::Rule& rule, const View& view) const {
  auto judgement = evaluate(rule, view.facts);
  if (judgement.broken != Truth::kFalse) keepWhatIsNew(rule, view, judgement);
  return judgement;
}

// An update is judged by what it brings in: evidence that the old object has as well, at the same place and
// with the same value, is not held against it.
void Rules::keepWhatIsNew(const policy::Rule& rule, const View& view, policy::Judgement& judgement) const {
  if (request_.operation != kube::Operation::kUpdate || rule.onUpdate == policy::OnUpdate::kAlways) return;
  if (request_.object == request_.oldObject) {  // brings in nothing, whoever asks
    judgement = {};
    return;
  }
  const auto old = evaluate(rule, subject_.before(view));
  if (old.broken == Truth::kFalse) return;
  if (judgement.broken == Truth::kTrue) {
    judgement.evidence = broughtIn(judgement, old);
    if (!judgement.evidence.empty()) return;
  }
  // What breaks the rule was there before; something that can't be told may be new all the same.
  const policy::Judgement now{Truth::kUnknown, untold(rule, view.facts)};
  const policy::Judgement before{Truth::kUnknown, untold(rule, subject_.before(view))};
  judgement = {Truth::kFalse, broughtIn(now, before)};
  if (!judgement.evidence.empty()) judgement.broken = Truth::kUnknown;
}

Finding Rules::contentFinding(const policy::Rule& rule, const Content& content) const {
  const auto& found = content.found;
  if (found.empty()) return finding(rule, subject_.shown() + " breaks the rule");
  const auto& [worst, view] = found[0];
  const bool several = found.size() > 1;
  Finding out = finding(rule, (rule.ofWhole ? subject_.shown() : view->shown) + ": " + sentence(worst) +
                                  (several ? " (and " + std::to_string(found.size() - 1) + " more)" : ""));
  if (!rule.message.empty()) out.sentence = ownWords(rule, *view, worst, {}, {});
  const std::size_t first = rule.message.empty() ? 1 : 0;  // its own sentence tells the first already
  for (std::size_t i = first; i < std::min(found.size(), first + kNamedDetails); ++i)
    out.details.push_back({found[i].view->role, sentence(found[i].evidence)});
  out.more = found.size() - first - out.details.size();
  return out;
}

// ---- telling

// The rule's own message, with what was found in the place of its placeholders.
std::string Rules::ownWords(const policy::Rule& rule, const View& view, const Evidence& evidence,
                            const std::string& node, const std::string& nodes) const {
  const Placeholder values[] = {{"pod", view.shown},
                                {"node", node},
                                {"nodes", nodes},
                                {"field", printable(evidence.place)},
                                {"value", shortened(printable(evidence.shown), kLongestSentence)},
                                {"expected", evidence.expected},
                                {"user", printable(request_.user.name)},
                                {"namespace", printable(request_.ns)},
                                {"rule", rule.id},
                                {"kind", subject_.kind()},
                                {"name", printable(subject_.name())}};
  return filled(printable(rule.message), values);
}

Finding Rules::finding(const policy::Rule& rule, std::string text) const {
  Finding out;
  out.rule = rule.id;
  out.sentence = std::move(text);
  out.fix = printable(rule.fix);
  out.docs = printable(rule.docs);
  return out;
}

bool Rules::isLifted(const policy::Rule& rule, const View& view) const {
  return world_.policies->exemptionFor(rule.id, view.facts) != nullptr;
}

void Rules::tell(const policy::Rule& rule, const View& view, Finding finding) {
  if (const auto* exemption = world_.policies->exemptionFor(rule.id, view.facts))
    return lift(rule, *exemption, finding);
  sayIfMeant(rule, view, finding);
  sayIfLifted(rule, view, finding);
  auto& told = rule.mode == Mode::kEnforce ? verdict_.refused
               : rule.mode == Mode::kWarn  ? verdict_.warned
                                           : verdict_.audited;
  told.push_back(std::move(finding));
}

void Rules::sayIfMeant(const policy::Rule& rule, const View& view, Finding& finding) const {
  if (answers_.missedNamespaces() == 0) return;
  const auto* policy = world_.policies->find(rule.id.substr(0, rule.id.find('/')));
  if (policy == nullptr || !hangsOnNamespace([&] { policy->looksAt(view.facts); })) return;
  finding.unsure.push_back("whether the rule is meant for it cannot be told: " + whyNoNamespace());
}

void Rules::sayIfLifted(const policy::Rule& rule, const View& view, Finding& finding) const {
  if (!hangsOnNamespace([&] { isLifted(rule, view); })) return;
  finding.unsure.push_back("whether an exemption lifts it cannot be told: " + whyNoNamespace());
}

std::string Rules::whyNoNamespace() const {
  return answers_.whyNot(request_.ns);
}

void Rules::lift(const policy::Rule& rule, const policy::Exemption& exemption, const Finding& finding) {
  const bool again = std::any_of(verdict_.exempted.begin(), verdict_.exempted.end(), [&](const auto& one) {
    return one.rule == rule.id && one.exemption == exemption.name;
  });
  if (again) return;  // of another template
  verdict_.exempted.push_back(
      {rule.id, exemption.name, finding.sentence, printable(exemption.reason), endOf(exemption)});
  note(rule,
       "lifted by exemption " + exemption.name + " until " + endOf(exemption) + ": " + finding.sentence);
}

void Rules::tellUnknown(const policy::Rule& rule, const View& view, OnUnknown otherwise, Finding unknown) {
  switch (rule.onUnknown.value_or(otherwise)) {
    case OnUnknown::kDeny:
      return tell(rule, view, std::move(unknown));
    case OnUnknown::kWarn:
      sayIfMeant(rule, view, unknown);
      for (const auto& why : unknown.unsure) unknown.sentence += "; " + why;
      return note(rule, unknown.sentence);
    case OnUnknown::kAllow:
      return;
  }
}

void Rules::note(const policy::Rule& rule, const std::string& text) {
  // In audit nothing is said to the person who asks.
  if (rule.mode != Mode::kAudit) verdict_.notes.push_back(rule.id + ": " + text);
}

}  // namespace driftbar::decision
