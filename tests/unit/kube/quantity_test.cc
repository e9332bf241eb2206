#include "kube/quantity.h"

#include <gtest/gtest.h>

#include <string>

namespace driftbar::kube {
namespace {

struct SameRow {
  const char* a;
  const char* b;
};

// Both read as the same amount. Kubernetes' own code judges these and many more in tests/oracle.
constexpr SameRow kSame[] = {
    {"0.5", "500m"},
    {"1e3", "1k"},
    {"1E3", "1000"},
    {"1e-3", "1m"},
    {"1e+3", "1000"},
    {"512Mi", "536870912"},
    {"1.5Gi", "1536Mi"},
    {"1Ki", "1024"},
    {".5", "0.5"},
    {"5.", "5"},
    {"+5", "5"},
    {"-0", "0"},
    {"007", "7"},
    {"-1.5", "-1500m"},
    // A number that is missing counts as 0, in Kubernetes too.
    {".", "0"},
    {"+", "0"},
    {"-", "0"},
    {"m", "0"},
    {"Ti", "0"},
    {"E", "0"},
    {"e5", "0"},
    // Finer than a nano is rounded up, away from zero.
    {"0.0000000001", "1n"},
    {"1e-400", "1n"},
    {"0e-400", "0"},
    {"1.0000000001", "1000000001n"},
    {"-0.1n", "-1n"},
    {"0.00000000000000000000001Ki", "1n"},
    {"0.12345678901234567890Ki", "126419751949n"},
    // Binary suffixes are capped at 2^63-1.
    {"8Ei", "9223372036854775807"},
    {"-100Ei", "-9223372036854775807"},
    {"99999999999999999999999999999999999999Ki", "9223372036854775807"},
    {"7.9Ei", "9108079886394091110400000000n"},
    {"10E", "10000000000000000000"},
    // An exponent is cut to 32 bits, as in Go.
    {"3e4294967296", "3"},
};

TEST(Quantity, ReadsAsTheSameAmount) {
  for (const auto& [a, b] : kSame) {
    ASSERT_TRUE(Quantity::parse(a)) << a;
    EXPECT_EQ(Quantity::parse(a)->toString(), Quantity::parse(b)->toString()) << a << " and " << b;
  }
}

TEST(Quantity, RefusesWhatIsNone) {
  for (const char* text : {"",       " 1",
                           "1 ",     "1 Gi",
                           "abc",    "1x",
                           "1mm",    "1e",
                           "1E+",    "1e1.5",
                           "1Gi5",   "--1",
                           "+-1",    "1-5",
                           "1.2.3",  "1,5",
                           "0x10",   "1_000",
                           "\u00b5", "1i",
                           "KI",     "1ki",
                           "1K",     "Pi",
                           "e-10",   "1e99999999999999999999",
                           "1\n",    "e+-1"}) {
    EXPECT_FALSE(Quantity::parse(text)) << text;
  }
}

TEST(Quantity, ComparesByValue) {
  const char* ascending[] = {"-8Ei", "-1",  "-1m", "0",   "1n", "1u",  "1m",  "999m", "1",    "1k",  "1Ki",
                             "1M",   "1Mi", "1G",  "1Gi", "1E", "1Ei", "8Ei", "10E",  "1e20", "1e28"};
  for (std::size_t i = 0; i + 1 < std::size(ascending); ++i)
    EXPECT_LT(*Quantity::parse(ascending[i]), *Quantity::parse(ascending[i + 1])) << ascending[i];
}

TEST(Quantity, BeyondTenToThe29thAllAreEqual) {
  EXPECT_EQ(Quantity::parse("1e29"), Quantity::parse("1e2000000000"));
  EXPECT_EQ(*Quantity::parse("1e2000000000") + *Quantity::parse("1e29"), *Quantity::parse("1e29"));
  EXPECT_LT(*Quantity::parse("-1e300"), *Quantity::parse("-1e28"));
}

struct ValueRow {
  const char* text;
  std::int64_t value, milli;
};

TEST(Quantity, ValueIsRoundedUpAwayFromZero) {
  const ValueRow rows[] = {
      {"0", 0, 0},      {"1", 1, 1000},     {"1m", 1, 1},          {"1n", 1, 1},
      {"1.5", 2, 1500}, {"1999m", 2, 1999}, {"-1500m", -2, -1500}, {"1Gi", 1073741824, 1073741824000},
      {"0.1m", 1, 1}};
  for (const auto& row : rows) {
    EXPECT_EQ(Quantity::parse(row.text)->value(), row.value) << row.text;
    EXPECT_EQ(Quantity::parse(row.text)->milliValue(), row.milli) << row.text;
  }
  EXPECT_EQ(Quantity::parse("10E")->value(), INT64_MAX);
  EXPECT_EQ(Quantity::parse("-8Ei")->milliValue(), INT64_MIN);
}

TEST(Quantity, AddsUp) {
  EXPECT_EQ(*Quantity::parse("500m") + *Quantity::parse("1.5"), Quantity::of(2));
  EXPECT_EQ(Quantity::ofMilli(1500), *Quantity::parse("1.5"));
}

TEST(Quantity, IsReadFromJson) {
  const auto doc = JsonDocument::parse(R"([8, 0.5, "8", " 500m ", null, 1e3, true, "x", {}, "8\n"])");
  ASSERT_TRUE(doc.ok());
  const char* wanted[] = {"8", "500m", "8", "500m", "0", "1000"};
  for (std::size_t i = 0; i < std::size(wanted); ++i)
    EXPECT_EQ(Quantity::read(doc->root().at(i)), Quantity::parse(wanted[i])) << i;
  for (std::size_t i = std::size(wanted); i < doc->root().size(); ++i)
    EXPECT_FALSE(Quantity::read(doc->root().at(i))) << i;
  EXPECT_FALSE(Quantity::read(Json()));
}

TEST(Quantity, IsShownAsPeopleWriteIt) {
  const SameRow rows[] = {{"0", "0"},
                          {"8", "8"},
                          {"1000m", "1"},
                          {"1500m", "1500m"},
                          {"0.5", "500m"},
                          {"64Gi", "64Gi"},
                          {"65536Mi", "64Gi"},
                          {"1.5Gi", "1536Mi"},
                          {"1024", "1024"},
                          {"110", "110"},
                          {"263856132Ki", "263856132Ki"},
                          {"1k", "1000"},
                          {"-2", "-2"},
                          {"7n", "7n"},
                          {"8Ei", "9223372036854775807"},
                          {"1e20", "100000000000000000000"},
                          {"-1e20", "-100000000000000000000"}};
  for (const auto& [text, shown] : rows) EXPECT_EQ(Quantity::parse(text)->toString(), shown);
}

}  // namespace
}  // namespace driftbar::kube
