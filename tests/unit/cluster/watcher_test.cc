// The watcher against an API server with faults. What is compared is the snapshot and the server's own list.
#include "cluster/watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>

#include "tests/unit/cluster/fake_access.h"

namespace driftbar::cluster {
namespace {

using test::eventually;
using test::FakeApiServer;

WatchOptions quick() {
  WatchOptions options;
  options.backoff = {Duration(2), Duration(20)};
  options.publishGap = Duration(1);
  return options;
}

std::vector<std::string> namesIn(const inventory::Snapshot* snapshot) {
  std::vector<std::string> out;
  if (snapshot == nullptr) return {"no snapshot"};
  for (const auto& node : snapshot->nodes()) out.emplace_back(node->name());
  return out;
}

std::string label(const Watcher& watcher, std::string_view node, std::string_view key) {
  const auto snapshot = watcher.snapshots().get();
  const kube::Node* found = snapshot ? snapshot->node(node) : nullptr;
  return found == nullptr ? "no node" : std::string(found->labels().find(key).value_or("no label"));
}

nlohmann::json labelled(const std::string& key, const std::string& value) {
  return {{"metadata", {{"labels", {{key, value}}}}}};
}

class WatcherTest : public testing::Test {
 protected:
  WatcherTest() {
    server.put("namespaces", "default");
    server.put("nodes", "a");
    server.put("nodes", "b");
  }

  Watcher& start(WatchOptions options = quick(), WrittenCredentials written = {}) {
    watcher = std::make_unique<Watcher>(accessTo(server, std::move(written)), std::move(options));
    watcher->start();
    return *watcher;
  }
  bool inStep() const {
    return eventually([&] { return namesIn(watcher->snapshots().get().get()) == server.names("nodes"); });
  }
  bool watching() const {
    return eventually([&] {
      return watcher->status().complete && server.openWatches("nodes") > 0 &&
             server.openWatches("namespaces") > 0;
    });
  }
  FeedStatus nodes() const { return watcher->status().feeds.at(0); }
  std::string lastError() const {
    const auto status = watcher->status();
    return status.lastError ? withoutPort(render(*status.lastError), server.port()) : "none";
  }

