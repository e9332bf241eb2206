#include "policy/problems.h"

#include <utility>

#include "base/text.h"
#include "policy/mends.h"
#include "policy/vocabulary.h"

namespace driftbar::policy {
namespace {

// All words of a condition would fill the screen.
constexpr std::string_view kWhatMayStand =
    "here stands a subject, such as `label`, `env` or `field: pod.spec.…`; `driftbar explain-language` has "
    "all";

}  // namespace

void Problems::error(const Location& where, std::string id, std::string message, std::string help) {
  ++errors_;
  all_.push_back(errorAt(where, std::move(id), std::move(message), std::move(help)));
}

void Problems::warning(const Location& where, std::string id, std::string message, std::string help) {
  all_.push_back(warningAt(where, std::move(id), std::move(message), std::move(help)));
}

void Problems::add(Diagnostics more) {
  for (auto& d : more) {
    if (d.severity == Severity::kError) ++errors_;
    all_.push_back(std::move(d));
  }
}

void Problems::notYet(const Location& where, std::string_view word, std::string help) {
  error(where, "not-yet", "`" + std::string(word) + "` is part of the language but not of this version",
        std::move(help));
}

void Problems::unknown(const Location& where, std::string_view what, std::string_view of,
                       std::string_view word, std::span<const std::string_view> known) {
  std::string help(mendOfWord(of, word));
  if (help.empty()) help = foreignHelp(word);
  if (help.empty()) {
    const auto meant = nearest(word, known);
    if (!meant.empty()) help = "did you mean `" + std::string(meant) + "`?";
  }
  if (help.empty() && of == "a condition") help = mendOfField(word);
  if (help.empty() && of == "a condition") help = std::string(kWhatMayStand);
  if (help.empty()) help = "here may stand " + listed(known);
  std::string message = "unknown " + std::string(what) + " `" + shortened(printable(word), 60) + "`";
  if (!of.empty()) message += " in " + std::string(of);
  error(where, "unknown-" + std::string(what), std::move(message), std::move(help));
}

void Problems::wrongType(const yaml::Node& node, std::string_view of, std::string_view wanted,
                         std::string help) {
  error(node.where, "wrong-type",
        "`" + std::string(of) + "` is " + std::string(wanted) + ", and this is " +
            std::string(yaml::describe(node)),
        std::move(help));
}

}  // namespace driftbar::policy
