#include "record/metrics.h"

#include <cassert>
#include <cstdio>
#include <map>
#include <mutex>

#include "base/text.h"

namespace driftbar::record {
namespace {

using Values = std::string_view;
constexpr Values kOther = "other";
constexpr Values kPaths[] = {"/validate", "/mutate"};
constexpr Values kClasses[] = {"2xx", "3xx", "4xx", "5xx"};
constexpr Values kVerdictValues[] = {"allowed", "refused"};
constexpr Values kModes[] = {"enforce", "warn", "audit", "exempted"};
constexpr Values kResults[] = {"success", "failure"};
constexpr Values kCertificates[] = {"serving", "authority"};

// THE ONE LIST. A new metric is a row here and its name in the enumeration.
constexpr MetricRow kMetrics[] = {
    {Metric::kBuild,
     Kind::kInfo,
     "driftbar_build_info",
     "The version that runs; always 1.",
     {{{"version", {}}}}},
    {Metric::kStart, Kind::kGauge, "driftbar_start_timestamp_seconds", "When the process started.", {}},
    {Metric::kRequests,
     Kind::kCounter,
     "driftbar_requests_total",
     "Requests that a handler answered, by path and class of status code.",
     {{{"path", kPaths}, {"code", kClasses}}}},
    {Metric::kRequestSeconds,
     Kind::kHistogram,
     "driftbar_request_duration_seconds",
     "From a request's first byte to its answer, the wait for its turn included.",
     {{{"path", kPaths}}}},
    {Metric::kRequestsInFlight,
     Kind::kGauge,
     "driftbar_requests_in_flight",
     "Requests that are read and not yet answered.",
     {}},
    {Metric::kConnections,
     Kind::kGauge,
     "driftbar_connections",
     "Connections that are open, idle ones too.",
     {}},
    {Metric::kHandshakeFailures,
     Kind::kCounter,
     "driftbar_tls_handshake_failures_total",
     "TLS handshakes that failed or did not end in time.",
     {}},
    {Metric::kAcceptFailures,
     Kind::kCounter,
     "driftbar_accept_failures_total",
     "Connections that could not be accepted, for want of descriptors or memory.",
     {}},
    {Metric::kOverloadRefusals,
     Kind::kCounter,
     "driftbar_overload_refusals_total",
     "Requests answered with 429, by what there was too much of.",
     {{{"reason", {}}}}},
    {Metric::kBadRequests,
     Kind::kCounter,
     "driftbar_bad_requests_total",
     "Requests refused because they are malformed or past a limit, by reason.",
     {{{"reason", {}}}}},
    {Metric::kHandlerFailures,
     Kind::kCounter,
     "driftbar_handler_failures_total",
     "Requests answered with 500 because their handler failed, which is a bug.",
     {{{"path", kPaths}}}},
    {Metric::kVerdicts,
     Kind::kCounter,
     "driftbar_verdicts_total",
     "Reviews judged, by path and verdict.",
     {{{"path", kPaths}, {"verdict", kVerdictValues}}}},
    {Metric::kFindings,
     Kind::kCounter,
     "driftbar_findings_total",
     "What rules found, by rule and the mode it was in, or that an exemption lifted it.",
     {{{"rule", {}}, {"mode", kModes}}}},
    {Metric::kRuleFailures,
     Kind::kCounter,
     "driftbar_rule_failures_total",
     "Judgements of a rule that failed, so that its onError decided.",
     {{{"rule", {}}}}},
    {Metric::kLookUps,
     Kind::kCounter,
     "driftbar_lookups_total",
     "Objects that judging needed, by kind and result; of busy, late, forbidden, failed and stopped none is "
     "known.",
     {{{"kind", {}}, {"result", {}}}}},
    {Metric::kLookUpSeconds,
     Kind::kHistogram,
     "driftbar_lookup_duration_seconds",
     "Reads at the API server for look-ups; what was kept from an earlier one is not read.",
     {{{"kind", {}}}}},
    {Metric::kPolicySet,
     Kind::kInfo,
     "driftbar_policy_set_info",
     "The set of policies in force, by the digest of its text; always 1.",
     {{{"digest", {}}}}},
    {Metric::kPolicies, Kind::kGauge, "driftbar_policies", "Policies in force.", {}},
    {Metric::kPolicyReloads,
     Kind::kCounter,
     "driftbar_policy_reloads_total",
     "Times the policies were read anew; after a failure the set before stays in force.",
     {{{"result", kResults}}}},
    {Metric::kPolicyReloadTime,
     Kind::kGauge,
     "driftbar_policy_last_reload_timestamp_seconds",
     "When the set of policies in force was loaded.",
     {}},
    {Metric::kInventoryNodes, Kind::kGauge, "driftbar_inventory_nodes", "Nodes in the inventory.", {}},
    {Metric::kInventoryComplete,
     Kind::kGauge,
     "driftbar_inventory_complete",
     "1 once the inventory has been read whole, else 0.",
     {}},
    {Metric::kInventoryEventTime,
     Kind::kGauge,
     "driftbar_inventory_last_event_timestamp_seconds",
     "When the cluster was last heard of, by an event or a bookmark.",
     {}},
    {Metric::kInventoryReconnects,
     Kind::kCounter,
     "driftbar_inventory_reconnects_total",
     "Times the watch of the cluster was begun anew.",
     {}},
    {Metric::kCertificateExpiry,
     Kind::kGauge,
     "driftbar_tls_certificate_expiry_timestamp_seconds",
     "When the certificate in use expires.",
     {{{"certificate", kCertificates}}}},
    {Metric::kCertificateReloads,
     Kind::kCounter,
     "driftbar_tls_certificate_reloads_total",
     "Times a changed certificate was read; after a failure the one before stays in use.",
     {{{"result", kResults}}}},
};

constexpr bool inOrder() {
  for (std::size_t i = 0; i < std::size(kMetrics); ++i)
    if (static_cast<std::size_t>(kMetrics[i].metric) != i) return false;
  return std::size(kMetrics) == static_cast<std::size_t>(Metric::kEnd);
}
static_assert(inOrder(), "the list and the enumeration must have the same order");

constexpr std::size_t labelsOf(const MetricRow& row) {
  return row.labels[0].name.empty() ? 0 : row.labels[1].name.empty() ? 1 : 2;
}

constexpr std::string_view typeOf(Kind kind) {
  constexpr std::string_view kTypes[] = {"counter", "gauge", "histogram", "gauge"};
  return kTypes[static_cast<std::size_t>(kind)];
}

std::string_view known(const Label& label, std::string_view value) {
  if (label.values.empty()) return value;
  for (const auto one : label.values)
    if (one == value) return one;
  return kOther;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

std::string number(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.17g", value);
  // The shortest form that reads back as the same value.
  for (int digits = 6; digits < 17; ++digits) {
    char shorter[32];
    std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
    double again = 0;
    if (std::sscanf(shorter, "%lf", &again) == 1 && again >= value && again <= value) return shorter;
  }
  return out;
}

}  // namespace

std::span<const MetricRow> metricList() {
  return kMetrics;
}

void Gauge::add(double more) {
  double before = value_.load(std::memory_order_relaxed);
  while (!value_.compare_exchange_weak(before, before + more, std::memory_order_relaxed)) {
  }
}

void Histogram::observe(std::chrono::nanoseconds took) {
  const double seconds = static_cast<double>(took.count()) / 1e9;
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
  buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
  nanoseconds_.fetch_add(took.count() < 0 ? 0 : static_cast<std::uint64_t>(took.count()),
                         std::memory_order_relaxed);
}

std::uint64_t Histogram::count() const {
  std::uint64_t all = 0;
  for (const auto& bucket : buckets_) all += bucket.load(std::memory_order_relaxed);
  return all;
}

struct Metrics::Series {
  Counter counter;
  Gauge gauge;
  Histogram histogram;
};

struct Metrics::Family {
  mutable std::shared_mutex mutex;                    // of the map; the series are atomic
  std::map<std::string, Series, std::less<>> series;  // by what shown() says
};

namespace {

using LabelValues = std::span<const std::string_view>;
using TwoValues = std::array<std::string_view, 2>;  // of which the metric's number of labels is used

// The labels as they are told, without braces; also what a series is found by, so that no two are told alike.
std::string shown(const MetricRow& row, LabelValues values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string value = shortened(printable(values[i]), kLongestValue);
    out += (i > 0 ? "," : "") + std::string(row.labels[i].name) + "=\"" + escaped(value) + "\"";
  }
  return out;
}

// A value outside a closed list is no mistake: clients choose paths.
TwoValues within(const MetricRow& row, LabelValues values) {
  TwoValues out{};
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = known(row.labels[i], values[i]);
  return out;
}

// The series that takes all for which there is no room.
TwoValues crowdedOut(const MetricRow& row, TwoValues values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (row.labels[i].values.empty()) values[i] = kOther;
  return values;
}

}  // namespace

Metrics::Metrics()
    : families_(std::make_unique<std::array<Family, static_cast<std::size_t>(Metric::kEnd)>>()) {
  // What never happened is told as 0, so that a rate has a beginning.
  for (const auto& row : kMetrics)
    if (row.kind == Kind::kCounter && labelsOf(row) == 0) counter(row.metric);
}

Metrics::~Metrics() = default;

Metrics::Series& Metrics::series(Metric metric, std::initializer_list<std::string_view> values) {
  const MetricRow& row = kMetrics[static_cast<std::size_t>(metric)];
  assert(values.size() == labelsOf(row));
  TwoValues wanted = within(row, {values.begin(), values.size()});
  Family& family = (*families_)[static_cast<std::size_t>(metric)];
  const std::string key = shown(row, {wanted.data(), values.size()});
  {
    const std::shared_lock lock(family.mutex);
    if (const auto found = family.series.find(key); found != family.series.end()) return found->second;
  }
  const std::unique_lock lock(family.mutex);
  if (family.series.size() >= kMostSeries && !family.series.contains(key)) wanted = crowdedOut(row, wanted);
  return family.series[shown(row, {wanted.data(), values.size()})];
}

Counter& Metrics::counter(Metric metric, std::initializer_list<std::string_view> values) {
  assert(kMetrics[static_cast<std::size_t>(metric)].kind == Kind::kCounter);
  return series(metric, values).counter;
}

Gauge& Metrics::gauge(Metric metric, std::initializer_list<std::string_view> values) {
  assert(kMetrics[static_cast<std::size_t>(metric)].kind == Kind::kGauge);
  return series(metric, values).gauge;
}

Histogram& Metrics::histogram(Metric metric, std::initializer_list<std::string_view> values) {
  assert(kMetrics[static_cast<std::size_t>(metric)].kind == Kind::kHistogram);
  return series(metric, values).histogram;
}

void Metrics::tell(Metric metric, std::initializer_list<std::string_view> values) {
  const MetricRow& row = kMetrics[static_cast<std::size_t>(metric)];
  assert(row.kind == Kind::kInfo);
  Family& family = (*families_)[static_cast<std::size_t>(metric)];
  const std::unique_lock lock(family.mutex);
  family.series.clear();
  family.series[shown(row, {values.begin(), values.size()})].gauge.set(1);
}

void Metrics::renderHistogram(std::string& out, const MetricRow& row, std::string_view labels,
                              const Histogram& histogram) {
  const std::string name(row.name);
  const std::string before = labels.empty() ? "" : std::string(labels) + ",";
  const std::string braced = labels.empty() ? "" : "{" + std::string(labels) + "}";
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < histogram.buckets_.size(); ++i) {
    sum += histogram.buckets_[i].load(std::memory_order_relaxed);
    const std::string bound = i < Histogram::kBounds.size() ? number(Histogram::kBounds[i]) : "+Inf";
    out += name + "_bucket{" + before + "le=\"" + bound + "\"} " + std::to_string(sum) + "\n";
  }
  const auto nanoseconds = histogram.nanoseconds_.load(std::memory_order_relaxed);
  out += name + "_sum" + braced + " " + number(static_cast<double>(nanoseconds) / 1e9) + "\n";
  out += name + "_count" + braced + " " + std::to_string(sum) + "\n";
}

void Metrics::renderSeries(std::string& out, const MetricRow& row, std::string_view labels,
                           const Series& series) {
  if (row.kind == Kind::kHistogram) return renderHistogram(out, row, labels, series.histogram);
  const std::string braced = labels.empty() ? "" : "{" + std::string(labels) + "}";
  const std::string value =
      row.kind == Kind::kCounter ? std::to_string(series.counter.value()) : number(series.gauge.value());
  out += std::string(row.name) + braced + " " + value + "\n";
}

std::string Metrics::render() const {
  std::string out;
  for (const auto& row : kMetrics) {
    const Family& family = (*families_)[static_cast<std::size_t>(row.metric)];
    const std::shared_lock lock(family.mutex);
    if (family.series.empty()) continue;
    out += "# HELP " + std::string(row.name) + " " + std::string(row.help) + "\n";
    out += "# TYPE " + std::string(row.name) + " " + std::string(typeOf(row.kind)) + "\n";
    for (const auto& [labels, series] : family.series) renderSeries(out, row, labels, series);
  }
  return out;
}

}  // namespace driftbar::record
