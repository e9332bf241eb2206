#include "base/text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace driftbar {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  // 0: the first byte starts no valid sequence
};

// Decodes the first character; refuses overlong forms, surrogates and values past U+10FFFF.
CodePoint decode(std::string_view s) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(s[i]));
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || s.size() < length) return {};
  std::uint32_t value = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, length};
}

struct Range {
  std::uint32_t first, last;
};

// Controls, and what is not seen or turns the text around: Unicode's Cc, Cf, Zl, Zp and the rest of
// Default_Ignorable_Code_Point (DerivedCoreProperties.txt).
constexpr Range kMisleading[] = {
    {0x0, 0x1F},        {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},     {0x600, 0x605},
    {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
    {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},
    {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

bool misleads(std::uint32_t c) {
  return std::any_of(std::begin(kMisleading), std::end(kMisleading),
                     [&](const Range& range) { return range.first <= c && c <= range.last; });
}

std::string escape(std::uint32_t c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  char out[16];
  std::snprintf(out, sizeof out, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = decode(text);
    const std::size_t taken = std::max<std::size_t>(c.length, 1);
    if (c.length == 0) {
      out += escape(static_cast<unsigned char>(text[0]));
    } else if (misleads(c.value)) {
      out += escape(c.value);
    } else {
      out += text.substr(0, taken);
    }
    text.remove_prefix(taken);
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return '"' + printable(escaped) + '"';
}

std::size_t characters(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(
      utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string shortened(std::string_view utf8, std::size_t most) {
  if (characters(utf8) <= most) return std::string(utf8);
  std::size_t end = 0;
  for (std::size_t kept = 0; end < utf8.size(); ++end) {
    const bool starts = (static_cast<unsigned char>(utf8[end]) & 0xC0U) != 0x80U;
    if (starts && ++kept == most) break;
  }
  return std::string(utf8.substr(0, end)) + "\u2026";
}

namespace {

std::string folded(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (c == '-' || c == '_') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

// Optimal string alignment: insertions, deletions, replacements and swaps of neighbours.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before2(b.size() + 1), before(b.size() + 1), now(b.size() + 1);
  std::iota(before.begin(), before.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before2[j - 2] + 1);
    }
    before2 = std::exchange(before, now);
  }
  return before[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  // A word longer than any of ours is no slip of the finger, and the comparison's cost is its length squared.
  if (word.size() > 64) return {};
  const std::string wanted = folded(word);
  std::string_view best;
  std::size_t bestDistance = std::max<std::size_t>(wanted.size() / 3, 1) + 1;
  for (const auto candidate : candidates) {
    const std::size_t d = distance(wanted, folded(candidate));
    if (d < bestDistance) {
      best = candidate;
      bestDistance = d;
    }
  }
  return best;
}

bool isSlip(std::string_view word, std::string_view meant) {
  // In a shorter word one letter makes another word of it (MyJob, MXJob); a longer one is none of ours.
  constexpr std::size_t kShortest = 7, kLongest = 64;
  if (word == meant || word.size() > kLongest) return false;
  const std::string a = folded(word), b = folded(meant);
  return a == b || a == b + "s" || (word.size() >= kShortest && distance(a, b) <= 1);
}

std::string listed(std::span<const std::string_view> words, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    out += "`" + std::string(words[i]) + "`";
  }
  return out;
}

}  // namespace driftbar
