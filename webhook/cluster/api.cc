#include "cluster/api.h"

#include <httplib.h>
#include <openssl/err.h>
#include <signal.h>

#include <charconv>
#include <chrono>

#include "cluster/reach.h"
#include "cluster/tls.h"

namespace driftbar::cluster {
namespace {

using Steady = std::chrono::steady_clock;

// Of an answer that is no success only its message is of interest: a Status, mostly of less than 1 kB.
constexpr std::size_t kMaxRefusalBytes = 64 * 1024;
// The server may ask for patience; more than this it never does (API priority and fairness says 1).
constexpr int kMostRetryAfterSeconds = 60;
// How often a stop is repeated until the request has seen it (one that comes just before a request is sent is
// forgotten by cpp-httplib).
constexpr auto kStopAgain = std::chrono::milliseconds(20);

bool isSuccess(int status) {
  return status == 200;
}

std::optional<Duration> retryAfter(const httplib::Response& response) {
  const std::string text = response.get_header_value("Retry-After");
  int seconds = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || failed != std::errc() || end != text.data() + text.size() || seconds < 0)
    return std::nullopt;
  return std::chrono::seconds(std::min(seconds, kMostRetryAfterSeconds));
}

// cpp-httplib's client writes without MSG_NOSIGNAL: a server that went away would end the process, unless
// something else in it (a server of cpp-httplib's, say) ignores the signal. While this lives, the thread's
// own SIGPIPE is held back; one that came in is taken away at the end.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigset_t pending;
    ::sigpending(&pending);
    pendingBefore_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    const timespec atOnce{};
    while (!pendingBefore_ && ::sigtimedwait(&pipe_, nullptr, &atOnce) == SIGPIPE) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool pendingBefore_ = false;
};

}  // namespace

// One request and what came of it.
struct Api::Exchange {
  ApiLimits limits;
  const StreamReader* reader = nullptr;  // null: the answer is gathered
  std::stop_token stop;
  Steady::time_point began, lastByte, last;

  StreamReply reply;
  bool answered = false;  // the head of the answer came
  bool failed = false;
  bool tooLarge = false, tooLong = false, ended = false;
  httplib::Error error = httplib::Error::Success;

  bool streams() const { return reader != nullptr && isSuccess(reply.status); }

  bool head(const httplib::Response& response) {
    answered = true;
    lastByte = Steady::now();
    reply.status = response.status;
    reply.retryAfter = retryAfter(response);
    if (streams()) reader->opened();
    return !stop.stop_requested();
  }

  bool bytes(std::string_view part) {
    lastByte = Steady::now();
    if (stop.stop_requested()) return false;
    if (!streams()) return gather(part);
    ended = !reader->bytes(part);
    return !ended;
  }

  bool gather(std::string_view part) {
    tooLong = lastByte > last;
    if (!isSuccess(reply.status)) {
      part = part.substr(0, kMaxRefusalBytes - std::min(kMaxRefusalBytes, reply.body.size()));
    }
    tooLarge = reply.body.size() + part.size() > limits.bodyBytes;
    if (!tooLarge) reply.body.append(part);
    return !tooLong && !tooLarge;
  }
};

Api::Api(Access access, ApiLimits limits)
    : access_(std::move(access)), limits_(limits), seen_(std::make_unique<ServerCertificate>()) {}

Api::~Api() {
  stop();
}

void Api::stop() {
  stopping_.request_stop();
  std::unique_lock lock(mutex_);
  while (busy_) {
    if (client_) client_->stop();
    idle_.wait_for(lock, kStopAgain);
  }
}

bool Api::begin() {
  const std::lock_guard lock(mutex_);
  busy_ = !stopping_.stop_requested();
  return busy_;
}

void Api::finish() {
  const std::lock_guard lock(mutex_);
  busy_ = false;
  idle_.notify_all();
}

Result<Reply> Api::get(const std::string& path, std::optional<Duration> within) {
  ApiLimits limits = limits_;
  for (Duration* one : {&limits.connect, &limits.silence, &limits.whole}) {
    *one = std::min(*one, within.value_or(*one));
  }
  auto reply = send(path, nullptr, limits);
  if (!reply) return std::move(reply).errors();
  return Reply(std::move(*reply));
}

Result<StreamReply> Api::stream(const std::string& path, const StreamReader& reader) {
  return send(path, &reader, limits_);
}

Result<StreamReply> Api::send(const std::string& path, const StreamReader* reader, const ApiLimits& limits) {
  if (!begin()) return error(std::string(kStopped), "stopped");
  const auto work = [&]() -> Result<StreamReply> {
    auto credential = access_.credentials->current(stopping_.get_token());
    if (!credential) return std::move(credential).errors();
    auto reply = sendAs(*credential, path, reader, limits);
    if (reply ? reply->status != 401 : reply.errors().front().id != kTls) return reply;
    access_.credentials->refused();
    if (!reply) return reply;  // a client certificate that was turned down ends the handshake
    const auto renewed = access_.credentials->current(stopping_.get_token());
    if (!renewed) return renewed.errors();
    return *renewed == *credential ? std::move(reply) : sendAs(*renewed, path, reader, limits);
  };
  auto reply = work();
  finish();
  if (stopping_.stop_requested()) return error(std::string(kStopped), "stopped");
  return reply;
}