  // What the options refer to outlives the watcher.
  std::atomic<long> clock{1000};
  std::atomic<int> waits{0};
  FakeApiServer server;
  std::unique_ptr<Watcher> watcher;
};

TEST_F(WatcherTest, ListsThenFollows) {
  start();
  ASSERT_TRUE(inStep());
  EXPECT_TRUE(watcher->status().complete);
  EXPECT_NE(watcher->snapshots().get()->ns("default"), nullptr);
  server.put("nodes", "c");
  server.put("nodes", "a", labelled("drift", "yes"));
  server.remove("nodes", "b");
  server.put("namespaces", "ml", labelled("team", "x"));
  EXPECT_TRUE(inStep());
  EXPECT_TRUE(eventually([&] { return label(*watcher, "a", "drift") == "yes"; }));
  EXPECT_TRUE(eventually([&] { return watcher->snapshots().get()->ns("ml") != nullptr; }));
  EXPECT_EQ(nodes().lists, 1u);
  EXPECT_EQ(nodes().objects, 2u);
  EXPECT_EQ(nodes().malformed, 0u);
}

TEST_F(WatcherTest, NothingIsPublishedBeforeEveryKindIsListed) {
  server.answerNext("namespaces", false, {503, R"({"message":"starting"})", ""});
  WatchOptions options = quick();
  options.backoff = {std::chrono::hours(1), std::chrono::hours(1)};
  start(options);
  ASSERT_TRUE(eventually([&] { return nodes().complete && watcher->status().failures == 1; }));
  EXPECT_EQ(watcher->snapshots().get(), nullptr);
  EXPECT_FALSE(watcher->status().complete);
  EXPECT_EQ(watcher->status().lastContact, std::nullopt);
}

TEST_F(WatcherTest, PagesAreOneList) {
  for (int i = 0; i < 25; ++i) server.put("nodes", "n" + std::to_string(i));
  WatchOptions options = quick();
  options.pageSize = 10;
  start(options);
  EXPECT_TRUE(inStep());
  const auto lists = server.requests("nodes", false);
  ASSERT_EQ(lists.size(), 3u);
  EXPECT_EQ(lists[0].limit, "10");
  EXPECT_EQ(lists[0].continuation, "");
  EXPECT_NE(lists[2].continuation, "");
}

TEST_F(WatcherTest, APageThatIsTooLargeIsAskedForInSmallerOnes) {
  for (int i = 0; i < 30; ++i)
    server.put("nodes", "n" + std::to_string(i), labelled("l", std::string(60, 'x')));
  WatchOptions options = quick();
  options.pageSize = 16;
  options.limits.bodyBytes = 3000;
  start(options);
  EXPECT_TRUE(inStep());
  EXPECT_EQ(nodes().failures, 0u);
}

TEST_F(WatcherTest, WhatIsDeletedBetweenTwoPagesIsGone) {
  for (int i = 0; i < 5; ++i) server.put("nodes", "n" + std::to_string(i));
  server.beforeNextPage("nodes", [&] {
    server.remove("nodes", "n4");
    server.remove("nodes", "a");
    server.put("nodes", "late");
  });
  WatchOptions options = quick();
  options.pageSize = 2;
  start(options);
  EXPECT_TRUE(inStep());
}

TEST_F(WatcherTest, LinesCutAnywhereAreJoined) {
  server.cutLines(7);
  start();
  ASSERT_TRUE(watching());
  server.put("nodes", "c", labelled("x", "1"));
  server.put("nodes", "c", labelled("x", "2"));
  EXPECT_TRUE(eventually([&] { return label(*watcher, "c", "x") == "2"; }));
  EXPECT_EQ(nodes().malformed, 0u);
  EXPECT_EQ(nodes().lists, 1u);
}

TEST_F(WatcherTest, ABreakInTheMiddleOfALineLosesNothing) {
  start();
  ASSERT_TRUE(watching());
  server.breakWatches("nodes", R"({"type":"ADDED","object":{"metadata":{"na)");
  server.put("nodes", "c");
  EXPECT_TRUE(inStep());
  EXPECT_EQ(nodes().lists, 1u) << "went on from the version it had";
  EXPECT_EQ(nodes().malformed, 0u);
}

TEST_F(WatcherTest, ANormalEndIsFollowedByAWatchFromTheLastVersion) {
  WatchOptions options = quick();
  options.backoff = {std::chrono::hours(1), std::chrono::hours(1)};  // a wait would be for ever
  start(options);
  ASSERT_TRUE(watching());
  const long last = server.put("nodes", "c");
  ASSERT_TRUE(inStep());
  server.endWatches("nodes");
  ASSERT_TRUE(eventually([&] { return server.requests("nodes", true).size() == 2; }));
  EXPECT_EQ(server.requests("nodes", true).back().version, std::to_string(last));
  server.remove("nodes", "c");
  EXPECT_TRUE(inStep());
  EXPECT_EQ(watcher->status().failures, 0u);
}

TEST_F(WatcherTest, ABookmarkMovesTheVersionAndCountsAsContact) {
  WatchOptions options = quick();
  options.now = [&] { return Instant(Duration(clock.load())); };
  start(options);
  ASSERT_TRUE(watching());
  ASSERT_TRUE(eventually([&] { return nodes().watches == 1 && watcher->status().feeds[1].watches == 1; }));
  clock = 5000;
  server.put("namespaces", "elsewhere");  // the version grows, and nodes hear nothing of it
  server.sendBookmark("nodes");
  ASSERT_TRUE(eventually([&] { return nodes().lastContact == Instant(Duration(5000)); }));
  server.endWatches("nodes");
  ASSERT_TRUE(eventually([&] { return server.requests("nodes", true).size() == 2; }));
  EXPECT_EQ(server.requests("nodes", true).back().version, std::to_string(server.version()));
}

TEST_F(WatcherTest, LastContactIsThatOfTheQuietestKind) {
  WatchOptions options = quick();
  options.now = [&] { return Instant(Duration(clock.load())); };
  start(options);
  ASSERT_TRUE(watching());
  ASSERT_TRUE(eventually([&] { return nodes().watches == 1 && watcher->status().feeds[1].watches == 1; }));
  clock = 9000;
  server.sendBookmark("nodes");
  ASSERT_TRUE(eventually([&] { return nodes().lastContact == Instant(Duration(9000)); }));
  EXPECT_EQ(watcher->status().lastContact, Instant(Duration(1000)));
}

TEST_F(WatcherTest, ASilentWatchIsOpenedAnewFromTheSameVersion) {
  WatchOptions options = quick();
  options.limits.silence = Duration(300);
  start(options);
  ASSERT_TRUE(watching());
  server.holdEvents(true);  // as a connection that died without a word
  server.put("nodes", "c");
  EXPECT_TRUE(inStep()) << "the new watch brings what the silent one did not";
  EXPECT_EQ(nodes().lists, 1u);
  EXPECT_EQ(nodes().expired, 0u);
}

// The version that we have is not kept any more: as an answer, or as an event in an answer of 200.
class WatcherGone : public WatcherTest, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(As, WatcherGone, testing::Bool(),
                         [](const auto& row) { return row.param ? "Event" : "Status"; });

TEST_P(WatcherGone, IsListedAnewWithoutAMomentOfEmptiness) {
  start();
  ASSERT_TRUE(watching());
  const auto before = watcher->snapshots().get();
  std::atomic<bool> done{false}, empty{false};
  std::thread reader([&] {
    while (!done) {
      const auto snapshot = watcher->snapshots().get();
      if (!snapshot || snapshot->node("a") == nullptr || snapshot->ns("default") == nullptr) empty = true;
      std::this_thread::yield();
    }
  });
  server.holdEvents(true);
  server.remove("nodes", "b");
  server.put("nodes", "c");
  server.compact(GetParam());
  server.holdEvents(false);
  server.breakWatches("nodes");
  EXPECT_TRUE(inStep());
  done = true;
  reader.join();
  EXPECT_FALSE(empty);
  EXPECT_EQ(nodes().expired, 1u);
  EXPECT_EQ(nodes().lists, 2u);
  EXPECT_EQ(watcher->snapshots().get()->node("a"), before->node("a")) << "an unchanged node was made anew";
}

TEST_F(WatcherTest, LinesThatAreNoEventsAreCountedAndLeadToARelist) {
  start();
  ASSERT_TRUE(watching());
  server.holdEvents(true);
  server.put("nodes", "c");
  server.sendRaw("nodes", "{\"type\":\"ADDED\",\"object\":{\"metadata\"}\n");
  EXPECT_TRUE(inStep());
  EXPECT_EQ(nodes().malformed, 1u);
  EXPECT_EQ(nodes().lists, 2u);
}

TEST_F(WatcherTest, AnObjectThatCannotBeReadKeepsItsLastGoodForm) {
  server.put("nodes", "a", labelled("x", "good"));
  start();
  ASSERT_TRUE(watching());
  const nlohmann::json broken{{"status", {{"allocatable", {{"cpu", "many"}}}}},
                              {"metadata", {{"labels", {{"x", "bad"}}}}}};
  server.put("nodes", "a", broken);
  server.put("nodes", "c");
  ASSERT_TRUE(inStep());
  EXPECT_EQ(label(*watcher, "a", "x"), "good");
  EXPECT_EQ(nodes().unreadable, 1u);
  server.holdEvents(true);
  server.put("nodes", "d");
  server.compact(false);
  server.holdEvents(false);
  server.breakWatches("nodes");
  ASSERT_TRUE(inStep()) << "the relist dropped the node that it could not read";
  EXPECT_EQ(nodes().lists, 2u);
  EXPECT_EQ(nodes().unreadable, 2u);
  EXPECT_EQ(label(*watcher, "a", "x"), "good");
}

TEST_F(WatcherTest, FaultsOfTheServerAreOutlived) {
  server.answerNext("nodes", false, {500, "oops\nmore", ""});
  server.answerNext("nodes", false, {429, "", "0"});
  server.answerNext("nodes", false, {200, "{\"items\":[]}", ""});
  server.answerNext("nodes", true, {500, "", ""});
  start();
  EXPECT_TRUE(inStep());
  server.put("nodes", "c");
  EXPECT_TRUE(inStep());
  EXPECT_EQ(server.requests("nodes", false).size(), 4u);
  EXPECT_EQ(lastError(), "none");
}

TEST_F(WatcherTest, AnErrorEventIsAFailureAndTheVersionIsKept) {
  start();
  ASSERT_TRUE(watching());
  server.sendRaw("nodes",
                 R"({"type":"ERROR","object":{"kind":"Status","code":500,"message":"etcd went away"}})"
                 "\n");
  ASSERT_TRUE(eventually([&] { return nodes().watches == 2; }));
  server.put("nodes", "c");
  EXPECT_TRUE(inStep());
  EXPECT_EQ(nodes().lists, 1u);
}

TEST_F(WatcherTest, AServerThatEndsWatchesAtOnceIsAskedMoreAndMoreSlowly) {
  WatchOptions options = quick();
  options.random = [&] { return ++waits, 0.5; };
  for (int i = 0; i < 3; ++i) server.answerNext("nodes", true, {200, "", ""});
  start(options);
  ASSERT_TRUE(watching());
  EXPECT_EQ(waits, 3);
}

TEST_F(WatcherTest, TheServersPatienceIsHonoured) {
  server.answerNext("nodes", false, {429, R"({"message":"too many requests"})", "3600"});
  start();
  ASSERT_TRUE(eventually([&] { return nodes().failures == 1; }));
  EXPECT_EQ(
      lastError(),
      "error: cannot list nodes with the test: the API server at https://127.0.0.1:PORT answers 429, it is "
      "overloaded and asks for patience: too many requests [api-refused]\n"
      "  help: it is asked again by and by\n");
}

TEST_F(WatcherTest, AMissingPermissionIsNamedWithItsMend) {
  const std::string says =
      R"({"kind":"Status","code":403,"message":"nodes is forbidden: User \"system:serviceaccount:driftbar:driftbar\" )"
      R"(cannot list resource \"nodes\" in API group \"\" at the cluster scope"})";
  WatchOptions options = quick();
  options.backoff = {std::chrono::hours(1), std::chrono::hours(1)};
  server.answerNext("nodes", false, {403, says, ""});
  start(options);
  ASSERT_TRUE(eventually([&] { return nodes().failures == 1; }));
  EXPECT_EQ(
      lastError(),
      "error: cannot list nodes with the test: the API server at https://127.0.0.1:PORT answers 403, "
      "permission "
      "is missing: nodes is forbidden: User \"system:serviceaccount:driftbar:driftbar\" cannot list resource "
      "\"nodes\" in API group \"\" at the cluster scope [api-refused]\n"
      "  help: it needs the verbs get, list and watch on nodes: bind a ClusterRole with them to this user or "
      "service account\n");
}

