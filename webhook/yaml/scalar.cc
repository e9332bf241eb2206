#include "yaml/scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace driftbar::yaml {
namespace {

using Kind = Node::Kind;

struct Fixed {
  std::string_view text;
  Kind kind;
  std::string_view json;
};

constexpr Fixed kFixed[] = {
    {"", Kind::kNull, "null"},       {"~", Kind::kNull, "null"},      {"null", Kind::kNull, "null"},
    {"Null", Kind::kNull, "null"},   {"NULL", Kind::kNull, "null"},   {"y", Kind::kBool, "true"},
    {"Y", Kind::kBool, "true"},      {"yes", Kind::kBool, "true"},    {"Yes", Kind::kBool, "true"},
    {"YES", Kind::kBool, "true"},    {"true", Kind::kBool, "true"},   {"True", Kind::kBool, "true"},
    {"TRUE", Kind::kBool, "true"},   {"on", Kind::kBool, "true"},     {"On", Kind::kBool, "true"},
    {"ON", Kind::kBool, "true"},     {"n", Kind::kBool, "false"},     {"N", Kind::kBool, "false"},
    {"no", Kind::kBool, "false"},    {"No", Kind::kBool, "false"},    {"NO", Kind::kBool, "false"},
    {"false", Kind::kBool, "false"}, {"False", Kind::kBool, "false"}, {"FALSE", Kind::kBool, "false"},
    {"off", Kind::kBool, "false"},   {"Off", Kind::kBool, "false"},   {"OFF", Kind::kBool, "false"},
};

constexpr std::string_view kNotFinite[] = {".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                           "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), isDigit) - text.begin());
}

// Go's strconv with base 0: an optional sign, then 0x, 0b, 0o or 0 as prefix. Up to 2^64-1 without a sign.
std::optional<std::string> integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool sign = negative || text.starts_with('+');
  if (sign) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = text[1] | 0x20;
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63U;  // of what has a sign
  if (sign && value > (negative ? kMost : kMost - 1)) return std::nullopt;
  return (negative && value != 0 ? "-" : "") + std::to_string(value);
}

// Go reads what follows 0b once more with a sign of its own: `0b-1` is -1.
std::optional<std::string> signedBinary(std::string_view text) {
  if (!text.starts_with("0b-") && !text.starts_with("0b+")) return std::nullopt;
  return integer(std::string(text.substr(2, 1)) + "0b" + std::string(text.substr(3)));
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool looksReal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto whole = digits(text);
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    const auto fraction = digits(text.substr(1));
    if (whole + fraction == 0) return false;
    text.remove_prefix(1 + fraction);
  } else if (whole == 0) {
    return false;
  }
  if (text.empty()) return true;
  if ((text[0] | 0x20) != 'e') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && digits(text) == text.size();
}

// strtod and not from_chars: of those only strtod tells too large (text, to Go) from too small (zero). The
// program never sets a locale, so the point is a point.
std::optional<std::string> real(const std::string& text) {
  if (!looksReal(text)) return std::nullopt;
  const double value = std::strtod(text.c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  // Past 2^53 with an exponent, so that no reader takes it for an integer of more than 64 bits.
  char out[32];
  const auto end = std::abs(value) < 0x1p53
                       ? std::to_chars(out, out + sizeof out, value).ptr
                       : std::to_chars(out, out + sizeof out, value, std::chars_format::scientific).ptr;
  return std::string(out, end);
}

std::string withoutUnderscores(std::string_view text) {
  std::string out(text);
  std::erase(out, '_');
  return out;
}

bool underscoresSeparateDigits(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') continue;
    if (i == 0 || i + 1 == text.size() || !isDigit(text[i - 1]) || !isDigit(text[i + 1])) return false;
  }
  return true;
}

Meaning number(std::string_view plain) {
  if (plain[0] == '.' && !underscoresSeparateDigits(plain)) return {};
  const std::string text = withoutUnderscores(plain);
  if (plain[0] != '.') {
    if (auto whole = integer(text)) return {Kind::kInteger, *std::move(whole)};
  }
  if (auto fraction = real(text)) return {Kind::kReal, *std::move(fraction)};
  if (auto whole = signedBinary(text)) return {Kind::kInteger, *std::move(whole)};
  return {};
}

}  // namespace

Meaning resolve(std::string_view plain) {
  for (const auto& row : kFixed) {
    if (row.text == plain) return {row.kind, std::string(row.json)};
  }
  if (std::find(std::begin(kNotFinite), std::end(kNotFinite), plain) != std::end(kNotFinite)) {
    return {Kind::kReal, {}, false};
  }
  const char first = plain[0];
  return isDigit(first) || first == '+' || first == '-' || first == '.' ? number(plain) : Meaning{};
}

}  // namespace driftbar::yaml
