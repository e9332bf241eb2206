#include "cluster/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/unit/cluster/fake_access.h"

namespace driftbar::cluster {
namespace {

using decision::Answer;
using decision::Need;
using test::eventually;
using test::FakeApiServer;
using testing::ElementsAre;

// Longer than any answer takes, so that only what is to run out of time does.
constexpr Duration kLong = std::chrono::seconds(30);

std::string result(const Answer& answer) {
  std::string out(toString(answer));
  if (answer.state() == Answer::State::kNone) out += ": " + answer.reason();
  return out;
}

Need owner(const std::string& group, const std::string& version, const std::string& kind,
           const std::string& name) {
  return {Need::Kind::kOwner, group, version, kind, "ml", name, "u-1"};
}

TEST(Objects, ReadsKindsOfKubernetesOwnByOneGet) {
  FakeApiServer server;
  server.putAt("/api/v1/namespaces/ml/pods/a", R"({"metadata":{"name":"a","uid":"u-1"}})");
  server.putAt("/api/v1/nodes/gpu-01", R"({"metadata":{"name":"gpu-01"}})");
  server.putAt("/api/v1/namespaces/ml", R"({"metadata":{"name":"ml"}})");
  server.putAt("/apis/apps/v1/namespaces/ml/replicasets/web-7", R"({"metadata":{"name":"web-7"}})");
  server.putAt("/apis/batch/v1/namespaces/ml/jobs/train", R"({"metadata":{"name":"train"}})");
  Objects objects(accessTo(server));
  const auto pod = objects.fetch(Need::pod("ml", "a"), kLong);
  EXPECT_EQ(pod.object()["metadata"]["uid"].text(), "u-1");
  EXPECT_GT(pod.bytes(), 0u);
  EXPECT_EQ(result(objects.fetch(Need::node("gpu-01"), kLong)), "found");
  EXPECT_EQ(result(objects.fetch(Need::nameSpace("ml"), kLong)), "found");
  EXPECT_EQ(result(objects.fetch(Need::nameSpace("prod"), kLong)), "not-found");
  EXPECT_EQ(result(objects.fetch(owner("apps", "v1", "ReplicaSet", "web-7"), kLong)), "found");
  EXPECT_EQ(result(objects.fetch(owner("batch", "v1beta1", "Job", "train"), kLong)), "found")
      << "whatever version a reference names";
  EXPECT_EQ(result(objects.fetch(Need::pod("ml", "b"), kLong)), "not-found");
  EXPECT_EQ(server.askedPaths().size(), 7u);
  EXPECT_EQ(server.connections(), 1u) << "one after the other needs one connection";
}

constexpr const char* kJobSets =
    R"({"kind":"APIResourceList","groupVersion":"jobset.x-k8s.io/v1alpha2","resources":[)"
    R"({"name":"jobsets","singularName":"jobset","namespaced":true,"kind":"JobSet","verbs":["get"]},)"
    R"({"name":"jobsets/status","namespaced":true,"kind":"JobSet","verbs":["get"]}]})";
constexpr const char* kJobSetPath = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/ml/jobsets/train";

class Time {
 public:
  ObjectsOptions options() {
    ObjectsOptions out;
    out.now = [this] { return lookup::Time(std::chrono::minutes(minutes_.load())); };
    return out;
  }
  void advance(int minutes) { minutes_ += minutes; }

