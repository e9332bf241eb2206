// `driftbar explain-language`: every word is found and every one is listed.
#include "fixture.h"
#include "policy/policy.h"

namespace driftbar::cli {
namespace {

TEST(ExplainLanguage, EveryWordHasItsParagraph) {
  for (const auto& word : policy::words()) {
    const auto ran = run({"explain-language", std::string(word.name)});
    EXPECT_EQ(ran.code, kGood) << word.name;
    EXPECT_NE(ran.out.find(std::string(word.name) + " (" + std::string(word.of) + ")\n  " +
                           std::string(word.doc) + "\n"),
              std::string::npos)
        << ran.out;
  }
}

TEST(ExplainLanguage, WithoutAWordAllAreListed) {
  const auto ran = run({"explain-language"});
  EXPECT_EQ(ran.code, kGood);
  EXPECT_EQ(ran.err, "");
  for (const auto& word : policy::words()) {
    EXPECT_NE(ran.out.find("  " + std::string(word.name) + "  "), std::string::npos) << word.name;
    EXPECT_NE(ran.out.find(std::string(word.of) + "\n  "), std::string::npos) << word.of;
  }
}

TEST(ExplainLanguage, OfATerminal) {
  EXPECT_TRUE(run({"explain-language", "deny"}, "", true).out.starts_with("\x1b[1mdeny\x1b[0m (a rule)\n"));
}

}  // namespace
}  // namespace driftbar::cli
