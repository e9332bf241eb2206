#include "decision/found.h"

#include <algorithm>

#include "base/text.h"
#include "decision/words.h"

namespace driftbar::decision {
namespace {

using policy::Evidence;

std::string wordsOf(const Evidence& evidence) {
  std::string out = shortened(evidence.sentence, kLongestSentence);
  if (evidence.expected.empty()) return out;
  // What is not known is told with its reason, of which what must be is no part.
  const bool unknown =
      evidence.kind == policy::Evidence::Kind::kUnknown && evidence.expected.starts_with("must");
  return out + (unknown ? "; it " : ", ") + shortened(evidence.expected, kLongestSentence);
}

// What was before cannot be mended.
bool isPast(const Evidence& evidence) {
  return evidence.place.starts_with("oldObject");
}

bool inOneClause(const FoundOfRule::One& a, const FoundOfRule::One& b) {
  return a.view == b.view && a.evidence.clause != 0 && a.evidence.clause == b.evidence.clause;
}

}  // namespace

void FoundOfRule::add(policy::Judgement judgement, const View& view) {
  if (judgement.broken < broken_) return;
  if (judgement.broken > broken_) {
    known_.clear();
    all_.clear();
    worst_ = &view;
  }
  broken_ = judgement.broken;
  for (auto& evidence : judgement.evidence) {
    const View* of = evidence.clause == 0 ? nullptr : &view;
    if (known_.contains({of, evidence.key()})) continue;
    all_.push_back({std::move(evidence), &view});
    known_.insert({of, all_.back().evidence.key()});
  }
}

// The first that breaks the rule only together with this one; null where it does so by itself.
const FoundOfRule::One* FoundOfRule::besides(const One& one) const {
  if (one.evidence.clause == 0) return nullptr;
  const auto at = std::find_if(all_.begin(), all_.end(), [&](const One& other) {
    return inOneClause(one, other) && one.evidence.alternative != other.evidence.alternative;
  });
  return at == all_.end() ? nullptr : &*at;
}

std::string FoundOfRule::sentence() const {
  const auto& first = all_.front().evidence;
  const One* beside = besides(all_.front());
  const std::size_t more = all_.size() - (beside == nullptr ? 1 : 2);
  const std::string words = beside == nullptr ? wordsOf(first)
                                              : shortened(first.sentence, kLongestSentence) + " while " +
                                                    shortened(beside->evidence.sentence, kLongestSentence);
  return words + (more > 0 ? " (and " + std::to_string(more) + " more)" : "");
}

std::size_t FoundOfRule::toldBySentence() const {
  return besides(all_.front()) == nullptr ? 1 : 0;
}

Detail FoundOfRule::line(std::size_t number, bool belowSentence) const {
  const One& one = all_[number];
  const auto& evidence = one.evidence;
  const One* beside = belowSentence ? besides(all_.front()) : nullptr;
  const bool said = beside != nullptr && (number == 0 || &one == beside);
  // Who asks is one thing, and what it says of them a sentence of its own: `or the request must come from …`.
  const bool told = (said || (!joinOf(number).empty() && evidence.place.starts_with("request"))) &&
                    !evidence.expected.empty();
  return {one.view->role,
          told ? evidence.noun + " " + shortened(evidence.expected, kLongestSentence) : wordsOf(evidence),
          joinOf(number)};
}

bool FoundOfRule::isTold(std::size_t number) const {
  return besides(all_[number]) == nullptr || !isPast(all_[number].evidence);
}

std::string_view FoundOfRule::joinOf(std::size_t number) const {
  const One& one = all_[number];
  const bool chosen = std::any_of(all_.begin(), all_.end(), [&](const One& other) {
    return inOneClause(one, other) && one.evidence.alternative != other.evidence.alternative &&
           !isPast(other.evidence);
  });
  if (!chosen) return {};
  while (number > 0 && isPast(all_[number - 1].evidence)) --number;
  if (number == 0 || !inOneClause(all_[number - 1], one)) return "either";
  return all_[number - 1].evidence.alternative == one.evidence.alternative ? "and" : "or";
}

std::size_t FoundOfRule::moreLikeFirst() const {
  const auto& first = all_.front().evidence;
  const auto like = std::count_if(all_.begin(), all_.end(), [&](const One& one) {
    return one.evidence.clause == first.clause && one.evidence.alternative == first.alternative;
  });
  return static_cast<std::size_t>(like) - 1;
}

}  // namespace driftbar::decision
