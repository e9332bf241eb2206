// Requester: who asks, as `requestedBy` says it, in match and as a subject.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/facts.h"
#include "policy/problems.h"
#include "policy/vocabulary.h"

namespace driftbar::policy {

class Requester {
 public:
  // Reports what is wrong; `requestedBy` without anybody is an error.
  static std::optional<Requester> parse(const yaml::Node& node, Problems& problems);
  // Whom the keys name that requestedBy has too.
  static std::optional<Requester> of(const Members& members, Problems& problems);

  // Any of those named; unknown where only the pod that was not looked up would tell.
  Truth fits(const Facts& facts) const;
  std::string described() const;  // `group oncall or service account ml/runner`

 private:
  bool fitsUser(const kube::User& user) const;

  // All are globs.
  std::vector<std::string> users_, groups_, serviceAccounts_;
  bool onOwnNode_ = false;
};

}  // namespace driftbar::policy
