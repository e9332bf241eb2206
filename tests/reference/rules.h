// Random policies, of the words that are on.
#pragma once

#include <functional>
#include <string>

#include "reference/chance.h"

namespace driftbar::reference {

Row documentOf(const char* kind, const std::string& name, const Row& spec);

class Rules {
 public:
  // `loads`: whether documents load. A rule that does not (one that can never match, say) is left out and
  // counted by whoever is asked.
  Rules(Chance& chance, std::function<bool(const Row& documents)> loads)
      : chance_(chance), loads_(std::move(loads)) {}

  // A list of documents with at least one rule.
  Row documents();

 private:
  enum class About { kPod, kNode, kCandidate };

  Row policy(const std::string& name);
  Row rule(const std::string& name, bool& aboutNode);
  Row match(bool aboutNode, bool entry);
  Row requester();
  Row selector();
  Row condition(About about, unsigned depth);
  Row inElement(const std::string& list, unsigned depth);
  Row leaf(About about);
  Row podLeaf();
  Row nodeLeaf(About about);
  void addKeys(Row& leaf);
  Row name();
  void addTests(Row& leaf, std::size_t least);
  void addTest(Row& leaf, bool status);
  Row operand(const std::string& test, bool status);
  void addRuleKeys(Row& rule);
  Row exemption(const Row& documents);
  void addClasses();
  void addKind();
  std::string aClass();  // of those declared; empty: there is none
  void addDocuments(Row& documents);

  Chance& chance_;
  std::function<bool(const Row&)> loads_;
  Row beside_ = Row::array();  // documents that policies go by: classes, kinds
};

}  // namespace driftbar::reference
