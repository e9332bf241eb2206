// A connection: handshake, then one request after the other until one side has had enough.
//
// One operation on the stream is under way at any time, and all that happens to a connection happens on its
// strand, so there is no lock. Requests that come before the answer to the one before (pipelining) stay in
// the buffer. A request that is read whole takes its place at the end of the context's queue before it is
// judged: so reading, which is cheap, goes on when judging is what is slow, and the number of requests that
// wait is known and bounded. The way of a request:
//
//   await -> read -> digest -> (headEnds -> digest ...) -> enqueue -> judge -> judged -> answer -> await
//                       \-> refuse -> answer -> close              \-> postponed -> judged
//
// While a handler waits for something, nothing is under way on the stream and the connection is held by what
// the handler is to answer by; a client that goes away meanwhile is noticed when the answer is written.
// It lives as long as an operation is under way, each of which holds it.
#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/text.h"
#include "server/head.h"
#include "server/reply.h"
#include "server/service.h"

namespace driftbar::server {

template <typename Stream>
class Connection final : public Member {
 public:
  // `crowded`: there are too many, so the first request is answered with a 429.
  Connection(Stream stream, Service& service, bool crowded)
      : stream_(std::move(stream)), service_(service), crowded_(crowded), body_(service.bodies) {
    service_.roll.enter(*this);
    service_.connections.add(1);
  }

  ~Connection() override {
    service_.connections.add(-1);
    service_.roll.leave(*this);
  }

  void start() {
    ErrorCode ignored;
    socket().set_option(Tcp::no_delay(true), ignored);
    asio::dispatch(stream_.get_executor(), [self = shared()] { self->greet(); });
  }

  void expire() override {
    asio::post(stream_.get_executor(), [self = shared()] {
      if (self->isDue(Clock::now())) self->giveUp();
    });
  }

  void retire() override {
    asio::post(stream_.get_executor(), [self = shared()] { self->rest(); });
  }

  void end() override {
    asio::post(stream_.get_executor(), [self = shared()] { self->hangUp(); });
  }

 private:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  enum class Phase { kHandshake, kIdle, kHead, kBody, kWaiting, kAnswer, kClosing };

  using Parser = http::request_parser<ChargedBody>;

  std::shared_ptr<Connection> shared() { return std::static_pointer_cast<Connection>(shared_from_this()); }
  PlainStream& socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  void enter(Phase phase, std::chrono::milliseconds most) {
    phase_ = phase;
    due(Clock::now() + most);
  }

  // The time for what is under way is up. Reading is ended by a cancellation, and whoever was reading then
  // sees gaveUp_; all else has nobody left to tell.
  void giveUp() {
    if (phase_ == Phase::kIdle || phase_ == Phase::kHead || phase_ == Phase::kBody) {
      ErrorCode ignored;
      gaveUp_ = true;
      socket().cancel(ignored);
      return;
    }
    hangUp();
  }

  // Closes unless a request has begun. What is being read has the last word: a request may have come of which
  // only the kernel, TLS or a completion on its way knows. So reading is cancelled, and ends the connection
  // where it finds that nothing has come; the client, who may not hear a good-bye out, has no part in that.
  void rest() {
    if (phase_ == Phase::kHandshake) return hangUp();
    if (phase_ != Phase::kIdle) return;
    unwanted_ = true;
    ErrorCode ignored;
    socket().cancel(ignored);
  }

  // Whether a part of a request is there that has not been read yet: with the kernel, or with TLS, which
  // tells of whole records only.
  bool hasUnread() {
    ErrorCode failed;
    if (socket().available(failed) > 0) return true;
    if constexpr (kTls) {
      SSL* const tls = stream_.native_handle();
      return BIO_ctrl_pending(SSL_get_rbio(tls)) > 0 || SSL_has_pending(tls) == 1;
    }
    return false;
  }

  void hangUp() {
    if (phase_ == Phase::kHandshake) service_.handshakeFailures.add();
    phase_ = Phase::kClosing;
    ErrorCode ignored;
    socket().close(ignored);
  }

  void greet() {
    enter(Phase::kHandshake, service_.times.handshake);
    if constexpr (kTls) {
      stream_.async_handshake(asio::ssl::stream_base::server, [self = shared()](ErrorCode failed) {
        if (!failed) return self->await();
        if (self->phase_ == Phase::kHandshake) self->hangUp();
      });
    } else {
      await();
    }
  }

