// FoundOfRule: what one rule with `deny` or `require` has found in a request, over all of its views, and how
// it is told.
//
// Some of it breaks the rule by itself, and some only together with something else: a pinned pod with the
// host's namespaces. The latter are a clause, which is mended where one of its alternatives is, and people
// must not be told to mend them all.
#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "decision/subject.h"
#include "decision/verdict.h"
#include "policy/policy.h"

namespace driftbar::decision {

class FoundOfRule {
 public:
  struct One {
    policy::Evidence evidence;
    const View* view;
  };

  // What is broken speaks louder than what is not known. What is not about the pod is found in every view,
  // and kept once.
  void add(policy::Judgement judgement, const View& view);

  policy::Truth broken() const { return broken_; }
  const View& worst() const { return *worst_; }  // the first view that is broken so
  const std::deque<One>& all() const { return all_; }

  // `spec.nodeName is "gpu-07", must not be there (and 2 more)`; of a clause
  // `spec.nodeName is "gpu-07" while the host's pid namespace is shared (hostPID) (and 2 more)`.
  std::string sentence() const;
  // The number of findings, from the first, that need no line below the sentence.
  std::size_t toldBySentence() const;
  // Whether one has a line: what was before the update and breaks the rule only together with something else
  // has none, for nobody can mend it.
  bool isTold(std::size_t number) const;
  // The line of one, for a list of all; what a sentence() above it has told is not said again.
  Detail line(std::size_t number, bool belowSentence) const;
  // How many more values there are of what the first is a value of.
  std::size_t moreLikeFirst() const;

 private:
  const One* besides(const One& one) const;
  std::string_view joinOf(std::size_t number) const;

  policy::Truth broken_ = policy::Truth::kFalse;
  const View* worst_ = nullptr;
  std::deque<One> all_;  // stays in its place, for `known_` looks at it
  // Of a clause by view, for in each view it is mended anew.
  std::set<std::pair<const View*, policy::Evidence::Key>> known_;
};

}  // namespace driftbar::decision