TEST_F(WatcherTest, ATokenThatRanOutIsReadAnew) {
  const std::string file = testing::TempDir() + "driftbar-rotating-token";
  std::ofstream(file) << "first\n";
  server.wantToken("first");
  WrittenCredentials written;
  written.tokenFile = file;
  start(quick(), written);
  ASSERT_TRUE(watching());
  server.wantToken("second");
  std::ofstream(file) << "second\n";
  server.breakWatches("nodes");
  server.put("nodes", "c");
  EXPECT_TRUE(inStep());
  EXPECT_EQ(nodes().lists, 1u);
  std::remove(file.c_str());
}

TEST_F(WatcherTest, AServerThatIsGoneLeavesTheSnapshotAndShowsInTheStatus) {
  start();
  ASSERT_TRUE(watching());
  const auto before = watcher->snapshots().get();
  server.stop();
  const std::string expected =
      "error: cannot reach the API server at https://127.0.0.1:PORT: connection refused [api-unreachable]\n"
      "  help: the address and its authority come from the test\n";
  ASSERT_TRUE(eventually([&] { return nodes().failures >= 3 && lastError() == expected; })) << lastError();
  EXPECT_EQ(watcher->snapshots().get(), before);
  EXPECT_TRUE(watcher->status().complete);
}

