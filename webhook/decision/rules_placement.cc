// Placement: what avoidNodes says of the nodes that a pod could land on, and what such rules close together.
// The rest of Rules is in rules.cc.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "decision/rules.h"
#include "decision/words.h"

namespace driftbar::decision {

using policy::Evidence;
using policy::Mode;
using policy::OnUnknown;
using policy::Truth;

namespace {

// Kubernetes' longest name of an object.
constexpr std::size_t kLongestName = 253;

std::string nodes(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " node" : " nodes");
}

}  // namespace

struct Rules::Survey {
  struct Unsafe {
    const kube::Node* node;
    std::vector<Evidence> evidence;
  };
  std::size_t candidates = 0;  // of those that were looked at
  std::size_t safe = 0, assumedSafe = 0, unsafe = 0;
  std::vector<Unsafe> named;
  const kube::Node* unknown = nullptr;  // the first that is only assumed to be safe

  // One more that is unsafe; only those that are told get their evidence.
  void close(const policy::Rule& rule, const kube::Node& node, const View& view);
};

// A workload is refused for any one of its templates: the first is told, of those that no exemption lifts the
// rule for.
void Rules::judgePlacement(const policy::Rule& rule, std::span<const View* const> views) {
  std::optional<Finding> broken[2];
  const View* of[2] = {};
  for (const View* view : views) {
    if (!view->settlesPlacement) continue;
    auto finding = judgePlacement(rule, *view);
    if (!finding) continue;
    const std::size_t lifted = isLifted(rule, *view) ? 1 : 0;
    if (broken[lifted]) continue;
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

bool countsAsUnsafe(const policy::Rule& rule, Truth unsafe) {
  const bool denied = rule.onUnknown.value_or(OnUnknown::kWarn) == OnUnknown::kDeny;
  return unsafe == Truth::kTrue || (unsafe == Truth::kUnknown && denied);
}

void Rules::Survey::close(const policy::Rule& rule, const kube::Node& node, const View& view) {
  ++unsafe;
  if (named.size() < kNamedDetails) named.push_back({&node, evaluate(rule, node, view.facts).evidence});
}

// Looks at candidates until the verdict is certain; names of unsafe ones are kept, with their evidence, up to
// what is told.
Rules::Survey Rules::survey(const policy::Rule& rule, const View& view) {
  Survey out;
  for (std::size_t i = 0; const kube::Node* node = candidates(view).at(i); ++i) {
    ++out.candidates;
    const Truth broken = unsafe(rule, *node, view.facts);
    if (countsAsUnsafe(rule, broken)) {
      out.close(rule, *node, view);
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
    if (!countsAsUnsafe(*rule, unsafe(*rule, node, view.facts))) continue;
    surveys[i].close(*rule, node, view);
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

}  // namespace driftbar::decision
