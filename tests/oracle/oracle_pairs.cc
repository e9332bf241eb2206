// oracle_pairs: compares driftbar with Kubernetes' own code, case by case; one difference is a failure, and
// the smallest case that shows it is printed.
//
//   oracle_pairs JUDGE [--pairs N] [--seed N] [--row JSON]
//
// JUDGE is the program made of judge/main.go. All small cases are asked, then random ones until N pairs of a
// pod and a node have been; --row asks one case, as it was printed.
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "oracle/answers.h"
#include "oracle/cases.h"
#include "oracle/child.h"
#include "oracle/shrink.h"

namespace driftbar::oracle {
namespace {

struct Options {
  std::string judge;
  std::uint64_t pairs = 200'000;
  std::uint64_t seed = std::random_device{}();
  std::optional<std::string> row;
};

class Run {
 public:
  explicit Run(const Options& options) : options_(options), judge_(options.judge) {}

  int one(const std::string& text) {
    ask(Row::parse(text));
    std::printf("oracle: the two agree\n");
    return 0;
  }

  int all() {
    std::printf("oracle: seed %llu\n", static_cast<unsigned long long>(options_.seed));
    std::fflush(stdout);
    const Sink sink = [this](const Row& row) { ask(row); };
    enumerateCases(sink);
    const auto enumerated = pairs_;
    RandomCases random(options_.seed);
    while (pairs_ < options_.pairs) random.batch(sink);
    std::printf("oracle: %llu pairs (%llu enumerated) and %llu other rows agree\n",
                static_cast<unsigned long long>(pairs_), static_cast<unsigned long long>(enumerated),
                static_cast<unsigned long long>(rows_));
    return coverage() ? 0 : 1;
  }

 private:
  void ask(const Row& row) {
    const std::string theirs = judge_.ask(row.dump());
    const Comparison comparison = answers_.compare(row, theirs);
    if (comparison.verdict == Verdict::kAgree) return count(row, theirs);
    if (comparison.verdict == Verdict::kUnreadable)
      fail("a case can't be read: " + comparison.ours, row, theirs);
    Row disputed = row["kind"] == "place" ? answers_.withDisputedNode(row, theirs) : row;
    disputed = smallest(std::move(disputed), [this](const Row& smaller) { return differs(smaller); });
    fail("driftbar and Kubernetes differ", disputed, judge_.ask(disputed.dump()));
  }

  bool differs(const Row& row) {
    const std::string theirs = judge_.ask(row.dump());
    return Answers().compare(row, theirs).verdict == Verdict::kDisagree;
  }

  [[noreturn]] void fail(const std::string& what, const Row& row, const std::string& theirs) {
    std::printf("oracle: %s\n%s\nKubernetes: %s\ndriftbar:   %s\nagain: oracle_pairs JUDGE --row '%s'\n",
                what.c_str(), row.dump(2).c_str(), theirs.c_str(),
                Answers().compare(row, theirs).ours.c_str(), row.dump().c_str());
    std::printf(
        "digits: 1 affinity, 2 taint, 4 unschedulable, 8 fit keep the pod off\nall of it: --seed %llu\n",
        static_cast<unsigned long long>(options_.seed));
    std::fflush(stdout);
    std::exit(1);
  }

  void count(const Row& row, const std::string& theirs) {
    if (row["kind"] != "place") {
      ++rows_;
      return;
    }
    for (const char c : std::string_view(theirs).substr(1, theirs.size() - 2)) {
      ++pairs_;
      const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
      admitted_ += digit == 0;
      for (std::size_t bit = 0; bit < kFilters.size(); ++bit) refused_[bit] += ((digit >> bit) & 1) != 0;
    }
  }

  // Cases that nearly all go one way would show nothing.
  bool coverage() const {
    bool enough = share("admitted", admitted_);
    for (std::size_t bit = 0; bit < kFilters.size(); ++bit)
      enough = share(kFilters[bit], refused_[bit]) && enough;
    return enough;
  }

  bool share(const char* what, std::uint64_t part) const {
    const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(pairs_);
    const bool enough = percent > 2 && percent < 98;
    std::printf("  %-28s %4.1f %%%s\n", what, percent, enough ? "" : "  <- the cases don't exercise this");
    return enough;
  }

  static constexpr std::array kFilters = {"kept off by affinity", "kept off by taints",
                                          "kept off by unschedulable", "kept off by resources"};

  const Options& options_;
  Child judge_;
  Answers answers_;
  std::uint64_t pairs_ = 0, rows_ = 0, admitted_ = 0;
  std::array<std::uint64_t, kFilters.size()> refused_{};
};

[[noreturn]] void usage() {
  std::fprintf(stderr, "usage: oracle_pairs JUDGE [--pairs N] [--seed N] [--row JSON]\n");
  std::exit(2);
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) usage();
  return value;
}

Options optionsOf(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with("--") && options.judge.empty()) {
      options.judge = word;
      continue;
    }
    if (i + 1 == count) usage();
    const std::string_view value = words[++i];
    if (word == "--pairs") {
      options.pairs = number(value);
    } else if (word == "--seed") {
      options.seed = number(value);
    } else if (word == "--row") {
      options.row = value;
    } else {
      usage();
    }
  }
  if (options.judge.empty()) usage();
  return options;
}

}  // namespace
}  // namespace driftbar::oracle

int main(int count, char** words) {
  const auto options = driftbar::oracle::optionsOf(count, words);
  driftbar::oracle::Run run(options);
  return options.row ? run.one(*options.row) : run.all();
}
