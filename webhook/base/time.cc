#include "base/time.h"

#include <charconv>
#include <cstdio>

namespace driftbar {
namespace {

// Reads exactly `digits` digits off the front.
std::optional<int> takeDigits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text[0] != wanted) return false;
  text.remove_prefix(1);
  return true;
}

struct Unit {
  std::string_view name;
  std::int64_t milliseconds;
};

// The largest first, which is also the order they may be written in.
constexpr Unit kUnits[] = {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}};

std::optional<Duration> takeFraction(std::string_view& text) {
  if (!take(text, '.')) return Duration{0};
  std::int64_t milliseconds = 0, place = 100;
  std::size_t digits = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    milliseconds += place * (text[0] - '0');
    place /= 10;
    text.remove_prefix(1);
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  return Duration{milliseconds};
}

std::optional<std::chrono::minutes> takeOffset(std::string_view& text) {
  if (take(text, 'Z') || take(text, 'z')) return std::chrono::minutes{0};
  const int sign = take(text, '+') ? 1 : take(text, '-') ? -1 : 0;
  if (sign == 0) return std::nullopt;
  const auto hours = takeDigits(text, 2);
  if (!hours || !take(text, ':')) return std::nullopt;
  const auto minutes = takeDigits(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return std::chrono::minutes{sign * (*hours * 60 + *minutes)};
}

}  // namespace

std::optional<Instant> parseInstant(std::string_view text) {
  const auto year = takeDigits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = takeDigits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = takeDigits(text, 2);
  if (!day || (!take(text, 'T') && !take(text, 't'))) return std::nullopt;
  const auto hour = takeDigits(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = takeDigits(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  const auto second = takeDigits(text, 2);
  if (!second) return std::nullopt;
  const auto fraction = takeFraction(text);
  if (!fraction) return std::nullopt;
  const auto offset = takeOffset(text);
  if (!offset || !text.empty()) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::sys_days{date} + std::chrono::hours{*hour} + std::chrono::minutes{*minute} +
         std::chrono::seconds{*second} + *fraction - *offset;
}

std::optional<Duration> parseDuration(std::string_view text) {
  constexpr std::int64_t kMost = 100LL * 366 * 86'400'000;  // a century: sums of these cannot overflow
  std::int64_t total = 0;
  std::size_t nextUnit = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || number < 0 || text[0] == '-') return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const auto unitLength = std::min(text.find_first_of("0123456789"), text.size());
    const std::string_view name = text.substr(0, unitLength);
    while (nextUnit < std::size(kUnits) && kUnits[nextUnit].name != name) ++nextUnit;
    if (nextUnit == std::size(kUnits) || number > kMost / kUnits[nextUnit].milliseconds) return std::nullopt;
    total += number * kUnits[nextUnit].milliseconds;
    if (total > kMost) return std::nullopt;
    text.remove_prefix(unitLength);
    ++nextUnit;
  }
  return Duration{total};
}

std::string toString(Instant instant) {
  const auto days = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date{days};
  const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(instant - days)};
  char out[40];
  std::snprintf(out, sizeof out, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return out;
}

std::string toString(Duration duration) {
  std::int64_t rest = duration.count();
  std::string out = rest < 0 ? "-" : "";
  rest = rest < 0 ? -rest : rest;
  for (const auto& unit : kUnits) {
    if (const std::int64_t n = rest / unit.milliseconds; n > 0)
      out += std::to_string(n) + std::string(unit.name);
    rest %= unit.milliseconds;
  }
  return out.empty() ? "0s" : out;
}

}  // namespace driftbar
