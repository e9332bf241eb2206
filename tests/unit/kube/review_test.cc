#include "kube/review.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"

namespace driftbar::kube {
namespace {

constexpr char kCreate[] = R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{
  "uid":"u-1","kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},
  "subResource":"resize","requestKind":{"group":"","version":"v1","kind":"Pod"},"name":"bert-0","namespace":"ml",
  "operation":"CREATE","userInfo":{"username":"alice","uid":"7","groups":["ml","system:authenticated"]},
  "object":{"kind":"Pod","metadata":{"name":"bert-0"}},"oldObject":null,"dryRun":true,"options":{"kind":"CreateOptions"}}})";

TEST(Review, IsRead) {
  const auto review = Review::parse(kCreate);
  ASSERT_TRUE(review.ok()) << render(review.errors());
  const Request& request = review->request();
  EXPECT_EQ(request.uid, "u-1");
  EXPECT_EQ(request.kind.kind, "Pod");
  EXPECT_EQ(request.kind.version, "v1");
  EXPECT_EQ(request.resource.resource, "pods");
  EXPECT_EQ(request.subResource, "resize");
  EXPECT_EQ(request.name, "bert-0");
  EXPECT_EQ(request.ns, "ml");
  EXPECT_EQ(request.operation, Operation::kCreate);
  EXPECT_EQ(request.user.name, "alice");
  EXPECT_TRUE(request.user.inGroup("ml"));
  EXPECT_FALSE(request.user.inGroup("system:nodes"));
  EXPECT_TRUE(request.dryRun);
  EXPECT_EQ(request.subject()["metadata"]["name"].text(), "bert-0");
  EXPECT_FALSE(request.oldObject.exists());
  EXPECT_EQ(request.options["kind"].text(), "CreateOptions");
  EXPECT_EQ(request.root["requestKind"]["kind"].text(), "Pod");
}

TEST(Review, OfADeleteIsAboutTheOldObject) {
  const auto review =
      Review::parse(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{
    "uid":"u","resource":{"version":"v1","resource":"pods"},"operation":"DELETE","name":"","object":null,
    "oldObject":{"metadata":{"name":"bert-0"}}}})");
  ASSERT_TRUE(review.ok());
  EXPECT_EQ(toString(review->request().operation), "delete");
  EXPECT_EQ(review->request().name, "");
  EXPECT_EQ(review->request().subject()["metadata"]["name"].text(), "bert-0");
}

TEST(Review, StaysValidWhenMoved) {
  auto review = Review::parse(kCreate);
  ASSERT_TRUE(review.ok());
  const Review moved = std::move(review).value();
  EXPECT_EQ(moved.request().user.groups[0], "ml");
}

struct BadRow {
  const char* name;
  const char* body;
  const char* shown;
};

#define HEAD R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview")"
#define GOOD R"("uid":"u","resource":{"resource":"pods"},"operation":"CREATE")"

