#include "cluster/watch_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/backoff.h"

namespace driftbar::cluster {
namespace {

using Type = WatchEvent::Type;

std::vector<std::string> linesOf(const std::string& text, std::size_t piece) {
  LineJoiner joiner;
  std::vector<std::string> out;
  for (std::size_t from = 0; from < text.size(); from += piece) {
    joiner.add(std::string_view(text).substr(from, piece));
    while (const auto line = joiner.next()) out.emplace_back(*line);
  }
  return out;
}

TEST(LineJoiner, LinesAreTheSameHoweverTheyAreCut) {
  const std::string text = "first\n\nsecond line\r\n\r\nthird\nrest";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_THAT(linesOf(text, piece), testing::ElementsAre("first", "second line", "third")) << piece;
  }
}

TEST(LineJoiner, TellsALineWithoutEnd) {
  LineJoiner joiner;
  const std::string part(1024 * 1024, 'x');
  for (std::size_t n = 0; n < LineJoiner::kMaxLine; n += part.size()) {
    joiner.add(part);
    EXPECT_FALSE(joiner.next().has_value());
    EXPECT_FALSE(joiner.tooLong());
  }
  joiner.add("x");
  EXPECT_TRUE(joiner.tooLong());
}

TEST(WatchEvent, ReadsEveryType) {
  struct Row {
    const char* line;
    Type type;
    const char* name;
    const char* version;
  };
  const Row rows[] = {
      {R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"7"}}})", Type::kAdded, "a",
       "7"},
      {R"({"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"8"}}})", Type::kModified,
       "a", "8"},
      {R"({"type":"DELETED","object":{"metadata":{"name":"a","resourceVersion":"9"}}})", Type::kDeleted, "a",
       "9"},
      {R"({"type":"BOOKMARK","object":{"kind":"Node","metadata":{"resourceVersion":"10","creationTimestamp":null}}})",
       Type::kBookmark, "", "10"},
      {R"({"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}})", Type::kError, "", ""},
  };
  for (const auto& row : rows) {
    const auto event = parseWatchEvent(row.line);
    ASSERT_TRUE(event.ok()) << row.line;
    EXPECT_EQ(event->type, row.type);
    EXPECT_EQ(event->name(), row.name);
    EXPECT_EQ(event->version(), row.version);
  }
  const auto gone = parseWatchEvent(rows[4].line);
  EXPECT_EQ(gone->code(), 410);
  EXPECT_EQ(gone->message(), "too old");
}

TEST(WatchEvent, RefusesWhatIsNone) {
  struct Row {
    const char* line;
    const char* error;
  };
  const Row rows[] = {
      {R"({"type":"SYNC","object":{}})", "a watch event has the type \"SYNC\", which is not known"},
      {R"([])", "a watch event has the type \"\", which is not known"},
      {R"({"type":"ADDED"})", "a watch event of type ADDED has no object"},
      {R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"1"}}})",
       "a watch event of type ADDED names no object"},
      {R"({"type":"BOOKMARK","object":{"metadata":{}}})",
       "a watch event of type BOOKMARK has no resourceVersion"},
  };
  for (const auto& row : rows) {
    const auto event = parseWatchEvent(row.line);
    ASSERT_FALSE(event.ok()) << row.line;
    EXPECT_EQ(summary(event.errors().front()), row.error);
  }
  EXPECT_FALSE(parseWatchEvent(R"({"type":"ADDED","obj)").ok());
}

TEST(Backoff, DoublesUpToItsLimitAndStartsAgain) {
  double random = 0;
  Backoff backoff({Duration(100), Duration(500)}, [&] { return random; });
  std::vector<long> waits;
  for (int i = 0; i < 5; ++i) waits.push_back(static_cast<long>(backoff.next().count()));
  EXPECT_THAT(waits, testing::ElementsAre(50, 100, 200, 250, 250)) << "half of each step is the least";
  random = 0.999999;
  EXPECT_EQ(backoff.next().count(), 499) << "and all of it the most";
  backoff.reset();
  EXPECT_EQ(backoff.next().count(), 99);
}

TEST(Backoff, TwoCallersDoNotWaitAlike) {
  const auto a = systemRandom();
  const auto b = systemRandom();
  std::vector<double> as, bs;
  for (int i = 0; i < 8; ++i) {
    as.push_back(a());
    bs.push_back(b());
    EXPECT_TRUE(as.back() >= 0 && as.back() < 1);
  }
  EXPECT_NE(as, bs);
}

}  // namespace
}  // namespace driftbar::cluster
