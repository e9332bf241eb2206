// A handler that has to wait for something before it can answer.
#include <future>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "served.h"

namespace driftbar::server {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// Puts every request but /prompt off until the test resumes it.
class Postponing {
 public:
  Served::Answering handler() {
    return [this](const Request& request, const Later& later) -> std::optional<Reply> {
      if (request.path == "/prompt") return textReply(200, "prompt");
      const std::lock_guard lock(mutex_);
      waiting_.push_back(later());
      requests_.push_back(request);
      return std::nullopt;
    };
  }

  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }
  void await(std::size_t count) {
    while (this->count() < count) poll(nullptr, 0, 1);
  }
  Resume take() {
    await(1);
    const std::lock_guard lock(mutex_);
    auto out = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    return out;
  }
  // Of the request that came first.
  std::string body() {
    const std::lock_guard lock(mutex_);
    return std::string(requests_.front().body);
  }

 private:
  std::mutex mutex_;
  std::vector<Resume> waiting_;
  std::vector<Request> requests_;
};

double value(Served& served, record::Metric gauge) {
  return served.metrics().gauge(gauge).value();
}

std::uint64_t failures(Served& served) {
  return served.metrics().counter(record::Metric::kHandlerFailures, {"/validate"}).value();
}

TEST(Later, TheRequestStaysAndTheConnectionIsKept) {
  Postponing postponing;
  Served served(postponing.handler());
  Wire wire(served.port());
  for (int i = 0; i < 3; ++i) {
    wire.send(post("/validate", "{}"));
    const auto resume = postponing.take();
    EXPECT_EQ(value(served, record::Metric::kRequestsInFlight), 1);
    std::thread([&] { resume([&] { return textReply(200, "of " + postponing.body()); }); }).join();
    const auto answer = wire.answer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "of {}\n");
  }
  EXPECT_EQ(served.metrics().counter(record::Metric::kRequests, {"/validate", "2xx"}).value(), 3U);
  EXPECT_EQ(value(served, record::Metric::kRequestsInFlight), 0);
}

TEST(Later, WhoWaitsHoldsNoThread) {
  Postponing postponing;
  Served served(postponing.handler());
  std::vector<Wire> waiting;
  for (int i = 0; i < 20; ++i) {
    waiting.emplace_back(served.port());
    waiting.back().send(post("/validate", "{}"));
  }
  postponing.await(20);
  Wire prompt(served.port());
  const auto answer = prompt.ask(get("/prompt"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "prompt\n");
  for (int i = 0; i < 20; ++i) postponing.take()([] { return textReply(200, "at last"); });
  for (auto& wire : waiting) EXPECT_EQ(wire.answer()->body, "at last\n");
}

TEST(Later, MayTurnOutToBeNow) {
  Served served(Served::Answering([](const Request&, const Later& later) -> std::optional<Reply> {
    later()([] { return textReply(200, "now"); });
    return std::nullopt;
  }));
  Wire wire(served.port());
  EXPECT_EQ(wire.ask(get("/validate"))->body, "now\n");
  EXPECT_EQ(wire.ask(get("/validate"))->body, "now\n");
}

TEST(Later, OnlyTheFirstAnswerCounts) {
  Postponing postponing;
  Served served(postponing.handler());
  Wire wire(served.port());
  wire.send(post("/validate", "{}"));
  const auto resume = postponing.take();
  resume([] { return textReply(200, "first"); });
  resume([] { return textReply(200, "second"); });
  EXPECT_EQ(wire.answer()->body, "first\n");
  EXPECT_EQ(wire.ask(get("/prompt"))->body, "prompt\n") << "and nothing else is on the wire";
}

constexpr const char* kFailed = "the gate failed while it answered this request; its log says more\n";

TEST(Later, AFailureIsA500AsEver) {
  Postponing postponing;
  Served served(postponing.handler());
  Wire wire(served.port());
  wire.send(post("/validate", "{}"));
  postponing.take()([]() -> Reply { throw std::runtime_error("a bug"); });
  const auto answer = wire.answer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 500);
  EXPECT_EQ(answer->body, kFailed);
  EXPECT_EQ(failures(served), 1U);
  EXPECT_THAT(served.log(), HasSubstr("the handler of POST /validate failed: a bug\n"));
}

TEST(Later, ToDropTheRequestIsAFailure) {
  Postponing postponing;
  Served served(postponing.handler());
  Wire wire(served.port());
  wire.send(post("/validate", "{}"));
  postponing.take();
  EXPECT_EQ(wire.answer()->status, 500);
  EXPECT_THAT(served.log(), HasSubstr("failed: it dropped the request unanswered\n"));
}

TEST(Later, ToGiveNoAnswerAndAskForNoTimeIsAFailure) {
  Served served(Served::Answering([](const Request&, const Later&) { return std::optional<Reply>(); }));
  Wire wire(served.port());
  EXPECT_EQ(wire.ask(post("/validate", "{}"))->status, 500);
  EXPECT_THAT(served.log(), HasSubstr("failed: it neither answered nor asked for time\n"));
}

TEST(Later, AFailureAfterAskingForTimeIsAnsweredOnce) {
  Resume kept;
  Served served(Served::Answering([&](const Request& request, const Later& later) -> std::optional<Reply> {
    if (request.path == "/prompt") return textReply(200, "prompt");
    kept = later();
    throw std::runtime_error("a bug");
  }));
  Wire wire(served.port());
  EXPECT_EQ(wire.ask(post("/validate", "{}"))->status, 500);
  kept([] { return textReply(200, "too late"); });
  kept = nullptr;
  EXPECT_EQ(wire.ask(get("/prompt"))->body, "prompt\n");
  EXPECT_EQ(failures(served), 1U);
}

TEST(Later, AClientThatGoesAwayMeanwhileLeavesNothingBehind) {
  Postponing postponing;
  Served served(postponing.handler());
  {
    Wire wire(served.port());
    wire.send(post("/validate", "{}"));
    postponing.await(1);
  }
  postponing.take()([] { return textReply(200, "to nobody"); });
  while (value(served, record::Metric::kConnections) > 0) poll(nullptr, 0, 1);
  EXPECT_EQ(value(served, record::Metric::kRequestsInFlight), 0);
}

TEST(Later, StopWaitsForTheAnswer) {
  Postponing postponing;
  Served served(postponing.handler());
  Wire wire(served.port());
  wire.send(post("/validate", "{}"));
  const auto resume = postponing.take();
  std::thread stopping([&] { served.front().stop(); });
  while (!served.front().draining()) poll(nullptr, 0, 1);
  resume([] { return textReply(200, "late but whole"); });
  const auto answer = wire.answer();
  stopping.join();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "late but whole\n");
  EXPECT_EQ(answer->header("connection"), "close");
}

TEST(Later, StopGivesUpOnAnAnswerThatDoesNotComeInTime) {
  FrontOptions options = Served::options();
  options.times.grace = milliseconds(20);
  options.times.linger = milliseconds(20);
  Postponing postponing;
  Served served(postponing.handler(), options);
  Wire wire(served.port());
  wire.send(post("/validate", "{}"));
  auto resume = postponing.take();
  served.front().stop();
  EXPECT_FALSE(wire.answer());
  resume([] { return textReply(200, "after the end"); });
}

}  // namespace
}  // namespace driftbar::server
