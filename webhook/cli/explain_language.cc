// driftbar explain-language: what a word of the policy language means, from the tables that load policies.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/world.h"
#include "policy/policy.h"
#include "policy/subject_table.h"
#include "policy/test_table.h"
#include "policy/vocabulary.h"

namespace driftbar::cli {
namespace {

using policy::Word;

struct Flags {
  std::string word;
  Output output = Output::kText;
};

// Known to the language and not to this version.
bool comesLater(std::string_view word) {
  std::vector<std::span<const policy::Key>> lists{policy::documentKinds(), policy::laterSubjects(),
                                                  policy::laterTests(), policy::modifierKeys()};
  for (const auto* set : policy::allKeySets()) lists.push_back(set->keys);
  return std::any_of(lists.begin(), lists.end(), [&](const auto& keys) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const policy::Key& key) { return key.later && key.name == word; });
  });
}

Diagnostic unknown(const std::string& word, const std::vector<Word>& all) {
  const std::string shown = "`" + shortened(printable(word), 60) + "`";
  if (comesLater(word)) return error("not-yet", shown + " is part of the language but not of this version");
  if (const auto help = policy::foreignHelp(word); !help.empty())
    return error("unknown-word", shown + " is no word of the language", std::string(help));
  std::vector<std::string_view> names;
  for (const auto& one : all) names.push_back(one.name);
  const auto meant = nearest(word, names);
  return error("unknown-word", shown + " is no word of the language",
               meant.empty() ? "`driftbar explain-language` lists them all"
                             : "did you mean `" + std::string(meant) + "`?");
}

// The reference of one word: a paragraph for each place that it may stand in.
std::string paragraphs(const std::vector<Word>& words, const Terminal& terminal) {
  std::string out;
  for (const auto& word : words) {
    out += (out.empty() ? "" : "\n") + painted(terminal, Paint::kBold, word.name) + " (" +
           std::string(word.of) + ")\n  " + std::string(word.doc) + "\n";
    if (!word.example.empty()) out += "  for example: " + std::string(word.example) + "\n";
  }
  return out;
}

// The keys that stand below a word: `match`, or the spec of a kind of document.
std::string keysBelow(const std::string& word, const std::vector<Word>& all, const Terminal& terminal) {
  const auto isBelow = [&](std::string_view of) {
    return of == word || of == "spec of a " + word || of == "spec of an " + word ||
           (word == "Policy" && of == "spec");
  };
  std::vector<const Word*> keys;
  std::size_t width = 0;
  for (const auto& one : all) {
    if (!isBelow(one.of)) continue;
    keys.push_back(&one);
    width = std::max(width, characters(one.name));
  }
  if (keys.empty()) return {};
  std::string out = "\n" + painted(terminal, Paint::kBold, "keys of " + word) + "\n";
  for (const auto* key : keys)
    out += "  " + std::string(key->name) + std::string(width - characters(key->name) + 2, ' ') +
           std::string(key->doc) + "\n";
  return out;
}

// All words, by where they stand, a line each.
std::string overview(const std::vector<Word>& words, const Terminal& terminal) {
  std::size_t width = 0;
  for (const auto& word : words) width = std::max(width, characters(word.name));
  std::string out;
  std::string_view of;
  for (const auto& word : words) {
    if (word.of != of) {
      out += (out.empty() ? "" : "\n") + painted(terminal, Paint::kBold, word.of) + "\n";
      of = word.of;
    }
    out += "  " + std::string(word.name) + std::string(width - characters(word.name) + 2, ' ') +
           std::string(word.doc) + "\n";
  }
  return out;
}

nlohmann::ordered_json json(const std::vector<Word>& words) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& word : words)
    list.push_back({{"word", word.name}, {"of", word.of}, {"doc", word.doc}, {"example", word.example}});
  return list;
}

int explain(const Flags& flags, Terminal& terminal) {
  const auto all = policy::words();
  auto words = all;
  if (!flags.word.empty()) std::erase_if(words, [&](const Word& word) { return word.name != flags.word; });
  if (words.empty()) return cannotGoOn(terminal, {unknown(flags.word, all)});
  if (flags.output != Output::kText) {
    terminal.out << formatted(json(words), flags.output);
  } else {
    terminal.out << (flags.word.empty() ? overview(words, terminal)
                                        : paragraphs(words, terminal) + keysBelow(flags.word, all, terminal));
  }
  return kGood;
}

}  // namespace

Run declareExplainLanguage(CLI::App& flags) {
  const auto values = std::make_shared<Flags>();
  flags.add_option("WORD", values->word, "a key, subject, test or class; all of them where it is left out");
  declareOutput(flags, values->output);
  return [values](Terminal& terminal) { return explain(*values, terminal); };
}

}  // namespace driftbar::cli
