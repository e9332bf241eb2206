// Diagnostic: one thing that is wrong with what a person gave us, in words for that person.
//
// The message is one line in lower case without a full stop, the user's words in backticks; `help` says how
// to mend it. `where` points into a text, `path` into an object (spec.containers[0].name); either may be
// absent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace driftbar {

enum class Severity { kError, kWarning };

std::string_view toString(Severity severity);

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string id;  // stable, kebab-case: what scripts and the catalogue of mistakes know it by
  std::string message;
  Location where;
  std::string path;
  std::string help;
};

using Diagnostics = std::vector<Diagnostic>;

// An error without a place in a text.
Diagnostic error(std::string id, std::string message, std::string help = {}, std::string path = {});
Diagnostic errorAt(Location where, std::string id, std::string message, std::string help = {});
Diagnostic warningAt(Location where, std::string id, std::string message, std::string help = {});

bool hasErrors(const Diagnostics& diagnostics);

// The form for people, ended by a line end:
//   policy.yaml:7:9: error: unknown key `lable` [unknown-key]
//     7 |       - lable: driftbar.io/drift
//       |         ^^^^^
//     help: did you mean `label`?
// Nothing in it can reach a terminal raw.
std::string render(const Diagnostic& diagnostic);
std::string render(const Diagnostics& diagnostics);

// One line: the place or path, and the message.
std::string summary(const Diagnostic& diagnostic);

}  // namespace driftbar
