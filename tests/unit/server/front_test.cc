// What a client that does all right can rely on.
#include "server/front.h"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "served.h"
#include "server/descriptors.h"
#include "server/head.h"

namespace driftbar::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

Reply echo(const Request& request) {
  return textReply(200, std::string(request.method) + "|" + std::string(request.path) + "|" +
                            std::string(request.query) + "|" + std::string(request.body));
}

TEST(Front, HandsAllOfARequestOver) {
  Served served(echo);
  Wire wire(served.port());
  const auto answer = wire.ask(post("/validate?timeout=10s", "{}"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "POST|/validate|timeout=10s|{}\n");
  EXPECT_EQ(answer->header("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(answer->header("connection"), "");
  EXPECT_NE(answer->header("date"), "");
}

TEST(Front, AnswersJsonAndExtraHeaders) {
  Served served([](const Request&) {
    Reply reply = jsonReply("{}");
    reply.headers.emplace_back("X-Two-Lines", "a\r\nb: c");
    return reply;
  });
  Wire wire(served.port());
  const auto answer = wire.ask(get("/"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->header("content-type"), "application/json");
  EXPECT_EQ(answer->header("x-two-lines"), "a  b: c");
}

TEST(Front, KeepsAConnectionForAnyNumberOfRequests) {
  Served served(echo);
  Wire wire(served.port());
  for (int i = 0; i < 2000; ++i) {
    const auto answer = wire.ask(post("/validate", std::to_string(i)));
    ASSERT_TRUE(answer) << i;
    ASSERT_EQ(answer->body, "POST|/validate||" + std::to_string(i) + "\n");
  }
  EXPECT_EQ(served.metrics().counter(record::Metric::kRequests, {"/validate", "2xx"}).value(), 2000U);
  EXPECT_EQ(served.metrics().histogram(record::Metric::kRequestSeconds, {"/validate"}).count(), 2000U);
}

TEST(Front, RequestsSentAheadAreAnsweredInTurn) {
  Served served(echo);
  Wire wire(served.port());
  std::string all;
  for (int i = 0; i < 200; ++i)
    all += post("/", std::string(static_cast<std::size_t>(i) * 50, 'x') + std::to_string(i));
  ASSERT_TRUE(wire.send(all));
  for (int i = 0; i < 200; ++i) {
    const auto answer = wire.answer();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->body,
              "POST|/||" + std::string(static_cast<std::size_t>(i) * 50, 'x') + std::to_string(i) + "\n");
  }
}

TEST(Front, NothingAfterARefusedRequestIsTakenForOne) {
  Served served(echo);
  Wire wire(served.port());
  const auto answer = wire.ask(
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 33\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\n\r\n" +
      get("/smuggled"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 400);
  EXPECT_TRUE(wire.closed());
}

TEST(Front, BytesMayComeOneByOne) {
  Served served(echo);
  Wire wire(served.port());
  const std::string request =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n"
      "0\r\nTrailer: t\r\n\r\n";
  for (const char c : request) ASSERT_TRUE(wire.send({&c, 1}));
  const auto answer = wire.answer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "POST|/||abcde\n");
  EXPECT_TRUE(wire.ask(get("/next")));
}

TEST(Front, TellsAClientThatAsksToGoOn) {
  Served served(echo);
  Wire wire(served.port());
  wire.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  const auto goOn = wire.answer();
  ASSERT_TRUE(goOn);
  EXPECT_EQ(goOn->status, 100);
  const auto answer = wire.ask("abc");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "POST|/||abc\n");
}

TEST(Front, DoesNotAskForABodyItWouldRefuse) {
  Served served(echo);
  Wire wire(served.port());
  const auto answer =
      wire.ask("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
}

TEST(Front, HeadGetsTheLengthAndNoBody) {
  Served served(echo);
  Wire wire(served.port());
  wire.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto answer = wire.answer(true);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->header("content-length"), std::to_string(std::string("HEAD|/x||\n").size()));
  const auto next = wire.ask(get("/"));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->body, "GET|/||\n");
}

TEST(Front, ClosesWhereTheClientDoesNotWantToKeep) {
  Served served(echo);
  for (const char* request :
       {"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"}) {
    Wire wire(served.port());
    const auto answer = wire.ask(request);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header("connection"), "close");
    EXPECT_TRUE(wire.closed());
  }
}

