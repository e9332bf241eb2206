#include "cluster/watch_stream.h"

#include "base/text.h"

namespace driftbar::cluster {
namespace {

struct TypeName {
  std::string_view name;
  WatchEvent::Type type;
  bool named;      // its object has a name
  bool versioned;  // its object has a resourceVersion
};
constexpr TypeName kTypes[] = {
    {"ADDED", WatchEvent::Type::kAdded, true, true},
    {"MODIFIED", WatchEvent::Type::kModified, true, true},
    {"DELETED", WatchEvent::Type::kDeleted, true, true},
    {"BOOKMARK", WatchEvent::Type::kBookmark, false, true},
    {"ERROR", WatchEvent::Type::kError, false, false},
};

Diagnostic malformed(const std::string& why) {
  return error("malformed-event", "a watch event " + why);
}

}  // namespace

void LineJoiner::add(std::string_view bytes) {
  buffer_.erase(0, taken_);
  looked_ -= taken_;
  taken_ = 0;
  buffer_.append(bytes);
}

std::optional<std::string_view> LineJoiner::next() {
  for (;;) {
    const auto end = buffer_.find('\n', looked_);
    if (end == std::string::npos) {
      looked_ = buffer_.size();
      return std::nullopt;
    }
    std::string_view line(buffer_.data() + taken_, end - taken_);
    taken_ = looked_ = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) return line;
  }
}

Result<WatchEvent> parseWatchEvent(std::string_view line) {
  auto document = JsonDocument::parse(line);
  if (!document) return malformed("is not JSON: " + document.errors().front().message);
  const std::string_view name = document->root()["type"].text();
  for (const auto& row : kTypes) {
    if (row.name != name) continue;
    WatchEvent event{row.type, std::move(*document)};
    if (!event.object().isMap()) return malformed("of type " + std::string(name) + " has no object");
    if (row.named && event.name().empty())
      return malformed("of type " + std::string(name) + " names no object");
    if (row.versioned && event.version().empty()) {
      return malformed("of type " + std::string(name) + " has no resourceVersion");
    }
    return event;
  }
  return malformed("has the type " + quoted(name) + ", which is not known");
}

}  // namespace driftbar::cluster
