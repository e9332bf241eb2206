#include "base/json.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/field_path.h"
#include "base/text.h"

namespace driftbar {
namespace {

using simdjson::dom::element_type;

const simdjson::dom::array& emptyList() {
  static const auto* parser = new simdjson::dom::parser;  // lives as long as the program: views have no end
  static const simdjson::dom::array list =
      const_cast<simdjson::dom::parser*>(parser)->parse("[]", 2).get_array();
  return list;
}

const simdjson::dom::object& emptyMap() {
  static const auto* parser = new simdjson::dom::parser;
  static const simdjson::dom::object map =
      const_cast<simdjson::dom::parser*>(parser)->parse("{}", 2).get_object();
  return map;
}

// Finds keys that stand twice in one map. Maps are small: up to kPairwise keys comparing all pairs is quicker
// than sorting, above that it would be quadratic.
class DuplicateKeys {
 public:
  void look(simdjson::dom::element value) {
    if (value.type() == element_type::OBJECT) {
      lookAtMap(value.get_object());
    } else if (value.type() == element_type::ARRAY) {
      std::size_t index = 0;
      for (const auto item : simdjson::dom::array(value.get_array())) {
        if (item.type() == element_type::OBJECT || item.type() == element_type::ARRAY) {
          within("[" + std::to_string(index) + "]", item);
        }
        ++index;
      }
    }
  }
  Diagnostics found;

 private:
  static constexpr std::size_t kPairwise = 16;
  static constexpr std::size_t kMostReported = 10;

  void lookAtMap(simdjson::dom::object map) {
    std::string_view keys[kPairwise];
    std::size_t count = 0;
    std::vector<std::string_view> many;
    for (const auto field : map) {
      if (count < kPairwise) {
        for (std::size_t i = 0; i < count; ++i) {
          if (keys[i] == field.key) report(field.key);
        }
        keys[count] = field.key;
      } else {
        if (count == kPairwise) many.assign(keys, keys + kPairwise);
        many.push_back(field.key);
      }
      ++count;
      if (field.value.type() == element_type::OBJECT || field.value.type() == element_type::ARRAY) {
        path_.push_back({field.key, {}});
        look(field.value);
        path_.pop_back();
      }
    }
    if (!many.empty()) lookAtMany(many);
  }

  void lookAtMany(std::vector<std::string_view>& keys) {
    std::sort(keys.begin(), keys.end());
    for (auto it = std::adjacent_find(keys.begin(), keys.end()); it != keys.end();
         it = std::adjacent_find(it + 1, keys.end())) {
      report(*it);
    }
  }

  void within(std::string index, simdjson::dom::element value) {
    path_.push_back({{}, std::move(index)});
    look(value);
    path_.pop_back();
  }

  void report(std::string_view key) {
    if (found.size() >= kMostReported) return;
    std::string path;
    for (const auto& [name, index] : path_) path += index.empty() ? pathStep(name) : index;
    path += pathStep(key);
    if (path.starts_with('.')) path.erase(0, 1);
    found.push_back(error("duplicate-key", "the key " + quoted(key) + " stands twice in one map", {}, path));
  }

