#include "kube/quantity.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace driftbar::kube {
namespace {

__extension__ using Unsigned128 = unsigned __int128;

constexpr std::int64_t kMost64 = std::numeric_limits<std::int64_t>::max();
constexpr Int128 kNano = 1'000'000'000;
constexpr Int128 kMicroNanos = 1'000, kMilliNanos = 1'000'000;

constexpr Int128 powerOfTen(int exponent) {
  Int128 power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

// 10^29 in nanos, the largest power of ten whose sign bit is free in 128 bits (2^127 is some 1.7 * 10^38).
constexpr Int128 kMostNanos = powerOfTen(38);
constexpr Int128 kMostBinaryNanos = Int128{kMost64} * kNano;

constexpr int kNanoScale = -9;

struct Suffix {
  std::string_view name;
  bool binary;
  std::int32_t exponent;  // of two or of ten
};

constexpr Suffix kSuffixes[] = {
    {"", false, 0},   {"n", false, -9}, {"u", false, -6}, {"m", false, -3},
    {"k", false, 3},  {"M", false, 6},  {"G", false, 9},  {"T", false, 12},
    {"P", false, 15}, {"E", false, 18}, {"Ki", true, 10}, {"Mi", true, 20},
    {"Gi", true, 30}, {"Ti", true, 40}, {"Pi", true, 50}, {"Ei", true, 60},
};

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view takeDigits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), isDigit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

// 32 bits that wrap around, as Go's int32.
std::int32_t wrapped(std::int64_t number) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(number)));
}

std::optional<Suffix> interpret(std::string_view text) {
  for (const auto& suffix : kSuffixes) {
    if (suffix.name == text) return suffix;
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  std::string_view number = text.substr(1);
  if (number.starts_with('+')) number.remove_prefix(1);
  if (number.size() + 1 < text.size() && number.starts_with('-')) return std::nullopt;  // `e+-1`
  std::int64_t exponent = 0;
  const char* const last = number.data() + number.size();
  const auto [end, failed] = std::from_chars(number.data(), last, exponent);
  if (failed != std::errc{} || end != last) return std::nullopt;
  return Suffix{{}, false, wrapped(exponent)};
}

// A number as it is written, sign aside.
struct Written {
  std::string_view whole, fraction;  // digits; leading zeros of `whole` are left out
  bool anyDigit = false;
  Suffix suffix{};
};

std::optional<Written> takeApart(std::string_view text) {
  Written written;
  const std::string_view before = text;
  while (text.starts_with('0')) text.remove_prefix(1);
  written.whole = takeDigits(text);
  written.anyDigit = text.size() < before.size();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    written.fraction = takeDigits(text);
    written.anyDigit = written.anyDigit || !written.fraction.empty();
  }
  const auto suffix = interpret(text);
  if (!suffix) return std::nullopt;
  written.suffix = *suffix;
  return written;
}

// apimachinery has two ways to the number. The quick one takes a missing number (`.`, `m`, `Ki`) for 0, the
// other refuses it. This is the condition of the quick one for a number without digits, which counts as `0`.
bool readsWithoutDigits(const Written& written) {
  if (written.suffix.binary) return 15 - 1 - written.suffix.exponent * 3 / 10 - 1 >= 0;
  return written.suffix.exponent >= kNanoScale;
}

// Appends a digit; stays at the limit once there.
void append(Int128& number, int digit, Int128 limit) {
  number = number > (limit - digit) / 10 ? limit : number * 10 + digit;
}

Int128 decimalNanos(const Written& written) {
  const std::size_t count = written.whole.size() + written.fraction.size();
  const auto digit = [&](std::size_t i) {
    return (i < written.whole.size() ? written.whole[i] : written.fraction[i - written.whole.size()]) - '0';
  };
  // The number is its digits times 10^scale; in nanos, times 10^(scale + 9).
  const std::int64_t scale =
      wrapped(std::int64_t{written.suffix.exponent} - static_cast<std::int64_t>(written.fraction.size()));
  const std::int64_t zeros = scale - kNanoScale;
  const auto dropped =
      static_cast<std::size_t>(std::clamp<std::int64_t>(-zeros, 0, static_cast<std::int64_t>(count)));
  Int128 nanos = 0;
  for (std::size_t i = 0; i < count - dropped; ++i) append(nanos, digit(i), kMostNanos);
  for (std::int64_t i = 0; i < zeros && nanos != 0 && nanos != kMostNanos; ++i) append(nanos, 0, kMostNanos);
  bool rest = false;
  for (std::size_t i = count - dropped; i < count; ++i) rest = rest || digit(i) != 0;
  return std::min(nanos + (rest ? 1 : 0), kMostNanos);
}