TEST_F(WatcherTest, StopsWhileWatchingWhileWaitingAndTwice) {
  start();
  ASSERT_TRUE(watching());
  watcher->stop();
  watcher->stop();
  server.stop();
  WatchOptions options = quick();
  options.backoff = {std::chrono::hours(1), std::chrono::hours(1)};
  start(options);
  ASSERT_TRUE(eventually(
      [&] { return watcher->status().feeds[0].failures == 1 && watcher->status().feeds[1].failures == 1; }));
  watcher->stop();
  EXPECT_FALSE(watcher->status().complete);
}

TEST_F(WatcherTest, FiveThousandNodesWithChurnEndInStep) {
  for (int i = 0; i < 5000; ++i) server.put("nodes", "n" + std::to_string(i), labelled("round", "0"));
  start();
  ASSERT_TRUE(inStep());
  EXPECT_EQ(server.requests("nodes", false).size(), 11u);  // 5,002 in pages of 500
  const auto before = watcher->snapshots().get();
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "n" + std::to_string(i * 5);
    if (i % 10 == 0) {
      server.remove("nodes", name);
    } else {
      server.put("nodes", name, labelled("round", "1"));
    }
    if (i == 500) server.breakWatches("nodes");
  }
  EXPECT_TRUE(inStep());
  ASSERT_TRUE(eventually([&] { return label(*watcher, "n4995", "round") == "1"; }));
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "n" + std::to_string(i);
    const std::string want = i % 50 == 0 ? "no node" : i % 5 == 0 ? "1" : "0";
    ASSERT_EQ(label(*watcher, name, "round"), want) << name;
  }
  EXPECT_EQ(watcher->snapshots().get()->node("n1"), before->node("n1"));
}

}  // namespace
}  // namespace driftbar::cluster
