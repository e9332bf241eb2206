#include "decision/rules.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <exception>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "decision/words.h"

namespace driftbar::decision {
namespace {

using policy::Evidence;
using policy::Mode;
using policy::OnUnknown;
using policy::Truth;

// Enough for a person to see the pattern; the rest is counted. Messages also end up in events, 1 kB at most.
constexpr std::size_t kNamedDetails = 5;
// A sentence with a user's value in it; the API server's own field errors cut nothing, terminals do.
constexpr std::size_t kLongestSentence = 300;
// Kubernetes' longest name of an object.
constexpr std::size_t kLongestName = 253;

std::string sentence(const Evidence& evidence) {
  std::string out = shortened(evidence.sentence, kLongestSentence);
  if (!evidence.expected.empty()) out += ", " + shortened(evidence.expected, kLongestSentence);
  return out;
}

std::string nodes(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " node" : " nodes");
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
  tellFault(rule, "could not be judged, by an error of driftbar's own: " + printable(bug.what()));
}

void Rules::tellFault(const policy::Rule& rule, const std::string& what) {
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

// ---- placement: avoidNodes

struct Rules::Survey {
  struct Unsafe {
    const kube::Node* node;
    std::vector<Evidence> evidence;
  };
  std::size_t candidates = 0;  // of those that were looked at
  std::size_t safe = 0, assumedSafe = 0, unsafe = 0;
  std::vector<Unsafe> named;
  const kube::Node* unknown = nullptr;  // the first that is only assumed to be safe

  void close(const kube::Node& node, std::vector<Evidence> evidence);
};

// A workload is refused for any one of its templates: the first is told, of those that no exemption lifts the
// rule for.
void Rules::judgePlacement(const policy::Rule& rule, std::span<const View* const> views) {
  std::optional<Finding> broken[2];
  const View* of[2] = {};
  for (const View* view : views) {
    if (!view->settlesPlacement) continue;
    auto finding = judgePlacement(rule, *view);
    const std::size_t lifted = isLifted(rule, *view) ? 1 : 0;
    if (!finding || broken[lifted]) continue;
    broken[lifted] = std::move(finding);
    of[lifted] = view;
  }
  const std::size_t told = broken[0] ? 0 : 1;
  if (broken[told]) tell(rule, *of[told], *std::move(broken[told]));
}

std::optional<Finding> Rules::judgePlacement(const policy::Rule& rule, const View& view) {
  if (judgeStale(rule, view)) return std::nullopt;
  if (!world_.inventory) {
    tellUnknown(rule, view, OnUnknown::kWarn,
                finding(rule, "cannot be told of " + view.shown + ": there is no inventory of nodes"));
    return std::nullopt;
  }
  const auto pinned = kube::Pod(view.facts.pod.pod).nodeName();
  if (!pinned.empty() && answers_.node(pinned).node == nullptr) {
    tellStrange(rule, view, pinned);
    return std::nullopt;
  }
  return judgeCandidates(rule, view);
}

bool Rules::judgeStale(const policy::Rule& rule, const View& view) {
  if (!world_.outOfTouch) return false;
  const OnUnknown answer =
      rule.staleInventory.value_or(rule.mode == Mode::kEnforce ? OnUnknown::kDeny : OnUnknown::kWarn);
  if (answer == OnUnknown::kAllow) return false;
  // Once a request is enough, but a warning said before does not stand for a refusal.
  const bool refuses = answer == OnUnknown::kDeny && rule.mode == Mode::kEnforce && !isLifted(rule, view);
  const bool recordsOnly = rule.mode == Mode::kAudit;  // tells nobody, and so does not tell it for others
  if (recordsOnly && answer != OnUnknown::kDeny) return true;
  if (!recordsOnly && std::exchange(refuses ? refusedAsStale_ : saidStale_, true)) return true;
  Finding stale =
      finding(rule, "where " + view.shown + " could land cannot be judged: no word of the nodes for " +
                        driftbar::toString(std::chrono::floor<std::chrono::seconds>(*world_.outOfTouch)));
  stale.fix =
      "try again; if it stays so, driftbar does not reach the API server: its /readyz?verbose says why";
  if (answer == OnUnknown::kDeny) {
    tell(rule, view, std::move(stale));
  } else {
    note(rule, stale.sentence);
  }
  return true;
}

void Rules::tellStrange(const policy::Rule& rule, const View& view, std::string_view name) {
  const bool refuses = rule.mode == Mode::kEnforce &&
                       rule.onUnknown.value_or(OnUnknown::kDeny) == OnUnknown::kDeny && !isLifted(rule, view);
  if (refuses && std::exchange(refusedAsUnknown_, true)) return;  // once is enough
  Finding unknown = finding(rule, view.shown + " is pinned to node " + shortened(quoted(name), kLongestName) +
                                      ", which the inventory does not have");
  unknown.fix = "check the node's name; one that has just joined is known within seconds";
  tellUnknown(rule, view, OnUnknown::kDeny, std::move(unknown));
}

std::optional<Finding> Rules::judgeCandidates(const policy::Rule& rule, const View& view) {
  const Survey found = survey(rule, view);
  const auto needed = static_cast<std::size_t>(rule.minSafe.value_or(1));
  const std::size_t safe = found.safe + found.assumedSafe;
  if (found.candidates == 0) {
    sayNoCandidate(rule, view);
    return std::nullopt;
  }
  const bool enough = safe >= needed || (safe > 0 && found.candidates < needed);
  if (!enough || (rule.whenAny && found.unsafe > 0)) return placementFinding(rule, view, found);
  if (rule.mode == Mode::kEnforce && !isLifted(rule, view)) kept_.emplace_back(&rule, &view);
  if (found.candidates < needed) {
    note(rule, view.shown + " fits " + nodes(found.candidates) + ", and the rule wants " +
                   std::to_string(needed) + " safe ones");
  } else if (found.unknown != nullptr && (found.safe < needed || rule.whenAny)) {
    note(rule, "cannot be told of node " + printable(found.unknown->name()) + ", which " + view.shown +
                   " could land on; it is taken for safe");
  }
  return std::nullopt;
}

namespace {

bool isUnsafe(const policy::Rule& rule, Truth broken) {
  const bool denied = rule.onUnknown.value_or(OnUnknown::kWarn) == OnUnknown::kDeny;
  return broken == Truth::kTrue || (broken == Truth::kUnknown && denied);
}

}  // namespace

void Rules::Survey::close(const kube::Node& node, std::vector<Evidence> evidence) {
  ++unsafe;
  if (named.size() < kNamedDetails) named.push_back({&node, std::move(evidence)});
}

// Looks at candidates until the verdict is certain; names of unsafe ones are kept, with their evidence, up to
// what is told.
Rules::Survey Rules::survey(const policy::Rule& rule, const View& view) {
  Survey out;
  for (std::size_t i = 0; const kube::Node* node = candidates(view).at(i); ++i) {
    ++out.candidates;
    auto [broken, evidence] = evaluate(rule, *node, view.facts);
    if (isUnsafe(rule, broken)) {
      out.close(*node, std::move(evidence));
    } else if (broken == Truth::kUnknown) {
      ++out.assumedSafe;
      const bool told = rule.onUnknown.value_or(OnUnknown::kWarn) == OnUnknown::kWarn;
      if (told && out.unknown == nullptr) out.unknown = node;
    } else {
      ++out.safe;
      if (!rule.whenAny && out.safe >= static_cast<std::size_t>(rule.minSafe.value_or(1))) break;
    }
  }
  return out;
}

// Rules that each leave a node open may together leave none: a node is safe when no rule in enforce closes
// it.
void Rules::judgeTogether() {
  for (const View& view : subject_.views()) judgeTogether(view);
}

void Rules::judgeTogether(const View& view) {
  const auto ofView =
      std::count_if(kept_.begin(), kept_.end(), [&](const auto& k) { return k.second == &view; });
  if (ofView < 2) return;
  std::vector<Survey> surveys(kept_.size());
  for (std::size_t i = 0; const kube::Node* node = candidates(view).at(i); ++i) {
    if (!closes(view, *node, surveys)) return;
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (surveys[i].unsafe > 0) tell(*kept_[i].first, view, togetherFinding(view, i, surveys));
  }
}

bool Rules::closes(const View& view, const kube::Node& node, std::vector<Survey>& surveys) const {
  bool closed = false;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const auto& [rule, asked] = kept_[i];
    if (asked != &view) continue;
    auto [broken, evidence] = evaluate(*rule, node, view.facts);
    if (!isUnsafe(*rule, broken)) continue;
    surveys[i].close(node, std::move(evidence));
    closed = true;
  }
  return closed;
}

namespace {

std::string joined(const std::vector<Evidence>& evidence) {
  std::string out;
  for (const auto& e : evidence) out += (out.empty() ? "" : "; ") + shortened(e.sentence, kLongestSentence);
  return out.empty() ? "breaks the rule" : out;
}

bool marksDrift(const Evidence& evidence) {
  return evidence.place.find("driftbar.io/drift") != std::string::npos;
}

}  // namespace

std::string Rules::kindOf(const Survey& survey) {
  const bool drifted =
      std::all_of(survey.named.begin(), survey.named.end(), [](const Survey::Unsafe& unsafe) {
        return std::any_of(unsafe.evidence.begin(), unsafe.evidence.end(), marksDrift);
      });
  return drifted ? "drifted" : "unsafe";
}

Finding Rules::placementFinding(const policy::Rule& rule, const View& view, const Survey& survey) const {
  const std::string of = std::to_string(survey.unsafe) + " of " + std::to_string(survey.candidates);
  const std::string kind = kindOf(survey);
  std::string sentence = view.shown + " can only land on " + kind + " nodes (" + of + ")";
  if (survey.unsafe < survey.candidates) {
    sentence = rule.whenAny ? view.shown + " could land on " + kind + " nodes (" + of + ")"
                            : view.shown + " needs " + std::to_string(rule.minSafe.value_or(1)) +
                                  " safe nodes to choose from; " + of + " are " + kind;
  }
  return naming(rule, view, survey, std::move(sentence));
}

// For the rule of this number: what it closes, and which rules close the rest.
Finding Rules::togetherFinding(const View& view, std::size_t number, const std::vector<Survey>& surveys) {
  std::string others;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (i != number && surveys[i].unsafe > 0) others += (others.empty() ? "" : " or ") + kept_[i].first->id;
  }
  const auto& own = surveys[number];
  return naming(*kept_[number].first, view, own,
                view.shown + " can land on no safe node: " + std::to_string(own.unsafe) + " of " +
                    std::to_string(candidates(view).count()) + (own.unsafe == 1 ? " is " : " are ") +
                    kindOf(own) + (others.empty() ? "" : ", the rest break " + others));
}

