#include "schema/fits.h"

#include <utility>

#include "base/text.h"

namespace driftbar::schema {
namespace {

// As people are told; a number is one, whole or not.
Type typeOf(Json value) {
  switch (value.type()) {
    case Json::Type::kBool:
      return Type::kBoolean;
    case Json::Type::kInteger:
    case Json::Type::kReal:
      return Type::kNumber;
    case Json::Type::kText:
      return Type::kText;
    case Json::Type::kList:
      return Type::kList;
    default:
      return Type::kMap;
  }
}

// `step` is the way to the value; it is written down only where something below does not fit.
template <typename Step>
std::optional<Misfit> below(const Shape& shape, Json value, const Step& step) {
  auto inner = misfit(shape, value);
  if (!inner) return inner;
  const bool joins = !inner->place.empty() && inner->place[0] != '[';
  inner->place = step() + (joins ? "." : "") + inner->place;
  return inner;
}

std::optional<Misfit> ofFields(const Shape& shape, Json value) {
  for (const auto& [key, one] : value.entries()) {
    const auto* field = shape.field(key);
    if (field == nullptr) continue;
    if (auto inner = below(*field->shape, one, [&] { return std::string(field->name); })) return inner;
  }
  return std::nullopt;
}

std::optional<Misfit> ofKeys(const Shape& shape, Json value) {
  for (const auto& [key, one] : value.entries()) {
    if (auto inner = below(*shape.element, one, [&] { return "[" + quoted(key) + "]"; })) return inner;
  }
  return std::nullopt;
}

std::optional<Misfit> ofElements(const Shape& shape, Json value) {
  std::size_t index = 0;
  for (const Json one : value.items()) {
    if (auto inner = below(*shape.element, one, [&] { return "[" + std::to_string(index) + "]"; }))
      return inner;
    ++index;
  }
  return std::nullopt;
}

}  // namespace

bool isOf(Type type, Json::Type kind) {
  using Kind = Json::Type;
  const bool integer = kind == Kind::kInteger, number = integer || kind == Kind::kReal;
  switch (type) {
    case Type::kText:
    case Type::kTime:
      return kind == Kind::kText;
    case Type::kQuantity:
      return kind == Kind::kText || number;
    case Type::kIntOrString:
      return kind == Kind::kText || integer;
    case Type::kInteger:
      return integer;
    case Type::kNumber:
      return number;
    case Type::kBoolean:
      return kind == Kind::kBool;
    case Type::kList:
      return kind == Kind::kList;
    case Type::kMap:
    case Type::kObject:
      return kind == Kind::kMap;
    case Type::kAny:
      return true;
  }
  return true;
}

std::optional<Misfit> misfit(const Shape& shape, Json value) {
  if (!value.exists() || value.isNull()) return std::nullopt;
  if (!isOf(shape.type, value.type())) return Misfit{"", shape.type, typeOf(value)};
  if (shape.type == Type::kObject) return ofFields(shape, value);
  if (shape.element == nullptr) return std::nullopt;
  return shape.type == Type::kMap ? ofKeys(shape, value) : ofElements(shape, value);
}

}  // namespace driftbar::schema
