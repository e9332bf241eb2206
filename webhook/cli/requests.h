// Requests made of objects and flags, as an API server would send them.
#pragma once

#include <string>
#include <vector>

#include "cli/objects.h"
#include "kube/review.h"

namespace driftbar::cli {

// What the flags of `review` say of a request.
struct Asked {
  std::string
      operation;  // create, update, delete, connect; empty: create, or update where there is an old object
  std::string subResource;
  std::string ns;
  std::string user;
  std::vector<std::string> groups;
  std::string serviceAccount;  // namespace/name
};

// The name that --as-sa's account has as a user. Errors: not NS/NAME.
Result<std::string> serviceAccountUser(const std::string& account);

// An AdmissionReview v1 as JSON text. A recorded one is taken as it is; flags fill in what it lacks and never
// contradict it. `old` is the object before an update, null where there is none. Errors: flags that
// contradict the object, the review or each other; an update without `old`, `old` without an update.
Result<std::string> reviewText(const Object& object, const Object* old, const Asked& asked);

}  // namespace driftbar::cli
