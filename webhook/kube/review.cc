#include "kube/review.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "base/text.h"
#include "kube/labels.h"

namespace driftbar::kube {
namespace {

struct OperationRow {
  std::string_view sent, shown;
  Operation operation;
};

constexpr OperationRow kOperations[] = {{"CREATE", "create", Operation::kCreate},
                                        {"UPDATE", "update", Operation::kUpdate},
                                        {"DELETE", "delete", Operation::kDelete},
                                        {"CONNECT", "connect", Operation::kConnect}};

constexpr std::string_view kVersion = "admission.k8s.io/v1";

std::optional<Operation> operationOf(std::string_view sent) {
  for (const auto& row : kOperations) {
    if (row.sent == sent) return row.operation;
  }
  return std::nullopt;
}

std::vector<std::string_view> textsOf(Json list) {
  std::vector<std::string_view> texts;
  for (const Json item : list.items()) texts.push_back(item.text());
  return texts;
}

// Null reads as missing, so that there is one way to ask.
Json objectOf(Json request, std::string_view key) {
  const Json object = request[key];
  return object.isNull() ? Json() : object;
}

Request requestOf(Json root) {
  const Json kind = root["kind"], resource = root["resource"], user = root["userInfo"];
  Request request;
  request.uid = root["uid"].text();
  request.kind = {kind["group"].text(), kind["version"].text(), kind["kind"].text()};
  request.resource = {resource["group"].text(), resource["version"].text(), resource["resource"].text()};
  request.subResource = root["subResource"].text();
  request.name = root["name"].text();
  request.ns = root["namespace"].text();
  request.operation = operationOf(root["operation"].text()).value_or(Operation::kCreate);
  request.user = {user["username"].text(), user["uid"].text(), textsOf(user["groups"])};
  request.object = objectOf(root, "object");
  request.oldObject = objectOf(root, "oldObject");
  request.options = objectOf(root, "options");
  request.dryRun = root["dryRun"].isTrue();
  request.root = root;
  return request;
}

Diagnostics checkEnvelope(Json root) {
  constexpr char kHelp[] = "this endpoint takes what a Kubernetes API server posts to a webhook";
  if (!root.isMap()) return {error("not-a-review", "not an AdmissionReview, but JSON that is no map", kHelp)};
  const std::string_view kind = root["kind"].text(), version = root["apiVersion"].text();
  if (kind != "AdmissionReview")
    return {error("not-a-review",
                  kind.empty() ? "not an AdmissionReview: the key `kind` is missing"
                               : "not an AdmissionReview, but " + quoted(kind),
                  kHelp, "kind")};
  if (version == kVersion) return {};
  if (version == "admission.k8s.io/v1beta1")
    return {error("review-version", "an AdmissionReview of v1beta1, and only v1 is understood",
                  "write `admissionReviewVersions: [v1]` in the webhook configuration", "apiVersion")};
  return {error("review-version",
                "an AdmissionReview of version " + quoted(version) + ", and only " + std::string(kVersion) +
                    " is understood",
                {}, "apiVersion")};
}

void checkObject(Json request, std::string_view key, Diagnostics& wrong) {
  const Json object = objectOf(request, key);
  if (object.exists() && !object.isMap())
    wrong.push_back(error("review-object", "the object is no map", {}, "request." + std::string(key)));
}

Diagnostics checkRequest(Json request) {
  if (!request.isMap()) return {error("no-request", "the AdmissionReview has no request", {}, "request")};
  Diagnostics wrong;
  if (request["uid"].text().empty())
    wrong.push_back(error("no-uid", "the request has no uid", {}, "request.uid"));
  if (!operationOf(request["operation"].text()))
    wrong.push_back(error("review-operation",
                          "the operation is " + quoted(request["operation"].text()) +
                              ", and must be CREATE, UPDATE, DELETE or CONNECT",
                          {}, "request.operation"));
  if (request["resource"]["resource"].text().empty())
    wrong.push_back(error("no-resource", "the request names no resource", {}, "request.resource.resource"));
  checkObject(request, "object", wrong);
  checkObject(request, "oldObject", wrong);
  return wrong;
}

// Each line made printable.
std::string printableLines(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::string lines;
  for (;;) {
    const auto end = text.find('\n');
    lines += printable(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
}

// The API server cuts every warning to kMostCharacters once all of them pass kMostInAll, and then drops what
// comes after kMostInAll. Staying below both, what is left out is ours to say.
constexpr std::size_t kMostCharacters = 256;
constexpr std::size_t kMostInAll = 4096;
constexpr std::size_t kRoomForRest = 32;  // "and 1234567 more warnings"

std::vector<std::string> distinctLines(const std::vector<std::string>& warnings) {
  std::vector<std::string> lines;
  for (const auto& warning : warnings) {
    std::string line = shortened(printable(warning), kMostCharacters);
    if (!line.empty() && std::find(lines.begin(), lines.end(), line) == lines.end())
      lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> sendableWarnings(const std::vector<std::string>& warnings) {
  auto lines = distinctLines(warnings);
  std::size_t total = 0, fitting = 0;
  for (; fitting < lines.size(); ++fitting) {
    total += characters(lines[fitting]);
    const bool last = fitting + 1 == lines.size();
    if (total + (last ? 0 : kRoomForRest) > kMostInAll) break;
  }
  if (const std::size_t rest = lines.size() - fitting; rest > 0) {
    lines.resize(fitting);
    lines.push_back("and " + std::to_string(rest) + (rest == 1 ? " more warning" : " more warnings"));
  }
  return lines;
}

// The API server puts `<webhook>/` before a key and wants the whole to be a qualified name; a key that is
// none it drops with a line in its log. So what does not fit in a name becomes `_`.
std::string annotationKey(std::string_view key) {
  constexpr std::size_t kMost = 63;
  std::string name;
  for (const char c : key.substr(0, kMost))
    name += isLabelKey(std::string(1, c)) || c == '-' || c == '.' ? c : '_';
  const auto outer = [](char c) { return c == '-' || c == '.' || c == '_'; };
  while (!name.empty() && outer(name.back())) name.pop_back();
  name.erase(name.begin(), std::find_if_not(name.begin(), name.end(), outer));
  return name;
}

nlohmann::ordered_json annotationsOf(const Response& response) {
  nlohmann::ordered_json map = nlohmann::ordered_json::object();
  for (const auto& [key, value] : response.auditAnnotations) {
    const std::string name = annotationKey(key);
    if (!name.empty() && !map.contains(name)) map[name] = printableLines(value);
  }
  return map;
}

std::string base64(std::string_view bytes) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = (bits << 8U) | (j < group.size() ? static_cast<unsigned char>(group[j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      out += j <= group.size() ? kAlphabet[(bits >> (18U - 6U * j)) & 0x3FU] : '=';
  }
  return out;
}

constexpr int kForbidden = 403;

nlohmann::ordered_json responseOf(const Response& response) {
  nlohmann::ordered_json made;
  made["uid"] = response.uid;
  made["allowed"] = response.allowed;
  if (!response.allowed)
    made["status"] = {
        {"code", kForbidden}, {"reason", "Forbidden"}, {"message", printableLines(response.message)}};
  if (const auto warnings = sendableWarnings(response.warnings); !warnings.empty())
    made["warnings"] = warnings;
  if (auto annotations = annotationsOf(response); !annotations.empty())
    made["auditAnnotations"] = std::move(annotations);
  if (response.allowed && !response.patch.empty()) {
    made["patchType"] = "JSONPatch";
    made["patch"] = base64(response.patch);
  }
  return made;
}

}  // namespace

std::string_view toString(Operation operation) {
  for (const auto& row : kOperations) {
    if (row.operation == operation) return row.shown;
  }
  return "?";
}

bool User::inGroup(std::string_view group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

Result<Review> Review::parse(std::string_view body) {
  auto document = JsonDocument::parse(body);
  if (!document) return std::move(document).errors();
  if (auto wrong = checkEnvelope(document->root()); !wrong.empty()) return wrong;
  if (auto wrong = checkRequest(document->root()["request"]); !wrong.empty()) return wrong;
  Review review(std::move(document).value());
  review.request_ = requestOf(review.document_.root()["request"]);
  return review;
}

std::string answer(const Response& response) {
  nlohmann::ordered_json review;
  review["apiVersion"] = kVersion;
  review["kind"] = "AdmissionReview";
  review["response"] = responseOf(response);
  return review.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace driftbar::kube
