#include "base/json.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace driftbar {
namespace {

std::string repeated(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

TEST(Json, FollowsAPathToItsEnd) {
  const auto doc = JsonDocument::parse(R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})");
  ASSERT_TRUE(doc.ok());
  EXPECT_EQ(doc->root()["spec"]["containers"].at(1)["name"].text(), "b");
  EXPECT_FALSE(doc->root()["spec"]["nodes"].at(7)["name"].exists());
  EXPECT_EQ(doc->root()["spec"]["nodes"]["x"].type(), Json::Type::kMissing);
}

TEST(Json, NullIsThereAndMissingIsNot) {
  const auto doc = JsonDocument::parse(R"({"a":null})");
  EXPECT_TRUE(doc->root()["a"].exists());
  EXPECT_TRUE(doc->root()["a"].isNull());
  EXPECT_FALSE(doc->root()["b"].exists());
}

TEST(Json, IteratesListsAndMapsAndNothingElse) {
  const auto doc = JsonDocument::parse(R"({"l":[1,2,3],"m":{"x":"1","y":"2"},"t":"text"})");
  std::int64_t sum = 0;
  for (const Json item : doc->root()["l"].items()) sum += item.asInteger().value();
  EXPECT_EQ(sum, 6);
  std::string all;
  for (const auto& [key, value] : doc->root()["m"].entries()) {
    all += std::string(key) + "=" + std::string(value.text()) + " ";
  }
  EXPECT_EQ(all, "x=1 y=2 ");
  for (const Json item : doc->root()["t"].items()) ADD_FAILURE() << item.dump();
  for (const auto& entry : Json().entries()) ADD_FAILURE() << entry.key;
  EXPECT_EQ(doc->root()["l"].size(), 3U);
  EXPECT_EQ(doc->root()["m"].size(), 2U);
  EXPECT_EQ(doc->root()["t"].size(), 0U);
}

TEST(Json, NumbersKeepTheirKind) {
  const auto doc = JsonDocument::parse("[9223372036854775807,18446744073709551615,1.5,-1]");
  EXPECT_EQ(doc->root().at(0).asInteger(), 9223372036854775807);
  EXPECT_FALSE(doc->root().at(1).asInteger().has_value());
  EXPECT_TRUE(doc->root().at(1).asReal().has_value());
  EXPECT_FALSE(doc->root().at(2).asInteger().has_value());
  EXPECT_EQ(doc->root().at(2).asReal(), 1.5);
  EXPECT_EQ(doc->root().at(3).asReal(), -1.0);
}

struct Comparison {
  const char* a;
  const char* b;
  bool same;
};

TEST(Json, ComparesByMeaning) {
  for (const auto& row :
       {Comparison{R"({"a":1,"b":[2]})", R"({"b":[2],"a":1})", true}, Comparison{"1", "1.0", true},
        Comparison{"[1,2]", "[2,1]", false}, Comparison{"[1]", "[1,2]", false},
        Comparison{R"({"a":null})", R"({"b":null})", false},
        Comparison{"9223372036854775807", "9223372036854775806", false}, Comparison{R"("1")", "1", false},
        Comparison{"null", "null", true}}) {
    const auto a = JsonDocument::parse(row.a), b = JsonDocument::parse(row.b);
    EXPECT_EQ(a->root() == b->root(), row.same) << row.a << " and " << row.b;
  }
}

struct Refusal {
  std::string text;
  std::string expected;
};

TEST(Json, RefusesWhatTwoReadersMightReadDifferently) {
  const Refusal rows[] = {
      {R"({"request":{"uid":"a","uid":"b"}})", "request.uid: the key \"uid\" stands twice in one map"},
      {R"({"a":[{"x/y":1,"x/y":1}]})", "a[0][\"x/y\"]: the key \"x/y\" stands twice in one map"},
      {R"({"a":18446744073709551616})", "a number in the JSON is malformed or does not fit in 64 bits"},
      {R"({"a":1e400})", "a number in the JSON is malformed or does not fit in 64 bits"},
      {repeated("[", 100000) + repeated("]", 100000), "the JSON nests deeper than 200 levels"},
      {repeated("[", 201) + repeated("]", 201), "the JSON nests deeper than 200 levels"},
      {"{\"a\":\"\xff\"}", "the JSON is not valid UTF-8"},
      {"", "there is no JSON: the text is empty"},
      {R"({"a":")", "not valid JSON: a string is not closed"},
  };
  for (const auto& row : rows) {
    const auto doc = JsonDocument::parse(row.text);
    ASSERT_FALSE(doc.ok()) << row.text.substr(0, 60);
    EXPECT_EQ(summary(doc.errors()[0]), row.expected);
  }
}

TEST(Json, RefusesATextThatIsNowhere) {
  const auto doc = JsonDocument::parse(std::string_view());
  ASSERT_FALSE(doc.ok());
  EXPECT_EQ(summary(doc.errors()[0]), "there is no JSON: the text is empty");
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const char* text :
       {"nonsense", "{", "[1,]", "{\"a\" 1}", "01", "NaN", "{} {}", "// x\n{}", "\xef\xbb\xbf{"}) {
    EXPECT_FALSE(JsonDocument::parse(text).ok()) << text;
  }
}

TEST(Json, FindsADuplicateAmongManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += "\"key" + std::to_string(i) + "\":1,";
  EXPECT_FALSE(JsonDocument::parse(text + "\"key500\":2}").ok());
  EXPECT_TRUE(JsonDocument::parse(text + "\"other\":2}").ok());
}

TEST(Json, ValuesOutliveAMoveOfTheirDocument) {
  auto first = std::make_unique<Result<JsonDocument>>(JsonDocument::parse(R"({"a":"text"})"));
  const Json value = (*first)->root()["a"];
  const JsonDocument kept = std::move(*first).value();
  first.reset();
  EXPECT_EQ(value.text(), "text");
}

TEST(Json, IsReadFromManyThreads) {
  const auto doc = JsonDocument::parse(R"({"a":{"b":[1,2,3]}})");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) EXPECT_EQ(doc->root()["a"]["b"].size(), 3U);
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(Json, WritesItselfBack) {
  const auto doc = JsonDocument::parse(" { \"a\" : [ 1, \"x\\u001b\" ] } ");
  EXPECT_EQ(doc->root().dump(), "{\"a\":[1,\"x\\u001b\"]}");
  EXPECT_EQ(Json().dump(), "");
}

}  // namespace
}  // namespace driftbar
