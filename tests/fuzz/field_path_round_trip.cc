// A path that is written is read again as the same; and each place that a path leads to is itself a path,
// which leads there and nowhere else.
#include <string>
#include <utility>
#include <vector>

#include "base/field_path.h"
#include "base/text.h"
#include "fuzz/property.h"

using namespace driftbar;

namespace {

constexpr std::string_view kObject = R"({
  "metadata": {"name": "n", "labels": {"a": "1", "example.com/pool": "x", "": "e", "*": "s", "q\"": "q", "b\\": "b"}},
  "spec": {
    "containers": [{"name": "trainer", "env": [{"name": "A", "value": "1"}, {"name": "B.c"}]}, {"name": "x"}, {}],
    "taints": [{"key": "a/b", "effect": "NoSchedule"}, {"key": ""}],
    "list": [[1, 2], [], null, "text"], "nothing": null
  }})";

const JsonDocument& object() {
  static const JsonDocument document = JsonDocument::parse(kObject).value();
  return document;
}

void checkPlaces(const FieldPath& path) {
  path.each(object().root(), [&](const std::string& place, Json value) {
    const auto read = FieldPath::parse(place);
    fuzz::require(read.ok(), "a place is a path");
    fuzz::require(!read->hasEach(), "a place is one place");
    std::size_t seen = 0;
    read->each(object().root(), [&](const std::string& again, Json other) {
      fuzz::require(again == place, "a place leads to itself");
      fuzz::require(other == value, "a place leads to its value");
      ++seen;
    });
    fuzz::require(seen == 1, "a place is there once");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::textOf(data, size);
  const auto path = FieldPath::parse(text);
  if (!path) {
    fuzz::requireErrors(path.errors());
    return 0;
  }
  const std::string written = path->toString();
  fuzz::requireShowableLine(written, "a path");
  const auto again = FieldPath::parse(written);
  fuzz::require(again.ok(), "a path that is written can be read");
  if (printable(text) != text) return 0;  // what can't be shown is written as what can
  fuzz::require(again->steps() == path->steps(), "a path that is written is the same when read");
  fuzz::require(again->toString() == written, "a path is written in one way");
  checkPlaces(*path);
  return 0;
}
