// Points in time and durations as Kubernetes and the policy language write them. Nothing here reads a clock.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace driftbar {

using Instant = std::chrono::sys_time<std::chrono::milliseconds>;
using Duration = std::chrono::milliseconds;

// RFC 3339 with `Z` or an offset, as metav1.Time and MicroTime are written; finer than a millisecond is cut
// off.
std::optional<Instant> parseInstant(std::string_view text);

// One or more numbers with a unit (ms, s, m, h, d), the largest unit first: `10m`, `1h30m`, `150s`.
std::optional<Duration> parseDuration(std::string_view text);

// 2026-12-01T10:00:00Z; milliseconds are cut off.
std::string toString(Instant instant);
// `10m`, `1h30m`, `150ms`; `0s` for nothing.
std::string toString(Duration duration);

}  // namespace driftbar
