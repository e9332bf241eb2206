// Agreement: whether all values of one name are the same, as the test `agree` asks. Absence is a value.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "policy/scope.h"
#include "policy/subject_table.h"

namespace driftbar::policy {

class Agreement {
 public:
  static Agreement of(const SubjectRow& subject, const Argument& argument, const Scope& scope);

  bool empty() const { return byName_.empty(); }
  // Unknown where nothing known disagrees, and something is not known.
  Truth holds() const;
  // A piece of evidence for each name that disagrees, or, where `wanted` is false, agrees.
  void explain(bool wanted, Evidence::Kind what, std::vector<Evidence>& out) const;

 private:
  struct One {
    std::string place, value, shown;
    std::string role, container;  // whose it is, for people; may be empty
    std::string source;           // of one that is not known: what it refers to, if that is known
    bool known = true;
    bool there = false;  // known or not
    bool hidden = false;
  };
  static Truth agreed(const std::vector<One>& values);
  static std::string sentence(const std::string& noun, const std::vector<One>& values);
  static std::string whereOf(const One& one, const std::vector<One>& values);

  std::map<std::string, std::vector<One>> byName_;
  std::map<std::string, std::string> nouns_;
};

}  // namespace driftbar::policy
