// What answers /validate and /mutate, called as the front calls it.
#include "server/admission.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "inventory/file.h"

namespace driftbar::server {
namespace {

using std::chrono::steady_clock;

std::shared_ptr<const policy::PolicySet> somePolicies() {
  const auto loaded = policy::load({makeSource("policy.yaml", R"(apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: p}
spec:
  rules:
    - name: refuse
      deny: {label: team, equals: nobody}
      fix: name your team
    - name: warn
      mode: warn
      deny: {label: old, exists: true}
    - name: audit
      mode: audit
      deny: {label: seen, exists: true}
---
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: nodes}
spec:
  match: {namespaces: [steered]}
  rules:
    - name: steer
      avoidNodes: {label: drift}
)")});
  EXPECT_TRUE(loaded.set) << render(loaded.diagnostics);
  return loaded.set;
}

// An admission with the world of a test, and what it logged.
class Asked {
 public:
  explicit Asked(bool ready = true) : policies_(ready ? somePolicies() : nullptr) {}

  Reply operator()(std::string_view body, std::string_view path = "/validate",
                   std::string_view method = "POST",
                   steady_clock::time_point deadline = steady_clock::time_point::max()) {
    return *admission_.handle({method, path, "", body, steady_clock::time_point{}, deadline},
                              [] { return Resume{}; });
  }
  const std::string& log() const { return log_; }
  // Whether the metrics tell this series with this value.
  bool tells(const std::string& line) const {
    return ("\n" + metrics_.render()).find("\n" + line + "\n") != std::string::npos;
  }

 private:
  std::optional<decision::World> world() const {
    if (!policies_) return std::nullopt;
    decision::World world;
    world.policies = policies_;
    world.inventory = std::make_shared<const inventory::Snapshot>();
    return world;
  }

  std::shared_ptr<const policy::PolicySet> policies_;
  std::string log_;
  record::Metrics metrics_;
  Admission admission_{{[this] { return world(); }, [] { return Instant{}; },
                        [this](std::string_view line) { log_ += std::string(line) + "\n"; }},
                       metrics_};
};

std::string review(const std::string& object, const std::string& more = R"("name":"a","namespace":"ml",)") {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1",)"
         R"("operation":"CREATE","resource":{"group":"","version":"v1","resource":"pods"},)"
         R"("kind":{"group":"","version":"v1","kind":"Pod"},)" +
         more + R"("userInfo":{"username":"alice"},"object":)" + object + "}}";
}

std::string pod(const std::string& labels) {
  return R"({"metadata":{"name":"a","labels":)" + labels + "}}";
}

TEST(Admission, OtherPaths) {
  Asked asked;
  for (const char* path : {"/", "/validate/", "/Validate", "/metrics"}) {
    const auto reply = asked(review(pod("{}")), path);
    EXPECT_EQ(reply.status, 404U);
    EXPECT_EQ(reply.body, "there are /validate and /mutate here, both for POST\n");
  }
}

TEST(Admission, OtherMethods) {
  Asked asked;
  const auto reply = asked("", "/mutate", "GET");
  EXPECT_EQ(reply.status, 405U);
  EXPECT_EQ(reply.body, "/mutate takes POST only\n");
  ASSERT_EQ(reply.headers.size(), 1U);
  EXPECT_EQ(reply.headers[0].first + ": " + reply.headers[0].second, "Allow: POST");
}

TEST(Admission, BeforeThereIsAWorldNothingIsAnsweredAllowed) {
  Asked asked(false);
  const auto reply = asked(review(pod("{}")));
  EXPECT_EQ(reply.status, 500U);
  EXPECT_EQ(reply.body, "driftbar is not ready: policies or the inventory are not loaded yet\n");
  EXPECT_TRUE(reply.headers.empty());
}

TEST(Admission, Allowed) {
  Asked asked;
  const auto reply = asked(review(pod("{}")));
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(reply.contentType, "application/json");
  EXPECT_EQ(
      reply.body,
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":true}})");
  EXPECT_EQ(asked.log(), "");
  EXPECT_TRUE(asked.tells(R"(driftbar_verdicts_total{path="/validate",verdict="allowed"} 1)"));
}

TEST(Admission, Refused) {
  Asked asked;
  const auto reply = asked(review(pod(R"({"team":"nobody"})")));
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(
      reply.body,
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":false,"status":{"code":403,"reason":"Forbidden","message":"p/refuse: Pod \"a\": label team is \"nobody\", must not be \"nobody\"\n  fix: name your team"},"auditAnnotations":{"refused":"p/refuse: Pod \"a\": label team is \"nobody\", must not be \"nobody\""}}})");
  EXPECT_EQ(asked.log(),
            "refused Pod ml/a, asked by alice: p/refuse: Pod \"a\": label team is \"nobody\", must not be "
            "\"nobody\"\n");
  EXPECT_TRUE(asked.tells(R"(driftbar_verdicts_total{path="/validate",verdict="refused"} 1)"));
  EXPECT_TRUE(asked.tells(R"(driftbar_findings_total{rule="p/refuse",mode="enforce"} 1)"));
}