Int128 binaryNanos(const Written& written) {
  const Int128 unit = (Int128{1} << written.suffix.exponent) * kNano;  // at most 2^90
  Int128 whole = 0;
  for (const char c : written.whole) append(whole, c - '0', Int128{kMost64});
  // From the last digit to the first: what a digit leaves over is passed on, what falls off only counts as
  // being there. Stays below 10 * 2^90.
  Int128 part = 0;
  bool rest = false;
  for (auto c = written.fraction.rbegin(); c != written.fraction.rend(); ++c) {
    const Int128 sum = (*c - '0') * unit + part;
    rest = rest || sum % 10 != 0;
    part = sum / 10;
  }
  if (whole > kMostBinaryNanos / unit) return kMostBinaryNanos;
  return std::min(whole * unit + part + (rest ? 1 : 0), kMostBinaryNanos);
}

std::int64_t roundedUp(Int128 nanos, Int128 unit) {
  const Int128 away = nanos % unit == 0 ? 0 : nanos > 0 ? 1 : -1;
  const Int128 rounded = nanos / unit + away;
  return static_cast<std::int64_t>(
      std::clamp<Int128>(rounded, std::numeric_limits<std::int64_t>::min(), kMost64));
}

// Spaces only: Kubernetes looks at the text before its escapes are read, so a tab or a line end is refused.
std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string digitsOf(Int128 number) {
  std::string reversed;
  for (auto rest = static_cast<Unsigned128>(number); reversed.empty() || rest != 0; rest /= 10)
    reversed += static_cast<char>('0' + static_cast<int>(rest % 10));
  return {reversed.rbegin(), reversed.rend()};
}

struct ShownUnit {
  std::string_view name;
  Int128 nanos;
};

constexpr Int128 binaryUnit(int exponent) {
  return (Int128{1} << exponent) * kNano;
}

// Tried in this order. Decimal multiples are not used: `1000` says as much as `1k`, and people compare it
// with what they wrote. Below kLeastBinary the binary ones are not either, for 1024 pods are not 1Ki, nor
// above what they can say.
constexpr Int128 kLeastBinary = binaryUnit(20);
constexpr ShownUnit kShownUnits[] = {
    {"Ei", binaryUnit(60)},
    {"Pi", binaryUnit(50)},
    {"Ti", binaryUnit(40)},
    {"Gi", binaryUnit(30)},
    {"Mi", binaryUnit(20)},
    {"Ki", binaryUnit(10)},
    {"", kNano},
    {"m", kMilliNanos},
    {"u", kMicroNanos},
    {"n", 1},
};

}  // namespace

std::optional<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') text.remove_prefix(1);
  if (text.empty()) return Quantity();  // a sign alone is 0
  const auto written = takeApart(text);
  if (!written || (!written->anyDigit && !readsWithoutDigits(*written))) return std::nullopt;
  const Int128 nanos = written->suffix.binary ? binaryNanos(*written) : decimalNanos(*written);
  return Quantity(negative ? -nanos : nanos);
}

std::optional<Quantity> Quantity::read(Json value) {
  if (value.isNull()) return Quantity();
  if (const auto text = value.asText()) return parse(trimmed(*text));
  if (const auto whole = value.asInteger()) return of(*whole);
  if (value.asReal()) return parse(value.dump());
  return std::nullopt;
}

Quantity Quantity::of(std::int64_t whole) {
  return Quantity(Int128{whole} * kNano);
}

Quantity Quantity::ofMilli(std::int64_t milli) {
  return Quantity(Int128{milli} * kMilliNanos);
}

std::int64_t Quantity::value() const {
  return roundedUp(nanos_, kNano);
}

std::int64_t Quantity::milliValue() const {
  return roundedUp(nanos_, kMilliNanos);
}

Quantity operator+(Quantity a, Quantity b) {
  Int128 sum = 0;
  if (__builtin_add_overflow(a.nanos_, b.nanos_, &sum)) sum = a.nanos_ > 0 ? kMostNanos : -kMostNanos;
  return Quantity(std::clamp(sum, -kMostNanos, kMostNanos));
}

std::string Quantity::toString() const {
  if (nanos_ == 0) return "0";
  const Int128 magnitude = nanos_ < 0 ? -nanos_ : nanos_;
  const auto whole = [&](const ShownUnit& unit) {
    const bool sayable = magnitude >= kLeastBinary && magnitude <= kMostBinaryNanos;
    return magnitude % unit.nanos == 0 && (unit.nanos <= kNano || sayable);
  };
  const auto unit = std::find_if(std::begin(kShownUnits), std::end(kShownUnits), whole);
  return (nanos_ < 0 ? "-" : "") + digitsOf(magnitude / unit->nanos) + std::string(unit->name);
}

}  // namespace driftbar::kube
