// Value: one thing that a subject has to say, and the trail to where it sits.
//
// Views only: a value lives while it is looked at, and no place is written out unless someone asks for it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/field_path.h"
#include "base/json.h"
#include "base/time.h"
#include "kube/command_line.h"

namespace driftbar::policy {

// The way to a value, from its end: each step knows the one above.
struct Trail {
  // kSpec: a root that is a bare pod spec, so that the step `spec` below it leads no further.
  enum class Kind { kRoot, kSpec, kKey, kElement, kNumber };
  const Trail* up = nullptr;
  Kind kind = Kind::kRoot;
  std::string_view key;  // of kRoot and kSpec: what the place begins with
  std::size_t number = 0;
  bool ofSecret = false;  // of kRoot: what is below is a Secret's, or a request's about one

  std::string toString() const;
};

// What of a value people may see; told by the way to it, see privacy.h.
enum class Privacy {
  kOpen,
  kCommandLine,  // shown without the values of variables that it sets
  kEnvironment,  // the same; lists and maps are counted
  kHidden
};

struct Value {
  enum class Kind { kAbsent, kUnknown, kBool, kNumber, kText, kList, kMap };
  Kind kind = Kind::kAbsent;
  bool written = false;  // it is in the object; not so a value that absence stands for
  bool flag = false;     // of kBool
  std::string_view text;
  Json json;  // of numbers, lists and maps

  std::string_view name;           // which of the things a subject names: a label's key
  std::string_view effect;         // of taints
  std::optional<Instant> since;    // of conditions
  const Trail* trail = nullptr;    // of fields, and of what sits in containers and volumes
  std::optional<Privacy> privacy;  // nothing: the trail says it
  const Value* before = nullptr;   // of changes: what it was
  std::string_view container;      // the name of the container that it is of
  std::string_view asWritten;      // where `text` is not as in the object; empty: it is
  std::string_view why;            // of kUnknown: `it comes from a Secret`; may be empty

  static Value of(Json json);  // null is absent
  static Value ofText(std::string_view text, std::string_view name);
  static Value absent(std::string_view name);
  static Value unknown(std::string_view name);

  std::string raw() const;  // as in the object, without quotes. For comparing, not for people
  // For people: without what is private; lists and maps that hold more of them only counted.
  std::string plain() const;
  std::string shown() const;  // plain, text in quotes, at most 80 characters
  bool isOpen() const { return privacyOfThis() == Privacy::kOpen; }  // nothing of it is kept from people

 private:
  Privacy privacyOfThis() const;
};

// What is shown in the place of a hidden value.
inline constexpr std::string_view kHidden = kube::kHiddenValue;

// Whoever looks at values; false: it has seen enough.
class Seen {
 public:
  virtual bool operator()(const Value& value) = 0;

 protected:
  ~Seen() = default;
};

// Follows a path as FieldPath::each does, without writing places out. `seen(Json, const Trail&)` gives false
// to stop; so does walk() then.
template <typename SeenJson>
bool walk(std::span<const PathStep> steps, std::string_view listName, Json value, const Trail& at,
          const SeenJson& seen);

// The element of a list whose merge key has this value.
Json elementOf(Json list, std::string_view listName, std::string_view wanted);

template <typename SeenJson>
bool walkEach(std::span<const PathStep> rest, std::string_view listName, Json value, const Trail& at,
              const SeenJson& seen) {
  const auto by = mergeKey(listName);
  std::size_t number = 0;
  for (const Json item : value.items()) {
    const auto name = by.empty() ? std::nullopt : item[by].asText();
    const Trail next{&at, name ? Trail::Kind::kElement : Trail::Kind::kNumber, name.value_or(""), number++};
    if (!walk(rest, {}, item, next, seen)) return false;
  }
  for (const auto& [key, item] : value.entries()) {
    if (!walk(rest, key, item, Trail{&at, Trail::Kind::kKey, key, 0}, seen)) return false;
  }
  return true;
}

template <typename SeenJson>
bool walk(std::span<const PathStep> steps, std::string_view listName, Json value, const Trail& at,
          const SeenJson& seen) {
  if (steps.empty()) return seen(value, at);
  const PathStep& step = steps.front();
  const auto rest = steps.subspan(1);
  switch (step.kind) {
    case PathStep::Kind::kEach:
      return walkEach(rest, listName, value, at, seen);
    case PathStep::Kind::kIndex:
      return walk(rest, {}, value.at(step.index), Trail{&at, Trail::Kind::kNumber, {}, step.index}, seen);
    case PathStep::Kind::kKey:
      break;
  }
  // Of a list that is not there the place is what it would be in it.
  const bool list = value.isList() || (!value.exists() && !mergeKey(listName).empty());
  return walk(rest, step.key, list ? elementOf(value, listName, step.key) : value[step.key],
              Trail{&at, list ? Trail::Kind::kElement : Trail::Kind::kKey, step.key, 0}, seen);
}

}  // namespace driftbar::policy
