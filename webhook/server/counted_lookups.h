// Look-ups as they are counted: the options of a Lookup that tells the metrics what it answers and reads.
#pragma once

#include "lookup/lookup.h"
#include "record/metrics.h"

namespace driftbar::server {

// `metrics` must outlive the Lookup.
lookup::LookupOptions counted(lookup::LookupOptions options, record::Metrics& metrics);

}  // namespace driftbar::server
