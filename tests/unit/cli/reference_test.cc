// The reference pages of docs/ hold what the program's own tables say, between two marks:
//
//   <!-- generated: metrics -->
//   …
//   <!-- end -->
//
// DRIFTBAR_REWRITE_GOLDEN=1 writes them anew.
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "decision/needs.h"
#include "fixture.h"
#include "policy/policy.h"
#include "policy/subject_table.h"
#include "policy/test_table.h"
#include "policy/vocabulary.h"
#include "policy/workload_class.h"
#include "record/metrics.h"

namespace driftbar::cli {
namespace {

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string fenced(const std::string& text) {
  return "```\n" + text + "```\n";
}

std::string helpOf(const std::string& command) {
  return fenced(run({command, "--help"}).out);
}

std::string listOfCommands() {
  std::string out = "| command | does |\n|---|---|\n";
  for (const auto& command : commands()) {
    const std::string name(command.name);
    out += "| [" + code(name) + "](#" + name + ") | " + std::string(command.does) + " |\n";
  }
  return out;
}

std::string metrics() {
  constexpr std::string_view kKinds[] = {"counter", "gauge", "histogram", "gauge"};
  std::string out = "| metric | type | labels | |\n|---|---|---|---|\n";
  for (const auto& row : record::metricList()) {
    std::string labels;
    for (const auto& label : row.labels) {
      if (label.name.empty()) continue;
      std::string values;
      for (const auto value : label.values) values += (values.empty() ? " (" : ", ") + std::string(value);
      labels += (labels.empty() ? "" : ", ") + code(label.name) + values + (values.empty() ? "" : ")");
    }
    out += "| " + code(row.name) + " | " + std::string(kKinds[static_cast<std::size_t>(row.kind)]) + " | " +
           labels + " | " + std::string(row.help) + " |\n";
  }
  return out;
}

std::string kept(const decision::NeedRow& row) {
  return toString(row.keepsFound) + "; that there is none " + toString(row.keepsNotFound);
}

// A block for each look-up: sentences do not fit the columns of a table.
std::string lookUps() {
  std::string out;
  for (const auto& row : decision::needTable()) {
    const std::pair<const char*, std::string> lines[] = {{"needed for", std::string(row.asked)},
                                                         {"source", std::string(row.source)},
                                                         {"kept for", kept(row)},
                                                         {"cost", std::string(row.cost)},
                                                         {"rights", std::string(row.rights)},
                                                         {"not found", std::string(row.notFound)},
                                                         {"no answer", std::string(row.noAnswer)}};
    out += "| " + code(row.name) + " | |\n|---|---|\n";
    for (const auto& [what, words] : lines) out += "| " + std::string(what) + " | " + words + " |\n";
    out += "\n";
  }
  return out;
}

// A `|` would end a cell of the table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string wordsOf(std::string_view of) {
  bool examples = false;
  for (const auto& word : policy::words()) examples |= word.of == of && !word.example.empty();
  std::string out = examples ? "| word | | for example |\n|---|---|---|\n" : "| word | |\n|---|---|\n";
  for (const auto& word : policy::words()) {
    if (word.of != of) continue;
    out += "| " + code(word.name) + " | " + cell(std::string(word.doc)) + " |";
    out += (examples ? " " + cell(code(word.example)) + " |\n" : "\n");
  }
  return out;
}

std::string placeholders() {
  std::string out;
  for (const auto name : policy::placeholders())
    out += (out.empty() ? "" : ", ") + code("{" + std::string(name) + "}");
  return out + "\n";
}

// Every word that is known and refused with `not-yet`.
std::string notYet() {
  std::map<std::string, std::set<std::string>> words;
  const auto add = [&](const std::string& of, std::span<const policy::Key> keys) {
    for (const auto& key : keys)
      if (key.later) words[of].insert(code(key.name));
  };
  add("documents", policy::documentKinds());
  add("subjects", policy::laterSubjects());
  add("beside subjects", policy::modifierKeys());
  add("tests", policy::laterTests());
  for (const auto* set : policy::allKeySets()) add("in " + std::string(set->about), set->keys);
  std::string out;
  for (const auto& [of, names] : words) {
    out += "- " + of + ": ";
    for (const auto& name : names) out += (name == *names.begin() ? "" : ", ") + name;
    out += "\n";
  }
  return out;
}

// What stands between the marks of this name; nothing where no table has it.
std::string generated(const std::string& name) {
  if (name == "commands") return listOfCommands();
  if (name == "look-ups") return lookUps();
  if (name == "metrics") return metrics();
  if (name == "placeholders") return placeholders();
  if (name == "not yet") return notYet();
  if (name.starts_with("help ")) return helpOf(name.substr(5));
  if (name.starts_with("words ")) return wordsOf(name.substr(6));
  ADD_FAILURE() << "nothing is generated by the name " << name;
  return {};
}

constexpr std::string_view kBegin = "<!-- generated: ", kEnd = "<!-- end -->";

// The page with every generated part written anew; `names` collects what it has.
std::string written(const std::string& page, std::set<std::string>& names) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t begin; (begin = page.find(kBegin, at)) != std::string::npos;) {
    const auto nameEnd = page.find(" -->\n", begin), end = page.find(kEnd, begin);
    if (nameEnd == std::string::npos || end == std::string::npos) {
      ADD_FAILURE() << "a mark without its end";
      return page;
    }
    const auto name = page.substr(begin + kBegin.size(), nameEnd - begin - kBegin.size());
    names.insert(name);
    out += page.substr(at, nameEnd + 5 - at) + generated(name);
    at = end;
  }
  return out + page.substr(at);
}

std::set<std::string> check(const std::string& file) {
  const auto path = inSource(file);
  const auto page = fileText(path);
  std::set<std::string> names;
  const auto fresh = written(page, names);
  const char* rewrite = std::getenv("DRIFTBAR_REWRITE_GOLDEN");
  if (rewrite != nullptr && std::string_view(rewrite) == "1") {
    std::ofstream(path, std::ios::binary) << fresh;
  } else {
    EXPECT_EQ(page, fresh) << "DRIFTBAR_REWRITE_GOLDEN=1 writes " << file << " anew";
  }
  return names;
}

TEST(Reference, OfTheCommandLineIsWhatTheTablesSay) {
  const auto names = check("docs/reference/cli.md");
  EXPECT_TRUE(names.contains("metrics"));
  EXPECT_TRUE(names.contains("commands"));
  for (const auto& command : commands()) EXPECT_TRUE(names.contains("help " + std::string(command.name)));
}

TEST(Reference, OfLookUpsIsWhatTheTableSays) {
  EXPECT_TRUE(check("docs/reference/lookups.md").contains("look-ups"));
}

TEST(Reference, OfTheLanguageHasEveryWord) {
  const auto names = check("docs/reference/policy.md");
  for (const auto& word : policy::words())
    EXPECT_TRUE(names.contains("words " + std::string(word.of))) << word.of << ": " << word.name;
  EXPECT_TRUE(names.contains("not yet"));
  EXPECT_TRUE(names.contains("placeholders"));
}

}  // namespace
}  // namespace driftbar::cli
