#include "yaml/mistakes.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace driftbar::yaml {
namespace {

struct Mistake {
  std::string_view theirs;  // how yaml-cpp's message begins
  std::string_view ours;
  std::string_view help;
};

// `{}` stands for what is written at the place. Messages that are not here reach people as they are.
constexpr Mistake kMistakes[] = {
    {"illegal map value", "this `:` belongs to no key",
     "quote a value that contains `: `, and indent the line as its neighbours are"},
    {"illegal map key", "a key cannot stand here", "indent the line as its neighbours are"},
    {"illegal block entry", "a list cannot begin here",
     "put the first `- ` on a line of its own, below the key"},
    {"end of map not found", "this line does not belong to the map above it",
     "indent it as the keys above are, or write it as `key: value`"},
    {"end of sequence not found", "this line does not belong to the list above it",
     "indent it as the items above are and begin it with `- `"},
    {"illegal flow end", "`{}` closes nothing that is open", "take it out, or quote the value"},
    {"the referenced anchor is not defined", "`{}` is an alias, and nothing is named so before it",
     "quote a text that begins with `*`: \"{}\""},
    {"alias not found after *", "a text that begins with `*` is an alias to YAML",
     "quote the whole value: \"*\", \"pod.containers[*].image\""},
    {"illegal character found while scanning alias", "`{}` is an alias to YAML", "quote the text: \"{}\""},
    {"illegal character found while scanning anchor", "`{}` is an anchor to YAML", "quote the text: \"{}\""},
    {"anchor not found after &", "a text that begins with `&` is an anchor to YAML", "quote it: \"&\""},
    {"unknown token", "a value cannot begin with `{}`", "quote it: \"{}\""},
    {"unknown escape character", "`{}` is no escape in double quotes",
     "write it in single quotes, as is best for regular expressions"},
    {"illegal EOF in scalar", "a quote is never closed", "close it"},
    {"illegal document indicator in scalar", "a `---` stands inside of quotes", "close the quote before it"},
    {"invalid unicode", "this escape is no character", "write the character itself"},
    {"bad character found while scanning hex number", "this escape is not in hex digits",
     "write it in single quotes, where nothing is an escape"},
    {"illegal tab when looking for indentation", "a tab in the indentation", "indent with blanks"},
    {"cannot assign", "a value has two anchors, aliases or tags", "keep one"},
    {"unexpected character in block scalar", "only a comment may follow `|` or `>` on its line",
     "begin the text on the next line"},
};

struct Written {
  std::size_t offset = 0;
  std::string_view word;
};

// The word that yaml-cpp stumbled over. Of escapes, aliases and anchors it says where it stopped reading.
Written written(std::string_view text, std::size_t offset, std::string_view theirs) {
  if (theirs.starts_with("unknown escape")) {
    const auto back = text.rfind('\\', offset);
    if (back != std::string_view::npos) return {back, text.substr(back, 2)};
  }
  const bool name = theirs.find("alias") != std::string_view::npos ||
                    theirs.find("anchor not found") != std::string_view::npos;
  if (name) {
    const auto back = text.find_last_of("*&", offset);
    if (back != std::string_view::npos) offset = back;
  }
  if (offset >= text.size()) return {offset, {}};
  if (theirs.starts_with("illegal flow end")) return {offset, text.substr(offset, 1)};
  const auto end = std::min(text.find_first_of(" \t\r\n,]}#", offset), text.size());
  return {offset, text.substr(offset, std::max<std::size_t>(end - offset, 1))};
}

// `name:web` above the line where yaml-cpp gives up: it goes on reading such a line as text.
std::optional<Diagnostic> missingBlank(const Places& places, std::size_t offset) {
  const std::size_t start = places.lineStart(offset);
  if (start == 0) return std::nullopt;
  const std::size_t above = places.lineStart(start - 1);
  const auto indentation = places.indentation(above);
  auto line = places.text().substr(above, start - 1 - above);
  if (line.ends_with('\r')) line.remove_suffix(1);
  line.remove_prefix(std::min(indentation.size(), line.size()));
  const auto colon = line.find(':');
  if (indentation != places.indentation(offset) || colon == std::string_view::npos ||
      colon + 1 == line.size() || line[colon + 1] == ' ' ||
      line.find_first_of(" \"'#") != std::string_view::npos) {
    return std::nullopt;
  }
  return errorAt(places.at(above + indentation.size(), line.size()), "yaml-syntax",
                 "`" + std::string(line) + "` has no value",
                 "put a blank behind the colon: `" + std::string(line.substr(0, colon)) + ": " +
                     std::string(line.substr(colon + 1)) + "`");
}

// `message: {pod} is bad`: a value that begins with a brace is a map to YAML, and more follows it on its
// line.
std::optional<Diagnostic> textAfterBrace(const Places& places, std::size_t offset) {
  const auto text = places.text();
  for (const std::size_t from : {offset, places.lineStart(offset) == 0 ? 0 : places.lineStart(offset) - 1}) {
    const std::size_t start = places.lineStart(from);
    const auto line = text.substr(start, std::min(text.find('\n', start), text.size()) - start);
    const auto open = line.find(": {");
    if (open == std::string_view::npos) continue;
    const auto close = line.find('}', open);
    if (close == std::string_view::npos || close + 1 >= line.size()) continue;
    const auto after = line.find_first_not_of(' ', close + 1);
    if (after == std::string_view::npos ||
        std::string_view(",}]#").find(line[after]) != std::string_view::npos)
      continue;
    return errorAt(places.at(start + open + 2, line.size() - open - 2), "yaml-syntax",
                   "a text that begins with `{` is a map to YAML", "quote a text that begins with `{`");
  }
  return std::nullopt;
}

std::string filled(std::string_view sentence, std::string_view word) {
  std::string out(sentence);
  for (auto at = out.find("{}"); at != std::string::npos; at = out.find("{}", at + word.size())) {
    out.replace(at, 2, word);
  }
  return out;
}

Diagnostic openBracketError(const Places& places, std::size_t bracket) {
  const std::string which(1, places.text()[bracket]);
  return errorAt(places.at(bracket), "open-bracket", "the `" + which + "` that stands here is never closed",
                 "close it with `" + std::string(which == "[" ? "]" : "}") + "`; a value that begins with `" +
                     which + "` is quoted");
}

}  // namespace

Diagnostic inOurWords(const SyntaxError& error, const Places& places) {
  const auto indentation = places.indentation(error.offset);
  const auto tab = indentation.find('\t');
  if (tab != std::string_view::npos) {
    return errorAt(places.at(places.lineStart(error.offset) + tab), "tab", "a tab in the indentation",
                   "indent with blanks");
  }
  if (auto brace = textAfterBrace(places, error.offset)) return *std::move(brace);
  const bool flow =
      error.message.starts_with("end of sequence flow") || error.message.starts_with("end of map flow");
  if (flow && error.openBracket) return openBracketError(places, *error.openBracket);
  if (error.message.starts_with("illegal map value")) {
    if (auto blank = missingBlank(places, error.offset)) return *std::move(blank);
  }
  const auto [offset, word] = written(places.text(), error.offset, error.message);
  for (const auto& row : kMistakes) {
    if (!error.message.starts_with(row.theirs)) continue;
    const bool covers = row.ours.starts_with("`{}`");
    return errorAt(places.at(offset, covers ? word.size() : 1), "yaml-syntax", filled(row.ours, word),
                   filled(row.help, word));
  }
  return errorAt(places.at(error.offset), "yaml-syntax",
                 "this cannot be read as YAML: " + std::string(error.message));
}

}  // namespace driftbar::yaml
