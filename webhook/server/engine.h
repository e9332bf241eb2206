// Engine: a port, its connections and the threads that serve them. The front and the ops port are one each.
//
// Accepting goes on through everything that passes (no descriptors, no memory, clients that are gone): it
// makes room by closing the longest idle connection, waits a moment and tries again. What does not pass is
// told once to whoever owns the engine, for a process that can't be reached must not look alive.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "server/connection.h"
#include "server/endpoint.h"

namespace driftbar::server {

// Called once at most, on a thread of the engine's.
using Fatal = std::function<void(Diagnostic why)>;

template <typename Stream>
class Engine {
 public:
  using Dress = std::function<Stream(PlainStream)>;  // from a socket; on any thread

  Engine(Service& service, Dress dress, Fatal fatal, unsigned threads)
      : service_(service), dress_(std::move(dress)), fatal_(std::move(fatal)), wanted_(threads) {}

  ~Engine() { stop(); }

  Result<std::uint16_t> listen(const Endpoint& endpoint) {
    ErrorCode failed;
    const auto address = asio::ip::make_address(endpoint.address, failed);
    const Tcp::endpoint at(address, endpoint.port);
    if (!failed) acceptor_.open(at.protocol(), failed);
    if (!failed) acceptor_.set_option(asio::socket_base::reuse_address(true), failed);
    if (!failed) acceptor_.bind(at, failed);
    if (!failed) acceptor_.listen(kBacklog, failed);
    if (failed)
      return error("listen", "can't listen on " + toString(endpoint) + ": " + failed.message(),
                   "give an address of this machine and a port that is free");
    const std::uint16_t port = acceptor_.local_endpoint(failed).port();
    asio::post(acceptor_.get_executor(), [this] { accept(); });
    lookAround();
    for (unsigned i = 0; i < wanted_; ++i) threads_.emplace_back([this] { run(); });
    return port;
  }

  // Serves on for `drain`, every answer ending its connection, then stops. From any thread but the engine's.
  void drain() {
    service_.draining = true;
    std::unique_lock lock(mutex_);
    stopping_.wait_for(lock, service_.times.drain, [this] { return stopped_; });
    lock.unlock();
    stop();
  }

  // Accepts no more, closes what is idle, waits for answers that are on their way, at most `grace`. From any
  // thread but the engine's; a second call waits for the first.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    stopping_.notify_all();
    const std::lock_guard once(joining_);
    if (threads_.empty()) return;
    service_.draining = true;
    std::promise<void> closed;
    asio::post(acceptor_.get_executor(), [&] {
      ErrorCode ignored;
      acceptor_.close(ignored);
      closed.set_value();
    });
    closed.get_future().wait();
    for (const auto& member : service_.roll.all()) member->retire();
    service_.roll.waitEmpty(service_.times.grace);
    for (const auto& member : service_.roll.all()) member->end();
    service_.roll.waitEmpty(service_.times.linger);
    context_.stop();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    service_.awaitResumed();
  }

 private:
  // A burst of new connections waits here, rather than be refused, while handshakes are what takes long.
  static constexpr int kBacklog = 4096;

  // Goes on after telling, so that stop works and answers complete while the process is ended.
  void run() {
    for (bool ended = false; !ended;) {
      try {
        context_.run();
        ended = true;
      } catch (const std::exception& thrown) {
        tellFatal(std::string("a thread of the server failed: ") + thrown.what());
      }
    }
  }

  void tellFatal(const std::string& message) {
    if (!told_.exchange(true) && fatal_) fatal_(error("server-failed", message));
  }

  void accept() {
    const std::size_t there = service_.roll.size();
    if (there >= service_.bounds.connections + service_.bounds.overflow) return pause();
    acceptor_.async_accept(asio::make_strand(context_), [this](ErrorCode failed, PlainStream socket) {
      if (failed) return notAccepted(failed);
      failingSince_.reset();
      admit(std::move(socket));
      accept();
    });
  }

  void admit(PlainStream socket) {
    bool crowded = false;
    if (service_.roll.size() >= service_.bounds.connections) crowded = !makeRoom();
    std::make_shared<Connection<Stream>>(dress_(std::move(socket)), service_, crowded)->start();
  }

  bool makeRoom() {
    const auto idle = service_.roll.longestIdle();
    if (idle) idle->retire();
    return idle != nullptr;
  }

  void notAccepted(ErrorCode failed) {
    if (!acceptor_.is_open()) return;
    if (isGone(failed)) return accept();
    service_.acceptFailures.add();
    if (!isShortage(failed)) return tellFatal("accepting connections failed: " + failed.message());
    const auto now = Member::Clock::now();
    if (!failingSince_) failingSince_ = now;
    if (now - *failingSince_ >= service_.times.acceptFailing)
      return tellFatal("accepting connections has failed for " +
                       driftbar::toString(service_.times.acceptFailing) + ": " + failed.message());
    makeRoom();
    pause();
  }

  // The client's going, or the network's: Linux tells accept of what happened to the connection.
  static bool isGone(ErrorCode failed) {
    constexpr std::array kGone{ECONNABORTED, EINTR,        EAGAIN, EPROTO,      ENETDOWN, ENOPROTOOPT,
                               EHOSTDOWN,    EHOSTUNREACH, ENONET, ENETUNREACH, EPERM,    ETIMEDOUT};
    return std::find(kGone.begin(), kGone.end(), failed.value()) != kGone.end();
  }

  static bool isShortage(ErrorCode failed) {
    constexpr std::array kShortages{EMFILE, ENFILE, ENOBUFS, ENOMEM};
    return std::find(kShortages.begin(), kShortages.end(), failed.value()) != kShortages.end();
  }

  void pause() {
    pausing_.expires_after(service_.times.acceptPause);
    pausing_.async_wait([this](ErrorCode failed) {
      if (!failed && acceptor_.is_open()) accept();
    });
  }

  void lookAround() {
    looking_.expires_after(service_.times.tick);
    looking_.async_wait([this](ErrorCode failed) {
      if (failed) return;
      for (const auto& member : service_.roll.overdue(Member::Clock::now())) member->expire();
      lookAround();
    });
  }

  Service& service_;
  const Dress dress_;
  const Fatal fatal_;
  const unsigned wanted_;
  asio::io_context context_;
  asio::basic_socket_acceptor<Tcp, Strand> acceptor_{asio::make_strand(context_)};
  asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Strand>
      pausing_{acceptor_.get_executor()};
  asio::steady_timer looking_{context_};
  std::optional<Member::Clock::time_point> failingSince_;
  std::atomic<bool> told_{false};

  std::vector<std::thread> threads_;
  std::mutex mutex_, joining_;
  std::condition_variable stopping_;
  bool stopped_ = false;
};

}  // namespace driftbar::server
