// Our JSON reader against nlohmann/json, which answers are built with: what ours takes means the same to
// both, also once written and read again, and what it alone refuses it refuses for one of the reasons that
// are ours.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json.h"
#include "fuzz/property.h"

using namespace driftbar;
using Other = nlohmann::json;

namespace {

bool same(Json a, const Other& b);

bool sameMap(Json a, const Other& b) {
  const auto fits = [&](const auto& entry) {
    const auto other = b.find(std::string(entry.key));
    return other != b.end() && same(entry.value, *other) && same(a[entry.key], *other);
  };
  for (const auto& entry : a.entries()) {
    if (!fits(entry)) return false;
  }
  return a.size() == b.size();
}

bool sameList(Json a, const Other& b) {
  std::size_t index = 0;
  for (const Json item : a.items()) {
    if (index >= b.size() || !same(item, b[index])) return false;
    ++index;
  }
  return index == b.size();
}

bool sameInteger(Json a, const Other& b) {
  if (!b.is_number_integer()) return false;
  if (const auto value = a.asInteger()) return b == *value;
  return b.is_number_unsigned() && a.asReal() == b.get<double>();  // past 63 bits
}

bool same(Json a, const Other& b) {
  switch (a.type()) {
    case Json::Type::kMissing:
      return false;
    case Json::Type::kNull:
      return b.is_null();
    case Json::Type::kBool:
      return b.is_boolean() && a.asBool() == b.get<bool>();
    case Json::Type::kInteger:
      return sameInteger(a, b);
    case Json::Type::kReal:
      return b.is_number_float() && a.asReal() == b.get<double>();
    case Json::Type::kText:
      return b.is_string() && a.text() == b.get_ref<const std::string&>();
    case Json::Type::kList:
      return b.is_array() && sameList(a, b);
    case Json::Type::kMap:
      return b.is_object() && sameMap(a, b);
  }
  return false;
}

constexpr std::string_view kOwnReasons[] = {"duplicate-key", "json-too-deep", "json-number"};

void checkRefusal(const Diagnostics& errors, const Other& other, std::string_view text) {
  fuzz::requireErrors(errors);
  // nlohmann passes over a byte order mark and takes a NUL for the end of the text.
  const bool cut = text.starts_with("\xEF\xBB\xBF") || text.find('\0') != std::string_view::npos;
  if (other.is_discarded() || cut) return;
  for (const auto& error : errors) {
    fuzz::require(
        std::find(std::begin(kOwnReasons), std::end(kOwnReasons), error.id) != std::end(kOwnReasons),
        "what is refused alone is refused for a reason of ours, and not " + error.id);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::textOf(data, size);
  const auto document = JsonDocument::parse(text);
  const Other other = Other::parse(text, nullptr, false);
  if (!document) {
    checkRefusal(document.errors(), other, text);
    return 0;
  }
  fuzz::require(!other.is_discarded(), "what ours takes, nlohmann takes");
  fuzz::require(same(document->root(), other), "both read the same");
  const std::string written = document->root().dump();
  fuzz::require(Other::parse(written, nullptr, false) == other, "what is written means the same to nlohmann");
  const auto again = JsonDocument::parse(written);
  fuzz::require(again.ok() && again->root() == document->root(), "what is written means the same to ours");
  return 0;
}
