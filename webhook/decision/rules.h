// The rules of one pod's request, judged one by one into a verdict: content (deny, require) and placement
// (avoidNodes). judge.cc says which rules are asked at all.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decision/candidates.h"
#include "decision/judge.h"
#include "decision/verdict.h"

namespace driftbar::decision {

class Rules {
 public:
  Rules(const kube::Request& request, const World& world, Instant now);

  const policy::Facts& facts() const { return facts_; }
  // Adds to the verdict what this rule has to say.
  void judge(const policy::Policy& policy, const policy::Rule& rule);
  // The verdict, once every rule has been judged: with what rules close together that each leaves open.
  Verdict take();

 private:
  struct Survey;  // of the candidates, by one rule

  void judgeContent(const policy::Rule& rule);
  void judgePlacement(const policy::Rule& rule);
  void judgePinned(const policy::Rule& rule);
  void judgeCandidates(const policy::Rule& rule);
  void judgeTogether();
  // Whether any of the kept rules closes the node; each that does has it in its survey.
  bool closes(const kube::Node& node, std::vector<Survey>& surveys) const;
  void sayNoCandidate(const policy::Rule& rule);
  bool judgeStale(const policy::Rule& rule);

  void keepWhatIsNew(const policy::Rule& rule, policy::Judgement& judgement) const;
  Finding contentFinding(const policy::Rule& rule, const policy::Judgement& judgement) const;
  Survey survey(const policy::Rule& rule);
  Finding placementFinding(const policy::Rule& rule, const Survey& survey) const;
  Finding togetherFinding(std::size_t number, const std::vector<Survey>& surveys);
  Finding naming(const policy::Rule& rule, const Survey& survey, std::string sentence) const;
  static std::string kindOf(const Survey& survey);  // drifted, unsafe

  std::string ownWords(const policy::Rule& rule, const policy::Evidence& evidence, const std::string& node,
                       const std::string& nodes) const;

  // A finding, or what is not known, where the rule's mode and onUnknown have it.
  void tell(const policy::Rule& rule, Finding finding);
  void tellUnknown(const policy::Rule& rule, policy::OnUnknown otherwise, Finding finding);
  void note(const policy::Rule& rule, const std::string& text);
  void tellFault(const policy::Rule& rule, const std::exception& bug);
  Finding finding(const policy::Rule& rule, std::string sentence) const;
  Candidates& candidates();

  const kube::Request& request_;
  const World& world_;
  policy::Facts facts_;
  kube::Pod pod_;
  bool placementSettled_ = false;
  bool saidNoCandidate_ = false, saidStale_ = false, refusedAsStale_ = false, refusedAsUnknown_ = false;
  std::vector<const policy::Rule*> kept_;  // rules in enforce about nodes that are not broken on their own
  std::optional<Candidates> candidates_;
  Verdict verdict_;
};

}  // namespace driftbar::decision
