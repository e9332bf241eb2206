#include "decision/rules.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/text.h"
#include "decision/words.h"

namespace driftbar::decision {
namespace {

using policy::Evidence;
using policy::Mode;
using policy::OnUnknown;
using policy::Truth;

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

// An exemption lifts a rule for the templates that it fits, and lets nothing through where another is
// refused.
void Rules::judgeContent(const policy::Rule& rule, std::span<const View* const> views) {
  FoundOfRule open, lifted;
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

bool Rules::tellContent(const policy::Rule& rule, const FoundOfRule& found) {
  if (found.broken() == Truth::kFalse) return false;
  const View& view = found.worst();
  if (found.broken() == Truth::kTrue) {
    tell(rule, view, contentFinding(rule, found));
    return true;
  }
  auto unknown = contentFinding(rule, found);
  unknown.sentence = "cannot be told of " + unknown.sentence;
  if (hangsOnNamespace([&] { evaluate(rule, view.facts); })) unknown.unsure.push_back(whyNoNamespace());
  // As with avoidNodes: a pod on a node that nobody knows is not let pass by default.
  const bool strange = std::any_of(found.all().begin(), found.all().end(),
                                   [](const auto& one) { return one.evidence.strangeNode; });
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

Finding Rules::contentFinding(const policy::Rule& rule, const FoundOfRule& found) const {
  const auto& all = found.all();
  if (all.empty()) return finding(rule, subject_.shown() + " breaks the rule");
  const View& view = *all.front().view;
  const bool ownWords = !rule.message.empty();
  Finding out =
      finding(rule, ownWords ? contentWords(rule, found)
                             : (rule.ofWhole ? subject_.shown() : view.shown) + ": " + found.sentence());
  const std::size_t first = ownWords ? 0 : found.toldBySentence();
  for (std::size_t i = first; i < all.size(); ++i) {
    if (!found.isTold(i)) continue;
    if (out.details.size() == kNamedDetails) {
      ++out.more;
    } else {
      out.details.push_back(found.line(i, !ownWords));
    }
  }
  return out;
}

std::string Rules::contentWords(const policy::Rule& rule, const FoundOfRule& found) const {
  const auto& one = found.all().front();
  Evidence first = one.evidence;
  if (const auto more = found.moreLikeFirst()) first.shown += " (and " + std::to_string(more) + " more)";
  const bool ofNode = rule.about == policy::About::kNodes;
  return ownWords(rule, *one.view, first, ofNode ? printable(subject_.name()) : "", {});
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
