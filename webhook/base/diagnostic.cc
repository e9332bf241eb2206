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

std::string excerpt(const Location& where) {
  const std::string_view line = where.source->line(where.line);
  const auto before = std::min<std::size_t>(static_cast<std::size_t>(where.column - 1), line.size());
  const auto covered = std::min<std::size_t>(static_cast<std::size_t>(where.width), line.size() - before);
  const std::string number = std::to_string(where.line);
  const std::string gutter(number.size(), ' ');
  return "  " + number + " | " + drawn(line) + "\n  " + gutter + " | " +
         std::string(characters(drawn(line.substr(0, before))), ' ') +
         std::string(std::max<std::size_t>(characters(drawn(line.substr(before, covered))), 1), '^') + "\n";
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
