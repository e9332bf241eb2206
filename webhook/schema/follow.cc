#include "schema/follow.h"

#include <set>
#include <utility>
#include <vector>

namespace driftbar::schema {
namespace {

using Kind = PathStep::Kind;

struct Taken {
  const Shape* shape = nullptr;
  Obstacle obstacle = Obstacle::kNone;
  bool newer = false;
  std::string_view absent = {};
};

Taken intoObject(const Shape& from, const PathStep& step) {
  if (step.kind == Kind::kIndex) return {nullptr, Obstacle::kNoOrder};
  if (step.kind == Kind::kEach) return {nullptr, Obstacle::kNotMany};
  const auto* field = from.field(step.key);
  if (field == nullptr) return {nullptr, Obstacle::kUnknownField};
  return {field->shape, Obstacle::kNone, field->newer, field->absent};
}

Taken take(const Shape& from, std::string_view listName, const PathStep& step) {
  switch (from.type) {
    case Type::kAny:
      return {&from};
    case Type::kObject:
      return intoObject(from, step);
    case Type::kMap:
      if (step.kind == Kind::kIndex) return {nullptr, Obstacle::kNoOrder};
      return {from.element};
    case Type::kList:
      if (step.kind == Kind::kKey && mergeKey(listName).empty()) return {nullptr, Obstacle::kNoKey};
      return {from.element};
    default:
      return {nullptr, Obstacle::kScalar};
  }
}

}  // namespace

Walk follow(const Shape& root, std::span<const PathStep> steps) {
  Walk walk;
  const Shape* at = &root;
  std::string_view listName;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Taken taken = take(*at, listName, steps[i]);
    if (taken.shape == nullptr) {
      walk.obstacle = taken.obstacle;
      walk.step = i;
      walk.at = at;
      return walk;
    }
    if (taken.newer && !walk.newer) walk.newer = i;
    walk.absentMaps = walk.absent == "{}" ? walk.absentMaps + 1 : 0;
    walk.absent = taken.absent;
    listName = steps[i].kind == Kind::kKey ? std::string_view(steps[i].key) : std::string_view();
    at = taken.shape;
  }
  walk.end = at;
  return walk;
}

std::string wayTo(const Shape& root, std::string_view fieldName, int steps) {
  std::vector<std::pair<const Shape*, std::string>> now{{&root, ""}};
  std::set<const Shape*> seen{&root};
  for (; steps > 0; --steps) {
    std::vector<std::pair<const Shape*, std::string>> next;
    for (const auto& [shape, way] : now) {
      if (shape->field(fieldName) != nullptr) return way + "." + std::string(fieldName);
      for (const auto& field : shape->fields) {
        const bool list = field.shape->type == Type::kList;
        const Shape* below = list ? field.shape->element : field.shape;
        if (below->type != Type::kObject || !seen.insert(below).second) continue;
        next.emplace_back(below, way + "." + std::string(field.name) + (list ? "[*]" : ""));
      }
    }
    now = std::move(next);
  }
  return {};
}

}  // namespace driftbar::schema
