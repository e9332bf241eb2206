#include "policy/break_glass.h"

#include "policy/document_vocabulary.h"
#include "policy/operand.h"
#include "policy/requester.h"

namespace driftbar::policy {

void checkBreakGlass(const yaml::Node& node, Problems& problems) {
  const Members members = Members::read(node, breakGlassKeys(), problems);
  if (!node.isMap()) return;
  Requester::of(members, problems);
  const bool somebody =
      members["users"] != nullptr || members["groups"] != nullptr || members["serviceAccounts"] != nullptr;
  if (!somebody) {
    problems.error(node.where, "empty-list", "`breakGlass` names nobody",
                   "write `users`, `groups` or `serviceAccounts` with a list");
  }
  if (const yaml::Node* most = members["maxDuration"]) {
    const auto read = parseFor(*most, "maxDuration", ValueType::kText, problems);
    if (read && read->duration <= Duration{0}) {
      problems.error(most->where, "never-matches", "no end is within `maxDuration: " + most->scalar + "`",
                     "write `4h` or the like");
    }
  }
}

}  // namespace driftbar::policy
