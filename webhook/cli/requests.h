// Requests made of objects and flags, as an API server would send them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/objects.h"
#include "kube/review.h"

namespace driftbar::workload {
class Kinds;
}

namespace driftbar::cli {

// What a person wrote these things under, for messages: the flags of `review`, or the keys of a test.
struct AskedWords {
  std::string_view operation = "--operation", subResource = "--subresource", ns = "--namespace",
                   user = "--as", group = "--as-group", serviceAccount = "--as-sa";
};

// What is said of a request besides the object: by flags, or by the case of a test.
struct Asked {
  std::string
      operation;  // create, update, delete, connect; empty: create, or update where there is an old object
  std::string subResource;
  std::string ns;
  std::string user;
  std::vector<std::string> groups;
  std::string serviceAccount;  // namespace/name
  AskedWords words = {};
  const workload::Kinds* kinds = nullptr;  // what resource a custom kind is; null: those built in and shipped
};

// The name that --as-sa's account has as a user. Errors: not NS/NAME.
Result<std::string> serviceAccountUser(const std::string& account);

// An AdmissionReview v1 as JSON text. A recorded one is taken as it is; flags fill in what it lacks and never
// contradict it. `old` is the object before an update, null where there is none. Errors: flags that
// contradict the object, the review or each other; an update without `old`, `old` without an update.
Result<std::string> reviewText(const Object& object, const Object* old, const Asked& asked);

// Requests that carry no pod, as an API server sends them: CONNECT to a subresource of the pod (exec, attach,
// portforward, proxy; `command` goes with exec), and the binding of the pod to a node.
Result<std::string> connectText(const Object& pod, const std::string& subResource,
                                const std::vector<std::string>& command, const Asked& asked);
Result<std::string> bindText(const Object& pod, const std::string& node, const Asked& asked);

}  // namespace driftbar::cli
