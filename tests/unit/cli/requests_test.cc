// Requests as an API server would send them, made of objects and flags.
#include "cli/requests.h"

#include <nlohmann/json.hpp>

#include "fixture.h"

namespace driftbar::cli {
namespace {

Object object(const std::string& text) {
  auto objects = readObjects({makeSource("o.yaml", text)});
  EXPECT_TRUE(objects) << render(objects.errors());
  return objects->at(0);
}

Object pod() {
  return object(podText("bert-0", "{}"));
}

std::string text(const Object& subject, const Asked& asked = {}, const Object* old = nullptr) {
  const auto made = reviewText(subject, old, asked);
  return made ? nlohmann::ordered_json::parse(*made).dump(1) : render(made.errors());
}

nlohmann::json request(const Object& subject, const Asked& asked = {}, const Object* old = nullptr) {
  const auto made = reviewText(subject, old, asked);
  EXPECT_TRUE(made) << render(made.errors());
  return nlohmann::json::parse(*made)["request"];
}

std::string refused(const Object& subject, const Asked& asked, const Object* old = nullptr) {
  const auto made = reviewText(subject, old, asked);
  return made ? "made: " + *made : render(made.errors());
}

TEST(Requests, OfAPod) {
  EXPECT_EQ(
      text(object("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: main}]}\n")),
      R"({
 "apiVersion": "admission.k8s.io/v1",
 "kind": "AdmissionReview",
 "request": {
  "uid": "review",
  "kind": {
   "group": "",
   "version": "v1",
   "kind": "Pod"
  },
  "resource": {
   "group": "",
   "version": "v1",
   "resource": "pods"
  },
  "name": "a",
  "namespace": "default",
  "operation": "CREATE",
  "userInfo": {
   "username": "test"
  },
  "object": {
   "apiVersion": "v1",
   "kind": "Pod",
   "metadata": {
    "name": "a",
    "namespace": "default"
   },
   "spec": {
    "containers": [
     {
      "name": "main"
     }
    ]
   }
  },
  "oldObject": null
 }
})");
}

TEST(Requests, ResourcesAreNamedAsKubernetesGuessesThem) {
  const std::pair<const char*, const char*> rows[] = {{"Job", "jobs"},
                                                      {"NetworkPolicy", "networkpolicies"},
                                                      {"Ingress", "ingresses"},
                                                      {"Endpoints", "endpoints"},
                                                      {"PyTorchJob", "pytorchjobs"}};
  for (const auto& [kind, resource] : rows) {
    const auto made =
        request(object("apiVersion: g.io/v1beta2\nkind: " + std::string(kind) + "\nmetadata: {name: a}\n"));
    EXPECT_EQ(made["resource"],
              (nlohmann::json{{"group", "g.io"}, {"version", "v1beta2"}, {"resource", resource}}));
  }
}

TEST(Requests, WhatHasNoNamespaceGetsNone) {
  for (const char* kind : {"Node", "PriorityClass", "ClusterQueue", "ValidatingWebhookConfiguration"}) {
    Asked asked;
    asked.ns = "ml";
    const auto made =
        request(object("apiVersion: v1\nkind: " + std::string(kind) + "\nmetadata: {name: a}\n"), asked);
    EXPECT_FALSE(made.contains("namespace")) << kind;
    EXPECT_FALSE(made["object"]["metadata"].contains("namespace")) << kind;
  }
}

TEST(Requests, ANamespaceIsInItself) {
  const auto made = request(object("apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n"), Asked());
  EXPECT_EQ(made["namespace"], "ml");
  EXPECT_FALSE(made["object"]["metadata"].contains("namespace"));
}

TEST(Requests, ResourcesHaveTheUsualPlural) {
  const std::pair<const char*, const char*> kinds[] = {
      {"Service", "services"},          {"Endpoints", "endpoints"},         {"NetworkPolicy", "networkpolicies"},
      {"Ingress", "ingresses"}, {"StorageClass", "storageclasses"}, {"Gateway", "gateways"}};
  for (const auto& [kind, resource] : kinds) {
    const auto made =
        request(object("apiVersion: v1\nkind: " + std::string(kind) + "\nmetadata: {name: a}\n"), Asked());
    EXPECT_EQ(made["resource"]["resource"], resource);
  }
}

TEST(Requests, TheObjectsOwnNamespaceThenTheFlagsThenDefault) {
  const auto bare = object("apiVersion: v1\nkind: Job\nmetadata: {name: a}\n");
  Asked asked;
  EXPECT_EQ(request(bare, asked)["namespace"], "default");
  asked.ns = "ml";
  EXPECT_EQ(request(bare, asked)["namespace"], "ml");
  EXPECT_EQ(request(bare, asked)["object"]["metadata"]["namespace"], "ml");
  EXPECT_EQ(request(pod())["namespace"], "ml");
}

TEST(Requests, ANameThatIsYetToComeIsEmpty) {
  const auto made = request(object("apiVersion: v1\nkind: Job\nmetadata: {generateName: a-}\n"));
  EXPECT_EQ(made["name"], "");
  EXPECT_EQ(made["object"]["metadata"]["generateName"], "a-");
}

TEST(Requests, ADeleteHasTheObjectAsTheOldOne) {
  Asked asked;
  asked.operation = "delete";
  const auto made = request(pod(), asked);
  EXPECT_EQ(made["operation"], "DELETE");
  EXPECT_TRUE(made["object"].is_null());
  EXPECT_EQ(made["oldObject"]["metadata"]["name"], "bert-0");
}

TEST(Requests, AnOldObjectMakesAnUpdate) {
  const auto old = object(podText("bert-0", "{a: b}"));
  Asked asked;
  asked.subResource = "resize";
  const auto made = request(pod(), asked, &old);
  EXPECT_EQ(made["operation"], "UPDATE");
  EXPECT_EQ(made["subResource"], "resize");
  EXPECT_EQ(made["oldObject"]["metadata"]["labels"]["a"], "b");
  EXPECT_TRUE(made["object"]["metadata"]["labels"].empty());
}

TEST(Requests, WhoAsks) {
  Asked asked;
  asked.user = "alice";
  asked.groups = {"ml", "ops"};
  EXPECT_EQ(request(pod(), asked)["userInfo"].dump(), R"({"groups":["ml","ops"],"username":"alice"})");
}

TEST(Requests, AServiceAccountAsksWithTheGroupsThatItHas) {
  Asked asked;
  asked.serviceAccount = "ml/trainer";
  asked.groups = {"more"};
  EXPECT_EQ(
      request(pod(), asked)["userInfo"].dump(),
      R"({"groups":["system:serviceaccounts","system:serviceaccounts:ml","system:authenticated","more"],)"
      R"("username":"system:serviceaccount:ml:trainer"})");
}

TEST(Requests, AccountsThatAreNone) {
  for (const char* account : {"trainer", "/trainer", "ml/", "/"}) {
    Asked asked;
    asked.serviceAccount = account;
    EXPECT_EQ(refused(pod(), asked), "error: `--as-sa " + std::string(account) +
                                         "` is not NAMESPACE/NAME [service-account]\n"
                                         "  help: write it as in `--as-sa ml/trainer`\n");
  }
}

TEST(Requests, TwoWhoAsk) {
  Asked asked;
  asked.user = "alice";
  asked.serviceAccount = "ml/trainer";
  EXPECT_EQ(refused(pod(), asked),
            "error: `--as` and `--as-sa` both say who asks [contradiction]\n  help: give one of them\n");
}

TEST(Requests, AnotherNamespaceThanTheObjects) {
  Asked asked;
  asked.ns = "prod";
  EXPECT_EQ(refused(pod(), asked),
            "error: `--namespace prod` contradicts the object's own namespace, \"ml\" [contradiction]\n");
}

TEST(Requests, AnUpdateOfNothing) {
  Asked asked;
  asked.operation = "update";
  EXPECT_EQ(refused(pod(), asked),
            "error: an update is judged against the object before it, and there is none [no-old-object]\n"
            "  help: give it with `--old`; it is found by kind, namespace and name\n");
}

TEST(Requests, AnOldObjectWithoutAnUpdate) {
  const auto old = pod();
  Asked asked;
  asked.operation = "create";
  EXPECT_EQ(refused(pod(), asked, &old),
            "error: `--old` has the object before an update, and `--operation` is create [contradiction]\n");
  asked.operation = "delete";
  EXPECT_EQ(refused(pod(), asked, &old),
            "error: `--old` has the object before an update, and `--operation` is delete [contradiction]\n"
            "  help: give what is deleted with `-f`\n");
}

// ---- recorded reviews

Object review(const std::string& request) {
  return object("apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest: " + request + "\n");
}

const char* const kRecorded =
    "{uid: u, operation: CREATE, namespace: ml, kind: {kind: Pod}, userInfo: {username: alice, groups: "
    "[ml]}}";

TEST(Recorded, IsTakenAsItIs) {
  EXPECT_EQ(request(review(kRecorded)).dump(),
            R"({"kind":{"kind":"Pod"},"namespace":"ml","operation":"CREATE","uid":"u",)"
            R"("userInfo":{"groups":["ml"],"username":"alice"}})");
}

TEST(Recorded, FlagsThatSayTheSame) {
  Asked asked{"create", "", "ml", "alice", {"ml"}, ""};
  EXPECT_EQ(request(review(kRecorded), asked), request(review(kRecorded)));
}

TEST(Recorded, FlagsFillInWhatIsMissing) {
  Asked asked{"create", "resize", "ml", "", {"ops"}, "ml/trainer"};
  EXPECT_EQ(
      request(review("{uid: u, kind: {kind: Pod}}"), asked).dump(),
      R"({"kind":{"kind":"Pod"},"namespace":"ml","operation":"CREATE","subResource":"resize","uid":"u",)"
      R"("userInfo":{"groups":["system:serviceaccounts","system:serviceaccounts:ml","system:authenticated",)"
      R"("ops"],"username":"system:serviceaccount:ml:trainer"}})");
}

TEST(Recorded, ANodeGetsNoNamespace) {
  Asked asked;
  asked.ns = "ml";
  EXPECT_FALSE(request(review("{uid: u, kind: {kind: Node}}"), asked).contains("namespace"));
}

TEST(Recorded, EveryContradictionIsTold) {
  Asked asked{"delete", "", "prod", "bob", {"ops"}, "ml/trainer"};
  EXPECT_EQ(refused(review(kRecorded), asked),
            R"(error: `--operation DELETE` contradicts the recorded review, which has "CREATE" [contradiction]
  help: leave it out, or edit the review
error: `--namespace prod` contradicts the recorded review, which has "ml" [contradiction]
  help: leave it out, or edit the review
error: `--as bob` contradicts the recorded review, which has "alice" [contradiction]
  help: leave it out, or edit the review
error: `--as-sa ml/trainer` contradicts the recorded review, which has "alice" [contradiction]
  help: leave it out, or edit the review
error: `--as-group ops` contradicts the recorded review, which has "[\"ml\"]" [contradiction]
  help: leave it out, or edit the review
)");
}

// What has the wrong type is for the reader of reviews to tell, whatever the flags are.
TEST(Recorded, WrongTypesAreLeftToTheReader) {
  Asked asked{"create", "", "ml", "", {}, ""};
  for (const char* wrong :
       {"{operation: 5, kind: Pod}", "{userInfo: null, namespace: []}", "{userInfo: [a]}", "[]", "5"}) {
    EXPECT_TRUE(reviewText(review(wrong), nullptr, asked)) << wrong;
  }
}

// As recorded from an API server: pod-exec-connect.json, pod-bind-by-scheduler.json.
TEST(Requests, ToASubresourceCarriesOptionsAndNoPod) {
  const auto made = connectText(pod(), "exec", {"ls", "-l"}, {});
  ASSERT_TRUE(made) << render(made.errors());
  EXPECT_EQ(nlohmann::ordered_json::parse(*made)["request"].dump(1), R"({
 "uid": "review",
 "kind": {
  "group": "",
  "version": "v1",
  "kind": "PodExecOptions"
 },
 "resource": {
  "group": "",
  "version": "v1",
  "resource": "pods"
 },
 "name": "bert-0",
 "namespace": "ml",
 "operation": "CONNECT",
 "userInfo": {
  "username": "test"
 },
 "subResource": "exec",
 "object": {
  "apiVersion": "v1",
  "kind": "PodExecOptions",
  "command": [
   "ls",
   "-l"
  ]
 },
 "oldObject": null
})");
}

