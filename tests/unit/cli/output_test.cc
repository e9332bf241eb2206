// Results as JSON and YAML: every reader gets back what was put in, and a terminal nothing that misleads it.
#include "cli/output.h"

#include <nlohmann/json.hpp>

#include "fixture.h"
#include "yaml/yaml.h"

namespace driftbar::cli {
namespace {

using Value = nlohmann::ordered_json;

TEST(Yaml, MapsListsAndScalars) {
  const auto value = Value::parse(R"({
    "file": "policies/a.yaml", "line": 7, "real": 0.5, "yes": true, "nothing": null, "none": [], "empty": {},
    "list": ["a", 1, ["x", ["y"]], {"k": "v", "l": {"m": [1, 2]}}], "text": "two words"})");
  EXPECT_EQ(formatted(value, Output::kYaml), R"(file: policies/a.yaml
line: 7
real: 0.5
"yes": true
nothing: null
none: []
empty: {}
list:
- a
- 1
- - x
  - - "y"
- k: v
  l:
    m:
    - 1
    - 2
text: two words
)");
}

TEST(Yaml, TextThatAReaderWouldTakeForSomethingElse) {
  const Value value = {"true", "No",  "null", "~",  "",   "12", "1e3", "0x1f", "2026-12-01",
                       "a: b", "- a", "a #b", " a", "a ", "*",  "é",   "a\tb"};
  EXPECT_EQ(formatted(value, Output::kYaml), R"(- "true"
- "No"
- "null"
- "~"
- ""
- "12"
- "1e3"
- "0x1f"
- "2026-12-01"
- "a: b"
- "- a"
- "a #b"
- " a"
- "a "
- "*"
- "é"
- "a\tb"
)");
}

TEST(Yaml, LinesAreWrittenAsLinesWhereTheyComeBackAsTheyAre) {
  const Value value{{"message", "a: first\n  gpu-07  é\n\n  fix: b"},
                    {"in", {{{"message", "x\ny"}}}},
                    {"odd", {"\na", " a\nb", "a\n", "a\n\tb"}}};
  EXPECT_EQ(formatted(value, Output::kYaml),
            "message: |-\n  a: first\n    gpu-07  é\n  \n    fix: b\nin:\n- message: |-\n"
            "    x\n    y\nodd:\n- \"\\na\"\n- \" a\\nb\"\n- \"a\\n\"\n- \"a\\n\\tb\"\n");
}

TEST(Yaml, EmptyAndBare) {
  EXPECT_EQ(formatted(Value::array(), Output::kYaml), "[]\n");
  EXPECT_EQ(formatted(Value("a"), Output::kYaml), "a\n");
}

TEST(Json, Indented) {
  EXPECT_EQ(formatted(Value{{"a", {1, 2}}, {"b", Value::array()}}, Output::kJson),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": []\n}\n");
}

// Control characters of both halves, direction overrides, line separators; what is not UTF-8 becomes U+FFFD.
TEST(Output, NothingMisleadsATerminal) {
  const Value value{{"a\u202eb", "\x1b[31m\u009b\u2028\x7f\u00e9\xff"}};
  EXPECT_EQ(formatted(value, Output::kJson),
            "{\n  \"a\\u202eb\": \"\\u001b[31m\\u009b\\u2028\\u007f\u00e9\ufffd\"\n}\n");
  EXPECT_EQ(formatted(value, Output::kYaml),
            "\"a\\u202eb\": \"\\u001b[31m\\u009b\\u2028\\u007f\u00e9\ufffd\"\n");
}

// Our own reader of YAML, another implementation, is the judge.
TEST(Yaml, ComesBackAsItWas) {
  const Value value{{"a",
                     {"true", "x\ny", "x: y", "it's", "\"q\"", "\\", "a\n b\n", "{}", "[", "%", "@", "`", "|",
                      "x\r\ny", "\u2028"}},
                    {"b c", {{{"d", -1.5}, {"e", nullptr}}, Value::array({Value::array({"f"})})}},
                    {"", "on"}};
  const auto read = yaml::parse(makeSource("out.yaml", formatted(value, Output::kYaml)));
  ASSERT_TRUE(read) << render(read.errors()) << formatted(value, Output::kYaml);
  EXPECT_EQ(Value::parse(yaml::toJsonText(read->at(0))), value);
}

}  // namespace
}  // namespace driftbar::cli