  // The next request, of which a part may be in the buffer already.
  void await() {
    parser_.emplace();
    parser_->header_limit(kMostHeadBytes);
    parser_->body_limit(kMostBodyBytes);
    body_.clear();
    parser_->get().body() = std::move(body_);
    headBytes_ = 0;
    gaveUp_ = unwanted_ = false;
    if (buffer_.size() > 0) {
      begin();
      return digest();
    }
    enter(Phase::kIdle, service_.times.idle);
    service_.roll.idle(*this);
    read();
  }

  void begin() {
    received_ = Clock::now();
    enter(Phase::kHead, service_.times.head);
  }

  void read() {
    if (gaveUp_) return readingEnded();
    stream_.async_read_some(
        buffer_.prepare(kMostHeadBytes - buffer_.size()),
        [self = shared()](ErrorCode failed, std::size_t size) { self->onRead(failed, size); });
  }

  void onRead(ErrorCode failed, std::size_t size) {
    if (failed) return readingEnded();
    buffer_.commit(size);
    if (phase_ == Phase::kIdle) {
      service_.roll.busy(*this);
      gaveUp_ = unwanted_ = false;  // what has begun is served, whatever was wanted before
      begin();
    }
    digest();
  }

  // By our giving up, or by the client's going away, who then is not there to be told anything.
  void readingEnded() {
    if (phase_ == Phase::kIdle) service_.roll.busy(*this);
    if (std::exchange(unwanted_, false) && !gaveUp_ && hasUnread()) {
      begin();
      return read();
    }
    if (!gaveUp_) return hangUp();
    if (phase_ == Phase::kHead) return refuse(Refusal::kHeadTime);
    if (phase_ == Phase::kBody) return refuse(Refusal::kBodyTime);
    close();
  }

  // Lets the parser have what is in the buffer, until it is done or wants more.
  void digest() {
    while (!parser_->is_done()) {
      if (buffer_.size() == 0) return read();
      ErrorCode failed;
      const std::size_t used = parser_->put(buffer_.data(), failed);
      buffer_.consume(used);
      const bool headEnded = phase_ == Phase::kHead && !failed && parser_->is_header_done();
      if (phase_ == Phase::kHead && (headBytes_ += used) > kMostHeadBytes) return refuse(headTooLarge());
      if (failed == http::error::need_more) {
        if (buffer_.size() < kMostHeadBytes) return read();
        return refuse(phase_ == Phase::kHead ? headTooLarge() : Refusal::kChunk);
      }
      if (failed)
        return refuse(failed == http::error::header_limit ? headTooLarge()
                                                          : refusalOf(failed, phase_ == Phase::kBody));
      if (headEnded && !headEnds()) return;
    }
    enqueue();
  }

  // Without a line's end in the buffer, nor one before it, it is the target that is too long.
  Refusal headTooLarge() {
    const std::string_view seen(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    const bool firstLine = headBytes_ == 0 && seen.find('\n') == std::string_view::npos;
    return firstLine ? Refusal::kTargetLength : Refusal::kHeadSize;
  }

  // False where the request has been refused, or goes on later.
  bool headEnds() {
    const auto& head = parser_->get().base();
    if (const auto wrong = crowded_ ? Refusal::kConnections : checkHead(head)) {
      refuse(*wrong);
      return false;
    }
    parser_->eager(true);
    enter(Phase::kBody, service_.times.body);
    if (parser_->is_done() || !expectsContinue(head)) return true;
    promise();
    return false;
  }

  void promise() {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(kContinue.data(), kContinue.size()),
                      [self = shared()](ErrorCode failed, std::size_t) {
                        if (failed) return self->hangUp();
                        self->digest();
                      });
  }

  void enqueue() {
    phase_ = Phase::kWaiting;
    neverDue();
    if (service_.waiting.fetch_add(1, std::memory_order_relaxed) >= service_.bounds.waiting) {
      service_.waiting.fetch_sub(1, std::memory_order_relaxed);
      service_.count(Refusal::kWaiting);
      return answer(replyOf(Refusal::kWaiting), keeps());
    }
    service_.inFlight.add(1);
    asio::defer(stream_.get_executor(), [self = shared()] { self->judge(); });
  }

  Request request() const {
    const auto& message = parser_->get();
    const Target target = targetOf(message.base());
    const auto method = message.method_string();
    return {{method.data(), method.size()}, target.path, target.query,
            message.body().text(),          received_,   received_ + timeFor(target.query, service_.times)};
  }