 private:
  std::atomic<int> minutes_{100};
};

TEST(Objects, AsksForTheResourcesOfAGroupOnce) {
  FakeApiServer server;
  server.putAt("/apis/jobset.x-k8s.io/v1alpha2", kJobSets);
  server.putAt(kJobSetPath, R"({"metadata":{"name":"train"}})");
  Time time;
  Objects objects(accessTo(server), time.options());
  const auto jobSet = owner("jobset.x-k8s.io", "v1alpha2", "JobSet", "train");
  EXPECT_EQ(result(objects.fetch(jobSet, kLong)), "found");
  EXPECT_EQ(result(objects.fetch(jobSet, kLong)), "found");
  EXPECT_THAT(server.askedPaths(), ElementsAre("/apis/jobset.x-k8s.io/v1alpha2", kJobSetPath, kJobSetPath));
  time.advance(10);
  EXPECT_EQ(result(objects.fetch(jobSet, kLong)), "found");
  EXPECT_EQ(server.askedPaths().size(), 5u) << "and anew when it has got old";
}

TEST(Objects, AVersionThatIsNotServedLeadsToThePreferredOne) {
  FakeApiServer server;
  server.putAt("/apis/jobset.x-k8s.io", R"({"kind":"APIGroup","preferredVersion":{"version":"v1alpha2"}})");
  server.putAt("/apis/jobset.x-k8s.io/v1alpha2", kJobSets);
  server.putAt(kJobSetPath, R"({"metadata":{"name":"train"}})");
  Objects objects(accessTo(server));
  EXPECT_EQ(result(objects.fetch(owner("jobset.x-k8s.io", "v1alpha1", "JobSet", "train"), kLong)), "found");
  EXPECT_EQ(result(objects.fetch(owner("jobset.x-k8s.io", "", "JobSet", "train"), kLong)), "found")
      << "none is named";
}

TEST(Objects, AClusterScopedOneIsReadWithoutTheNamespaceOfWhoNamesIt) {
  FakeApiServer server;
  server.putAt("/apis/example.com/v1",
               R"({"resources":[{"name":"fleets","namespaced":false,"kind":"Fleet"}]})");
  server.putAt("/apis/example.com/v1/fleets/f", R"({"metadata":{"name":"f"}})");
  Objects objects(accessTo(server));
  EXPECT_EQ(result(objects.fetch(owner("example.com", "v1", "Fleet", "f"), kLong)), "found");
}

TEST(Objects, AKindThatNobodyServesIsNotFoundUntilItIsInstalled) {
  FakeApiServer server;
  Time time;
  Objects objects(accessTo(server), time.options());
  const auto jobSet = owner("jobset.x-k8s.io", "v1alpha2", "JobSet", "train");
  EXPECT_EQ(result(objects.fetch(jobSet, kLong)), "not-found");
  server.putAt("/apis/jobset.x-k8s.io/v1alpha2", kJobSets);
  server.putAt(kJobSetPath, R"({"metadata":{"name":"train"}})");
  time.advance(1);
  EXPECT_EQ(result(objects.fetch(jobSet, kLong)), "found");
}

TEST(Objects, WhatIsNoNameNeverGetsIntoAPath) {
  FakeApiServer server;
  Objects objects(accessTo(server));
  const Need rows[] = {
      owner("apps", "v1", "ReplicaSet", "../secrets/token"),
      owner("apps", "v1", "ReplicaSet", ".."),
      owner("apps", "v1", "ReplicaSet", "%2e%2e"),
      owner("apps", "v1", "ReplicaSet", ""),
      owner("apps", "v1", "ReplicaSet", std::string(254, 'a')),
      owner("../api", "v1", "Thing", "a"),
      owner("a/../b", "", "Thing", "a"),
      owner("..", "v1", "Thing", "a"),
      owner("", "v1", "Secret", "a"),
      Need::pod("../kube-system", "a"),
      Need::pod("", "a"),
  };
  for (const auto& need : rows) EXPECT_EQ(result(objects.fetch(need, kLong)), "not-found") << shown(need);
  EXPECT_THAT(server.askedPaths(), ElementsAre());
  EXPECT_EQ(result(objects.fetch(owner("example.com", "../../v1", "Thing", "a"), kLong)), "not-found");
  EXPECT_EQ(result(objects.fetch(Need::pod("ml", "a b?c#d&e"), kLong)), "not-found");
  EXPECT_THAT(server.askedPaths(),
              ElementsAre("/apis/example.com", "/api/v1/namespaces/ml/pods/a%20b%3Fc%23d%26e"));
}

TEST(Objects, WhatTheServerAnswersInsteadIsNoAnswerInWords) {
  FakeApiServer server;
  Objects objects(accessTo(server));
  const std::string pod = "/api/v1/namespaces/ml/pods/a";
  const std::pair<FakeApiServer::Answer, const char*> rows[] = {
      {{403, R"({"kind":"Status","message":"pods \"a\" is forbidden: User \"system:serviceaccount:x:y\""})",
        ""},
       "forbidden: permission is missing: the role of driftbar needs the verb get on pods"},
      {{401, "", ""}, "failed: the API server does not accept our credentials"},
      {{429, "", "1"}, "failed: the API server is overloaded"},
      {{500, "", ""}, "failed: the API server answered 500"},
      {{302, "", ""}, "failed: the API server answered 302"},
      {{200, "<html>", ""}, "failed: the API server's answer is no object"},
      {{200, "[]", ""}, "failed: the API server's answer is no object"},
  };
  for (const auto& [answer, words] : rows) {
    server.answerNextAt(pod, answer);
    EXPECT_EQ(result(objects.fetch(Need::pod("ml", "a"), kLong)), words);
  }
}

