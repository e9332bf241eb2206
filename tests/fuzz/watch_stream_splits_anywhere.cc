// A watch says the same however its bytes are cut. The input is a stream; it is fed whole, byte by byte, and
// in pieces whose sizes follow from the stream itself, and compared with a plain search for line ends.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "cluster/watch_stream.h"
#include "fuzz/property.h"

using namespace driftbar;
using Lines = std::vector<std::string>;

namespace {

Lines plainLines(std::string_view stream) {
  Lines lines;
  for (auto end = stream.find('\n'); end != std::string_view::npos; end = stream.find('\n')) {
    std::string_view line = stream.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
    stream.remove_prefix(end + 1);
  }
  return lines;
}

// `size` says how long the next piece is; asked for lines after each.
Lines joined(std::string_view stream, const std::function<std::size_t()>& size) {
  cluster::LineJoiner joiner;
  Lines lines;
  while (!stream.empty()) {
    const auto piece = std::clamp<std::size_t>(size(), 1, stream.size());
    joiner.add(stream.substr(0, piece));
    stream.remove_prefix(piece);
    while (const auto line = joiner.next()) lines.emplace_back(*line);
    fuzz::require(!joiner.tooLong(), "a short stream has no line that is too long");
  }
  return lines;
}

void checkEvent(const std::string& line) {
  const auto event = cluster::parseWatchEvent(line);
  if (!event) return fuzz::requireErrors(event.errors());
  using Type = cluster::WatchEvent::Type;
  fuzz::require(event->object().isMap(), "an event has an object");
  const bool named = event->type != Type::kBookmark && event->type != Type::kError;
  fuzz::require(!named || !event->name().empty(), "an object that comes and goes has a name");
  fuzz::require(event->type == Type::kError || !event->version().empty(), "an event has a version");
  event->code();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto stream = fuzz::textOf(data, size);
  const Lines lines = plainLines(stream);
  fuzz::require(joined(stream, [&] { return stream.size(); }) == lines,
                "a stream in one piece has its lines");
  fuzz::require(joined(stream, [] { return 1; }) == lines, "a stream byte by byte has its lines");
  std::uint64_t state = std::hash<std::string_view>()(stream);
  const auto next = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
    return static_cast<std::size_t>(state >> 59U);
  };
  fuzz::require(joined(stream, next) == lines, "a stream in pieces has its lines");
  for (const auto& line : lines) checkEvent(line);
  return 0;
}
