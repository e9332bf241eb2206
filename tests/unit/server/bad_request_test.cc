// What a client may do wrong, and what it is told.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "served.h"
#include "server/refusal.h"

namespace driftbar::server {
namespace {

constexpr std::string_view kHost = "Host: localhost\r\n";

std::string times(std::size_t n, std::string_view piece) {
  std::string out;
  while (n-- > 0) out += piece;
  return out;
}

struct BadRequest {
  const char* name;
  std::string bytes;
  Refusal refusal;
};

// Complete, so that it is what is wrong with it that is told, and not that it is late.
std::vector<BadRequest> badRequests() {
  const std::string host(kHost);
  const std::string chunked = "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n";
  return {
      {"Noise", "\x01\x02\x03 nonsense\r\n\r\n", Refusal::kNotHttp},
      {"NoTarget", "GET\r\n\r\n", Refusal::kNotHttp},
      {"Version2", "GET / HTTP/2.0\r\n" + host + "\r\n", Refusal::kVersion},
      {"Version0", "GET / HTTP/0.9\r\n" + host + "\r\n", Refusal::kVersion},
      {"HeaderWithoutColon", "GET / HTTP/1.1\r\n" + host + "oops\r\n\r\n", Refusal::kHeader},
      {"ControlInHeader", "GET / HTTP/1.1\r\n" + host + "a: b\x01\r\n\r\n", Refusal::kHeader},
      {"BlankBeforeColon", "GET / HTTP/1.1\r\n" + host + "a : b\r\n\r\n", Refusal::kHeader},
      {"NoHost", "GET / HTTP/1.1\r\n\r\n", Refusal::kHost},
      {"TwoHosts", "GET / HTTP/1.1\r\n" + host + host + "\r\n", Refusal::kHost},
      {"AbsoluteTarget", "GET http://localhost/ HTTP/1.1\r\n" + host + "\r\n", Refusal::kTarget},
      {"StarTarget", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n", Refusal::kTarget},
      {"LongTarget", "GET /" + std::string(2048, 'a') + " HTTP/1.1\r\n" + host + "\r\n",
       Refusal::kTargetLength},
      {"EndlessTarget", "GET /" + std::string(20000, 'a'), Refusal::kTargetLength},
      {"LargeHeader", "GET / HTTP/1.1\r\n" + host + "a: " + std::string(17000, 'a') + "\r\n\r\n",
       Refusal::kHeadSize},
      {"ManyHeaders", "GET / HTTP/1.1\r\n" + host + times(100, "a: b\r\n") + "\r\n", Refusal::kHeaderCount},
      {"NegativeLength", "POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n",
       Refusal::kContentLength},
      {"LengthPast64Bit", "POST / HTTP/1.1\r\n" + host + "Content-Length: 18446744073709551616\r\n\r\n",
       Refusal::kContentLength},
      {"LengthTwice", "POST / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na",
       Refusal::kContentLength},
      {"LengthsDiffer", "POST / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
       Refusal::kContentLength},
      {"LengthThenChunks",
       "POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       Refusal::kContentLength},
      {"ChunksThenLength",
       "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
       Refusal::kContentLength},
      {"ChunksInHttp10", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       Refusal::kContentLength},
      {"OtherTransferEncoding",
       "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
       Refusal::kTransferEncoding},
      {"GzipBody",
       "POST / HTTP/1.1\r\n" + host + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b..",
       Refusal::kContentEncoding},
      {"OtherExpectation", "POST / HTTP/1.1\r\n" + host + "Expect: miracles\r\nContent-Length: 1\r\n\r\na",
       Refusal::kExpectation},
      {"ChunkSizeIsNoNumber", chunked + "xyz\r\n", Refusal::kChunk},
      {"ChunkSizeNegative", chunked + "-5\r\nabcde\r\n0\r\n\r\n", Refusal::kChunk},
      {"ChunkSizePast64Bit", chunked + "10000000000000001\r\na\r\n0\r\n\r\n", Refusal::kChunk},
      {"ChunkWithoutItsEnd", chunked + "1\r\nabc\r\n0\r\n\r\n", Refusal::kChunk},
      {"EndlessChunkExtension", chunked + "1;" + std::string(20000, 'a'), Refusal::kChunk},
      {"EndlessTrailer", chunked + "0\r\n" + times(4000, "a: b\r\n"), Refusal::kChunk},
      {"LengthPast8MiB", "POST / HTTP/1.1\r\n" + host + "Content-Length: 8388609\r\n\r\n",
       Refusal::kBodySize},
      {"ChunkPast8MiB", chunked + "800001\r\n", Refusal::kBodySize},
  };
}

class BadRequestTest : public testing::TestWithParam<BadRequest> {};

TEST_P(BadRequestTest, IsToldWhatIsWrongCountedAndHungUpOn) {
  Served served([](const Request&) -> Reply { throw std::logic_error("the handler was asked"); });
  Wire wire(served.port());
  const RefusalRow& row = rowOf(GetParam().refusal);
  const auto answer = wire.ask(GetParam().bytes);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, std::string(row.sentence) + "\n");
  EXPECT_EQ(answer->status, static_cast<int>(row.status));
  EXPECT_EQ(answer->header("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(answer->header("connection"), "close");
  EXPECT_TRUE(wire.closed());
  EXPECT_EQ(served.metrics().counter(record::Metric::kBadRequests, {row.reason}).value(), 1U);
  EXPECT_EQ(served.log(), "");
  EXPECT_TRUE(Wire(served.port()).open()) << "the front lives on";
}

INSTANTIATE_TEST_SUITE_P(All, BadRequestTest, testing::ValuesIn(badRequests()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(RefusalList, EveryRowHasItsTest) {
  // Those that need time or many connections: below, and in overload_test.cc.
  std::set<Refusal> tested{Refusal::kHeadTime, Refusal::kBodyTime, Refusal::kConnections, Refusal::kWaiting,
                           Refusal::kBodyBudget};
  for (const auto& row : badRequests()) tested.insert(row.refusal);
  std::set<std::string_view> reasons;
  for (const auto& row : refusalList()) {
    EXPECT_TRUE(tested.contains(row.refusal)) << row.reason;
    EXPECT_TRUE(reasons.insert(row.reason).second) << row.reason << " is there twice";
  }
}

// Large ones, sent as clients do that read while they write.

TEST(LargeRequest, TwoHundredMiBInChunksAreRefusedAtEight) {
  Served served;
  Wire wire(served.port());
  wire.send("POST /validate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "100000\r\n" + std::string(1U << 20U, 'a') + "\r\n";
  EXPECT_LT(wire.sendUntilAnswered(chunk, 200), 200);
  const auto answer = wire.answer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
  EXPECT_EQ(answer->body, "the body is larger than 8 MiB\n");
}

TEST(LargeRequest, HundredThousandHeadersAreRefusedAtTheFirst16KiB) {
  Served served;
  Wire wire(served.port());
  wire.send("GET / HTTP/1.1\r\nHost: localhost\r\n");
  // All 2.4 MB may be under way in the kernel's buffers before the refusal comes back.
  wire.sendUntilAnswered(times(1000, "X-Header-Of-Many: value\r\n"), 100);
  const auto answer = wire.answer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 431);
}

// 300 kB that would become 300 MB: refused by what it says it is, never inflated.
TEST(LargeRequest, GzipBombIsRefusedUnread) {
  Served served([](const Request&) -> Reply { throw std::logic_error("the handler was asked"); });
  Wire wire(served.port());
  const auto answer = wire.ask(post("/validate", std::string(306'000, '\0'), "Content-Encoding: gzip\r\n"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 415);
  EXPECT_EQ(answer->body, "a body with a Content-Encoding is not taken\n");
}

TEST(LargeRequest, EightMiBAreTakenHoweverTheyAreSent) {
  Served served([](const Request& request) { return textReply(200, std::to_string(request.body.size())); });
  Wire wire(served.port());
  const std::string body(8U << 20U, 'a');
  const auto whole = wire.ask(post("/", body));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->body, "8388608\n");
  const auto inChunks =
      wire.ask("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n400000\r\n" +
               body.substr(0, 4U << 20U) + "\r\n400000\r\n" + body.substr(0, 4U << 20U) + "\r\n0\r\n\r\n");
  ASSERT_TRUE(inChunks);
  EXPECT_EQ(inChunks->body, "8388608\n");
}

TEST(LargeRequest, OneByteMoreInManyChunksIsRefused) {
  Served served;
  Wire wire(served.port());
  std::string bytes = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 8; ++i) bytes += "100000\r\n" + std::string(1U << 20U, 'a') + "\r\n";
  const auto answer = wire.ask(bytes + "1\r\na\r\n0\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
}

// Slow ones.

FrontOptions withShort(Times::Span Times::*time) {
  FrontOptions options = Served::options();
  options.times.*time = std::chrono::milliseconds(50);
  return options;
}

TEST(SlowRequest, HeaderThatDoesNotEnd) {
  Served served([](const Request&) { return textReply(200, "fine"); }, withShort(&Times::head));
  Wire wire(served.port());
  const auto answer = wire.ask("GET / HTTP/1.1\r\nHost: loc");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 408);
  EXPECT_EQ(answer->body, "the headers did not arrive in time\n");
  EXPECT_TRUE(wire.closed());
  EXPECT_EQ(served.metrics().counter(record::Metric::kBadRequests, {"head-time"}).value(), 1U);
}

// A byte now and then keeps no connection: the time is for all of the header.
TEST(SlowRequest, HeaderThatDrips) {
  Served served([](const Request&) { return textReply(200, "fine"); }, withShort(&Times::head));
  Wire wire(served.port());
  wire.send("GET / HTTP/1.1\r\n");
  int sent = 0;
  while (sent < 10'000 && wire.sendUntilAnswered("a: b\r\n", 1) == 1) {
    ++sent;
    poll(nullptr, 0, 2);
  }
  const auto answer = wire.answer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 408);
}

TEST(SlowRequest, BodyThatDoesNotEnd) {
  Served served([](const Request&) { return textReply(200, "fine"); }, withShort(&Times::body));
  Wire wire(served.port());
  const auto answer = wire.ask("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 408);
  EXPECT_EQ(answer->body, "the body did not arrive in time\n");
  EXPECT_TRUE(wire.closed());
  EXPECT_EQ(served.metrics().counter(record::Metric::kBadRequests, {"body-time"}).value(), 1U);
}

TEST(SlowRequest, HandshakeThatDoesNotEndIsHungUpOn) {
  Served served([](const Request&) { return textReply(200, "fine"); }, withShort(&Times::handshake));
  Wire wire(served.port(), Wire::Kind::kHalfOpen);
  EXPECT_TRUE(wire.closed());
  EXPECT_EQ(served.metrics().counter(record::Metric::kHandshakeFailures).value(), 1U);
}

TEST(SlowRequest, AnswerThatIsNotTakenIsGivenUp) {
  FrontOptions options = withShort(&Times::write);
  Served served([](const Request&) { return textReply(200, std::string(64U << 20U, 'a')); }, options);
  Wire wire(served.port());
  wire.send(get("/"));
  while (served.metrics().gauge(record::Metric::kConnections).value() > 0) poll(nullptr, 0, 5);
  EXPECT_FALSE(wire.answer());
}

TEST(SlowRequest, IdleConnectionIsClosedAfterItsTime) {
  Served served([](const Request&) { return textReply(200, "fine"); }, withShort(&Times::idle));
  Wire fresh(served.port()), used(served.port());
  while (!used.ask(get("/"))) used = Wire(served.port());  // where this thread got no turn within its time
  EXPECT_TRUE(fresh.closed());
  EXPECT_TRUE(used.closed());
}

}  // namespace
}  // namespace driftbar::server