constexpr BadRow kBad[] = {
    {"Empty", "", "error: there is no JSON: the text is empty [json-empty]\n"},
    {"NoMap", "[]",
     "error: not an AdmissionReview, but JSON that is no map [not-a-review]\n"
     "  help: this endpoint takes what a Kubernetes API server posts to a webhook\n"},
    {"APod", R"({"apiVersion":"v1","kind":"Pod"})",
     "kind: error: not an AdmissionReview, but \"Pod\" [not-a-review]\n"
     "  help: this endpoint takes what a Kubernetes API server posts to a webhook\n"},
    {"NoKind", "{}",
     "kind: error: not an AdmissionReview: the key `kind` is missing [not-a-review]\n"
     "  help: this endpoint takes what a Kubernetes API server posts to a webhook\n"},
    {"V1beta1", R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"})",
     "apiVersion: error: an AdmissionReview of v1beta1, and only v1 is understood [review-version]\n"
     "  help: write `admissionReviewVersions: [v1]` in the webhook configuration\n"},
    {"OtherVersion", R"({"apiVersion":"v1","kind":"AdmissionReview"})",
     "apiVersion: error: an AdmissionReview of version \"v1\", and only admission.k8s.io/v1 is understood "
     "[review-version]\n"},
    {"NoRequest", HEAD "}", "request: error: the AdmissionReview has no request [no-request]\n"},
    {"AllAtOnce", HEAD R"(,"request":{"uid":7,"operation":"PATCH","object":[],"oldObject":"x"}})",
     "request.uid: error: the request has no uid [no-uid]\n"
     "request.operation: error: the operation is \"PATCH\", and must be CREATE, UPDATE, DELETE or CONNECT "
     "[review-operation]\n"
     "request.resource.resource: error: the request names no resource [no-resource]\n"
     "request.object: error: the object is no map [review-object]\n"
     "request.oldObject: error: the object is no map [review-object]\n"},
    {"DuplicateUid", HEAD R"(,"request":{"uid":"a","uid":"b"}})",
     "request.uid: error: the key \"uid\" stands twice in one map [duplicate-key]\n"},
    {"NumberPast64Bits", HEAD R"(,"request":{)" GOOD R"(,"object":{"n":18446744073709551616}}})",
     "error: a number in the JSON is malformed or does not fit in 64 bits [json-number]\n"},
    {"ControlCharacters", R"({"kind":"\u001b[31mPod\n"})",
     "kind: error: not an AdmissionReview, but \"\\x1b[31mPod\\n\" [not-a-review]\n"
     "  help: this endpoint takes what a Kubernetes API server posts to a webhook\n"},
};

class Bad : public testing::TestWithParam<BadRow> {};

TEST_P(Bad, IsRefusedInWords) {
  const auto review = Review::parse(GetParam().body);
  ASSERT_FALSE(review.ok());
  EXPECT_EQ(render(review.errors()), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(Review, Bad, testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

TEST(Answer, OfARefusal) {
  Response response;
  response.uid = "u-1";
  response.message = "training-nodes/drifted: Pod \"bert-0\"\n  gpu-07  rdma critical\n";
  response.patch = "[]";
  EXPECT_EQ(
      answer(response),
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":false,)"
      R"("status":{"code":403,"reason":"Forbidden","message":"training-nodes/drifted: Pod \"bert-0\"\n)"
      R"(  gpu-07  rdma critical"}}})");
}

TEST(Answer, OfAPassHasNothingButTheUid) {
  Response response;
  response.uid = "u-1";
  response.allowed = true;
  EXPECT_EQ(
      answer(response),
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":true}})");
}

TEST(Answer, CarriesAPatchInBase64) {
  const std::pair<const char*, const char*> rows[] = {{R"([{"op":"add"}])", "W3sib3AiOiJhZGQifV0="},
                                                      {"[]", "W10="},
                                                      {"[ ]", "WyBd"},
                                                      {"[\xc3\xbf]", "W8O/XQ=="}};
  for (const auto& [patch, encoded] : rows) {
    Response response;
    response.allowed = true;
    response.patch = patch;
    const auto made = nlohmann::json::parse(answer(response))["response"];
    EXPECT_EQ(made["patchType"], "JSONPatch");
    EXPECT_EQ(made["patch"], encoded);
  }
}

TEST(Answer, ShowsNothingRawToATerminal) {
  Response response;
  response.uid = "u\xff";
  response.message = "Pod \"\x1b[31m\xff\"\n\tat\r";
  response.warnings = {"a\nb\x07", "\xff"};
  response.auditAnnotations = {{"rule", "x\x1b"}};
  const auto made = nlohmann::json::parse(answer(response))["response"];
  EXPECT_EQ(made["status"]["message"], "Pod \"\\x1b[31m\\xff\"\n\\tat\\r");
  EXPECT_EQ(made["warnings"], (nlohmann::json{"a\\nb\\x07", "\\xff"}));
  EXPECT_EQ(made["auditAnnotations"]["rule"], "x\\x1b");
}

TEST(Answer, SaysAWarningOnceAndNoEmptyOne) {
  Response response;
  response.warnings = {"a", "b", "a", ""};
  EXPECT_EQ(nlohmann::json::parse(answer(response))["response"]["warnings"], (nlohmann::json{"a", "b"}));
}

TEST(Answer, KeepsWarningsWithinTheApiServersLimits) {
  Response response;
  for (int i = 0; i < 40; ++i)
    response.warnings.push_back(std::to_string(i) + std::string(300, 'x') + "\u00fc");
  const auto warnings = nlohmann::json::parse(answer(response))["response"]["warnings"];
  std::size_t total = 0;
  for (const std::string warning : warnings) {
    EXPECT_LE(characters(warning), 256U);
    total += characters(warning);
  }
  EXPECT_LE(total, 4096U);
  EXPECT_EQ(warnings.size(), 16U);
  EXPECT_EQ(warnings.back(), "and 25 more warnings");
}

TEST(Answer, SendsAsManyWarningsAsFitExactly) {
  Response response;
  for (int i = 0; i < 16; ++i)
    response.warnings.push_back(std::string(255, 'x') + static_cast<char>('a' + i));
  const auto warnings = nlohmann::json::parse(answer(response))["response"]["warnings"];
  EXPECT_EQ(warnings.size(), 16U);
  EXPECT_EQ(warnings.back(), std::string(255, 'x') + "p");
}

TEST(Answer, MakesAnnotationKeysThatTheApiServerKeeps) {
  Response response;
  response.auditAnnotations = {{"training-nodes/drifted", "a"}, {"-x-", "b"}, {"///", "c"},
                               {std::string(70, 'k'), "d"},     {"x", "e"},   {"p\xc3\xbcx", "f"}};
  const auto made = nlohmann::json::parse(answer(response))["response"]["auditAnnotations"];
  EXPECT_EQ(made,
            (nlohmann::json{
                {"training-nodes_drifted", "a"}, {"x", "b"}, {std::string(63, 'k'), "d"}, {"p__x", "f"}}));
}

}  // namespace
}  // namespace driftbar::kube
