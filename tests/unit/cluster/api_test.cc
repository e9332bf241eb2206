#include "cluster/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/unit/cluster/fake_access.h"

namespace driftbar::cluster {
namespace {

using test::Authority;
using test::eventually;
using test::FakeApiServer;

constexpr const char* kNodes = "/api/v1/nodes";

std::string outcome(Api& api, int port) {
  const auto reply = api.get(kNodes);
  return reply ? std::to_string(reply->status) : withoutPort(summary(reply.errors().front()), port);
}

std::string outcome(const Access& access) {
  Api api(access);
  return outcome(api, access.server.port);
}

TEST(Api, KeepsItsConnection) {
  FakeApiServer server;
  Api api(accessTo(server));
  for (int i = 0; i < 12; ++i) EXPECT_EQ(outcome(api, server.port()), "200");
  EXPECT_EQ(server.connections(), 1u);
}

TEST(Api, SendsItsTokenOverTls) {
  FakeApiServer server;
  server.wantToken("s3cret");
  WrittenCredentials written;
  written.token = "s3cret";
  EXPECT_EQ(outcome(accessTo(server, written)), "200");
  EXPECT_EQ(outcome(accessTo(server)), "401");
}

TEST(Api, WithoutTlsSpeaksPlainly) {
  httplib::Server plain;
  plain.Get("/prefix/api/v1/nodes", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(request.get_header_value("Host"), "text/plain");
  });
  const int port = plain.bind_to_any_port("127.0.0.1");
  std::thread thread([&] { plain.listen_after_bind(); });
  ASSERT_TRUE(eventually([&] { return plain.is_running(); }));
  Access access;
  access.server = {false, "127.0.0.1", port, "/prefix"};
  access.credentials = credentialsFrom(WrittenCredentials{});
  {
    Api api(access);
    const auto reply = api.get(kNodes);
    ASSERT_TRUE(reply.ok()) << render(reply.errors());
    EXPECT_EQ(reply->body, "127.0.0.1:" + std::to_string(port));
  }
  plain.stop();
  thread.join();
}

TEST(Api, RedirectsAreNotFollowed) {
  FakeApiServer server;
  server.answerNext("nodes", false, {302, "", ""});
  EXPECT_EQ(outcome(accessTo(server)), "302");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(Api, AnAnswerThatIsTooLargeIsCutOff) {
  FakeApiServer server;
  server.put("nodes", "a", {{"metadata", {{"annotations", {{"a", std::string(5000, 'x')}}}}}});
  ApiLimits limits;
  limits.bodyBytes = 1000;
  Api api(accessTo(server), limits);
  EXPECT_EQ(outcome(api, server.port()),
            "the API server at https://127.0.0.1:PORT answered with more than 1000 bytes");
  server.answerNext("nodes", false, {500, std::string(200000, 'x'), ""});
  ApiLimits large;
  Api other(accessTo(server), large);
  EXPECT_EQ(other.get(kNodes)->body.size(), 64u * 1024) << "of a refusal the beginning is enough";
}

TEST(Api, SilenceEndsARequest) {
  FakeApiServer server;
  std::atomic<bool> let{false};
  server.put("nodes", "a");
  server.put("nodes", "b");
  server.beforeNextPage("nodes", [&] { eventually([&] { return let.load(); }); });
  ApiLimits limits;
  limits.silence = Duration(1000);
  Api api(accessTo(server), limits);
  ASSERT_EQ(outcome(api, server.port()), "200");
  const auto reply =
      api.get("/api/v1/nodes?limit=1&continue=" + queryValue(std::to_string(server.version()) + "/1"));
  let = true;
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(withoutPort(summary(reply.errors().front()), server.port()),
            "the API server at https://127.0.0.1:PORT sent nothing for 1s");
  EXPECT_EQ(server.requests().size(), 2u) << "asked again after silence";
}

TEST(Api, StopEndsAWatchAndRefusesWhatComesLater) {
  FakeApiServer server;
  Api api(accessTo(server));
  std::atomic<bool> opened{false};
  std::thread worker([&] {
    const StreamReader reader{[&] { opened = true; }, [](std::string_view) { return true; }};
    const auto reply = api.stream("/api/v1/nodes?watch=true&resourceVersion=100", reader);
    EXPECT_FALSE(reply.ok());
    EXPECT_EQ(reply.errors().front().id, kStopped);
  });
  ASSERT_TRUE(eventually([&] { return opened.load(); }));
  api.stop();
  worker.join();
  EXPECT_EQ(outcome(api, server.port()), "stopped");
}

TEST(Api, StreamsSayHowTheyEnded) {
  FakeApiServer server;
  Api patient(accessTo(server));
  ApiLimits limits;
  limits.silence = Duration(200);
  Api impatient(accessTo(server), limits);
  const std::string path = "/api/v1/nodes?watch=true&resourceVersion=100";
  const auto endAfter = [&](Api& api, const std::function<void()>& act, bool goOn = true) {
    const StreamReader reader{act, [&](std::string_view) { return goOn; }};
    const auto reply = api.stream(path, reader);
    EXPECT_TRUE(reply.ok() && reply->status == 200);
    return reply->end;
  };
  using End = StreamReply::End;
  EXPECT_EQ(endAfter(patient, [&] { server.endWatches("nodes"); }), End::kServer);
  EXPECT_EQ(endAfter(patient, [&] { server.breakWatches("nodes"); }), End::kBroken);
  EXPECT_EQ(endAfter(impatient, [] {}), End::kSilence);
  EXPECT_EQ(endAfter(
                patient, [&] { server.sendRaw("nodes", "x"); }, false),
            End::kReader);
}

TEST(Api, ARefusedTokenIsReplacedOnce) {
  class Renewable : public Credentials {
   public:
    Result<Credential> current(std::stop_token) override { return Credential{"Bearer " + token, "", ""}; }
    void refused() override { token = renewal; }
    std::string token = "old", renewal = "new";
  };
  FakeApiServer server;
  server.wantToken("new");
  Access access = accessTo(server);
  const auto credentials = std::make_shared<Renewable>();
  access.credentials = credentials;
  EXPECT_EQ(outcome(access), "200");
  EXPECT_EQ(server.requests().size(), 2u);
  credentials->token = credentials->renewal = "useless";
  EXPECT_EQ(outcome(access), "401");
  EXPECT_EQ(server.requests().size(), 3u) << "the same token was shown twice";
}

// --- whom we talk to ---

TEST(Tls, AcceptsTheNamesOfTheCertificate) {
  FakeApiServer server;
  Access access = accessTo(server);
  EXPECT_EQ(outcome(access), "200");
  access.server.host = "localhost";
  EXPECT_EQ(outcome(access), "200");
  EXPECT_THAT(server.askedNames(), testing::ElementsAre("-", "localhost"))
      << "an address is not asked for by name";
}

TEST(Tls, ServerNameIsAskedForAndExpected) {
  FakeApiServer server;
  Access access = accessTo(server);
  access.serverName = "kubernetes.default.svc";
  EXPECT_EQ(outcome(access), "200");
  EXPECT_THAT(server.askedNames(), testing::ElementsAre("kubernetes.default.svc"));
  access.serverName = "other.example.com";
  EXPECT_EQ(outcome(access),
            "the API server at https://127.0.0.1:PORT is not who we may talk to: its certificate is for "
            "`127.0.0.1`, "
            "`localhost` and `kubernetes.default.svc`, not for `other.example.com`");
}

TEST(Tls, AnAddressThatTheCertificateDoesNotHaveIsRefused) {
  FakeApiServer server(FakeApiServer::Identity{"127.0.0.1", "IP:127.0.0.2,DNS:localhost"});
  EXPECT_EQ(outcome(accessTo(server)),
            "the API server at https://127.0.0.1:PORT is not who we may talk to: its certificate is for "
            "`127.0.0.2` "
            "and `localhost`, not for `127.0.0.1`");
  EXPECT_THAT(server.requests(), testing::IsEmpty());
}

TEST(Tls, ACommonNameIsNoName) {
  FakeApiServer server(FakeApiServer::Identity{"localhost", ""});
  Access access = accessTo(server);
  access.server.host = "localhost";
  EXPECT_EQ(outcome(access),
            "the API server at https://localhost:PORT is not who we may talk to: its certificate is for no "
            "name, not "
            "for `localhost`");
}

TEST(Tls, AnUnknownAuthorityIsRefusedBeforeATokenIsSent) {
  FakeApiServer server;
  WrittenCredentials written;
  written.token = "s3cret";
  Access access = accessTo(server, written);
  access.trustPem = Authority("another").pem();
  EXPECT_EQ(
      outcome(access),
      "the API server at https://127.0.0.1:PORT is not who we may talk to: its certificate is not trusted: "
      "unable to get local issuer certificate");
  access.trustPem.clear();  // the system's authorities do not know it either
  EXPECT_EQ(
      outcome(access),
      "the API server at https://127.0.0.1:PORT is not who we may talk to: its certificate is not trusted: "
      "unable to get local issuer certificate");
  EXPECT_THAT(server.requests(), testing::IsEmpty());
}

TEST(Tls, ACertificateThatRanOutIsRefused) {
  FakeApiServer server(FakeApiServer::Identity{"x", "IP:127.0.0.1", -48, -24});
  EXPECT_EQ(
      outcome(accessTo(server)),
      "the API server at https://127.0.0.1:PORT is not who we may talk to: its certificate is not trusted: "
      "certificate has expired");
}

TEST(Tls, SkippingVerificationSkipsIt) {
  FakeApiServer server(FakeApiServer::Identity{"x", "DNS:other", -48, -24});
  Access access = accessTo(server);
  access.verifiesServer = false;
  EXPECT_EQ(outcome(access), "200");
}

TEST(Tls, ShowsItsClientCertificate) {
  FakeApiServer server(FakeApiServer::Identity{"kube-apiserver", "IP:127.0.0.1", -1, 24, true});
  const auto pair = server.authority().issue("driftbar", "");
  WrittenCredentials written;
  written.certificatePem = pair.certificate;
  written.keyPem = pair.key;
  EXPECT_EQ(outcome(accessTo(server, written)), "200");
  EXPECT_NE(outcome(accessTo(server)), "200");
}

TEST(Tls, APairThatDoesNotFitIsRefused) {
  FakeApiServer server;
  WrittenCredentials written;
  written.certificatePem = server.authority().issue("driftbar", "").certificate;
  written.keyPem = server.authority().issue("driftbar", "").key;
  EXPECT_EQ(outcome(accessTo(server, written)),
            "the client certificate cannot be used: its key belongs to another certificate");
}

TEST(Api, SaysWhyNobodyAnswers) {
  FakeApiServer server;
  Access access = accessTo(server);
  server.stop();
  EXPECT_EQ(outcome(access), "cannot reach the API server at https://127.0.0.1:PORT: connection refused");
  access.server.host = "driftbar-no-such-host.invalid";
  EXPECT_THAT(
      outcome(access),
      testing::StartsWith("cannot reach the API server at https://driftbar-no-such-host.invalid:PORT: "
                          "the name `driftbar-no-such-host.invalid` cannot be resolved: "));
}

// Answers the first request of each connection and closes at the second, unread: what a client sees of a
// server that closes an idle connection just when it is used again.
class ClosesAtTheSecondRequest {
 public:
  ClosesAtTheSecondRequest() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ClosesAtTheSecondRequest() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  int port() const { return port_; }
  int connections() const { return connections_; }

 private:
  void serve() {
    for (int peer = 0; (peer = ::accept(listener_, nullptr, nullptr)) >= 0; ::close(peer)) {
      ++connections_;
      if (!readRequest(peer)) continue;
      const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
      ::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL);
      readRequest(peer);
    }
  }
  static bool readRequest(int peer) {
    std::string text;
    char byte = 0;
    while (!text.ends_with("\r\n\r\n") && ::recv(peer, &byte, 1, 0) == 1) text += byte;
    return text.ends_with("\r\n\r\n");
  }

  const int listener_;
  int port_ = 0;
  std::atomic<int> connections_{0};
  std::thread thread_;
};

TEST(Api, AKeptConnectionThatTheServerClosedIsReplacedWithoutAWord) {
  ClosesAtTheSecondRequest server;
  Access access;
  access.server = {false, "127.0.0.1", server.port(), ""};
  access.credentials = credentialsFrom(WrittenCredentials{});
  Api api(access);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(outcome(api, server.port()), "200");
    EXPECT_EQ(server.connections(), i);
  }
}

TEST(QueryValue, EscapesAllThatMeansSomething) {
  EXPECT_EQ(queryValue("aZ09-_.~"), "aZ09-_.~");
  EXPECT_EQ(queryValue("a=b&c/d +%\xff"), "a%3Db%26c%2Fd%20%2B%25%FF");
}

}  // namespace
}  // namespace driftbar::cluster
