#include "server/ops.h"

#include <gtest/gtest.h>

#include "served.h"

namespace driftbar::server {
namespace {

Routes someRoutes() {
  return {{"/healthz", [](const Request&) { return textReply(200, "ok"); }},
          {"/metrics",
           [](const Request&) {
             return Reply{200, "text/plain; version=0.0.4; charset=utf-8", "a 1\n", {}};
           }},
          {"/readyz", [](const Request& request) {
             return replyOf(
                 "readyz",
                 {{"policies", true, "3 in force"}, {"inventory", false, "the first list is not complete"}},
                 request.query);
           }}};
}

std::unique_ptr<Ops> someOps(Routes routes = someRoutes()) {
  OpsOptions options;
  options.endpoint = {"127.0.0.1", 0};
  options.times.tick = std::chrono::milliseconds(5);
  return Ops::listen(options, std::move(routes)).value();
}

std::optional<Answer> asked(const Ops& ops, const std::string& request, bool toHead = false) {
  Wire wire(ops.port(), Wire::Kind::kPlain);
  wire.send(request);
  return wire.answer(toHead);
}

TEST(Ops, AnswersWhatItsTableHas) {
  const auto ops = someOps();
  const auto answer = asked(*ops, get("/metrics"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(answer->body, "a 1\n");
}

TEST(Ops, HeadIsAnsweredWithoutTheBody) {
  const auto ops = someOps();
  const auto answer = asked(*ops, "HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n", true);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->header("content-length"), "3");
}

TEST(Ops, UnknownPath) {
  const auto ops = someOps();
  const auto answer = asked(*ops, get("/health"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(answer->body, "there is no `/health` here, only `/healthz`, `/metrics` and `/readyz`\n");
}

TEST(Ops, OtherMethods) {
  const auto ops = someOps();
  const auto answer = asked(*ops, post("/healthz", "x"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 405);
  EXPECT_EQ(answer->header("allow"), "GET, HEAD");
  EXPECT_EQ(answer->body, "only GET and HEAD are answered here\n");
}

TEST(Ops, BadRequestIsToldWhatIsWrong) {
  const auto ops = someOps();
  const auto answer = asked(*ops, "GET / HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "a request must have one Host header\n");
}

// R5: a prober is answered while every thread of the front is taken.
TEST(Ops, AnswersWhileTheFrontIsBusy) {
  std::promise<void> release;
  auto released = release.get_future().share();
  std::atomic<int> taken{0};
  Served served([&](const Request&) {
    ++taken;
    released.wait();
    return textReply(200, "fine");
  });
  const auto ops = someOps();
  Wire first(served.port()), second(served.port());
  first.send(get("/"));
  second.send(get("/"));
  while (taken < 2) poll(nullptr, 0, 1);
  EXPECT_TRUE(asked(*ops, get("/healthz")));
  release.set_value();
  EXPECT_TRUE(first.answer());
  EXPECT_TRUE(second.answer());
}

TEST(Checks, FailedOnesAreListedWithoutBeingAskedFor) {
  const auto ops = someOps();
  const auto answer = asked(*ops, get("/readyz"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(answer->body,
            "[+]policies ok: 3 in force\n[-]inventory failed: the first list is not complete\nreadyz check "
            "failed\n");
}

TEST(Checks, FineOnesAreListedWhenAskedFor) {
  const std::vector<Check> checks{{"policies", true, ""}, {"inventory", true, "5 nodes\n"}};
  EXPECT_EQ(replyOf("readyz", checks, "").body, "ok\n");
  for (const char* query : {"verbose", "verbose=true", "a=b&verbose"}) {
    const Reply reply = replyOf("readyz", checks, query);
    EXPECT_EQ(reply.status, 200U);
    EXPECT_EQ(reply.body, "[+]policies ok\n[+]inventory ok: 5 nodes\\n\nreadyz check passed\n");
  }
}

}  // namespace
}  // namespace driftbar::server
