#include "server/counted_lookups.h"

#include <utility>

namespace driftbar::server {

lookup::LookupOptions counted(lookup::LookupOptions options, record::Metrics& metrics) {
  using decision::rowOf;
  options.answered = [&metrics](const decision::Need& need, const decision::Answer& answer) {
    metrics.counter(record::Metric::kLookUps, {rowOf(need.kind).name, toString(answer)}).add();
  };
  options.wasRead = [&metrics](const decision::Need& need, const decision::Answer&,
                               std::chrono::nanoseconds took) {
    metrics.histogram(record::Metric::kLookUpSeconds, {rowOf(need.kind).name}).observe(took);
  };
  return options;
}

}  // namespace driftbar::server
