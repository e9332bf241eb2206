// Too much of something: connections, requests, bytes. R2 and R5.
#include <thread>

#include <gtest/gtest.h>

#include "served.h"
#include "server/body.h"

namespace driftbar::server {
namespace {

Reply fine(const Request&) {
  return textReply(200, "fine");
}

std::uint64_t refused(Served& served, std::string_view reason) {
  return served.metrics().counter(record::Metric::kOverloadRefusals, {reason}).value();
}

void waitForConnections(Served& served, int wanted) {
  const auto& now = served.metrics().gauge(record::Metric::kConnections);
  for (int left = Wire::kPatienceSeconds * 1000; now.value() < wanted; --left) {
    ASSERT_GT(left, 0) << now.value() << " connections, and never " << wanted;
    poll(nullptr, 0, 1);
  }
}

// What the front has to get of a request, as TLS sends it, without sending it.
std::string encrypted(Wire& wire, std::string_view request) {
  BIO* const socket = SSL_get_wbio(wire.tls());
  BIO_up_ref(socket);
  BIO* const memory = BIO_new(BIO_s_mem());
  SSL_set0_wbio(wire.tls(), memory);
  SSL_write(wire.tls(), request.data(), static_cast<int>(request.size()));
  std::string bytes(BIO_ctrl_pending(memory), '\0');
  BIO_read(memory, bytes.data(), static_cast<int>(bytes.size()));
  SSL_set0_wbio(wire.tls(), socket);
  return bytes;
}

void sendRaw(Wire& wire, std::string_view bytes) {
  EXPECT_EQ(::send(SSL_get_fd(wire.tls()), bytes.data(), bytes.size(), 0), static_cast<long>(bytes.size()));
}

// Idle ones, half handshakes, half headers, half bodies, all with the times as they are for real: were any of
// them to hold a thread, the last request would not be answered before this test's patience ends.
TEST(Overload, ConnectionsThatDoNothingDelayNobody) {
  Served served(fine);
  std::vector<Wire> idle;
  for (int i = 0; i < 300; ++i) idle.emplace_back(served.port());
  for (int i = 0; i < 50; ++i) idle.emplace_back(served.port(), Wire::Kind::kHalfOpen);
  for (int i = 0; i < 50; ++i) {
    idle.emplace_back(served.port());
    idle.back().send(i % 2 == 0 ? "POST / HTTP/1.1\r\nHost: a\r\n"
                                : "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab");
  }
  waitForConnections(served, 400);
  EXPECT_TRUE(Wire(served.port()).ask(get("/")));
  EXPECT_TRUE(idle.front().ask(get("/")));
}

TEST(Overload, LongestIdleConnectionMakesRoom) {
  FrontOptions options = Served::options();
  options.bounds.connections = 3;
  Served served(fine, options);
  Wire first(served.port()), second(served.port()), third(served.port());
  for (Wire* wire : {&second, &first, &third}) ASSERT_TRUE(wire->ask(get("/")));
  Wire newcomer(served.port());
  EXPECT_TRUE(newcomer.ask(get("/")));
  EXPECT_TRUE(second.closed());
  EXPECT_TRUE(first.ask(get("/")));
  EXPECT_TRUE(third.ask(get("/")));
}

// Not only the kernel may have it: TLS keeps a part of a record to itself, and the reader is not told.
TEST(Overload, RequestOfWhichAPartHasComeIsServedThoughRoomIsWanted) {
  FrontOptions options = Served::options();
  options.bounds.connections = 1;
  for (int i = 0; i < 20; ++i) {
    Served served(fine, options);
    Wire begun(served.port());
    ASSERT_TRUE(begun.ask(get("/")));
    const std::string record = encrypted(begun, get("/"));
    sendRaw(begun, record.substr(0, record.size() / 2));
    poll(nullptr, 0, i % 4);  // the kernel has it, or TLS
    Wire newcomer(served.port());
    newcomer.send(post("/validate", "{}"));
    sendRaw(begun, record.substr(record.size() / 2));
    ASSERT_TRUE(begun.answer()) << "in round " << i;
    EXPECT_TRUE(newcomer.answer());
  }
}

TEST(Overload, NewcomerIsToldToComeAgainWhereNobodyIsIdle) {
  FrontOptions options = Served::options();
  options.bounds.connections = 2;
  Served served(fine, options);
  Wire first(served.port()), second(served.port());
  for (Wire* wire : {&first, &second}) {
    const auto goOn =
        wire->ask("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    ASSERT_TRUE(goOn);  // so neither is idle any more
  }
  Wire newcomer(served.port());
  const auto answer = newcomer.ask(post("/validate", "{}"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->header("retry-after"), "1");
  EXPECT_EQ(answer->body, "there are too many connections, try again in a second\n");
  EXPECT_TRUE(newcomer.closed());
  EXPECT_EQ(refused(served, "connections"), 1U);
  EXPECT_TRUE(first.ask("abcde"));
}

// Past the overflow too, connections wait in the kernel's queue until there is room.
TEST(Overload, FullFrontTakesTheWaitingOnesLater) {
  FrontOptions options = Served::options();
  options.bounds.connections = 1;
  options.bounds.overflow = 1;
  Served served(fine, options);
  auto held = std::make_unique<Wire>(served.port());
  held->send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
  auto half = std::make_unique<Wire>(served.port(), Wire::Kind::kHalfOpen);
  waitForConnections(served, 2);
  std::thread later([&] { EXPECT_TRUE(Wire(served.port()).ask(get("/"))); });
  poll(nullptr, 0, 50);
  EXPECT_EQ(served.metrics().gauge(record::Metric::kConnections).value(), 2);
  held.reset();
  half.reset();
  later.join();
}

TEST(Overload, RequestsPastTheWaitingOnesAreToldToComeAgainAndKeepTheirConnection) {
  FrontOptions options = Served::options();
  options.bounds.waiting = 1;
  std::promise<void> asked, release;
  auto released = release.get_future().share();
  Served served(
      [&](const Request& request) {
        if (request.path == "/slow") {
          asked.set_value();
          released.wait();
        }
        return textReply(200, "fine");
      },
      options);
  Wire slow(served.port()), other(served.port());
  slow.send(get("/slow"));
  asked.get_future().wait();
  EXPECT_EQ(served.metrics().gauge(record::Metric::kRequestsInFlight).value(), 1);
  const auto answer = other.ask(post("/validate", "{}"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->header("retry-after"), "1");
  EXPECT_EQ(answer->header("connection"), "");
  EXPECT_EQ(answer->body, "there are too many requests waiting, try again in a second\n");
  EXPECT_EQ(refused(served, "waiting"), 1U);
  release.set_value();
  ASSERT_TRUE(slow.answer());
  const auto again = other.ask(post("/validate", "{}"));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, 200);
}

TEST(Overload, BytesOfLargeBodiesAreBoundedAndSmallOnesPass) {
  FrontOptions options = Served::options();
  const std::string large(600'000, 'a');
  options.bounds.bodyBytes = 2 * large.size() - 1;  // memory doubles as it grows: room for one, never for two
  std::promise<void> asked, release;
  auto released = release.get_future().share();
  Served served(
      [&](const Request& request) {
        if (request.path == "/held") {
          asked.set_value();
          released.wait();
        }
        return textReply(200, "fine");
      },
      options);
  Wire first(served.port()), second(served.port());
  first.send(post("/held", large));
  asked.get_future().wait();
  const auto answer = second.ask(post("/", large));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->header("retry-after"), "1");
  EXPECT_EQ(answer->body, "there are too many large bodies, try again in a second\n");
  EXPECT_EQ(refused(served, "body-budget"), 1U);
  const auto small = Wire(served.port()).ask(post("/", std::string(60'000, 'a')));
  ASSERT_TRUE(small);
  EXPECT_EQ(small->status, 200);
  release.set_value();
  ASSERT_TRUE(first.answer());
  const auto later = Wire(served.port()).ask(post("/", large));
  ASSERT_TRUE(later);
  EXPECT_EQ(later->status, 200) << "what the first held is given back";
}

// All that is asked gets an answer, whatever there is too much of.
TEST(Overload, EveryRequestOfABurstIsAnswered) {
  FrontOptions options = Served::options();
  options.bounds.waiting = 4;
  Served served(
      [](const Request&) {
        poll(nullptr, 0, 1);  // a slow judgement
        return textReply(200, "fine");
      },
      options);
  std::atomic<int> fineOnes{0}, refusedOnes{0}, lost{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < 16; ++c) {
    clients.emplace_back([&] {
      Wire wire(served.port());
      for (int i = 0; i < 50; ++i) {
        const auto answer = wire.ask(post("/validate", "{}"));
        ++(!answer ? lost : answer->status == 200 ? fineOnes : refusedOnes);
      }
    });
  }
  for (auto& client : clients) client.join();
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(fineOnes + refusedOnes, 800);
  EXPECT_EQ(refused(served, "waiting"), static_cast<std::uint64_t>(refusedOnes));
  EXPECT_EQ(served.metrics().gauge(record::Metric::kRequestsInFlight).value(), 0);
}

// The budget alone.

TEST(BodyBudget, IsGivenBackByWhoeverHeldIt) {
  BodyBudget budget(100'000);
  const std::string piece(90'000, 'a');
  {
    BodyText first(budget), second(budget);
    EXPECT_TRUE(first.append(piece.data(), piece.size()));
    EXPECT_FALSE(second.append(piece.data(), piece.size()));
    BodyText moved = std::move(first);
    EXPECT_EQ(moved.text().size(), piece.size());
  }
  BodyText third(budget);
  EXPECT_TRUE(third.append(piece.data(), piece.size()));
  third.clear();
  EXPECT_TRUE(budget.take(100'000));
  EXPECT_FALSE(budget.take(1));
}

}  // namespace
}  // namespace driftbar::server
