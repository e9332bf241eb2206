// Served: a front on a free port of the loopback, with a handler and limits of the test's choice.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "certs/issue.h"
#include "certs/serving.h"
#include "server/front.h"
#include "wire.h"

namespace driftbar::server {

inline std::shared_ptr<SSL_CTX> newTls() {
  static const certs::Pair authority =
      certs::makeAuthority("a test's authority",
                           std::chrono::floor<Duration>(std::chrono::system_clock::now()))
          .value();
  const auto pair = certs::issueServing(authority, {{"localhost"}, {"127.0.0.1"}},
                                        std::chrono::floor<Duration>(std::chrono::system_clock::now()));
  return certs::serverContext(pair->certificate, pair->key).value();
}

inline std::shared_ptr<SSL_CTX> someTls() {
  static const auto tls = newTls();
  return tls;
}

class Served : public Handler {
 public:
  using Answering = std::function<std::optional<Reply>(const Request&, const Later&)>;

  // Looks at time often, so that tests with short times are over soon.
  static FrontOptions options() {
    FrontOptions out;
    out.endpoint = {"127.0.0.1", 0};
    out.threads = 2;
    out.times.tick = std::chrono::milliseconds(5);
    return out;
  }

  explicit Served(
      std::function<Reply(const Request&)> answering = [](const Request&) { return textReply(200, "fine"); },
      FrontOptions options = Served::options())
      : Served(Answering([answering](const Request& request, const Later&) { return answering(request); }),
               std::move(options)) {}

  explicit Served(Answering answering, FrontOptions options = Served::options())
      : answering_(std::move(answering)) {
    options.log = [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      log_ += std::string(line) + "\n";
    };
    options.fatal = [this](const Diagnostic& why) { fatal_.set_value(why); };
    auto made = Front::listen(std::move(options), *this, someTls(), metrics_);
    EXPECT_TRUE(made) << (made ? "" : render(made.errors()));
    front_ = std::move(made).value();
  }

  std::optional<Reply> handle(const Request& request, const Later& later) override {
    return answering_(request, later);
  }

  Front& front() { return *front_; }
  std::uint16_t port() const { return front_->port(); }
  record::Metrics& metrics() { return metrics_; }
  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  std::future<Diagnostic> fatal() { return fatal_.get_future(); }

 private:
  const Answering answering_;
  record::Metrics metrics_;
  std::mutex mutex_;
  std::string log_;
  std::promise<Diagnostic> fatal_;
  std::unique_ptr<Front> front_;  // the last, so that it stops first
};

// A well-formed request with a body.
inline std::string post(const std::string& path, const std::string& body, const std::string& headers = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

}  // namespace driftbar::server