  void judge() {
    PostponedPtr waiting;
    auto reply = guarded([&]() -> std::optional<Reply> {
      auto now = service_.handler.handle(request(), [&] { return postpone(waiting); });
      if (!now && !waiting) throw std::logic_error("it neither answered nor asked for time");
      return now;
    });
    if (!reply) return;
    // A handler that failed after it had asked for time may have been answered for already.
    if (waiting && waiting->answered.exchange(true)) return;
    judged(*std::move(reply));
  }

  // While this lives and has not been answered, so do the connection and what it was asked.
  struct Postponed {
    explicit Postponed(std::shared_ptr<Connection> of) : connection(std::move(of)) {}
    ~Postponed() {
      resume([]() -> Reply { throw std::logic_error("it dropped the request unanswered"); });
    }
    void resume(std::function<Reply()> answering) {
      if (answered.exchange(true)) return;
      auto& resuming = connection->service_.resuming;
      resuming.fetch_add(1);
      {
        const auto self = std::exchange(connection, nullptr);
        asio::post(self->stream_.get_executor(), [self, answering = std::move(answering)] {
          self->judged(*self->guarded([&] { return std::optional(answering()); }));
        });
      }  // the answer may be out already, and this the last of the connection
      resuming.fetch_sub(1);
    }
    std::shared_ptr<Connection> connection;
    std::atomic<bool> answered{false};
  };
  using PostponedPtr = std::shared_ptr<Postponed>;

  Resume postpone(PostponedPtr& waiting) {
    waiting = std::make_shared<Postponed>(shared());
    return [waiting](std::function<Reply()> answering) { waiting->resume(std::move(answering)); };
  }

  void judged(Reply reply) {
    service_.count(request().path, reply.status, Clock::now() - received_);
    service_.inFlight.add(-1);
    service_.waiting.fetch_sub(1, std::memory_order_relaxed);
    answer(std::move(reply), keeps());
  }

  // What answering gives, or a 500 for what it throws.
  template <typename Answering>
  std::optional<Reply> guarded(const Answering& answering) {
    std::string why = "an exception of unknown type";
    try {
      return answering();
    } catch (const std::exception& thrown) {
      why = thrown.what();
    } catch (...) {
    }
    const Request asked = request();
    service_.metrics.counter(record::Metric::kHandlerFailures, {asked.path}).add();
    service_.log("the handler of " + printable(asked.method) + " " + printable(asked.path) +
                 " failed: " + printable(why));
    return textReply(500, "the gate failed while it answered this request; its log says more");
  }

  bool keeps() { return parser_->get().version() == 11 && parser_->get().keep_alive(); }

  void refuse(Refusal refusal) {
    service_.count(refusal);
    answer(replyOf(refusal), false);
  }

  void answer(Reply reply, bool keep) {
    const bool close = !keep || service_.draining.load(std::memory_order_relaxed);
    out_ = written(reply, close, parser_->get().method() == http::verb::head);
    body_ = std::move(parser_->get().body());
    body_.clear();
    enter(Phase::kAnswer, service_.times.write);
    asio::async_write(stream_, asio::buffer(out_), [self = shared(), close](ErrorCode failed, std::size_t) {
      if (failed) return self->hangUp();
      if (close) return self->close();
      self->await();
    });
  }

  // Says good-bye as TLS wants it, then as TCP does, and hears the client out, so that the kernel has no
  // reason to throw away what it has not read yet.
  void close() {
    enter(Phase::kClosing, service_.times.linger);
    if constexpr (kTls) {
      stream_.async_shutdown([self = shared()](ErrorCode) { self->endSending(); });
    } else {
      endSending();
    }
  }

  void endSending() {
    ErrorCode failed;
    socket().shutdown(Tcp::socket::shutdown_send, failed);
    if (!failed) hearOut();
  }

  void hearOut() {
    socket().async_read_some(asio::buffer(unheard_), [self = shared()](ErrorCode failed, std::size_t) {
      if (failed) return self->hangUp();
      self->hearOut();
    });
  }

  Stream stream_;
  Service& service_;
  const bool crowded_;
  Phase phase_ = Phase::kHandshake;
  bool gaveUp_ = false;    // on reading, because its time is up
  bool unwanted_ = false;  // there is better use for its place, unless a request has begun
  Clock::time_point received_;
  std::size_t headBytes_ = 0;
  boost::beast::flat_buffer buffer_{kMostHeadBytes};
  std::optional<Parser> parser_;
  BodyText body_;  // between requests
  std::string out_;
  std::array<char, 4096> unheard_;
};

}  // namespace driftbar::server
