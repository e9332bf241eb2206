// reference_cases: random policies and requests, judged by driftbar and by the reference evaluator; one
// difference is a failure, and the smallest case that shows it is printed.
//
//   reference_cases JUDGE [--cases N] [--seed N] [--reviews DIR]... [--case FILE] [--keep-going]
//
// JUDGE is the program made of the Go files here. A case is a request; --case judges one that was printed,
// --reviews adds recorded AdmissionReviews to what is judged, --keep-going prints each kind of difference
// once and goes on.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "oracle/child.h"
#include "reference/compare.h"
#include "reference/coverage.h"
#include "reference/engine.h"
#include "reference/objects.h"
#include "reference/properties.h"
#include "reference/rules.h"
#include "reference/vocabulary.h"
#include "reference/words.h"

namespace driftbar::reference {
namespace {

struct Options {
  std::string judge;
  std::uint64_t cases = 200'000;
  std::uint64_t seed = std::random_device{}();
  std::vector<std::string> reviews;
  std::string caseFile;
  bool keepGoing = false;
};

// A word that is on must be one that the engine has, and so many cases must show it.
constexpr std::uint64_t kEnoughForCoverage = 50'000;
constexpr std::size_t kRequestsOfAWorld = 20;
constexpr std::uint64_t kWorldsForAProperty = 8;

std::string textOf(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "reference: %s can't be read\n", path.c_str());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

// Recorded requests of kinds that are judged.
std::vector<Row> recorded(const std::vector<std::string>& folders) {
  std::vector<Row> out;
  std::set<std::filesystem::path> files;
  for (const auto& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") files.insert(entry.path());
    }
  }
  for (const auto& file : files) {
    const Row review = Row::parse(textOf(file));
    const Row& request = review.at("request");
    const std::string resource = request.at("resource").at("resource");
    const bool carriesNone =
        request.contains("subResource") &&
        !(resource == "nodes" || request.at("subResource") == "status" ||
          request.at("subResource") == "ephemeralcontainers" || request.at("subResource") == "resize");
    const bool pods = resource == "pods" && !carriesNone, nodes = resource == "nodes";
    if ((pods && isOn("judged", "pods")) || (nodes && isOn("judged", "nodes"))) out.push_back(request);
  }
  return out;
}

class Run {
 public:
  explicit Run(const Options& options)
      : options_(options),
        chance_(options.seed),
        judge_(options.judge),
        objects_(chance_, recorded(options.reviews)),
        rules_(chance_, [this](const Row& documents) { return loads(documents); }) {}

  int one() {
    const Row world = Row::parse(textOf(options_.caseFile));
    const auto found = differencesOf(world);
    for (const auto& difference : found) std::printf("%s\n", difference.c_str());
    std::printf("reference: %s\nengine:    %s\n", judge_.ask(world.dump()).c_str(),
                Engine::of(world)->verdict(world.at("requests").at(0)).dump().c_str());
    return found.empty() ? 0 : 1;
  }

  int all() {
    std::printf("reference: seed %llu\n", static_cast<unsigned long long>(options_.seed));
    std::fflush(stdout);
    while (cases_ < options_.cases) judgeWorld();
    std::printf("reference: %llu requests, %llu policy sets, %llu differences\n",
                static_cast<unsigned long long>(cases_), static_cast<unsigned long long>(worlds_),
                static_cast<unsigned long long>(found_));
    const bool covered = coverage_.print() || cases_ < kEnoughForCoverage;
    return covered && found_ == 0 ? 0 : 1;
  }

 private:
  bool loads(const Row& documents) {
    const auto loaded = loadDocuments(documents);
    if (loaded.set != nullptr) return true;
    for (const auto& diagnostic : loaded.diagnostics) {
      if (diagnostic.severity != Severity::kError) continue;
      coverage_.countRefused(diagnostic.id, render(diagnostic));
      if (diagnostic.id == "not-yet" || diagnostic.id == "unknown-key") {
        std::printf("reference: a word that is on in words.cc is not in the engine:\n%s",
                    render(diagnostic).c_str());
        std::exit(1);
      }
    }
    return false;
  }

  Row world() {
    Row out = Row::object();
    out["policies"] = rules_.documents();
    out["nodes"] = objects_.nodes();
    out["namespaces"] = objects_.namespaces();
    out["now"] = kNow;
    out["stale"] = chance_.once(12);
    out["system"] = Row::array({"driftbar-*"});
    if (isOn("judged", "what is looked up") && !chance_.once(3)) out["found"] = objects_.found();
    out["requests"] = Row::array();
    for (std::size_t i = 0; i < kRequestsOfAWorld; ++i) out["requests"].push_back(objects_.request());
    return out;
  }