TEST(Admission, WarnedAndAuditedAreAllowedAndCounted) {
  Asked asked;
  const auto reply = asked(review(pod(R"({"old":"1","seen":"1"})")));
  EXPECT_EQ(
      reply.body,
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":true,"warnings":["p/warn: Pod \"a\": label old is \"1\", must not be there"],"auditAnnotations":{"warned":"p/warn: Pod \"a\": label old is \"1\", must not be there","audited":"p/audit: Pod \"a\": label seen is \"1\", must not be there"}}})");
  EXPECT_EQ(asked.log(), "");
  EXPECT_TRUE(asked.tells(R"(driftbar_verdicts_total{path="/validate",verdict="allowed"} 1)"));
  EXPECT_TRUE(asked.tells(R"(driftbar_findings_total{rule="p/warn",mode="warn"} 1)"));
  EXPECT_TRUE(asked.tells(R"(driftbar_findings_total{rule="p/audit",mode="audit"} 1)"));
}

TEST(Admission, AtTheDeadlineThePodIsRefusedInSoManyWords) {
  Asked asked;
  const auto reply = asked(review(pod("{}")), "/validate", "POST", steady_clock::time_point::min());
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(nlohmann::json::parse(reply.body)["response"]["status"]["message"],
            "driftbar: there was no time left to judge the request\n"
            "  fix: try again; if it stays so, driftbar is overloaded: see driftbar_requests_in_flight");
  EXPECT_TRUE(asked.tells(R"(driftbar_findings_total{rule="driftbar",mode="enforce"} 1)"));
}

// What has become of the pod is judged once, by /validate.
TEST(Admission, MutatingSteersAndRefusesNothing) {
  Asked asked;
  const auto response = nlohmann::json::parse(
      asked(review(pod(R"({"team":"nobody"})"), R"("name":"a","namespace":"steered",)"), "/mutate")
          .body)["response"];
  EXPECT_EQ(response["allowed"], true);
  EXPECT_EQ(response["patchType"], "JSONPatch");
  EXPECT_EQ(response["auditAnnotations"]["steered"], "nodes/steer");
  EXPECT_FALSE(response.contains("warnings"));
  EXPECT_TRUE(asked.tells(R"(driftbar_verdicts_total{path="/mutate",verdict="allowed"} 1)"));
}

TEST(Admission, AtTheDeadlineMutatingLeavesThePodAsItIs) {
  Asked asked;
  const auto reply = asked(review(pod("{}")), "/mutate", "POST", steady_clock::time_point::min());
  EXPECT_EQ(nlohmann::json::parse(reply.body)["response"],
            nlohmann::json::parse(R"({"uid":"u-1","allowed":true})"));
}

TEST(Admission, AtTheDeadlineWhatIsNotJudgedIsAllowed) {
  Asked asked;
  auto body = review(pod("{}"));
  body.replace(body.find("\"resource\":\"pods\""), 17, "\"resource\":\"jobs\"");
  const auto reply = asked(body, "/validate", "POST", steady_clock::time_point::min());
  EXPECT_EQ(nlohmann::json::parse(reply.body)["response"]["allowed"], true);
}

// ---- bodies that are no review

struct BadBody {
  const char* name;
  std::string body;
  const char* told;  // whole; what follows an ellipsis is simdjson's, and differs between its versions
  const char* reason;
};

void PrintTo(const BadBody& bad, std::ostream* out) {
  *out << bad.name;
}

class Bad : public testing::TestWithParam<BadBody> {};

TEST_P(Bad, IsToldInASentenceAndCounted) {
  Asked asked;
  const auto reply = asked(GetParam().body);
  EXPECT_EQ(reply.status, 400U);
  EXPECT_EQ(reply.contentType, "text/plain; charset=utf-8");
  const std::string told = GetParam().told;
  if (told.ends_with("…")) {
    EXPECT_EQ(reply.body.substr(0, told.find("…")), told.substr(0, told.find("…")));
    EXPECT_EQ(reply.body.find('\n'), reply.body.size() - 1);
  } else {
    EXPECT_EQ(reply.body, told);
  }
  EXPECT_TRUE(
      asked.tells("driftbar_bad_requests_total{reason=\"" + std::string(GetParam().reason) + "\"} 1"));
  EXPECT_FALSE(asked.tells(R"(driftbar_verdicts_total{path="/validate",verdict="allowed"} 1)"));
}

std::string deep(int levels) {
  return review(R"({"metadata":)" + std::string(static_cast<std::size_t>(levels), '[') +
                std::string(static_cast<std::size_t>(levels), ']') + "}");
}

const std::string kEnvelope = R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":)";

