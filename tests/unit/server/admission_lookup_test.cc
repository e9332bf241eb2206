// What answers /validate where judging needs more than the review and the world have.
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "served.h"
#include "server/admission.h"
#include "server/counted_lookups.h"
#include "tests/support/lookup_twins.h"

namespace driftbar::server {
namespace {

using decision::Answer;
using decision::Found;
using decision::Need;
using std::chrono::steady_clock;
using testing::HasSubstr;

std::string exec(const std::string& pod) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1",)"
         R"("operation":"CONNECT","resource":{"group":"","version":"v1","resource":"pods"},)"
         R"("subResource":"exec","kind":{"group":"","version":"v1","kind":"PodExecOptions"},)"
         R"("name":")" +
         pod + R"(","namespace":"ml","userInfo":{"username":"alice"},"object":{"kind":"PodExecOptions"}}})";
}

Need podOf(const kube::Request& request) {
  return Need::pod(request.ns, request.name);
}

// Refuses, and says what it knows of the pod: the judgement that these tests look through.
decision::Verdict tell(const kube::Request& request, const Found& found) {
  decision::Verdict verdict;
  const auto* pod = found.answer(podOf(request));
  std::string known = pod == nullptr ? "never looked up" : std::string(toString(*pod));
  if (pod != nullptr && pod->isObject())
    known += ", labelled " + std::string(pod->object()["metadata"]["labels"]["team"].text());
  if (pod != nullptr && pod->state() == Answer::State::kNone) known += ": " + pod->reason();
  if (pod == nullptr && request.subResource == "exec") verdict.needs.push_back(podOf(request));
  verdict.refused.push_back({"p/tells", known, {}, 0, {}, {}});
  return verdict;
}

std::shared_ptr<const policy::PolicySet> somePolicies() {
  const auto loaded = policy::load({makeSource("policy.yaml", R"(apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: p}
spec:
  match: {resources: [pods/exec]}
  rules:
    - name: tells
      deny: {label: team, equals: red}
---
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: research}
spec:
  match: {namespaceSelector: {matchLabels: {team: research}}}
  rules:
    - name: cost-center
      require: {label: cost-center}
)")});
  EXPECT_TRUE(loaded.set) << render(loaded.diagnostics);
  return loaded.set;
}

class Asked {
 public:
  explicit Asked(bool byPolicies = false) {
    memory_.put(Need::pod("ml", "a"), R"({"metadata":{"name":"a","labels":{"team":"red"}}})");
    decision::World world;
    world.policies = somePolicies();
    Admission::Surroundings surroundings{[world] { return std::optional(world); }, [] { return Instant{}; }};
    surroundings.lookup = &lookup_;
    if (!byPolicies)
      surroundings.judge = [this](const auto& request, const auto&, const auto& found, Instant) {
        ++judged_;
        return tell(request, found);
      };
    admission_.emplace(std::move(surroundings), metrics_);
  }

  // The reply, however it came; `byItself` tells whether it came at once.
  Reply operator()(const std::string& body,
                   steady_clock::time_point deadline = steady_clock::now() + std::chrono::minutes(1)) {
    std::promise<Reply> promise;
    const Later later = [&]() -> Resume {
      byItself_ = false;
      return [&](const std::function<Reply()>& answering) { promise.set_value(answering()); };
    };
    byItself_ = true;
    const Request request{"POST", "/validate", "", body, steady_clock::time_point{}, deadline};
    if (auto reply = admission_->handle(request, later)) return *reply;
    return promise.get_future().get();
  }

  bool byItself() const { return byItself_; }
  int judged() const { return judged_; }
  test::MemorySource& memory() { return memory_; }
  test::FaultySource& faulty() { return faulty_; }
  lookup::Lookup& lookup() { return lookup_; }
  Admission& admission() { return *admission_; }
  bool tells(const std::string& line) const {
    return ("\n" + metrics_.render()).find("\n" + line + "\n") != std::string::npos;
  }

 private:
  test::MemorySource memory_;
  test::FaultySource faulty_{memory_};
  record::Metrics metrics_;
  lookup::Lookup lookup_{faulty_, counted({}, metrics_)};
  std::optional<Admission> admission_;
  std::atomic<int> judged_{0};
  bool byItself_ = false;
};

TEST(AdmissionLookUp, JudgesByWhatWasFound) {
  Asked asked;
  EXPECT_THAT(asked(exec("a")).body, HasSubstr("p/tells: found, labelled red"));
  EXPECT_FALSE(asked.byItself());
  EXPECT_THAT(asked(exec("b")).body, HasSubstr("p/tells: not-found"));
  EXPECT_TRUE(asked.tells(R"(driftbar_lookups_total{kind="pod",result="found"} 1)"));
  EXPECT_TRUE(asked.tells(R"(driftbar_lookups_total{kind="pod",result="not-found"} 1)"));
  EXPECT_TRUE(asked.tells(R"(driftbar_lookup_duration_seconds_count{kind="pod"} 2)"));
  EXPECT_TRUE(asked.tells(R"(driftbar_verdicts_total{path="/validate",verdict="refused"} 2)"));
}

TEST(AdmissionLookUp, WithNothingNeededAnswersAtOnce) {
  Asked asked;
  auto evict = exec("a");
  evict.replace(evict.find("exec"), 4, "status");
  EXPECT_THAT(asked(evict).body, HasSubstr("p/tells: never looked up"));
  EXPECT_TRUE(asked.byItself());
  EXPECT_EQ(asked.judged(), 1);
  EXPECT_TRUE(asked.memory().asked().empty());
}

TEST(AdmissionLookUp, NoAnswerIsJudgedToo) {
  Asked asked;
  asked.faulty().failNext("a", Answer::none(Answer::Silence::kForbidden, "permission is missing"));
  EXPECT_THAT(asked(exec("a")).body, HasSubstr("p/tells: forbidden: permission is missing"));
}

TEST(AdmissionLookUp, ASourceThatHangsLeavesTimeToAnswer) {
  Asked asked;
  asked.faulty().hold("a");
  const auto deadline = steady_clock::now() + std::chrono::seconds(2);
  EXPECT_THAT(asked(exec("a"), deadline).body, HasSubstr("p/tells: late: there was no answer in time"));
}

TEST(AdmissionLookUp, WhereNobodyWaitsAnyMoreNothingIsLookedUp) {
  Asked asked;
  EXPECT_EQ(asked(exec("a"), steady_clock::time_point{}).status, 200U);
  EXPECT_TRUE(asked.byItself());
  EXPECT_EQ(asked.judged(), 0);
}

TEST(AdmissionLookUp, AfterTheLookUpsHaveStoppedThereIsAnAnswer) {
  Asked asked;
  asked.lookup().stop();
  EXPECT_THAT(asked(exec("a")).body, HasSubstr("p/tells: stopped: driftbar is being stopped"));
}

TEST(AdmissionLookUp, ByPolicies) {
  Asked asked(true);
  EXPECT_THAT(asked(exec("a")).body, HasSubstr(R"("message":"p/tells: )"));
  EXPECT_FALSE(asked.byItself());
  asked.memory().put(Need::pod("ml", "blue"), R"({"metadata":{"name":"blue","labels":{"team":"blue"}}})");
  EXPECT_THAT(asked(exec("blue")).body, HasSubstr(R"("allowed":true})"));
  EXPECT_THAT(asked(exec("gone")).body, HasSubstr(R"("allowed":true,"warnings":["p/tells: )"));
}

std::string create(const std::string& kind, const std::string& ns, const std::string& labels = "{}") {
  const std::string resource = kind == "Pod" ? "pods" : "namespaces";
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1",)"
         R"("operation":"CREATE","resource":{"group":"","version":"v1","resource":")" +
         resource + R"("},"kind":{"group":"","version":"v1","kind":")" + kind +
         R"("},"name":"x","namespace":")" + ns + R"(","userInfo":{"username":"alice"},"object":{"kind":")" +
         kind + R"(","metadata":{"name":"x","labels":)" + labels + "}}}}";
}