TEST(Requests, EachSubresourceHasItsOptions) {
  const std::pair<const char*, const char*> rows[] = {
      {"attach", "PodAttachOptions"}, {"portforward", "PodPortForwardOptions"}, {"proxy", "PodProxyOptions"}};
  for (const auto& [name, kind] : rows) {
    const auto made = nlohmann::json::parse(*connectText(pod(), name, {}, {}))["request"];
    EXPECT_EQ(made["kind"]["kind"], kind);
    EXPECT_EQ(made["object"], (nlohmann::json{{"apiVersion", "v1"}, {"kind", kind}}));
  }
}

TEST(Requests, ToBindAPodCarriesABinding) {
  const auto bound = object(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: ml, uid: u-1}\nspec: {containers: [{name: "
      "main}]}\n");
  const auto made = nlohmann::json::parse(*bindText(bound, "gpu-07", {}))["request"];
  EXPECT_EQ(made["operation"], "CREATE");
  EXPECT_EQ(made["subResource"], "binding");
  EXPECT_EQ(made["kind"]["kind"], "Binding");
  EXPECT_EQ(made["resource"]["resource"], "pods");
  EXPECT_EQ(made["object"],
            (nlohmann::json{{"apiVersion", "v1"},
                            {"kind", "Binding"},
                            {"metadata", {{"name", "a"}, {"namespace", "ml"}, {"uid", "u-1"}}},
                            {"target", {{"kind", "Node"}, {"name", "gpu-07"}}}}));
}

}  // namespace
}  // namespace driftbar::cli