// Handlers.

TEST(Front, HandlerThatThrowsIsA500ThatTellsNothing) {
  Served served([](const Request& request) -> Reply {
    if (request.path == "/odd") throw 42;
    throw std::runtime_error("the password is \x1b[31mswordfish");
  });
  Wire wire(served.port());
  for (const char* path : {"/validate", "/odd"}) {
    const auto answer = wire.ask(post(path, "{}"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 500);
    EXPECT_EQ(answer->body, "the gate failed while it answered this request; its log says more\n");
    for (const auto& [name, value] : answer->headers) EXPECT_THAT(value, Not(HasSubstr("swordfish")));
  }
  EXPECT_EQ(served.log(),
            "the handler of POST /validate failed: the password is \\x1b[31mswordfish\n"
            "the handler of POST /odd failed: an exception of unknown type\n");
  EXPECT_EQ(served.metrics().counter(record::Metric::kHandlerFailures, {"/validate"}).value(), 1U);
}

// R6.

struct TimeoutRow {
  const char* query;
  milliseconds expected;
};

TEST(Deadline, IsTheClientsLessTheMarginOrOurs) {
  const Times times;
  for (const auto& row : std::vector<TimeoutRow>{{"", seconds(9)},
                                                 {"timeout=10s", seconds(9)},
                                                 {"timeout=30s", seconds(9)},
                                                 {"timeout=5s", seconds(4)},
                                                 {"timeout=2s", seconds(1)},
                                                 {"timeout=1s", milliseconds(500)},
                                                 {"timeout=0s", milliseconds(0)},
                                                 {"a=b&timeout=3s&c=d", seconds(2)},
                                                 {"xtimeout=3s", seconds(9)},
                                                 {"timeout=soon", seconds(9)},
                                                 {"timeout=-5s", seconds(9)},
                                                 {"timeout=", seconds(9)}})
    EXPECT_EQ(timeFor(row.query, times), row.expected) << row.query;
}

TEST(Deadline, CountsFromTheFirstByteOfTheRequest) {
  std::promise<Request> seen;
  Served served([&](const Request& request) {
    seen.set_value(request);
    return textReply(200, "fine");
  });
  Wire wire(served.port());
  ASSERT_TRUE(
      wire.ask("POST /?timeout=4s HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"));
  const auto beforeBody = std::chrono::steady_clock::now();
  ASSERT_TRUE(wire.ask("a"));
  const Request request = seen.get_future().get();
  EXPECT_LT(request.received, beforeBody);
  EXPECT_EQ(request.deadline - request.received, seconds(3));
}

// TLS.

TEST(Tls, TakesOneTwoAndNewerOnly) {
  Served served;
  EXPECT_TRUE(Wire(served.port(), Wire::Kind::kTls12).ask(get("/")));
  EXPECT_TRUE(Wire(served.port(), Wire::Kind::kTls).ask(get("/")));
  EXPECT_FALSE(Wire(served.port(), Wire::Kind::kTls11).open());
}

TEST(Tls, ChoosesHttp11AmongProtocols) {
  Served served;
  Wire both(served.port(), Wire::Kind::kTls, "\x02h2\x08http/1.1");
  ASSERT_TRUE(both.open());
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(both.tls(), &chosen, &size);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(chosen), size), "http/1.1");
  EXPECT_FALSE(Wire(served.port(), Wire::Kind::kTls, "\x02h2").open());
}

TEST(Tls, PlainHttpIsHungUpOn) {
  Served served;
  Wire plain(served.port(), Wire::Kind::kPlain);
  plain.send(get("/"));
  EXPECT_FALSE(plain.answer());
  EXPECT_TRUE(Wire(served.port()).ask(get("/")));
  EXPECT_EQ(served.metrics().counter(record::Metric::kHandshakeFailures).value(), 1U);
}

std::string serialOf(const Wire& wire) {
  X509* certificate = SSL_get1_peer_certificate(wire.tls());
  BIGNUM* number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr);
  char* digits = BN_bn2hex(number);
  std::string out = digits;
  OPENSSL_free(digits);
  BN_free(number);
  X509_free(certificate);
  return out;
}

