#include "cli/requests.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.h"
#include "workload/workload.h"

namespace driftbar::cli {
namespace {

using Nlohmann = nlohmann::ordered_json;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// The plural is right for all built-in kinds; what another custom resource is called its definition alone
// knows.
std::string resourceOf(const std::string& group, const std::string& kind, const Asked& asked) {
  const auto& kinds = asked.kinds != nullptr ? *asked.kinds : workload::Kinds::builtIn();
  if (const auto* known = kinds.find(group, kind)) return known->resource;
  return kind == "Endpoints" ? "endpoints" : workload::usualPlural(kind);
}

// Kubernetes' own kinds (`kubectl api-resources --namespaced=false`), and those that training brings with it:
// Kubeflow's, Kueue's, and the Queue of Volcano and KAI. Of an object alone nothing tells that it has no
// namespace.
constexpr std::string_view kClusterScoped[] = {
    "APIService",
    "CSIDriver",
    "CSINode",
    "CertificateSigningRequest",
    "ClusterRole",
    "ClusterRoleBinding",
    "ClusterTrustBundle",
    "CustomResourceDefinition",
    "DeviceClass",
    "FlowSchema",
    "IPAddress",
    "IngressClass",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PriorityClass",
    "PriorityLevelConfiguration",
    "ResourceSlice",
    "RuntimeClass",
    "ServiceCIDR",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
    "VolumeAttachment",
    "VolumeAttributesClass",
    "AdmissionCheck",
    "ClusterQueue",
    "ClusterTrainingRuntime",
    "Queue",
    "ResourceFlavor",
    "Topology",
    "WorkloadPriorityClass",
};

bool isClusterScoped(std::string_view kind) {
  return std::find(std::begin(kClusterScoped), std::end(kClusterScoped), kind) != std::end(kClusterScoped);
}

Nlohmann object(const yaml::Node& node) {
  return Nlohmann::parse(yaml::toJsonText(node));
}

std::pair<std::string, std::string> groupAndVersion(const std::string& apiVersion) {
  const auto slash = apiVersion.find('/');
  if (slash == std::string::npos) return {"", apiVersion};
  return {apiVersion.substr(0, slash), apiVersion.substr(slash + 1)};
}

// Empty where there is no text under the key: what must be one, Review::parse tells.
std::string textAt(const Nlohmann& map, const char* key) {
  const auto found = map.is_object() ? map.find(key) : map.end();
  return found != map.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<Nlohmann> userInfo(const Asked& asked) {
  Nlohmann user;
  if (!asked.serviceAccount.empty() && !asked.user.empty()) {
    return error("contradiction",
                 "`" + std::string(asked.words.user) + "` and `" + std::string(asked.words.serviceAccount) +
                     "` both say who asks",
                 "give one of them");
  }
  if (!asked.serviceAccount.empty()) {
    auto name = serviceAccountUser(asked.serviceAccount);
    if (!name) return std::move(name).errors();
    const auto ns = asked.serviceAccount.substr(0, asked.serviceAccount.find('/'));
    user["username"] = *name;
    user["groups"] = {"system:serviceaccounts", "system:serviceaccounts:" + ns, "system:authenticated"};
  } else {
    user["username"] = asked.user.empty() ? "test" : asked.user;
  }
  for (const auto& group : asked.groups) user["groups"].push_back(group);
  return user;
}

Diagnostic contradiction(std::string_view word, const std::string& given, const std::string& recorded) {
  return error("contradiction",
               "`" + std::string(word) + " " + printable(given) +
                   "` contradicts the recorded review, which has " + quoted(recorded),
               "leave it out, or edit the review");
}

// Who asks in a recorded review, held against the flags.
void holdAgainst(const Nlohmann& user, const Asked& asked, Diagnostics& wrong) {
  const auto who = textAt(user, "username");
  if (!asked.user.empty() && asked.user != who)
    wrong.push_back(contradiction(asked.words.user, asked.user, who));
  if (!asked.serviceAccount.empty()) {
    const auto account = serviceAccountUser(asked.serviceAccount);
    if (!account) wrong.push_back(account.errors()[0]);
    if (account && *account != who)
      wrong.push_back(contradiction(asked.words.serviceAccount, asked.serviceAccount, who));
  }
  const auto groups = user.value("groups", Nlohmann::array());
  for (const auto& group : asked.groups) {
    if (std::find(groups.begin(), groups.end(), Nlohmann(group)) == groups.end())
      wrong.push_back(contradiction(asked.words.group, group, groups.is_array() ? groups.dump() : ""));
  }
}

// A recorded review's field filled in from a flag, or held against it.
void fill(Nlohmann& request, const char* field, const std::string& given, std::string_view word,
          Diagnostics& wrong) {
  if (given.empty()) return;
  const auto recorded = textAt(request, field);
  if (recorded.empty()) {
    request[field] = given;
  } else if (recorded != given) {
    wrong.push_back(contradiction(word, given, recorded));
  }
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

Result<std::string> recorded(const Object& review, const Asked& asked) {
  Nlohmann json = object(review.node);
  if (!json.contains("request") || !json["request"].is_object())
    return json.dump();  // Review::parse says what is wrong
  Nlohmann& request = json["request"];
  Diagnostics wrong;
  fill(request, "operation", upper(asked.operation), asked.words.operation, wrong);
  const bool hasNamespace = !isClusterScoped(textAt(request.value("kind", Nlohmann()), "kind"));
  if (hasNamespace) fill(request, "namespace", asked.ns, asked.words.ns, wrong);
  fill(request, "subResource", asked.subResource, asked.words.subResource, wrong);
  if (const auto& who = request.value("userInfo", Nlohmann()); textAt(who, "username").empty()) {
    auto user = userInfo(asked);
    if (!user) return std::move(user).errors();
    request["userInfo"] = *user;
  } else {
    holdAgainst(who, asked, wrong);
  }
  if (!wrong.empty()) return wrong;
  return json.dump();
}

std::optional<Diagnostic> wrongOld(const std::string& operation, const Object* old) {
  if (operation == "UPDATE" && old == nullptr) {
    return error("no-old-object", "an update is judged against the object before it, and there is none",
                 "give it with `--old`; it is found by kind, namespace and name");
  }
  if (operation != "UPDATE" && old != nullptr) {
    return error("contradiction",
                 "`--old` has the object before an update, and `--operation` is " + lower(operation),
                 operation == "DELETE" ? "give what is deleted with `-f`" : "");
  }
  return std::nullopt;
}

// The part of a request that says what it is about and who asks. Key order is that of `review -o json`.
Result<Nlohmann> requestOn(const Object& subject, const Asked& asked) {
  auto user = userInfo(asked);
  if (!user) return std::move(user).errors();
  const auto [group, version] = groupAndVersion(subject.apiVersion);
  // An API server takes a namespace for one of itself (recorded: tests/data/reviews/namespace-create.json).
  std::string ns = subject.kind == "Namespace" && group.empty() ? subject.name : "";
  if (!isClusterScoped(subject.kind)) {
    ns = !subject.ns.empty() ? subject.ns : !asked.ns.empty() ? asked.ns : "default";
    if (!asked.ns.empty() && asked.ns != ns) {
      return error("contradiction", "`" + std::string(asked.words.ns) + " " + printable(asked.ns) +
                                        "` contradicts the object's own namespace, " + quoted(ns));
    }
  }
  Nlohmann request;
  request["uid"] = "review";
  request["kind"] = {{"group", group}, {"version", version}, {"kind", subject.kind}};
  request["resource"] = {
      {"group", group}, {"version", version}, {"resource", resourceOf(group, subject.kind, asked)}};
  if (!asked.subResource.empty()) request["subResource"] = asked.subResource;
  request["name"] = textAt(object(subject.node)["metadata"], "name");
  if (!ns.empty()) request["namespace"] = ns;
  request["operation"] = "";
  request["userInfo"] = *user;
  return request;
}

std::string review(Nlohmann request) {
  Nlohmann review;
  review["apiVersion"] = "admission.k8s.io/v1";
  review["kind"] = "AdmissionReview";
  review["request"] = std::move(request);
  return review.dump();
}

// Source: the kinds that recorded requests carry; pkg/registry/core/pod/rest/subresources.go.
constexpr std::pair<std::string_view, std::string_view> kOptions[] = {
    {"exec", "PodExecOptions"},
    {"attach", "PodAttachOptions"},
    {"portforward", "PodPortForwardOptions"},
    {"proxy", "PodProxyOptions"},
};

std::string optionsOf(std::string_view subResource) {
  for (const auto& [name, kind] : kOptions) {
    if (name == subResource) return std::string(kind);
  }
  return {};
}

}  // namespace

Result<std::string> serviceAccountUser(const std::string& account) {
  const auto slash = account.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == account.size()) {
    return error("service-account", "`--as-sa " + printable(account) + "` is not NAMESPACE/NAME",
                 "write it as in `--as-sa ml/trainer`");
  }
  return "system:serviceaccount:" + account.substr(0, slash) + ":" + account.substr(slash + 1);
}

Result<std::string> reviewText(const Object& subject, const Object* old, const Asked& asked) {
  if (subject.isReview()) return recorded(subject, asked);
  auto request = requestOn(subject, asked);
  if (!request) return std::move(request).errors();
  const std::string operation = !asked.operation.empty() ? upper(asked.operation)
                                : old != nullptr         ? "UPDATE"
                                                         : "CREATE";
  if (auto wrong = wrongOld(operation, old)) return *std::move(wrong);
  Nlohmann json = object(subject.node);
  if (const auto ns = textAt(*request, "namespace"); !ns.empty() && !isClusterScoped(subject.kind))
    json["metadata"]["namespace"] = ns;
  (*request)["operation"] = operation;
  (*request)["object"] = operation == "DELETE" ? Nlohmann() : json;
  (*request)["oldObject"] = operation == "DELETE" ? json : old != nullptr ? object(old->node) : Nlohmann();
  return review(*std::move(request));
}

Result<std::string> connectText(const Object& pod, const std::string& subResource,
                                const std::vector<std::string>& command, const Asked& asked) {
  auto request = requestOn(pod, asked);
  if (!request) return std::move(request).errors();
  Nlohmann options;
  options["apiVersion"] = "v1";
  options["kind"] = optionsOf(subResource);
  if (!command.empty()) options["command"] = command;
  (*request)["subResource"] = subResource;
  (*request)["kind"]["kind"] = options["kind"];
  (*request)["operation"] = "CONNECT";
  (*request)["object"] = std::move(options);
  (*request)["oldObject"] = nullptr;
  return review(*std::move(request));
}

Result<std::string> bindText(const Object& pod, const std::string& node, const Asked& asked) {
  auto request = requestOn(pod, asked);
  if (!request) return std::move(request).errors();
  Nlohmann binding;
  binding["apiVersion"] = "v1";
  binding["kind"] = "Binding";
  binding["metadata"] = {{"name", (*request)["name"]}, {"namespace", (*request)["namespace"]}};
  if (const auto uid = textAt(object(pod.node)["metadata"], "uid"); !uid.empty())
    binding["metadata"]["uid"] = uid;
  binding["target"] = {{"kind", "Node"}, {"name", node}};
  (*request)["subResource"] = "binding";
  (*request)["kind"]["kind"] = "Binding";
  (*request)["operation"] = "CREATE";
  (*request)["object"] = std::move(binding);
  (*request)["oldObject"] = nullptr;
  return review(*std::move(request));
}

}  // namespace driftbar::cli