  struct Step {
    std::string_view key;
    std::string index;
  };
  std::vector<Step> path_;
};

Diagnostic refusal(simdjson::error_code code) {
  switch (code) {
    case simdjson::DEPTH_ERROR:
      return error("json-too-deep", "the JSON nests deeper than " + std::to_string(kMaxDepth) + " levels");
    case simdjson::NUMBER_ERROR:
      return error("json-number", "a number in the JSON is malformed or does not fit in 64 bits");
    case simdjson::UTF8_ERROR:
      return error("json-not-utf8", "the JSON is not valid UTF-8");
    case simdjson::EMPTY:
      return error("json-empty", "there is no JSON: the text is empty");
    case simdjson::UNCLOSED_STRING:
      return error("json-syntax", "not valid JSON: a string is not closed");
    case simdjson::CAPACITY:
      return error("json-too-large", "the JSON is larger than 4 GiB");
    default:
      return error("json-syntax", "not valid JSON: " + printable(simdjson::error_message(code)));
  }
}

}  // namespace

Json::Type Json::type() const {
  if (!there_) return Type::kMissing;
  switch (element_.type()) {
    case element_type::ARRAY:
      return Type::kList;
    case element_type::OBJECT:
      return Type::kMap;
    case element_type::INT64:
      [[fallthrough]];
    case element_type::UINT64:
      return Type::kInteger;
    case element_type::DOUBLE:
      return Type::kReal;
    case element_type::STRING:
      return Type::kText;
    case element_type::BOOL:
      return Type::kBool;
    default:
      return Type::kNull;  // NULL_VALUE, and what later versions of the library add for themselves
  }
}

Json Json::operator[](std::string_view key) const {
  simdjson::dom::object map;
  simdjson::dom::element value;
  if (!there_ || element_.get(map) != simdjson::SUCCESS) return {};
  if (map.at_key(key).get(value) != simdjson::SUCCESS) return {};
  return Json(value);
}

Json Json::at(std::size_t index) const {
  simdjson::dom::array list;
  simdjson::dom::element value;
  if (!there_ || element_.get(list) != simdjson::SUCCESS) return {};
  if (list.at(index).get(value) != simdjson::SUCCESS) return {};
  return Json(value);
}

std::size_t Json::size() const {
  // simdjson keeps a count beside a container, but saturates it at 0xFFFFFF.
  std::size_t n = 0;
  for (auto it = items().begin(); it != items().end(); ++it) ++n;
  for (auto it = entries().begin(); it != entries().end(); ++it) ++n;
  return n;
}

std::optional<std::string_view> Json::asText() const {
  std::string_view text;
  if (!there_ || element_.get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

std::string_view Json::text() const {
  return asText().value_or(std::string_view{});
}

std::optional<bool> Json::asBool() const {
  bool value = false;
  if (!there_ || element_.get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<std::int64_t> Json::asInteger() const {
  std::int64_t value = 0;
  if (type() != Type::kInteger || element_.get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<double> Json::asReal() const {
  double value = 0;
  if ((type() != Type::kInteger && type() != Type::kReal) || element_.get(value) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return value;
}

Json::Items Json::items() const {
  simdjson::dom::array list;
  if (!there_ || element_.get(list) != simdjson::SUCCESS) return Items(emptyList());
  return Items(list);
}

Json::Entries Json::entries() const {
  simdjson::dom::object map;
  if (!there_ || element_.get(map) != simdjson::SUCCESS) return Entries(emptyMap());
  return Entries(map);
}

std::string Json::dump() const {
  return there_ ? simdjson::minify(element_) : std::string();
}

namespace {

bool sameNumber(const Json& a, const Json& b) {
  const auto ai = a.asInteger(), bi = b.asInteger();
  if (ai && bi) return *ai == *bi;
  return a.asReal() == b.asReal();
}

bool sameMap(const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a.entries()) {
    const Json other = b[key];
    if (!other.exists() || !(value == other)) return false;
  }
  return true;
}

bool sameList(const Json& a, const Json& b) {
  auto x = a.items().begin(), xEnd = a.items().end();
  auto y = b.items().begin(), yEnd = b.items().end();
  for (; x != xEnd && y != yEnd; ++x, ++y) {
    if (!(*x == *y)) return false;
  }
  return !(x != xEnd) && !(y != yEnd);
}

bool isNumber(Json::Type type) {
  return type == Json::Type::kInteger || type == Json::Type::kReal;
}

}  // namespace

bool operator==(const Json& a, const Json& b) {
  if (isNumber(a.type()) && isNumber(b.type())) return sameNumber(a, b);
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Json::Type::kBool:
      return a.asBool() == b.asBool();
    case Json::Type::kText:
      return a.text() == b.text();
    case Json::Type::kList:
      return sameList(a, b);
    case Json::Type::kMap:
      return sameMap(a, b);
    default:
      return true;  // missing, null
  }
}

Result<JsonDocument> JsonDocument::parse(std::string_view bytes) {
  if (bytes.empty())
    return refusal(simdjson::EMPTY);  // there may be no address, which simdjson would copy from
  // A parser keeps the scratch space of the largest text it has seen, so each thread keeps one.
  thread_local simdjson::dom::parser parser;
  if (parser.max_depth() != kMaxDepth) {
    if (const auto failed = parser.allocate(0, kMaxDepth); failed != simdjson::SUCCESS)
      return refusal(failed);
  }
  auto document = std::make_unique<simdjson::dom::document>();
  const auto parsed = parser.parse_into_document(*document, bytes.data(), bytes.size(), true);
  if (parsed.error() != simdjson::SUCCESS) return refusal(parsed.error());
  DuplicateKeys duplicates;
  duplicates.look(document->root());
  if (!duplicates.found.empty()) return std::move(duplicates.found);
  return JsonDocument(std::move(document));
}

}  // namespace driftbar
