// Json: a read-only value over simdjson, the one form in which objects are judged.
//
// The way in is JsonDocument::parse. A Json is a small view (copy it freely) that is valid while its document
// lives. Looking for what is not there gives a missing value, never an error, so a path can be followed to
// its end and be asked once. Objects that people wrote in YAML are made JSON text first and come in the same
// way.
//
// Stricter than JSON: a key twice in a map, a number that 64 bits cannot hold, and nesting past kMaxDepth are
// refused, for two readers of such a text may see two different objects.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "base/result.h"

namespace driftbar {

// Kubernetes' deepest built-in type nests some 30 levels, CustomResourceDefinitions with schemas about 100.
inline constexpr std::size_t kMaxDepth = 200;

class Json {
 public:
  enum class Type { kMissing, kNull, kBool, kInteger, kReal, kText, kList, kMap };

  Json() = default;  // missing
  explicit Json(simdjson::dom::element element) : element_(element), there_(true) {}

  Type type() const;
  bool exists() const { return there_; }  // null is there
  bool isNull() const { return type() == Type::kNull; }
  bool isMap() const { return type() == Type::kMap; }
  bool isList() const { return type() == Type::kList; }
  bool isText() const { return type() == Type::kText; }

  // Missing where this is not a map, or has no such key.
  Json operator[](std::string_view key) const;
  // Missing where this is not a list, or has no such element. Time grows with the index.
  Json at(std::size_t index) const;
  // Elements of a list, entries of a map, 0 for all else.
  std::size_t size() const;

  // The text, empty where this is not a text.
  std::string_view text() const;
  std::optional<std::string_view> asText() const;
  std::optional<bool> asBool() const;
  bool isTrue() const { return asBool().value_or(false); }
  // An integer of 64 bits with a sign; above that nullopt (see asReal).
  std::optional<std::int64_t> asInteger() const;
  std::optional<double> asReal() const;  // any number

  class Items;
  class Entries;
  Items items() const;      // of a list; of all else none
  Entries entries() const;  // of a map, in the order written; of all else none

  // Compact JSON text; "" for a missing value.
  std::string dump() const;
  // Deep; the order of a map's keys does not matter, 1 and 1.0 are the same number. Two missing values are
  // equal.
  friend bool operator==(const Json& a, const Json& b);

 private:
  simdjson::dom::element element_;
  bool there_ = false;
};

class Json::Items {
 public:
  class iterator {
   public:
    explicit iterator(simdjson::dom::array::iterator at) : at_(at) {}
    Json operator*() const { return Json(*at_); }
    iterator& operator++() { return ++at_, *this; }
    bool operator!=(const iterator& other) const { return at_ != other.at_; }

   private:
    simdjson::dom::array::iterator at_;
  };
  explicit Items(simdjson::dom::array list) : list_(list) {}
  iterator begin() const { return iterator(list_.begin()); }
  iterator end() const { return iterator(list_.end()); }

 private:
  simdjson::dom::array list_;
};

class Json::Entries {
 public:
  struct Entry {
    std::string_view key;
    Json value;
  };
  class iterator {
   public:
    explicit iterator(simdjson::dom::object::iterator at) : at_(at) {}
    Entry operator*() const { return {at_.key(), Json(at_.value())}; }
    iterator& operator++() { return ++at_, *this; }
    bool operator!=(const iterator& other) const { return at_ != other.at_; }

   private:
    simdjson::dom::object::iterator at_;
  };
  explicit Entries(simdjson::dom::object map) : map_(map) {}
  iterator begin() const { return iterator(map_.begin()); }
  iterator end() const { return iterator(map_.end()); }

 private:
  simdjson::dom::object map_;
};

// Owns what its values look at. Can be moved; values taken before stay valid. Reading is safe from many
// threads.
class JsonDocument {
 public:
  // `bytes` is copied as needed. Errors say what is wrong and, for a duplicate key, the path of it.
  static Result<JsonDocument> parse(std::string_view bytes);

  Json root() const { return Json(document_->root()); }

 private:
  explicit JsonDocument(std::unique_ptr<simdjson::dom::document> document) : document_(std::move(document)) {}
  std::unique_ptr<simdjson::dom::document> document_;  // values point at it, so it must not move
};

}  // namespace driftbar
