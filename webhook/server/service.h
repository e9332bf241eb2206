// What all connections of one port share.
#pragma once

#include <array>
#include <atomic>
#include <string_view>
#include <thread>

#include "record/metrics.h"
#include "server/body.h"
#include "server/limits.h"
#include "server/message.h"
#include "server/refusal.h"
#include "server/roll.h"

namespace driftbar::server {

struct Service {
  Service(Handler& answering, record::Metrics& counting, Times allowed, Bounds within, Log telling)
      : handler(answering),
        metrics(counting),
        times(allowed),
        bounds(within),
        log(std::move(telling)),
        bodies(within.bodyBytes),
        inFlight(counting.gauge(record::Metric::kRequestsInFlight)),
        connections(counting.gauge(record::Metric::kConnections)),
        handshakeFailures(counting.counter(record::Metric::kHandshakeFailures)),
        acceptFailures(counting.counter(record::Metric::kAcceptFailures)) {}

  // Until nobody is at it any more; nobody begins once all connections have ended.
  void awaitResumed() const {
    while (resuming.load() != 0) std::this_thread::yield();
  }

  void count(Refusal refusal) {
    const auto metric =
        isOverload(refusal) ? record::Metric::kOverloadRefusals : record::Metric::kBadRequests;
    metrics.counter(metric, {rowOf(refusal).reason}).add();
  }

  void count(std::string_view path, unsigned status, std::chrono::nanoseconds took) {
    static constexpr std::array<std::string_view, 4> kClasses{"2xx", "3xx", "4xx", "5xx"};
    const unsigned hundreds = status / 100;
    metrics
        .counter(record::Metric::kRequests,
                 {path, kClasses[hundreds >= 2 && hundreds <= 5 ? hundreds - 2 : 3]})
        .add();
    metrics.histogram(record::Metric::kRequestSeconds, {path}).observe(took);
  }

  Handler& handler;
  record::Metrics& metrics;
  const Times times;
  const Bounds bounds;
  const Log log;

  Roll roll;
  BodyBudget bodies;
  std::atomic<std::size_t> waiting{0};  // requests read and not yet answered
  // Threads of others that are handing an answer over, and may hold the last of a connection meanwhile.
  std::atomic<std::size_t> resuming{0};
  std::atomic<bool> draining{false};

  record::Gauge& inFlight;
  record::Gauge& connections;
  record::Counter& handshakeFailures;
  record::Counter& acceptFailures;
};

}  // namespace driftbar::server
