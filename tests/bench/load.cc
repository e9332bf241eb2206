#include "bench/load.h"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <memory>
#include <numeric>

namespace driftbar::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Clock = std::chrono::steady_clock;

// What all connections share: how many requests are still to be sent, and what came of those that were.
struct Tally {
  int toWarmUp = 0;
  int toSend = 0;
  Clock::time_point firstCounted;
  Measured measured;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::io_context& io, asio::ssl::context& tls, const Load& load, Tally& tally)
      : stream_(io, tls), tally_(tally) {
    request_.method(http::verb::post);
    request_.target(load.path + "?timeout=10s");
    request_.set(http::field::host, "localhost");
    request_.set(http::field::content_type, "application/json");
    request_.body() = load.body;
    request_.prepare_payload();
    port_ = load.port;
  }

  void start() {
    const asio::ip::tcp::endpoint peer(asio::ip::address_v4::loopback(), port_);
    beast::get_lowest_layer(stream_).async_connect(
        peer, [self = shared_from_this()](beast::error_code failed) {
          if (failed) return self->fail();
          self->stream_.async_handshake(asio::ssl::stream_base::client, [self](beast::error_code refused) {
            if (refused) return self->fail();
            self->next();
          });
        });
  }

 private:
  void next() {
    if (tally_.toWarmUp > 0) {
      --tally_.toWarmUp;
      counted_ = false;
    } else if (tally_.toSend > 0) {
      --tally_.toSend;
      counted_ = true;
    } else {
      return;  // done; the connection closes with its last reference
    }
    sent_ = Clock::now();
    if (counted_ && tally_.firstCounted == Clock::time_point{}) tally_.firstCounted = sent_;
    http::async_write(stream_, request_, [self = shared_from_this()](beast::error_code failed, std::size_t) {
      if (failed) return self->fail();
      self->response_ = {};
      http::async_read(self->stream_, self->buffer_, self->response_,
                       [self](beast::error_code broken, std::size_t) {
                         if (broken) return self->fail();
                         self->answered();
                       });
    });
  }

  void answered() {
    const auto now = Clock::now();
    if (counted_) {
      tally_.measured.latencies.push_back(now - sent_);
      tally_.measured.wall = now - tally_.firstCounted;
      if (response_.result() != http::status::ok) ++tally_.measured.failed;
    }
    next();
  }

  void fail() { ++tally_.measured.failed; }

  beast::ssl_stream<beast::tcp_stream> stream_;
  Tally& tally_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
  std::uint16_t port_ = 0;
  Clock::time_point sent_;
  bool counted_ = false;
};

}  // namespace

std::chrono::nanoseconds Measured::mean() const {
  if (latencies.empty()) return {};
  return std::accumulate(latencies.begin(), latencies.end(), std::chrono::nanoseconds{0}) /
         static_cast<std::int64_t>(latencies.size());
}

std::chrono::nanoseconds Measured::quantile(double q) const {
  if (latencies.empty()) return {};
  const auto last = static_cast<double>(latencies.size() - 1);
  return latencies[static_cast<std::size_t>(q * last)];
}

double Measured::requestsPerSecond() const {
  const double seconds = std::chrono::duration<double>(wall).count();
  return seconds > 0 ? static_cast<double>(latencies.size()) / seconds : 0;
}

Measured run(const Load& load) {
  asio::io_context io;
  asio::ssl::context tls(asio::ssl::context::tls_client);
  tls.set_verify_mode(asio::ssl::verify_none);  // a loopback port of this very process' parent
  Tally tally{load.warmup, load.requests, {}, {}};
  tally.measured.latencies.reserve(static_cast<std::size_t>(load.requests));
  for (int i = 0; i < load.connections; ++i) std::make_shared<Connection>(io, tls, load, tally)->start();
  io.run();
  std::sort(tally.measured.latencies.begin(), tally.measured.latencies.end());
  return std::move(tally.measured);
}

}  // namespace driftbar::bench
