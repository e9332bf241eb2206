// AdmissionReview v1 as the API server sends it, and the answers it accepts.
//
// Review::parse is the only way in: what it returns has a uid, an operation and a resource. Answers are built
// with nlohmann/json by answer(). Sources: k8s.io/api admission/v1, apiserver
// webhook/request/admissionreview.go.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace driftbar::kube {

enum class Operation { kCreate, kUpdate, kDelete, kConnect };
std::string_view toString(Operation operation);  // create, update, …

struct Kind {
  std::string_view group, version, kind;
};

struct GroupResource {
  std::string_view group, version, resource;
};

struct User {
  std::string_view name, uid;
  std::vector<std::string_view> groups;
  bool inGroup(std::string_view group) const;
};

// A view into the review's document.
struct Request {
  std::string_view uid;
  Kind kind;  // as converted for the webhook
  GroupResource resource;
  std::string_view subResource;
  std::string_view name;  // empty with generateName before it is generated, and in a deletecollection
  std::string_view ns;    // empty for what is not in a namespace
  Operation operation = Operation::kCreate;
  User user;
  Json object;     // missing on delete; like the next two never null
  Json oldObject;  // missing on create and connect
  Json options;
  bool dryRun = false;
  Json root;  // the whole `request`

  // The object that the request is about: `object`, or `oldObject` on delete.
  Json subject() const { return object.isMap() ? object : oldObject; }
};

class Review {
 public:
  // `object` and `oldObject` may both be missing: before a deletecollection the API server asks about the
  // whole. Errors: not JSON, not an AdmissionReview, v1beta1, no request, no uid, an unknown operation, no
  // resource, an object that is no map. All in words for the person who called the endpoint by hand.
  static Result<Review> parse(std::string_view body);

  const Request& request() const { return request_; }

 private:
  explicit Review(JsonDocument document) : document_(std::move(document)) {}
  JsonDocument document_;
  Request request_;
};

// What is answered. Text is made printable and warnings are brought within the API server's limits by
// answer(): one line, at most 256 characters each, 4,096 in all (apiserver filters/warning.go), each once;
// what does not fit is counted in a last one. Annotation keys are made names that the API server keeps: `/`
// becomes
// `_`.
struct Response {
  std::string uid;
  bool allowed = false;
  std::string message;  // of a refusal; may have several lines
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> auditAnnotations;
  std::string patch;  // JSON Patch text; empty: no patch. Not sent with a refusal
};

// A whole AdmissionReview v1 as JSON text: status code 403 and reason Forbidden with a refusal (kubectl
// prints the message then, and not with Invalid), patch in base64 with its patchType.
std::string answer(const Response& response);

}  // namespace driftbar::kube