// R24: many reloads while connections come and go, none of which fails; those that are open keep what they
// have.
TEST(Tls, ReloadsUnderLoad) {
  Served served(echo);
  Wire kept(served.port());
  const std::string before = serialOf(kept);
  std::atomic<bool> done{false};
  std::atomic<int> asked{0}, failed{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < 3; ++c) {
    clients.emplace_back([&] {
      while (!done) {
        if (!Wire(served.port()).ask(post("/", "{}"))) ++failed;
        ++asked;
      }
    });
  }
  const auto one = newTls(), other = newTls();
  for (int i = 0; i < 300 || asked < 30; ++i) {
    served.front().use(i % 2 == 0 ? one : other);
    poll(nullptr, 0, 1);
  }
  done = true;
  for (auto& client : clients) client.join();
  EXPECT_EQ(failed, 0) << "of " << asked;
  EXPECT_TRUE(kept.ask(post("/", "{}")));
  Wire renewed(served.port());
  EXPECT_NE(serialOf(renewed), before);
}

// Ending. R3.

TEST(Drain, ServesOnWithEveryAnswerTheLastOfItsConnection) {
  FrontOptions options = Served::options();
  options.times.drain = std::chrono::minutes(10);
  Served served(echo, options);
  Wire kept(served.port()), idle(served.port());
  ASSERT_TRUE(kept.ask(get("/")));
  EXPECT_FALSE(served.front().draining());
  std::thread draining([&] { served.front().drain(); });
  while (!served.front().draining()) poll(nullptr, 0, 1);
  for (Wire* wire : {&kept, &idle}) {
    const auto answer = wire->ask(get("/"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->header("connection"), "close");
    EXPECT_TRUE(wire->closed());
  }
  const auto fresh = Wire(served.port()).ask(get("/"));
  ASSERT_TRUE(fresh);
  EXPECT_EQ(fresh->header("connection"), "close");
  served.front().stop();  // ends the draining too
  draining.join();
  EXPECT_FALSE(Wire(served.port()).open());
}

TEST(Drain, EndsByItself) {
  FrontOptions options = Served::options();
  options.times.drain = milliseconds(20);
  Served served(echo, options);
  Wire idle(served.port());
  ASSERT_TRUE(idle.ask(get("/")));
  served.front().drain();
  EXPECT_TRUE(idle.closed());
}

// With the times as they are for real: a hundred idle connections would hold this up for 130 s.
TEST(Stop, DoesNotWaitForIdleConnections) {
  Served served(echo);
  std::vector<Wire> idle;
  for (int i = 0; i < 50; ++i) {
    idle.emplace_back(served.port());
    ASSERT_TRUE(idle.back().ask(get("/")));
    idle.emplace_back(served.port(), Wire::Kind::kHalfOpen);
  }
  std::thread stopping([&] { served.front().stop(); });
  for (auto& wire : idle) EXPECT_TRUE(wire.closed());
  idle.clear();
  stopping.join();
}

TEST(Stop, WaitsForAnswersOnTheirWay) {
  std::promise<void> asked, release;
  auto released = release.get_future().share();
  Served served([&](const Request&) {
    asked.set_value();
    released.wait();
    return textReply(200, "late but whole");
  });
  Wire wire(served.port());
  wire.send(get("/"));
  asked.get_future().wait();
  std::thread stopping([&] { served.front().stop(); });
  while (!served.front().draining()) poll(nullptr, 0, 1);
  release.set_value();
  const auto answer = wire.answer();
  stopping.join();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "late but whole\n");
  EXPECT_EQ(answer->header("connection"), "close");
}

TEST(Stop, GivesUpOnWhatIsNotOverInTime) {
  FrontOptions options = Served::options();
  options.times.grace = milliseconds(20);
  Served served(echo, options);
  Wire slow(served.port());
  slow.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
  while (served.metrics().gauge(record::Metric::kConnections).value() < 1) poll(nullptr, 0, 1);
  served.front().stop();
  EXPECT_FALSE(slow.answer());
}

