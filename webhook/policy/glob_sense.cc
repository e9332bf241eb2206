#include "policy/glob_sense.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"

namespace driftbar::policy {
namespace {

constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kOnlyStar = "the only special character of a glob is `*`: any run of characters";

bool isUpper(char c) {
  return c >= 'A' && c <= 'Z';
}

std::string plainName(std::string_view glob) {
  std::string out;
  for (const char c : glob)
    out += isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c == '_' || c == ' ' ? '-' : c;
  return out;
}

bool fitsNames(std::string_view glob, std::string_view others) {
  return std::all_of(glob.begin(), glob.end(), [&](char c) {
    return kLower.find(c) != std::string_view::npos || kDigits.find(c) != std::string_view::npos ||
           others.find(c) != std::string_view::npos;
  });
}

// `of` is `namespace` or `object`; `others`: what their names have besides letters and digits.
void warnOfName(const yaml::Node& word, std::string_view of, std::string_view others, Problems& problems) {
  const std::string& glob = word.scalar;
  // `-.` ends a part of a name with `-`, which none does: `ml-.*` is a regular expression.
  const bool dashed = glob.find("-.") != std::string::npos;
  if (!word.isText() || (fitsNames(glob, others) && !dashed)) return;
  if (glob.starts_with('!')) {
    return problems.warning(word.where, "never-matches",
                            "no " + std::string(of) + " has a name like " + quoted(glob),
                            "what is left out stands in `except`, beside `match`");
  }
  const std::string plain = plainName(glob);
  problems.warning(word.where, "never-matches", "no " + std::string(of) + " has a name like " + quoted(glob),
                   fitsNames(plain, others) && !dashed
                       ? "names have lower-case letters, digits and `-`: write `" + printable(plain) + "`"
                       : std::string(kOnlyStar));
}

template <typename Warn>
void eachWord(const yaml::Node& words, const Warn& warn) {
  if (!words.isList()) return warn(words);
  for (const auto& word : words.items) warn(word);
}

// ---- images

// `registry.example.com`, without what follows it.
bool isHost(std::string_view text) {
  return text.find('.') != std::string_view::npos && text.find_first_of("/:@") == std::string_view::npos &&
         !text.ends_with('.') && fitsNames(text, "-.*");
}

struct Beginning {
  std::string_view text, help;  // `{}` stands for what follows it
};

constexpr Beginning kNoImage[] = {
    {":", "write `*:{}`"},
    {"@", "write `*@{}`"},
    {"https://", "write `{}`"},
    {"http://", "write `{}`"},
    {"docker://", "write `{}`"},
    {"!", "write `not` around the condition, or `notMatches` beside `image`"},
    {"^", kOnlyStar},
    {"/", "begin it with the registry, or with `*`: `*/{}`"},
};

bool isRegex(std::string_view glob) {
  return glob.find("/.*") != std::string_view::npos || glob.find("\\.") != std::string_view::npos ||
         glob.find_first_of("$()|[]?+") != std::string_view::npos;
}

void neverFits(const yaml::Node& word, std::string help, Problems& problems) {
  problems.warning(word.where, "never-matches", "no image is called " + quoted(word.scalar), std::move(help));
}

}  // namespace

void warnOfNamespaceGlobs(const yaml::Node& words, Problems& problems) {
  eachWord(words, [&](const yaml::Node& word) { warnOfName(word, "namespace", "-*", problems); });
}

void warnOfNameGlobs(const yaml::Node& words, Problems& problems) {
  eachWord(words, [&](const yaml::Node& word) {
    if (word.scalar.find(':') == std::string::npos) warnOfName(word, "object", "-.*", problems);
  });
}

void warnOfImageGlob(const yaml::Node& word, Problems& problems) {
  const std::string_view glob = word.scalar;
  for (const auto& row : kNoImage) {
    if (!glob.starts_with(row.text)) continue;
    std::string help(row.help);
    if (const auto at = help.find("{}"); at != std::string::npos)
      help.replace(at, 2, printable(glob.substr(row.text.size())));
    return neverFits(word, std::move(help), problems);
  }
  if (isRegex(glob)) return neverFits(word, std::string(kOnlyStar), problems);
  if (isHost(glob) && glob.find('*') == std::string_view::npos)
    return neverFits(word, "write `" + printable(glob) + "/*` for all that come from there", problems);
  if (glob.ends_with('/')) return neverFits(word, "write `" + printable(glob) + "*`", problems);
  const auto open = glob.substr(0, glob.find_last_not_of('*') + 1);
  if (!glob.ends_with('*') || !isHost(open)) return;
  problems.warning(
      word.where, "open-ended",
      quoted(glob) + " fits images of other registries too, such as `" + printable(open) + ".evil.example/x`",
      "write `" + printable(open) + "/*`");
}

}  // namespace driftbar::policy
