// What API servers sent: each field of a recorded object is one that the shapes have, and of the type that
// they say. (tests/data/reviews/INDEX says how the reviews came about.)
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/json.h"
#include "schema/shape.h"

namespace driftbar::schema {
namespace {

namespace fs = std::filesystem;

bool fits(const Shape& shape, Json value) {
  switch (shape.type) {
    case Type::kText:
    case Type::kTime:
      return value.isText();
    case Type::kQuantity:
    case Type::kIntOrString:
      return value.isText() || value.asReal().has_value();
    case Type::kInteger:
      return value.asInteger().has_value();
    case Type::kNumber:
      return value.asReal().has_value();
    case Type::kBoolean:
      return value.asBool().has_value();
    case Type::kList:
      return value.isList();
    case Type::kMap:
    case Type::kObject:
      return value.isMap();
    case Type::kAny:
      return true;
  }
  return false;
}

bool isWord(const Shape& shape, std::string_view text) {
  if (shape.words.empty()) return true;
  for (const auto& word : shape.words) {
    if (word.text == text) return true;
  }
  return false;
}

// How many values were looked at.
std::size_t compare(const Shape& shape, Json value, const std::string& path) {
  if (value.isNull()) return 1;
  EXPECT_TRUE(fits(shape, value)) << path << " is " << value.dump() << ", and not " << describe(shape.type);
  EXPECT_TRUE(!value.isText() || isWord(shape, value.text())) << path << " is " << value.dump();
  if (shape.type == Type::kAny) return 1;
  std::size_t count = 1;
  for (const Json item : value.items()) count += compare(*shape.element, item, path + "[]");
  for (const auto& [key, item] : value.entries()) {
    const std::string below = path + "." + std::string(key);
    const auto* field = shape.type == Type::kObject ? shape.field(key) : nullptr;
    const Shape* next = field != nullptr ? field->shape : shape.element;
    EXPECT_NE(next, nullptr) << below;
    if (next != nullptr) count += compare(*next, item, below);
  }
  return count;
}

TEST(Recorded, EveryFieldThatAnApiServerSentIsKnown) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(DRIFTBAR_SOURCE_DIR "/tests/data/reviews")) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const auto document = JsonDocument::parse(text);
    ASSERT_TRUE(document) << entry.path();
    const Json asked = document->root()["request"];
    const std::string name = entry.path().filename().string();
    count += compare(request(), asked, name);
    const Shape* object = kind(asked["kind"]["group"].text(), asked["kind"]["kind"].text());
    ASSERT_NE(object, nullptr) << name;
    const std::string sub(asked["subResource"].text());
    EXPECT_EQ(object,
              resource(asked["resource"]["group"].text(),
                       std::string(asked["resource"]["resource"].text()) + (sub.empty() ? "" : "/" + sub)))
        << name;
    if (asked["object"].isMap()) count += compare(*object, asked["object"], name + " object");
    if (asked["oldObject"].isMap()) count += compare(*object, asked["oldObject"], name + " oldObject");
  }
  EXPECT_GT(count, 1000U);
}

}  // namespace
}  // namespace driftbar::schema