TEST(Stop, MayBeAskedForTwiceAndByMany) {
  Served served;
  std::vector<std::thread> stopping;
  for (int i = 0; i < 4; ++i)
    stopping.emplace_back([&served, i] { i % 2 == 0 ? served.front().stop() : served.front().drain(); });
  for (auto& thread : stopping) thread.join();
}

// R4.

TEST(Listening, OnAPortThatIsTakenIsAnError) {
  Served served;
  FrontOptions options = Served::options();
  options.endpoint.port = served.port();
  const auto second = Front::listen(options, served, someTls(), served.metrics());
  ASSERT_FALSE(second);
  EXPECT_EQ(render(second.errors()), "error: can't listen on 127.0.0.1:" + std::to_string(served.port()) +
                                         ": Address already in use [listen]\n"
                                         "  help: give an address of this machine and a port that is free\n");
}

TEST(Listening, OnSomethingThatIsNoAddressIsAnError) {
  Served served;
  FrontOptions options = Served::options();
  options.endpoint.address = "localhost.example";
  EXPECT_FALSE(Front::listen(options, served, someTls(), served.metrics()));
}

// The socket of this process that listens on `port`.
int listenerOf(std::uint16_t port) {
  for (int file = 0; file < 1024; ++file) {
    sockaddr_in name{};
    socklen_t size = sizeof name;
    int listens = 0;
    socklen_t listensSize = sizeof listens;
    if (getsockname(file, reinterpret_cast<sockaddr*>(&name), &size) == 0 && ntohs(name.sin_port) == port &&
        getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listensSize) == 0 && listens != 0)
      return file;
  }
  return -1;
}

TEST(Listening, ThatEndsForGoodIsToldOnce) {
  Served served(echo);
  Wire kept(served.port());
  ASSERT_TRUE(kept.ask(get("/")));
  const int listener = listenerOf(served.port());
  ASSERT_GE(listener, 0);
  shutdown(listener, SHUT_RDWR);
  const Diagnostic why = served.fatal().get();
  EXPECT_EQ(why.id, "server-failed");
  EXPECT_EQ(why.message, "accepting connections failed: Invalid argument");
  EXPECT_TRUE(kept.ask(get("/")));
}

// The descriptors of the process are all taken when connections come: the idle one is given up for them, the
// rest wait, and when there are descriptors again all is as before.
TEST(Listening, OutlivesAWantOfDescriptors) {
  Served served(echo);
  Wire idle(served.port());
  ASSERT_TRUE(idle.ask(get("/")));
  std::vector<int> sockets(20);  // made now, for soon none can be made
  for (int& one : sockets) one = socket(AF_INET, SOCK_STREAM, 0);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit scarce{static_cast<rlim_t>(sockets.back() + 3), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &scarce), 0);
  std::vector<Wire> waiting;
  for (const int one : sockets) waiting.emplace_back(one, served.port(), Wire::Kind::kHalfOpen);
  EXPECT_TRUE(idle.closed());
  EXPECT_GT(served.metrics().counter(record::Metric::kAcceptFailures).value(), 0U);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(Wire(served.port()).ask(get("/")));
}

TEST(Listening, WantOfDescriptorsThatDoesNotEndIsTold) {
  FrontOptions options = Served::options();
  options.times.acceptFailing = milliseconds(20);
  options.times.acceptPause = milliseconds(1);
  Served served(echo, options);
  // Taken now: without descriptors the sanitizer cannot look at an object, and takes it for a bad one.
  std::future<Diagnostic> told = served.fatal();
  const std::uint16_t port = served.port();
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{3, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const Wire waiting(file, port, Wire::Kind::kHalfOpen);
  const Diagnostic why = told.get();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(why.message, "accepting connections has failed for 20ms: Too many open files");
}

struct DescriptorRow {
  std::size_t descriptors, connections, overflow;
};

TEST(Descriptors, BoundTheConnections) {
  for (const auto& row :
       std::vector<DescriptorRow>{{1'000'000, 2048, 256}, {1024, 797, 99}, {64, 29, 3}, {0, 0, 0}}) {
    const Bounds bounds = within(row.descriptors, Bounds{});
    EXPECT_EQ(bounds.connections, row.connections) << row.descriptors;
    EXPECT_EQ(bounds.overflow, row.overflow) << row.descriptors;
  }
}

}  // namespace
}  // namespace driftbar::server