Result<StreamReply> Api::sendAs(const Credential& credential, const std::string& path,
                                const StreamReader* reader, const ApiLimits& limits) {
  if (auto errors = connectAs(credential); !errors.empty()) return errors;
  Exchange exchange;
  exchange.reader = reader;
  exchange.stop = stopping_.get_token();
  exchange.limits = limits;
  const bool kept = client_->is_socket_open() != 0;
  once(exchange, credential, path);
  // The server closes a kept connection when it likes, which may be just now.
  const bool closed = exchange.failed && !exchange.answered && kept &&
                      Steady::now() - exchange.began < limits.silence && !exchange.stop.stop_requested();
  if (closed) once(exchange, credential, path);
  return outcome(exchange);
}

Diagnostics Api::connectAs(const Credential& credential) {
  const std::string shown = credential.certificatePem + credential.keyPem;
  if (client_ && shown == shownCertificate_) return {};
  std::unique_ptr<httplib::ClientImpl> client;
  const Server& server = access_.server;
  if (server.tls) {
    auto made = std::make_unique<httplib::SSLClient>(server.host, server.port);
    made->enable_server_certificate_verification(false);  // see tls.h
    auto errors = prepare(*made->ssl_context(), access_, credential, *seen_);
    if (!errors.empty()) return errors;
    client = std::move(made);
  } else {
    client = std::make_unique<httplib::ClientImpl>(server.host, server.port);
  }
  client->set_keep_alive(true);
  client->set_follow_location(false);
  client->set_tcp_nodelay(true);
  client->set_url_encode(false);
  client->set_decompress(false);
  const std::lock_guard lock(mutex_);
  client_ = std::move(client);
  shownCertificate_ = shown;
  return {};
}

void Api::once(Exchange& exchange, const Credential& credential, const std::string& path) {
  httplib::Headers headers{{"Host", access_.server.hostAndPort()},
                           {"Accept", "application/json"},
                           {"Accept-Encoding", "identity"},
                           {"User-Agent", "driftbar"}};
  if (!credential.authorization.empty()) headers.emplace("Authorization", credential.authorization);
  exchange.began = exchange.lastByte = Steady::now();
  exchange.last = exchange.began + exchange.limits.whole;
  client_->set_connection_timeout(exchange.limits.connect);
  client_->set_read_timeout(exchange.limits.silence);
  client_->set_write_timeout(exchange.limits.connect);
  ERR_clear_error();
  const NoBrokenPipe noBrokenPipe;
  const auto result = client_->Get(
      access_.server.prefix + path, headers,
      [&](const httplib::Response& response) { return exchange.head(response); },
      [&](const char* data, std::size_t size) {
        return exchange.bytes({data, size});
      });
  exchange.failed = !result;
  exchange.error = result.error();
}

Result<StreamReply> Api::outcome(Exchange& exchange) const {
  const bool silent = Steady::now() - exchange.lastByte >= exchange.limits.silence;
  if (!exchange.failed) return std::move(exchange.reply);
  if (!exchange.streams()) {
    // The status says it all where the text that goes with it broke off.
    if (exchange.answered && !isSuccess(exchange.reply.status)) return std::move(exchange.reply);
    return whyFailed(exchange);
  }
  exchange.reply.end = exchange.ended ? StreamReply::End::kReader
                       : silent       ? StreamReply::End::kSilence
                                      : StreamReply::End::kBroken;
  return std::move(exchange.reply);
}

Diagnostic Api::whyFailed(const Exchange& exchange) const {
  const std::string server = "the API server at " + access_.server.url();
  const std::string written = "the address and its authority come from " + access_.origin;
  if (exchange.tooLarge) {
    return error(std::string(kTooLarge),
                 server + " answered with more than " + std::to_string(exchange.limits.bodyBytes) + " bytes");
  }
  const auto waited = Steady::now() - exchange.began;
  if (exchange.tooLong)
    return error(std::string(kBroken), server + " took longer than " + toString(exchange.limits.whole));
  if (exchange.error == httplib::Error::SSLConnection) {
    return error(std::string(kTls), server + " is not who we may talk to: " + whyHandshakeFailed(*seen_),
                 written);
  }
  const bool connected =
      exchange.answered || exchange.error == httplib::Error::Read || exchange.error == httplib::Error::Write;
  if (!connected) {
    const std::string why =
        waited >= exchange.limits.connect
            ? "no answer within " + toString(exchange.limits.connect)
            : whyUnreachable(access_.server.host, access_.server.port, exchange.limits.connect);
    return error(std::string(kUnreachable),
                 "cannot reach " + server + ": " + (why.empty() ? std::string("the connection broke") : why),
                 written);
  }
  if (Steady::now() - exchange.lastByte >= exchange.limits.silence) {
    return error(std::string(kBroken), server + " sent nothing for " + toString(exchange.limits.silence));
  }
  return error(std::string(kBroken), server + " broke off its answer");
}

std::string queryValue(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
        c == '.' || c == '~') {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

}  // namespace driftbar::cluster