TEST(Objects, SaysWhichRightIsMissingByGroup) {
  FakeApiServer server;
  Objects objects(accessTo(server));
  server.answerNextAt("/apis/apps/v1/namespaces/ml/replicasets/r", {403, "", ""});
  EXPECT_EQ(result(objects.fetch(owner("apps", "v1", "ReplicaSet", "r"), kLong)),
            "forbidden: permission is missing: the role of driftbar needs the verb get on replicasets.apps");
  server.answerNextAt("/apis/example.com/v1", {403, "", ""});
  EXPECT_EQ(
      result(objects.fetch(owner("example.com", "v1", "Thing", "a"), kLong)),
      "forbidden: permission is missing: the role of driftbar needs the verb get on the API's discovery "
      "(the ClusterRole system:discovery has it)");
  server.putAt("/apis/example.com/v1",
               R"({"resources":[{"name":"things","kind":"Thing","namespaced":true}]})");
  EXPECT_EQ(result(objects.fetch(owner("example.com", "v1", "Thing", "a"), kLong)), "not-found")
      << "that it could not be told is not kept";
}

TEST(Objects, AServerThatHangsIsGivenUp) {
  FakeApiServer server;
  const std::string pod = "/api/v1/namespaces/ml/pods/a";
  server.putAt(pod, R"({"metadata":{"name":"a"}})");
  server.hold(pod);
  Objects objects(accessTo(server));
  EXPECT_EQ(result(objects.fetch(Need::pod("ml", "a"), Duration(300))),
            "failed: the API server did not answer");
  server.release(pod);
  EXPECT_EQ(result(objects.fetch(Need::pod("ml", "a"), kLong)), "found") << "the next has its own time";
}

TEST(Objects, AServerThatIsNotThereIsNoAnswer) {
  Access access;
  {
    FakeApiServer server;
    access = accessTo(server);
  }
  Objects objects(access);
  EXPECT_EQ(result(objects.fetch(Need::pod("ml", "a"), kLong)), "failed: the API server did not answer");
}

TEST(Objects, SeveralAtOnceHaveAConnectionEach) {
  FakeApiServer server;
  for (const char* name : {"a", "b"}) {
    const std::string path = std::string("/api/v1/namespaces/ml/pods/") + name;
    server.putAt(path, R"({"metadata":{}})");
    server.hold(path);
  }
  Objects objects(accessTo(server));
  std::string one, two;
  std::thread first([&] { one = result(objects.fetch(Need::pod("ml", "a"), kLong)); });
  std::thread second([&] { two = result(objects.fetch(Need::pod("ml", "b"), kLong)); });
  EXPECT_TRUE(eventually([&] { return server.askedPaths().size() == 2; }));
  server.release("/api/v1/namespaces/ml/pods/a");
  server.release("/api/v1/namespaces/ml/pods/b");
  first.join();
  second.join();
  EXPECT_EQ(one, "found");
  EXPECT_EQ(two, "found");
  EXPECT_EQ(server.connections(), 2u);
}

TEST(Objects, StopEndsWhatIsUnderWayAndAllThatComesLater) {
  FakeApiServer server;
  const std::string pod = "/api/v1/namespaces/ml/pods/a";
  server.hold(pod);
  Objects objects(accessTo(server));
  std::string outcome;
  std::thread reader([&] { outcome = result(objects.fetch(Need::pod("ml", "a"), kLong)); });
  EXPECT_TRUE(eventually([&] { return server.askedPaths().size() == 1; }));
  objects.stop();
  reader.join();
  EXPECT_EQ(outcome, "stopped: driftbar is being stopped");
  EXPECT_EQ(result(objects.fetch(Need::pod("ml", "a"), kLong)), "stopped: driftbar is being stopped");
}

}  // namespace
}  // namespace driftbar::cluster