  void judgeWorld() {
    const Row made = world();
    judge_.say(made.dump());
    const auto engine = Engine::of(made);
    const Row answers = read(judge_.hear());
    if (!engine)
      fail("documents that loaded rule by rule do not load together", made,
           render(loadDocuments(made.at("policies")).diagnostics));
    for (std::size_t i = 0; i < kRequestsOfAWorld; ++i) {
      const Row& answer = answers.at("answers").at(i);
      coverage_.count(made.at("policies"), made.at("requests").at(i), answer, made.contains("found"));
      if (!differences(*engine, made.at("requests").at(i), answer).empty()) differ(made, i);
      ++cases_;
    }
    if (worlds_++ % kWorldsForAProperty == 0) {
      if (const auto what = brokenProperty(chance_, made); !what.empty())
        fail("a property does not hold", made, what);
    }
  }

  Row read(const std::string& line) {
    Row answers = Row::parse(line);
    if (answers.contains("error")) {
      std::printf("reference: the judge can't judge a case: %s\n",
                  answers["error"].get<std::string>().c_str());
      std::exit(2);
    }
    return answers;
  }

  std::vector<std::string> differencesOf(const Row& world) {
    const auto engine = Engine::of(world);
    const Row answers = Row::parse(judge_.ask(world.dump()));
    if (!engine || answers.contains("error") || world.at("requests").empty()) return {};
    return differences(*engine, world.at("requests").at(0), answers.at("answers").at(0));
  }

  // The aspect of a difference: what stays the same while the case shrinks.
  static std::string aspectOf(const std::string& difference) {
    const auto colon = difference.find(": ");
    const std::string what = difference.substr(0, difference.find(' '));
    return what == "evidence" ? what : difference.substr(0, difference.find(' ')) + difference.substr(colon);
  }

  void differ(const Row& world, std::size_t number) {
    Row one = world;
    one["requests"] = Row::array({world.at("requests").at(number)});
    const auto before = differencesOf(one);
    if (before.empty()) fail("a case differs only in the company of others", one, "");
    const std::string aspect = aspectOf(before[0]);
    ++found_;
    if (options_.keepGoing && !shown_.insert(aspect).second) return;
    const auto same = [&](const Row& smaller) {
      try {
        for (const auto& difference : differencesOf(smaller)) {
          if (aspectOf(difference) == aspect) return true;
        }
      } catch (const std::exception&) {  // an object that is none any more
      }
      return false;
    };
    one = smallest(std::move(one), same);
    std::string what;
    for (const auto& difference : differencesOf(one)) what += difference + "\n";
    show("the engine and the reference differ", one, what);
    if (!options_.keepGoing) std::exit(1);
  }

  void show(const char* what, const Row& world, const std::string& more) {
    const std::string file =
        "reference-case-" + std::to_string(options_.seed) + "-" + std::to_string(found_) + ".json";
    std::ofstream(file) << world.dump() << "\n";
    std::printf("reference: %s\n%s\n%s\nagain: reference_cases JUDGE --case %s\nall of it: --seed %llu\n\n",
                what, world.dump(1).c_str(), more.c_str(), file.c_str(),
                static_cast<unsigned long long>(options_.seed));
    std::fflush(stdout);
  }

  [[noreturn]] void fail(const char* what, const Row& world, const std::string& more) {
    show(what, world, more);
    std::exit(1);
  }

  const Options& options_;
  Chance chance_;
  oracle::Child judge_;
  Coverage coverage_;
  Objects objects_;
  Rules rules_;
  std::set<std::string> shown_;
  std::uint64_t cases_ = 0, worlds_ = 0, found_ = 0;
};

[[noreturn]] void usage() {
  std::fprintf(stderr,
               "usage: reference_cases JUDGE [--cases N] [--seed N] [--reviews DIR]... [--case FILE] "
               "[--keep-going]\n");
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
    if (word == "--keep-going") {
      options.keepGoing = true;
    } else if (!word.starts_with("--") && options.judge.empty()) {
      options.judge = word;
    } else if (i + 1 == count) {
      usage();
    } else if (word == "--cases") {
      options.cases = number(words[++i]);
    } else if (word == "--seed") {
      options.seed = number(words[++i]);
    } else if (word == "--reviews") {
      options.reviews.emplace_back(words[++i]);
    } else if (word == "--case") {
      options.caseFile = words[++i];
    } else {
      usage();
    }
  }
  if (options.judge.empty()) usage();
  return options;
}

}  // namespace
}  // namespace driftbar::reference

int main(int count, char** words) {
  const auto options = driftbar::reference::optionsOf(count, words);
  driftbar::reference::Run run(options);
  return options.caseFile.empty() ? run.all() : run.one();
}