TEST(AdmissionLookUp, OfANamespaceThatWasMadeAMomentAgo) {
  Asked asked(true);
  asked.memory().put(Need::nameSpace("new"), R"({"metadata":{"name":"new","labels":{"team":"research"}}})");
  asked.memory().put(Need::nameSpace("shop"), R"({"metadata":{"name":"shop"}})");
  const std::string refusal =
      R"("message":"research/cost-center: Pod \"x\": label cost-center is missing, must be there)";
  EXPECT_THAT(asked(create("Pod", "new")).body, HasSubstr(refusal + "\""));
  EXPECT_FALSE(asked.byItself());
  EXPECT_THAT(asked(create("Pod", "new", R"({"cost-center":"a"})")).body, HasSubstr(R"("allowed":true})"));
  EXPECT_EQ(asked.memory().asked(), std::vector<std::string>{"Namespace new"}) << "it serves for the next";
  EXPECT_THAT(asked(create("Pod", "shop")).body, HasSubstr(R"("allowed":true})"));
  EXPECT_THAT(asked(create("Pod", "gone")).body,
              HasSubstr(refusal + R"(\n  whether the rule is meant for it cannot be told: )"
                                  R"(namespace \"gone\" was not found")"));
  asked.faulty().failNext("mute", Answer::none(Answer::Silence::kFailed, "the API server did not answer"));
  EXPECT_THAT(asked(create("Pod", "mute")).body,
              HasSubstr(R"(cannot be told: namespace \"mute\" could not be read: )"
                        R"(the API server did not answer")"));
  EXPECT_TRUE(asked.tells(R"(driftbar_lookups_total{kind="namespace",result="not-found"} 1)"));
  EXPECT_TRUE(asked.tells(R"(driftbar_lookups_total{kind="namespace",result="failed"} 1)"));
}

TEST(AdmissionLookUp, OfANamespaceNeverForItself) {
  Asked asked(true);
  EXPECT_THAT(asked(create("Namespace", "x")).body, HasSubstr(R"("allowed":true})"));
  EXPECT_TRUE(asked.byItself());
  EXPECT_TRUE(asked.memory().asked().empty());
}

TEST(AdmissionLookUp, OnARealPort) {
  Asked asked;
  Served served(Served::Answering(
      [&](const Request& request, const Later& later) { return asked.admission().handle(request, later); }));
  asked.faulty().hold("a");
  Wire slow(served.port()), quick(served.port());
  slow.send(post("/validate?timeout=30s", exec("a")));
  asked.faulty().awaitHeld(1);
  EXPECT_THAT(quick.ask(post("/validate", exec("b")))->body, HasSubstr("p/tells: not-found"));
  asked.faulty().release("a");
  EXPECT_THAT(slow.answer()->body, HasSubstr("p/tells: found, labelled red"));
  EXPECT_THAT(slow.ask(post("/validate", exec("a")))->body, HasSubstr("p/tells: found, labelled red"));
}

}  // namespace
}  // namespace driftbar::server
