#include "base/text.h"

#include <gtest/gtest.h>

#include <array>

#include "base/diagnostic.h"
#include "base/glob.h"
#include "base/time.h"

namespace driftbar {
namespace {

struct Pair {
  std::string_view in;
  std::string_view out;
};

TEST(Text, PrintableShowsWhatATerminalWouldObey) {
  const Pair rows[] = {
      {"plain", "plain"},
      {"a\nb\tc\r", "a\\nb\\tc\\r"},
      {"\x1b[31mred", "\\x1b[31mred"},
      {"caf\u00e9 \u2014 \u65e5\u672c", "caf\u00e9 \u2014 \u65e5\u672c"},
      {"bad \xff\xc0\xaf", "bad \\xff\\xc0\\xaf"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},  // a surrogate
      {"\xe2\x82", "\\xe2\\x82"},           // cut off
      {"\u202egnp", "\\u202egnp"},
      {"\u2028", "\\u2028"},
      {"a\u200bb\u2060c\u00add", "a\\u200bb\\u2060c\\xadd"},
      {"\u061c\u180e\u115f\ufff9\U000e0041", "\\u061c\\u180e\\u115f\\ufff9\\ue0041"},
      {"\u0085", "\\x85"},
      {std::string_view("\0", 1), "\\x00"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(printable(row.in), row.out);
    EXPECT_EQ(printable(printable(row.in)), row.out) << "not idempotent";
  }
}

TEST(Text, QuotedEscapesItsOwnQuotes) {
  EXPECT_EQ(quoted("say \"x\\y\""), "\"say \\\"x\\\\y\\\"\"");
}

TEST(Text, ShortenedCountsCharactersNotBytes) {
  EXPECT_EQ(shortened("\u00e9\u00e9\u00e9", 3), "\u00e9\u00e9\u00e9");
  EXPECT_EQ(shortened("\u00e9\u00e9\u00e9\u00e9", 3), "\u00e9\u00e9\u2026");
}

TEST(Text, NearestFindsSlipsAndNothingFarther) {
  constexpr std::array<std::string_view, 4> words{"label", "avoidNodes", "notIn", "startsWith"};
  EXPECT_EQ(nearest("lable", words), "label");
  EXPECT_EQ(nearest("avoid-nodes", words), "avoidNodes");
  EXPECT_EQ(nearest("AvoidNode", words), "avoidNodes");
  EXPECT_EQ(nearest("NotIn", words), "notIn");
  EXPECT_EQ(nearest("quarantine", words), "");
}

TEST(Slip, IsNearEnoughToAskOfAWordThatNeedNotBeKnown) {
  for (const auto& [word, meant] : {std::pair{"PytorchJob", "PyTorchJob"},
                                    {"Jobs", "Job"},
                                    {"DeamonSet", "DaemonSet"},
                                    {"pytorchjob.kubeflow.org", "pytorchjobs.kubeflow.org"},
                                    {"statefulset", "StatefulSet"}})
    EXPECT_TRUE(isSlip(word, meant)) << word;
  for (const auto& [word, meant] : {std::pair{"Job", "Job"},
                                    {"MyJob", "MXJob"},
                                    {"CloneSet", "JobSet"},
                                    {"DaemonJobs", "DaemonSet"},
                                    {"", "s"}})
    EXPECT_FALSE(isSlip(word, meant)) << word;
}

TEST(Text, ListedReadsAsASentence) {
  constexpr std::array<std::string_view, 3> words{"a", "b", "c"};
  EXPECT_EQ(listed(words), "`a`, `b` or `c`");
  EXPECT_EQ(listed(std::span(words).first(1)), "`a`");
}

TEST(Diagnostic, ShowsThePlaceTheLineAndTheMend) {
  const auto source = makeSource("p.yaml", "one\n\t- lable: \xc3\xa9x\n");
  const auto d = errorAt({source, 2, 4, 5}, "unknown-key", "unknown key `lable`", "did you mean `label`?");
  EXPECT_EQ(render(d),
            "p.yaml:2:4: error: unknown key `lable` [unknown-key]\n"
            "  2 |  - lable: \xc3\xa9x\n"
            "    |    ^^^^^\n"
            "  help: did you mean `label`?\n");
}

TEST(Diagnostic, DrawsTheCaretPastTheEndOfALine) {
  const auto d = errorAt({makeSource("p.yaml", "ab"), 1, 9, 3}, "x", "y");
  EXPECT_EQ(render(d), "p.yaml:1:9: error: y [x]\n  1 | ab\n    |   ^\n");
}

TEST(Diagnostic, ShowsOfALongLineThePartAroundThePlace) {
  const std::string line = std::string(1000, 'a') + "HERE" + std::string(1000, 'b');
  const auto text = render(errorAt({makeSource("p.yaml", line), 1, 1001, 4}, "x", "y"));
  EXPECT_EQ(text, "p.yaml:1:1001: error: y [x]\n  1 | \u2026" + std::string(60, 'a') + "HERE" +
                      std::string(96, 'b') + "\u2026\n    | " + std::string(61, ' ') + "^^^^\n");
}

TEST(Glob, StarIsAnyRunOfCharacters) {
  EXPECT_TRUE(globFits("*", ""));
  EXPECT_TRUE(globFits("ml-*", "ml-a/b"));
  EXPECT_TRUE(globFits("*a*b", "xaab"));
  EXPECT_FALSE(globFits("*a*b", "xaabc"));
  EXPECT_FALSE(globFits("a?", "ab"));
  EXPECT_TRUE(globFits("a**", "a"));
  EXPECT_FALSE(globFits("", "a"));
}

TEST(Time, ReadsWhatKubernetesWrites) {
  EXPECT_EQ(toString(*parseInstant("2026-12-01T10:00:00Z")), "2026-12-01T10:00:00Z");
  EXPECT_EQ(toString(*parseInstant("2026-12-01T12:30:00.123456+02:30")), "2026-12-01T10:00:00Z");
  for (const char* wrong :
       {"2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-12-01", "2026-12-01T10:00:00",
        "2026-12-01T10:00:00.Z", "2026-12-01T25:00:00Z", "2026-12-01T10:00:00Zx"}) {
    EXPECT_FALSE(parseInstant(wrong).has_value()) << wrong;
  }
}

TEST(Time, DurationsReadAndWriteTheSame) {
  for (const char* text : {"10m", "1h30m", "150ms", "2d", "1m40s"})
    EXPECT_EQ(toString(*parseDuration(text)), text);
  EXPECT_EQ(parseDuration("150s"), Duration{150'000});
  EXPECT_EQ(toString(Duration{0}), "0s");
  for (const char* wrong : {"", "10", "m", "-1m", "1m1h", "1.5h", "1w", "9223372036854775807d", "10 m"}) {
    EXPECT_FALSE(parseDuration(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace driftbar