// The sentence, or the rule's own, with the nodes below it.
Finding Rules::naming(const policy::Rule& rule, const View& view, const Survey& survey,
                      std::string sentence) const {
  Finding out = finding(rule, std::move(sentence));
  std::string names;
  for (const auto& unsafe : survey.named) {
    const auto name = shortened(printable(unsafe.node->name()), kLongestName);
    out.details.push_back({name, joined(unsafe.evidence)});
    names += (names.empty() ? "" : ", ") + name;
  }
  out.more = survey.unsafe - out.details.size();
  if (out.more > 0) names += " and " + std::to_string(out.more) + " more";
  if (rule.message.empty()) return out;
  const auto& first = survey.named[0];
  out.sentence = ownWords(rule, view, first.evidence.empty() ? Evidence{} : first.evidence[0],
                          out.details[0].subject, names);
  return out;
}

// Said once a request, in nobody's name: no rule excludes these nodes.
void Rules::sayNoCandidate(const policy::Rule& rule, const View& view) {
  if (rule.mode == Mode::kAudit || std::exchange(saidNoCandidate_, true)) return;
  const auto& all = candidates(view);
  verdict_.notes.push_back(std::string(kNoRule) + ": " + view.shown + " fits " +
                           (all.nodes() == 0 ? "no node" : "none of " + nodes(all.nodes())) + ": " +
                           all.whyNone());
}

// Asked only where there is an inventory, and of a pinned pod where its node is known.
Candidates& Rules::candidates(const View& view) const {
  return *answers_.candidates(view.facts.pod);
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
