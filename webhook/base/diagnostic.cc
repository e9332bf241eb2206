#include "base/diagnostic.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace driftbar {

std::string_view toString(Severity severity) {
  return severity == Severity::kError ? "error" : "warning";
}

Diagnostic error(std::string id, std::string message, std::string help, std::string path) {
  return {Severity::kError, std::move(id), std::move(message), {}, std::move(path), std::move(help)};
}

Diagnostic errorAt(Location where, std::string id, std::string message, std::string help) {
  return {Severity::kError, std::move(id), std::move(message), std::move(where), {}, std::move(help)};
}

Diagnostic warningAt(Location where, std::string id, std::string message, std::string help) {
  return {Severity::kWarning, std::move(id), std::move(message), std::move(where), {}, std::move(help)};
}

bool hasErrors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

namespace {

std::string place(const Diagnostic& d) {
  if (d.where) {
    return printable(d.where.source->name) + ":" + std::to_string(d.where.line) + ":" +
           std::to_string(d.where.column) + ": ";
  }
  if (d.where.source) return printable(d.where.source->name) + ": ";
  if (!d.path.empty()) return printable(d.path) + ": ";
  return {};
}

// How wide `bytes` of a line are drawn once they are made printable; tabs are drawn as one blank.
std::string drawn(std::string_view bytes) {
  std::string blanked(bytes);
  std::replace(blanked.begin(), blanked.end(), '\t', ' ');
  return printable(blanked);
}

// Of a longer line the part around the place is shown, for some files are one line of megabytes.
constexpr std::size_t kWidestExcerpt = 160;
constexpr std::size_t kBeforePlace = 60;

bool startsCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

struct Window {
  std::string_view text;
  std::size_t before;  // bytes of it that stand before the place
  bool cutLeft, cutRight;
};

Window windowOf(std::string_view line, std::size_t at) {
  if (line.size() <= kWidestExcerpt) return {line, at, false, false};
  std::size_t begin = at > kBeforePlace ? at - kBeforePlace : 0;
  while (begin > 0 && !startsCharacter(line[begin])) --begin;
  std::size_t end = std::min(begin + kWidestExcerpt, line.size());
  while (end < line.size() && !startsCharacter(line[end])) ++end;
  return {line.substr(begin, end - begin), at - begin, begin > 0, end < line.size()};
}

std::string excerpt(const Location& where) {
  const std::string_view line = where.source->line(where.line);
  const auto [text, before, cutLeft, cutRight] =
      windowOf(line, std::min<std::size_t>(static_cast<std::size_t>(where.column - 1), line.size()));
  const auto covered = std::min<std::size_t>(static_cast<std::size_t>(where.width), text.size() - before);
  const std::string number = std::to_string(where.line);
  const std::string gutter(number.size(), ' ');
  const std::string left = cutLeft ? "\u2026" : "";
  return "  " + number + " | " + left + drawn(text) + (cutRight ? "\u2026" : "") + "\n  " + gutter + " | " +
         std::string(characters(left) + characters(drawn(text.substr(0, before))), ' ') +
         std::string(std::max<std::size_t>(characters(drawn(text.substr(before, covered))), 1), '^') + "\n";
}

}  // namespace

std::string summary(const Diagnostic& diagnostic) {
  return place(diagnostic) + printable(diagnostic.message);
}

std::string render(const Diagnostic& d) {
  std::string out = place(d) + std::string(toString(d.severity)) + ": " + printable(d.message);
  if (!d.id.empty()) out += " [" + d.id + "]";
  out += "\n";
  if (d.where) out += excerpt(d.where);
  if (!d.help.empty()) out += "  help: " + printable(d.help) + "\n";
  return out;
}

std::string render(const Diagnostics& diagnostics) {
  std::string out;
  for (const auto& d : diagnostics) out += render(d);
  return out;
}

}  // namespace driftbar
