#include "record/metrics.h"

#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace driftbar::record {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string linesOf(const Metrics& metrics, std::string_view name) {
  std::string out;
  const std::string text = metrics.render();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at + 1);
    if (line.find(name) != std::string::npos) out += line;
    at = end + 1;
  }
  return out;
}

TEST(MetricList, EveryRowKeepsPrometheusRules) {
  std::set<std::string_view> names;
  for (const auto& row : metricList()) {
    const std::string name(row.name);
    EXPECT_TRUE(names.insert(row.name).second) << name << " is there twice";
    EXPECT_TRUE(name.starts_with("driftbar_") &&
                name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos)
        << name;
    EXPECT_EQ(row.kind == Kind::kCounter, name.ends_with("_total")) << name;
    EXPECT_EQ(row.kind == Kind::kInfo, name.ends_with("_info")) << name;
    EXPECT_EQ(row.kind == Kind::kHistogram, name.ends_with("_duration_seconds")) << name;
    EXPECT_TRUE(row.help.ends_with(".")) << name;
    EXPECT_EQ(row.help.find_first_of("\\\n"), std::string_view::npos) << name << " would need escapes";
  }
}

TEST(Metrics, CounterWithoutLabelsIsToldAsZeroBeforeAnythingHappens) {
  const Metrics metrics;
  EXPECT_EQ(
      linesOf(metrics, "accept_failures"),
      "# HELP driftbar_accept_failures_total Connections that could not be accepted, for want of descriptors "
      "or memory.\n# TYPE driftbar_accept_failures_total counter\ndriftbar_accept_failures_total 0\n");
}

TEST(Metrics, GaugeThatWasNeverSetIsNotTold) {
  const Metrics metrics;
  EXPECT_THAT(metrics.render(), Not(HasSubstr("inventory_nodes")));
}

TEST(Metrics, SeriesAreToldByLabel) {
  Metrics metrics;
  metrics.counter(Metric::kRequests, {"/validate", "2xx"}).add(2);
  metrics.counter(Metric::kRequests, {"/mutate", "5xx"}).add();
  metrics.counter(Metric::kRequests, {"/validate", "2xx"}).add();
  EXPECT_EQ(linesOf(metrics, "requests_total{"),
            "driftbar_requests_total{path=\"/mutate\",code=\"5xx\"} 1\n"
            "driftbar_requests_total{path=\"/validate\",code=\"2xx\"} 3\n");
}

TEST(Metrics, ValueOutsideAClosedListIsOther) {
  Metrics metrics;
  metrics.counter(Metric::kRequests, {"/etc/passwd", "4xx"}).add();
  metrics.counter(Metric::kRequests, {"/wp-login.php", "4xx"}).add();
  EXPECT_EQ(linesOf(metrics, "requests_total{"), "driftbar_requests_total{path=\"other\",code=\"4xx\"} 2\n");
}

TEST(Metrics, FindingsThatAnExemptionLiftedAreCountedApart) {
  Metrics metrics;
  metrics.counter(Metric::kFindings, {"p/r", "exempted"}).add();
  EXPECT_NE(metrics.render().find("driftbar_findings_total{rule=\"p/r\",mode=\"exempted\"} 1\n"),
            std::string::npos)
      << metrics.render();
}

TEST(Metrics, OpenLabelIsBoundedAndNothingIsLost) {
  Metrics metrics;
  for (std::size_t i = 0; i < 3 * kMostSeries; ++i)
    metrics.counter(Metric::kFindings, {"rule-" + std::to_string(i), "warn"}).add();
  const std::string lines = linesOf(metrics, "findings_total{");
  EXPECT_EQ(static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')), kMostSeries + 1);
  EXPECT_THAT(lines, HasSubstr("driftbar_findings_total{rule=\"other\",mode=\"warn\"} 2000\n"));
}

TEST(Metrics, LabelValueIsEscapedAndCutAndNoTwoSeriesAreToldAlike) {
  Metrics metrics;
  metrics.counter(Metric::kRuleFailures, {"a\"b\\c\nd\xff"}).add();
  metrics.counter(Metric::kRuleFailures, {std::string(500, 'x')}).add();
  metrics.counter(Metric::kRuleFailures, {std::string(600, 'x')}).add();
  EXPECT_EQ(linesOf(metrics, "rule_failures_total{"),
            "driftbar_rule_failures_total{rule=\"a\\\"b\\\\c\\\\nd\\\\xff\"} 1\n"
            "driftbar_rule_failures_total{rule=\"" +
                std::string(127, 'x') + "\u2026\"} 2\n");
}

TEST(Metrics, InfoForgetsWhatItToldBefore) {
  Metrics metrics;
  metrics.tell(Metric::kPolicySet, {"aaaa"});
  metrics.tell(Metric::kPolicySet, {"bbbb"});
  EXPECT_EQ(linesOf(metrics, "policy_set_info{"), "driftbar_policy_set_info{digest=\"bbbb\"} 1\n");
}

TEST(Metrics, TimestampKeepsItsMilliseconds) {
  Metrics metrics;
  metrics.gauge(Metric::kCertificateExpiry, {"serving"}).set(*parseInstant("2026-12-01T10:00:00.250Z"));
  EXPECT_EQ(linesOf(metrics, "expiry_timestamp_seconds{"),
            "driftbar_tls_certificate_expiry_timestamp_seconds{certificate=\"serving\"} 1796119200.25\n");
}

TEST(Metrics, HistogramSumsItsBucketsUp) {
  using std::chrono::microseconds;
  Metrics metrics;
  Histogram& seconds = metrics.histogram(Metric::kRequestSeconds, {"/validate"});
  seconds.observe(microseconds(100));  // on a bound: within it
  seconds.observe(microseconds(400));
  seconds.observe(std::chrono::seconds(20));
  EXPECT_EQ(seconds.count(), 3U);
  const std::string lines = linesOf(metrics, "request_duration_seconds");
  EXPECT_THAT(lines, HasSubstr("_bucket{path=\"/validate\",le=\"0.0001\"} 1\n"));
  EXPECT_THAT(lines, HasSubstr("_bucket{path=\"/validate\",le=\"0.00025\"} 1\n"));
  EXPECT_THAT(lines, HasSubstr("_bucket{path=\"/validate\",le=\"0.0005\"} 2\n"));
  EXPECT_THAT(lines, HasSubstr("_bucket{path=\"/validate\",le=\"10\"} 2\n"));
  EXPECT_THAT(lines, HasSubstr("_bucket{path=\"/validate\",le=\"+Inf\"} 3\n"));
  EXPECT_THAT(lines, HasSubstr("_sum{path=\"/validate\"} 20.0005\n"));
  EXPECT_THAT(lines, HasSubstr("_count{path=\"/validate\"} 3\n"));
}

TEST(Metrics, CountsFromManyThreadsAreAllKept) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) {
        metrics.counter(Metric::kRuleFailures, {"r" + std::to_string((i + t) % 50)}).add();
        metrics.gauge(Metric::kConnections).add(i % 2 == 0 ? 1 : -1);
        metrics.tell(Metric::kPolicySet, {std::to_string(i)});
        EXPECT_TRUE(i % 100 != 0 || !metrics.render().empty());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::uint64_t all = 0;
  for (int r = 0; r < 50; ++r)
    all += metrics.counter(Metric::kRuleFailures, {"r" + std::to_string(r)}).value();
  EXPECT_EQ(all, 4000U);
  EXPECT_EQ(linesOf(metrics, "driftbar_connections 0"), "driftbar_connections 0\n");
}

}  // namespace
}  // namespace driftbar::record
