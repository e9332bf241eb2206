// A load of reviews: a number of kept TLS connections to a loopback port, each with one request under way at
// a time, as an API server's connections have. Runs in the calling thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace driftbar::bench {

struct Load {
  std::uint16_t port = 0;
  std::string path;
  std::string body;
  int connections = 1;
  int requests = 1000;  // in all, counted after the warm-up
  int warmup = 100;
};

struct Measured {
  std::vector<std::chrono::nanoseconds> latencies;  // sorted; one a request
  std::chrono::nanoseconds wall{0};
  int failed = 0;  // no answer, or a status other than 200

  std::chrono::nanoseconds mean() const;
  std::chrono::nanoseconds quantile(double q) const;
  double requestsPerSecond() const;
};

Measured run(const Load& load);

}  // namespace driftbar::bench
