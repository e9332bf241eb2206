#include "kube/labels.h"

#include <algorithm>
#include <functional>
#include <string>

#include "base/field_path.h"
#include "base/text.h"

namespace driftbar::kube {
namespace {

bool isLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool isLowerOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// What labelKeyFmt says: letters, digits, `-`, `_`, `.`, the first and the last a letter or digit.
bool isName(std::string_view text) {
  constexpr std::size_t kMost = 63;
  const auto allowed = [](char c) { return isLetterOrDigit(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && text.size() <= kMost && isLetterOrDigit(text.front()) &&
         isLetterOrDigit(text.back()) && std::all_of(text.begin(), text.end(), allowed);
}

bool isDnsLabel(std::string_view text) {
  const auto allowed = [](char c) { return isLowerOrDigit(c) || c == '-'; };
  return !text.empty() && isLowerOrDigit(text.front()) && isLowerOrDigit(text.back()) &&
         std::all_of(text.begin(), text.end(), allowed);
}

// A DNS-1123 subdomain; as in Kubernetes only the whole has a greatest length.
bool isSubdomain(std::string_view text) {
  constexpr std::size_t kMost = 253;
  if (text.size() > kMost) return false;
  for (std::size_t dot = 0; (dot = text.find('.')) != std::string_view::npos; text.remove_prefix(dot + 1)) {
    if (!isDnsLabel(text.substr(0, dot))) return false;
  }
  return isDnsLabel(text);
}

Diagnostic notText(std::string_view path, std::string_view key, Json value) {
  const std::string shown = printable(value.dump());
  std::string help = value.isMap() || value.isList() ? "" : "put it in quotes: \"" + shown + "\"";
  return error("not-text", "the value of " + quoted(key) + " must be text, and is " + shown, std::move(help),
               std::string(path) + pathStep(key));
}

}  // namespace

bool isLabelKey(std::string_view key) {
  const auto slash = key.find('/');
  if (slash == std::string_view::npos) return isName(key);
  return isSubdomain(key.substr(0, slash)) && isName(key.substr(slash + 1));
}

bool isLabelValue(std::string_view value) {
  return value.empty() || isName(value);
}

Labels::Labels(Json map) {
  for (const auto& [key, value] : map.entries()) {
    if (const auto text = value.asText()) pairs_.emplace_back(key, *text);
  }
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.shrink_to_fit();
  hashes_.reserve(2 * pairs_.size());
  for (const auto& [key, value] : pairs_) hashes_.push_back(hash(key));
  for (const auto& [key, value] : pairs_) hashes_.push_back(hash(key, value));
}

Result<Labels> Labels::checked(Json map, std::string_view path) {
  if (map.exists() && !map.isNull() && !map.isMap())
    return error("not-a-map", "must be a map from text to text", {}, std::string(path));
  Diagnostics wrong;
  for (const auto& [key, value] : map.entries()) {
    if (!value.isText()) wrong.push_back(notText(path, key, value));
  }
  if (!wrong.empty()) return wrong;
  return Labels(map);
}

std::uint32_t Labels::hash(std::string_view key) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>{}(key));
}

// The factor keeps a pair and the same pair turned round apart.
std::uint32_t Labels::hash(std::string_view key, std::string_view value) {
  constexpr std::uint32_t kOdd = 0x9E3779B1;
  return hash(key) * kOdd + hash(value);
}

std::optional<std::string_view> Labels::find(std::string_view key, std::uint32_t keyHash) const {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (hashes_[i] == keyHash && pairs_[i].first == key) return pairs_[i].second;
  }
  return std::nullopt;
}

bool Labels::hasPair(std::string_view key, std::string_view value, std::uint32_t pairHash) const {
  const std::size_t count = pairs_.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (hashes_[count + i] == pairHash && pairs_[i] == Pair(key, value)) return true;
  }
  return false;
}

}  // namespace driftbar::kube
