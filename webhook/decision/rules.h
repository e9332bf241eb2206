// The rules of one request, judged one by one into a verdict: content (deny, require) and placement
// (avoidNodes). judge.cc says which rules are asked at all.
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decision/beyond.h"
#include "decision/found.h"
#include "decision/subject.h"
#include "decision/verdict.h"

namespace driftbar::decision {

// Whether a node is unsafe to a rule of avoidNodes, by what is known of it and by the rule's onUnknown.
bool countsAsUnsafe(const policy::Rule& rule, policy::Truth unsafe);

class Rules {
 public:
  Rules(const kube::Request& request, const World& world, const Subject& subject, const Answers& answers);

  // Adds to the verdict what this rule has to say of the views that its policy looks at.
  void judge(const policy::Rule& rule, std::span<const View* const> views);
  // The verdict, once every rule has been judged: with what rules close together that each leaves open.
  Verdict take();

 private:
  struct Survey;  // of the candidates, by one rule

  void judgeContent(const policy::Rule& rule, std::span<const View* const> views);
  const View& notLifted(const policy::Rule& rule, std::span<const View* const> views) const;
  bool tellContent(const policy::Rule& rule, const FoundOfRule& found);  // whether as broken
  policy::Judgement judgeView(const policy::Rule& rule, const View& view) const;
  void keepWhatIsNew(const policy::Rule& rule, const View& view, policy::Judgement& judgement) const;
  Finding contentFinding(const policy::Rule& rule, const FoundOfRule& found) const;
  std::string contentWords(const policy::Rule& rule, const FoundOfRule& found) const;  // the rule's own

  void judgePlacement(const policy::Rule& rule, std::span<const View* const> views);
  // That the rule is broken for the view is given back, everything else is told.
  std::optional<Finding> judgePlacement(const policy::Rule& rule, const View& view);
  std::optional<Finding> judgeCandidates(const policy::Rule& rule, const View& view);
  bool judgeStale(const policy::Rule& rule, const View& view);
  void tellStrange(const policy::Rule& rule, const View& view, std::string_view node);
  void judgeTogether();
  void judgeTogether(const View& view);
  // Whether any of the kept rules closes the node; each that does has it in its survey.
  bool closes(const View& view, const kube::Node& node, std::vector<Survey>& surveys) const;
  void sayNoCandidate(const policy::Rule& rule, const View& view);

  Survey survey(const policy::Rule& rule, const View& view);
  Finding placementFinding(const policy::Rule& rule, const View& view, const Survey& survey) const;
  Finding togetherFinding(const View& view, std::size_t number, const std::vector<Survey>& surveys);
  Finding naming(const policy::Rule& rule, const View& view, const Survey& survey,
                 std::string sentence) const;
  static std::string kindOf(const Survey& survey);  // drifted, unsafe

  std::string ownWords(const policy::Rule& rule, const View& view, const policy::Evidence& evidence,
                       const std::string& node, const std::string& nodes) const;

  // A finding, or what is not known, where the rule's mode and onUnknown have it.
  void tell(const policy::Rule& rule, const View& view, Finding finding);
  // The finding says where it hangs on a namespace that is not known whether the rule is meant for the
  // request, and whether it is lifted.
  void sayIfMeant(const policy::Rule& rule, const View& view, Finding& finding) const;
  void sayIfLifted(const policy::Rule& rule, const View& view, Finding& finding) const;
  // Whether what `ask` asks hangs on it.
  template <typename Ask>
  bool hangsOnNamespace(const Ask& ask) const {
    const auto before = answers_.missedNamespaces();
    ask();
    return answers_.missedNamespaces() > before;
  }
  std::string whyNoNamespace() const;
  void tellUnknown(const policy::Rule& rule, const View& view, policy::OnUnknown otherwise, Finding finding);
  bool isLifted(const policy::Rule& rule, const View& view) const;  // by an exemption
  void lift(const policy::Rule& rule, const policy::Exemption& exemption, const Finding& finding);
  void note(const policy::Rule& rule, const std::string& text);
  void tellFault(const policy::Rule& rule, const std::string& fault);
  void tellBug(const policy::Rule& rule, const std::exception& bug);
  Finding finding(const policy::Rule& rule, std::string sentence) const;
  Candidates& candidates(const View& view) const;

  const kube::Request& request_;
  const World& world_;
  const Subject& subject_;
  const Answers& answers_;
  bool saidNoCandidate_ = false, saidStale_ = false, refusedAsStale_ = false, refusedAsUnknown_ = false;
  // Rules in enforce about nodes that are not broken on their own, with the view that they were asked of.
  std::vector<std::pair<const policy::Rule*, const View*>> kept_;
  Verdict verdict_;
};

}  // namespace driftbar::decision