const BadBody kBad[] = {
    {"Empty", "", "there is no JSON: the text is empty\n", "json-empty"},
    {"NotJson", "kind: AdmissionReview", "not valid JSON: …", "json-syntax"},
    {"CutShort", review("{}").substr(0, 60), "not valid JSON: …", "json-syntax"},
    {"MoreAfterIt", review("{}") + "{}", "not valid JSON: …", "json-syntax"},
    {"AList", "[]", "not an AdmissionReview, but JSON that is no map\n", "not-a-review"},
    {"NoKind", "{}", "kind: not an AdmissionReview: the key `kind` is missing\n", "not-a-review"},
    {"APod", R"({"apiVersion":"v1","kind":"Pod"})", "kind: not an AdmissionReview, but \"Pod\"\n",
     "not-a-review"},
    {"V1beta1", R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"})",
     "apiVersion: an AdmissionReview of v1beta1, and only v1 is understood\n", "review-version"},
    {"V2", R"({"apiVersion":"admission.k8s.io/v2","kind":"AdmissionReview"})",
     "apiVersion: an AdmissionReview of version \"admission.k8s.io/v2\", and only admission.k8s.io/v1 is "
     "understood\n",
     "review-version"},
    {"NoRequest", R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"})",
     "request: the AdmissionReview has no request\n", "no-request"},
    {"NothingInTheRequest", kEnvelope + "{}}",
     "request.uid: the request has no uid; request.operation: the operation is \"\", and must be CREATE, "
     "UPDATE, DELETE or CONNECT; request.resource.resource: the request names no resource\n",
     "no-uid"},
    {"UidIsANumber", kEnvelope + R"({"uid":7,"operation":"CREATE","resource":{"resource":"pods"}}})",
     "request.uid: the request has no uid\n", "no-uid"},
    {"OperationInLowerCase",
     kEnvelope + R"({"uid":"u","operation":"create","resource":{"resource":"pods"}}})",
     "request.operation: the operation is \"create\", and must be CREATE, UPDATE, DELETE or CONNECT\n",
     "review-operation"},
    {"ObjectIsAList", review("[]"), "request.object: the object is no map\n", "review-object"},
    {"AKeyTwice", review(R"({"metadata":{"name":"a"},"metadata":{"name":"b"}})"),
     "request.object.metadata: the key \"metadata\" stands twice in one map\n", "duplicate-key"},
    {"TooDeep", deep(250), "the JSON nests deeper than 200 levels\n", "json-too-deep"},
    {"MuchTooDeep", deep(100'000), "the JSON nests deeper than 200 levels\n", "json-too-deep"},
    {"ANumberPast64Bits", review(R"({"spec":{"priority":99999999999999999999}})"),
     "a number in the JSON is malformed or does not fit in 64 bits\n", "json-number"},
    {"NotUtf8", review("{\"metadata\":{\"name\":\"\xff\"}}"), "the JSON is not valid UTF-8\n",
     "json-not-utf8"},
    {"ALineBreakInAText", review("{\"metadata\":{\"name\":\"\n\"}}"), "not valid JSON: …", "json-syntax"},
};

INSTANTIATE_TEST_SUITE_P(Bodies, Bad, testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

// ---- what clients may put into names

struct Hostile {
  const char* name;
  const char* text;  // as JSON
};

TEST(Admission, HostileNamesGiveValidJsonAndNothingRaw) {
  const Hostile rows[] = {{"Escape", R"(\u001b[31mred)"},
                          {"LineBreak", R"(a\nallowed: true)"},
                          {"Quote", R"(\"},\"allowed\":true)"},
                          {"Override", R"(\u202egnp)"},
                          {"C1", R"(\u009b31m)"},
                          {"Nul", R"(a\u0000b)"},
                          {"Backslash", R"(\\)"},
                          {"Separator", R"(\u2028)"},
                          {"Astral", R"(\ud83d\ude00)"}};
  for (const auto& [name, text] : rows) {
    SCOPED_TRACE(name);
    const std::string word = text;
    Asked asked;
    auto body = review(R"({"metadata":{"name":")" + word + R"(","namespace":")" + word +
                           R"(","labels":{"team":"nobody","old":")" + word + R"("}}})",
                       R"("name":")" + word + R"(","namespace":")" + word + "\",");
    body.replace(body.find("alice"), 5, word);
    const auto reply = asked(body);
    ASSERT_EQ(reply.status, 200U) << reply.body;
    EXPECT_EQ(printable(reply.body), reply.body);
    const auto response = nlohmann::json::parse(reply.body)["response"];
    EXPECT_EQ(response["allowed"], false);
    EXPECT_EQ(response["uid"], "u-1");
    // The first line is ours, so nobody can write a line of their own into it.
    const std::string message = response["status"]["message"];
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_EQ(printable(line), line);
      EXPECT_TRUE(line.starts_with("p/refuse: ") || line.starts_with("  ")) << line;
    }
    for (const std::string warning : response["warnings"]) EXPECT_EQ(printable(warning), warning);
    const auto log = asked.log();
    EXPECT_EQ(printable(log), log.substr(0, log.size() - 1) + "\\n") << "one line, and printable";
  }
}

}  // namespace
}  // namespace driftbar::server
