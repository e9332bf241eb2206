// Metrics: what the gate counts of itself, told in Prometheus' text form.
//
// ONE LIST of metrics, in metrics.cc, holds every name, type, help text and label; a metric that is not in it
// cannot be counted. A series is a place in memory that stays where it is while its Metrics lives: look it up
// once, keep the reference, and count without a lock. Points in time are told as timestamps, not as ages, so
// that nothing has to be worked out when the metrics are read.
//
// The number of series is bounded: a label with a closed list of values shows all else as `other`, and a
// metric that has kMostSeries of them counts what comes new in a series whose open labels are `other`.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace driftbar::record {

// In the order of the list in metrics.cc.
enum class Metric {
  kBuild,
  kStart,
  kRequests,
  kRequestSeconds,
  kRequestsInFlight,
  kConnections,
  kHandshakeFailures,
  kAcceptFailures,
  kOverloadRefusals,
  kBadRequests,
  kHandlerFailures,
  kVerdicts,
  kFindings,
  kRuleFailures,
  kLookUps,
  kLookUpSeconds,
  kPolicySet,
  kPolicies,
  kPolicyReloads,
  kPolicyReloadTime,
  kInventoryNodes,
  kInventoryComplete,
  kInventoryEventTime,
  kInventoryReconnects,
  kCertificateExpiry,
  kCertificateReloads,
  kEnd
};

enum class Kind { kCounter, kGauge, kHistogram, kInfo };

struct Label {
  std::string_view name;
  std::span<const std::string_view> values;  // empty: any value, within kMostSeries
};

struct MetricRow {
  Metric metric;
  Kind kind;
  std::string_view name;
  std::string_view help;
  std::array<Label, 2> labels;  // an empty name: no label
};

std::span<const MetricRow> metricList();

// A set of two hundred rules in three modes makes six hundred series of findings; a thousand leaves room for
// the rules of sets that were in force before, and is what one Prometheus target may well have.
inline constexpr std::size_t kMostSeries = 1000;
// Longer label values are cut: names of rules are at most 63 characters.
inline constexpr std::size_t kLongestValue = 128;

// All of these from any thread, without a lock.
class Counter {
 public:
  void add(std::uint64_t more = 1) { value_.fetch_add(more, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Gauge {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  void set(Instant at) { set(static_cast<double>(at.time_since_epoch().count()) / 1000.0); }
  void add(double more);
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

class Histogram {
 public:
  void observe(std::chrono::nanoseconds took);
  std::uint64_t count() const;

  // In seconds. The constant part of an answer is some 0.1 ms and an API server gives up at 30 s at most.
  static constexpr std::array kBounds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                      0.05,   0.1,     0.25,   0.5,   1.0,    2.5,   5.0,  10.0};

 private:
  friend class Metrics;
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> buckets_{};  // each its own, not yet summed up
  std::atomic<std::uint64_t> nanoseconds_{0};
};

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // The series of these label values, made if it is new; as many values as the metric has labels. From any
  // thread; the reference holds as long as the Metrics.
  Counter& counter(Metric metric, std::initializer_list<std::string_view> values = {});
  Gauge& gauge(Metric metric, std::initializer_list<std::string_view> values = {});
  Histogram& histogram(Metric metric, std::initializer_list<std::string_view> values = {});

  // The one series of a metric of Kind::kInfo: the values before are forgotten.
  void tell(Metric metric, std::initializer_list<std::string_view> values);

  // Prometheus' text exposition, version 0.0.4 (kContentType); valid UTF-8. From any thread.
  std::string render() const;
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  struct Series;
  struct Family;
  Series& series(Metric metric, std::initializer_list<std::string_view> values);
  static void renderHistogram(std::string& out, const MetricRow& row, std::string_view labels,
                              const Histogram& histogram);
  static void renderSeries(std::string& out, const MetricRow& row, std::string_view labels,
                           const Series& series);

  std::unique_ptr<std::array<Family, static_cast<std::size_t>(Metric::kEnd)>> families_;
};

}  // namespace driftbar::record
