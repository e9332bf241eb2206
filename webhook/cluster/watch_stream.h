// What comes over a watch: lines cut anywhere, each a JSON event.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace driftbar::cluster {

// Joins bytes that come in pieces into lines. What follows the last line end waits for its rest.
class LineJoiner {
 public:
  // An object is at most 1.5 MiB in etcd; as JSON with everything escaped it may be some times that.
  static constexpr std::size_t kMaxLine = 16 * 1024 * 1024;

  void add(std::string_view bytes);
  // The next whole line without its end; valid until the next add(). Empty lines are passed over.
  std::optional<std::string_view> next();
  bool tooLong() const { return buffer_.size() - taken_ > kMaxLine; }

 private:
  std::string buffer_;
  std::size_t taken_ = 0;   // where the next line starts
  std::size_t looked_ = 0;  // up to here there is no line end
};

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark, kError };
  Type type = Type::kAdded;
  JsonDocument document;

  Json object() const { return document.root()["object"]; }
  std::string_view name() const { return object()["metadata"]["name"].text(); }
  std::string_view version() const { return object()["metadata"]["resourceVersion"].text(); }
  // Of an ERROR, whose object is a Status.
  int code() const { return static_cast<int>(object()["code"].asInteger().value_or(0)); }
  std::string_view message() const { return object()["message"].text(); }
};

// Errors: not JSON, no event, a type that we do not know, an object without what its type needs.
Result<WatchEvent> parseWatchEvent(std::string_view line);

}  // namespace driftbar::cluster
