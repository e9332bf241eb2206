#include "yaml/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace driftbar::yaml {
namespace {

std::string jsonOf(std::string text) {
  const auto documents = parse(makeSource("f.yaml", std::move(text)));
  if (!documents) return render(documents.errors());
  std::string out;
  for (const auto& document : *documents) out += (out.empty() ? "" : " ") + toJsonText(document);
  return out;
}

std::string errorsOf(std::string text) {
  const auto documents = parse(makeSource("f.yaml", std::move(text)));
  return documents ? "read as " + toJsonText(documents->empty() ? Node{} : documents->front())
                   : render(documents.errors());
}

struct Row {
  std::string in;
  std::string out;
};

// What sigs.k8s.io/yaml 1.6.0 prints for `v: IN`. It writes reals past 2^53 out in full where we write an
// exponent; the number is the same.
TEST(Yaml, ScalarsMeanWhatTheyMeanToKubectl) {
  const Row rows[] = {
      {"y", "true"},
      {"Y", "true"},
      {"yes", "true"},
      {"yEs", R"("yEs")"},
      {"on", "true"},
      {"OFF", "false"},
      {"n", "false"},
      {"True", "true"},
      {"tRue", R"("tRue")"},
      {"", "null"},
      {"~", "null"},
      {"Null", "null"},
      {"nULL", R"("nULL")"},
      {"010", "8"},
      {"08", "8"},
      {"0o17", "15"},
      {"0O17", "15"},
      {"0x1F", "31"},
      {"0b101", "5"},
      {"-0b11", "-3"},
      {"0b-1", "-1"},
      {"1_000", "1000"},
      {"_1", R"("_1")"},
      {"1_", "1"},
      {"+12", "12"},
      {"-0", "0"},
      {"-0x10", "-16"},
      {"1.", "1"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"+.5", "0.5"},
      {".5e3", "500"},
      {"1e3", "1000"},
      {"1e400", R"("1e400")"},
      {"1e-400", "0"},
      {"1.0", "1"},
      {"1.10", "1.1"},
      {"12345678901234567890", "12345678901234567890"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "1.8446744073709552e+19"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-9223372036854775809", "-9.223372036854776e+18"},
      {"+18446744073709551615", "1.8446744073709552e+19"},
      {"2024-01-01", R"("2024-01-01")"},
      {"2024-01-01T00:00:00Z", R"("2024-01-01T00:00:00Z")"},
      {"12:30", R"("12:30")"},
      {"190:20:30", R"("190:20:30")"},
      {"1.2.3", R"("1.2.3")"},
      {"500m", R"("500m")"},
      {"\"5\"", R"("5")"},
      {"'true'", R"("true")"},
      {"!!str 5", R"("5")"},
      {"!!int \"3\"", "3"},
      {"!!float 3", "3"},
      {"!!bool yes", "true"},
      {"=", R"("=")"},
      {"<<", R"("<<")"},
      {".", R"(".")"},
      {"+", R"("+")"},
      {"1e", R"("1e")"},
      {"0x", R"("0x")"},
      {"0b", R"("0b")"},
      {"0b2", R"("0b2")"},
      {"1__0", "10"},
      {"1e21", "1e+21"},
      {"123456789.125", "123456789.125"},
      {"a b", R"("a b")"},
      {"v1", R"("v1")"},
      {"-1.5e-3", "-0.0015"},
      {"00", "0"},
      {"0_7", "7"},
      {"0x_f", "15"},
      {".5_0", "0.5"},
      {"._5", R"("._5")"},
      {"1_0.5", "10.5"},
  };
  for (const auto& row : rows) EXPECT_EQ(jsonOf("v: " + row.in + "\n"), R"({"v":)" + row.out + "}") << row.in;
}

TEST(Yaml, KeysAreTextAsInKubectl) {
  EXPECT_EQ(jsonOf("on: 1\n010: 2\n\"on\": 3\n1.10: 4\n"), R"({"true":1,"8":2,"on":3,"1.1":4})");
}

TEST(Yaml, ReadsTheShapesThatPeopleWrite) {
  const Row rows[] = {
      {"a: |\n  two\n  lines\nb: >-\n  folded\n  line\n",
       R"({"a":"two\u000alines\u000a","b":"folded line"})"},
      {"a: 'it''s'\nb: plain\n  goes on\nc: \"a\\\n  b\"\n", R"({"a":"it's","b":"plain goes on","c":"ab"})"},
      {"- a\n-\n- - b\n", R"(["a",null,["b"]])"},
      {"a: {b: 1, c}\nd: []\ne: {}\n", R"({"a":{"b":1,"c":null},"d":[],"e":{}})"},
      {"a:\n- 1\n- 2\n", R"({"a":[1,2]})"},
      {"? a\n: 1\n", R"({"a":1})"},
      {"\"a:b\" : 1\n", R"({"a:b":1})"},
      {"a: # why\n  b: c # d\n", R"({"a":{"b":"c"}})"},
      {"a: &x {b: [1, 2]}\nc: *x\nd: [*x]\n", R"({"a":{"b":[1,2]},"c":{"b":[1,2]},"d":[{"b":[1,2]}]})"},
      {"- &x a\n- {*x : 1}\n- &y [*x]\n- *y\n", R"(["a",{"a":1},["a"],["a"]])"},
      {"a: [1,\n\t2]\n", R"({"a":[1,2]})"},
      {"a: |\n  \ttab in text\n", R"({"a":"\u0009tab in text\u000a"})"},
      {"a: x\ty\n", R"({"a":"x\u0009y"})"},
      {"%YAML 1.1\n---\na: 1\n", R"({"a":1})"},
      {"a: caf\u00e9 \U0001F600\n", "{\"a\":\"caf\u00e9 \U0001F600\"}"},
  };
  for (const auto& row : rows) EXPECT_EQ(jsonOf(row.in), row.out) << row.in;
}

TEST(Yaml, ReadsEveryDocumentAndLeavesOutTheEmptyOnes) {
  EXPECT_EQ(jsonOf("---\n---\na: 1\n...\n---\n# only a comment\n---\nb: 2\n"), R"({"a":1} {"b":2})");
  EXPECT_EQ(jsonOf(""), "");
  EXPECT_EQ(jsonOf("# nothing\n"), "");
  EXPECT_EQ(jsonOf("null\n"), "");
}

TEST(Yaml, TheMarkOfWindowsEditorsAndTheirLineEndsAreNoPartOfTheText) {
  EXPECT_EQ(jsonOf("\xEF\xBB\xBF"
                   "a: 1\r\nb: two\r\nc: |\r\n  x\r\n  y\r\n"),
            R"({"a":1,"b":"two","c":"x\u000ay\u000a"})");
}

TEST(Yaml, ReadsJsonWithItsEscapes) {
  EXPECT_EQ(jsonOf(" {\"a\": \"\\ud83d\\ude00\\u00e9\\/\\n\", \"b\": [1, -2.5e3, true, null], \"c\": {}}"),
            "{\"a\":\"\U0001F600\u00e9/\\u000a\",\"b\":[1,-2500,true,null],\"c\":{}}");
  EXPECT_EQ(jsonOf("{\"a\": \"\\ud83d\"}"), "{\"a\":\"\uFFFD\"}");
  EXPECT_EQ(jsonOf("{\"a\": 1}\n{\"b\": 2}\n---\n{\"c\": 3}\n"), R"({"a":1} {"b":2} {"c":3})");
  EXPECT_EQ(jsonOf("{a: yes}"), R"({"a":true})");  // no quote: YAML in braces
}

struct Place {
  std::string path;
  int line, column, width;
};

TEST(Yaml, EveryNodeKnowsItsPlace) {
  const auto documents =
      parse(makeSource("f.yaml",
                       "\xEF\xBB\xBF"
                       "a: &x \"qu\\\"o\"\r\nb:\r\n  - caf\u00e9 x\r\n  - *x\r\nc: !!str 5\r\nd: |\r\n  "
                       "text\r\ne:\r\nf: {g: 'h'}\r\ni: two\r\n  lines\r\n"));
  ASSERT_TRUE(documents) << render(documents.errors());
  const Node& root = documents->front();
  const auto expectAt = [](const Node& node, int line, int column, int width) {
    EXPECT_EQ(node.where.line, line) << node.scalar;
    EXPECT_EQ(node.where.column, column) << node.scalar;
    EXPECT_EQ(node.where.width, width) << node.scalar;
  };
  expectAt(root, 1, 4, 1);  // a column counts bytes, and the mark has three
  expectAt(*root.find("a"), 1, 10, 7);
  expectAt(*root.find("b"), 3, 3, 1);
  expectAt(root.find("b")->items[0], 3, 5, 7);
  expectAt(root.find("b")->items[1], 4, 5, 2);  // the alias, not its anchor
  expectAt(*root.find("c"), 5, 10, 1);
  expectAt(*root.find("d"), 6, 4, 1);
  expectAt(*root.find("e"), 8, 1, 1);  // nothing is written: the key
  expectAt(root.entries[5].key, 9, 1, 1);
  expectAt(*root.find("f"), 9, 4, 1);
  expectAt(*root.find("f")->find("g"), 9, 8, 3);
  expectAt(*root.find("i"), 10, 4, 3);
  EXPECT_TRUE(root.find("a")->quoted);
  EXPECT_TRUE(root.find("b")->items[1].quoted);
  EXPECT_TRUE(root.find("d")->quoted);
  EXPECT_FALSE(root.find("i")->quoted);
}

TEST(Yaml, EveryNodeOfJsonKnowsItsPlace) {
  const auto documents = parse(makeSource("f.json", "{\n  \"a\": [10, \"x\"]\n}"));
  ASSERT_TRUE(documents) << render(documents.errors());
  const Node& list = *documents->front().find("a");
  EXPECT_EQ(list.where.line, 2);
  EXPECT_EQ(list.where.column, 8);
  EXPECT_EQ(list.items[0].where.column, 9);
  EXPECT_EQ(list.items[0].where.width, 2);
  EXPECT_EQ(list.items[1].where.column, 13);
  EXPECT_EQ(list.items[1].where.width, 3);
}

std::string bomb() {
  std::string out = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1), me = "a" + std::to_string(i);
    out += me + ": &" + me + " [";
    for (int j = 0; j < 10; ++j) out += (j == 0 ? "" : ", ") + before;
    out += "]\n";
  }
  return out;
}

std::string nested(std::size_t depth, bool flow) {
  std::string out;
  if (flow) return std::string(depth, '[') + std::string(depth, ']');
  for (std::size_t i = 0; i < depth; ++i) out += std::string(i, ' ') + "k:\n";
  return out;
}

TEST(Yaml, WhatIsWrongIsSaidWithItsPlaceAndTheMend) {
  const Row rows[] = {
      {"a:\n\tb: 1\n",
       "f.yaml:2:1: error: a tab in the indentation [tab]\n"
       "  2 |  b: 1\n"
       "    | ^\n"
       "  help: indent with blanks\n"},
      {"a:\n  b: 1\n\tc: 2\n",
       "f.yaml:3:1: error: a tab in the indentation [tab]\n"
       "  3 |  c: 2\n"
       "    | ^\n"
       "  help: indent with blanks\n"},
      {"a:\n\t- b\n",
       "f.yaml:2:1: error: a tab in the indentation [tab]\n"
       "  2 |  - b\n"
       "    | ^\n"
       "  help: indent with blanks\n"},
      {"a: 1\nb: 2\na: 3\nb: 4\n",
       "f.yaml:3:1: error: the key `a` is there twice, first on line 1 [duplicate-key]\n"
       "  3 | a: 3\n"
       "    | ^\n"
       "  help: keep one of them\n"
       "f.yaml:4:1: error: the key `b` is there twice, first on line 2 [duplicate-key]\n"
       "  4 | b: 4\n"
       "    | ^\n"
       "  help: keep one of them\n"},
      {"\"true\": 1\non: 2\n",
       "f.yaml:2:1: error: the key `on` is there twice, first on line 1 [duplicate-key]\n"
       "  2 | on: 2\n"
       "    | ^^\n"
       "  help: keep one of them\n"},
      {"a: &x [1, *x]\n",
       "f.yaml:1:11: error: the alias stands inside of what it stands for [yaml-cycle]\n"
       "  1 | a: &x [1, *x]\n"
       "    |           ^^\n"
       "  help: write the value out\n"},
      {"&x a: 1\nb: {<<: *x}\n",
       "f.yaml:2:5: error: merge keys `<<` are not read [merge-key]\n"
       "  2 | b: {<<: *x}\n"
       "    |     ^^\n"
       "  help: write the keys out\n"},
      {std::string("a: x\0y\n", 7),
       "f.yaml:1:5: error: a NUL byte is in the text [nul-byte]\n"
       "  1 | a: x\\x00y\n"
       "    |     ^^^^\n"
       "  help: save the file as UTF-8 text; UTF-16 is not read\n"},
      {"a: x\x1b[31m\n",
       "f.yaml:1:5: error: the control character U+001b is in the text [control-character]\n"
       "  1 | a: x\\x1b[31m\n"
       "    |     ^^^^\n"
       "  help: take it out, or write it as an escape in double quotes: \"\\x1b\"\n"},
      {"a: \xff\n",
       "f.yaml:1:4: error: the byte 0xff is not UTF-8 [not-utf8]\n"
       "  1 | a: \\xff\n"
       "    |    ^^^^\n"
       "  help: save the file as UTF-8\n"},
      {std::string("\xff\xfe"
                   "a\0",
                   4),
       "f.yaml:1:1: error: the text is UTF-16 [not-utf8]\n"
       "  1 | \\xff\\xfea\\x00\n"
       "    | ^^^^\n"
       "  help: save the file as UTF-8\n"},
      {"a: [1, 2\nb: 3\n",
       "f.yaml:1:4: error: the `[` that stands here is never closed [open-bracket]\n"
       "  1 | a: [1, 2\n"
       "    |    ^\n"
       "  help: close it with `]`; a value that begins with `[` is quoted\n"},
      {"a: {b: 1}}\n",
       "f.yaml:1:10: error: `}` closes nothing that is open [yaml-syntax]\n"
       "  1 | a: {b: 1}}\n"
       "    |          ^\n"
       "  help: take it out, or quote the value\n"},
      {"a: \"open\nb: 2\n",
       "f.yaml:1:4: error: the quote that begins here is never closed [open-quote]\n"
       "  1 | a: \"open\n"
       "    |    ^\n"
       "  help: close it, or quote the whole value in the other kind of quotes\n"},
      {"a: b: c\n",
       "f.yaml:1:5: error: this `:` belongs to no key [yaml-syntax]\n"
       "  1 | a: b: c\n"
       "    |     ^\n"
       "  help: quote a value that contains `: `, and indent the line as its neighbours are\n"},
      {"a: 1\nname:web\nb: 2\n",
       "f.yaml:2:1: error: `name:web` has no value [yaml-syntax]\n"
       "  2 | name:web\n"
       "    | ^^^^^^^^\n"
       "  help: put a blank behind the colon: `name: web`\n"},
      {"a: 1\nfoo\n",
       "f.yaml:2:1: error: `foo` has no value [yaml-syntax]\n"
       "  2 | foo\n"
       "    | ^^^\n"
       "  help: write a colon and a value behind it, or indent it as part of the value above\n"},
      {"- a\nb: c\n",
       "f.yaml:2:1: error: this does not belong to the document above [yaml-syntax]\n"
       "  2 | b: c\n"
       "    | ^\n"
       "  help: check the indentation, or begin another document with a line `---`\n"},
      {"a: - b\n",
       "f.yaml:1:4: error: a list cannot begin here [yaml-syntax]\n"
       "  1 | a: - b\n"
       "    |    ^\n"
       "  help: put the first `- ` on a line of its own, below the key\n"},
      {"a:\n  - b\n - c\n",
       "f.yaml:3:2: error: this line does not belong to the map above it [yaml-syntax]\n"
       "  3 |  - c\n"
       "    |  ^\n"
       "  help: indent it as the keys above are, or write it as `key: value`\n"},
      {"a: *.example.com\n",
       "f.yaml:1:4: error: `*.example.com` is an alias, and nothing is named so before it [yaml-syntax]\n"
       "  1 | a: *.example.com\n"
       "    |    ^^^^^^^^^^^^^\n"
       "  help: quote a text that begins with `*`: \"*.example.com\"\n"},
      {"a: [*, b]\n",
       "f.yaml:1:5: error: a text that begins with `*` is an alias to YAML [yaml-syntax]\n"
       "  1 | a: [*, b]\n"
       "    |     ^\n"
       "  help: quote the whole value: \"*\", \"pod.containers[*].image\"\n"},
      {"a: @x\n",
       "f.yaml:1:4: error: a value cannot begin with `@x` [yaml-syntax]\n"
       "  1 | a: @x\n"
       "    |    ^\n"
       "  help: quote it: \"@x\"\n"},
      {"a: \"\\d+\"\n",
       "f.yaml:1:5: error: `\\d` is no escape in double quotes [yaml-syntax]\n"
       "  1 | a: \"\\d+\"\n"
       "    |     ^^\n"
       "  help: write it in single quotes, as is best for regular expressions\n"},
      {"? [a]\n: b\n",
       "f.yaml:1:3: error: a key must be text, not a list [yaml-key]\n"
       "  1 | ? [a]\n"
       "    |   ^\n"
       "  help: quote it if it is meant as text\n"},
      {"a: .inf\n",
       "f.yaml:1:4: error: `.inf` is no number that an object can have [not-a-number]\n"
       "  1 | a: .inf\n"
       "    |    ^^^^\n"
       "  help: quote it if it is meant as text\n"},
      {"a: !secret b\n",
       "f.yaml:1:12: error: the tag `!secret` means nothing here [yaml-tag]\n"
       "  1 | a: !secret b\n"
       "    |            ^\n"
       "  help: take the tag away; objects have text, numbers, true, false, null, lists and maps\n"},
      {"a: !!int x\n",
       "f.yaml:1:10: error: `x` is not what its tag says [yaml-tag]\n"
       "  1 | a: !!int x\n"
       "    |          ^\n"},
      {"{\"a\": 1, \"a\": 2}",
       "f.yaml:1:10: error: the key `a` is there twice, first on line 1 [duplicate-key]\n"
       "  1 | {\"a\": 1, \"a\": 2}\n"
       "    |          ^^^\n"
       "  help: keep one of them\n"},
      {"{\"a\": yes}",
       "f.yaml:1:7: error: `yes` is no JSON value [json-syntax]\n"
       "  1 | {\"a\": yes}\n"
       "    |       ^\n"
       "  help: text has double quotes\n"},
      {"{\"a\": 1 \"b\": 2}",
       "f.yaml:1:9: error: expected `,` or `}` here [json-syntax]\n"
       "  1 | {\"a\": 1 \"b\": 2}\n"
       "    |         ^\n"
       "  help: the text is read as JSON, since it begins with `{`\n"},
  };
  for (const auto& row : rows) EXPECT_EQ(errorsOf(row.in), row.out) << row.in;
}

TEST(Yaml, ABombIsRefusedBeforeItIsBuilt) {
  EXPECT_THAT(errorsOf(bomb()),
              testing::HasSubstr("error: the aliases stand for more than 100000 values [yaml-bomb]\n"));
}

TEST(Yaml, NestingIsBounded) {
  EXPECT_THAT(errorsOf(nested(150, false)), testing::StartsWith("read as {\"k\":{\"k\":"));
  EXPECT_THAT(errorsOf(nested(500, false)),
              testing::StartsWith("f.yaml:201:201: error: nested deeper than 200 levels [too-deep]\n"));
  EXPECT_THAT(errorsOf(nested(100'000, true)),
              testing::StartsWith("f.yaml:1:201: error: nested deeper than 200 levels [too-deep]\n"));
  std::string json;
  for (int i = 0; i < 100'000; ++i) json += "{\"a\":";
  EXPECT_THAT(errorsOf(json), testing::HasSubstr("error: nested deeper than 200 levels [too-deep]\n"));
}

TEST(Yaml, AliasesMayNotNestDeeperThanText) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 300; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_THAT(errorsOf(text), testing::HasSubstr("nested deeper than 200 levels [too-deep]"));
}

// Whatever the bytes are: an answer, no crash, and an error that has a place.
TEST(Yaml, CutOffAndBrokenTextsAreAnswered) {
  const std::string whole =
      "a: &x \"q\\u00e9\"\nb: [1, {c: 'd'}, *x]\ne: |\n  f\n? g\n: - h\n--- !!map\n{\"i\": [\"j\"]}\n";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    for (const char odd : {'\0', '\t', '"', '*', '&', '{', ']', ':', '\n', '%', '|', '\x80'}) {
      const auto documents = parse(makeSource("f", whole.substr(0, cut) + odd + whole.substr(cut)));
      if (documents) continue;
      for (const auto& d : documents.errors()) EXPECT_TRUE(d.where) << d.message;
    }
    const auto documents = parse(makeSource("f", whole.substr(0, cut)));
    if (documents) {
      for (const auto& document : *documents) EXPECT_TRUE(toJson(document)) << cut;
    }
  }
}

TEST(Yaml, DescribesWhatAValueIs) {
  const auto documents = parse(makeSource("f", "[1, 1.5, a, true, null, [], {}]"));
  ASSERT_TRUE(documents);
  std::string said;
  for (const auto& item : documents->front().items) said += std::string(describe(item)) + "; ";
  EXPECT_EQ(said, "a number; a number; text; true or false; nothing; a list; a map; ");
}

}  // namespace
}  // namespace driftbar::yaml
