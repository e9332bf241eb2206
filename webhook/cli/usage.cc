#include "cli/usage.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.h"

namespace driftbar::cli {
namespace {

using Option = CLI::Option;

bool isPositional(const Option* option) {
  return option->get_lnames().empty() && option->get_snames().empty();
}

bool takesValue(const Option* option) {
  return option->get_items_expected_max() > 0;
}

bool takesMany(const Option* option) {
  return option->get_items_expected_max() > 1;
}

// The name that a sentence calls it by: `--policies`, `PATH`.
std::string called(const Option* option) {
  if (!option->get_lnames().empty()) return "--" + option->get_lnames().front();
  return isPositional(option) ? option->get_name() : "-" + option->get_snames().front();
}

std::string placeholder(const Option* option) {
  const std::string type = option->get_type_name();
  return type.empty() ? "VALUE" : type;
}

// `-p, --policies PATH`; one without a short name stands where the long ones do.
std::string head(const Option* option) {
  std::string out = option->get_snames().empty() ? "    " : "-" + option->get_snames().front() + ", ";
  for (const auto& name : option->get_lnames())
    out += (name == option->get_lnames().front() ? "--" : ", --") + name;
  return takesValue(option) ? out + " " + placeholder(option) : out;
}

// What it is when it is not given, as one would write it: a list is told as `[a,b]`.
std::string preset(const Option* option) {
  std::string text = option->get_default_str();
  if (text.starts_with('[') && text.ends_with(']') && takesMany(option))
    text = text.substr(1, text.size() - 2);
  return text.empty() ? "" : " (default: " + text + ")";
}

std::string listedFlags(const CLI::App& flags) {
  const auto options = flags.get_options([](const Option* option) { return !isPositional(option); });
  std::size_t width = 0;
  for (const auto* option : options) width = std::max(width, head(option).size());
  std::string out;
  for (const auto* option : options) {
    const auto start = head(option);
    out += "  " + start + std::string(width - start.size() + 2, ' ') + option->get_description() +
           (option->get_required() ? " (required)" : preset(option)) + "\n";
  }
  return out;
}

// The option that a word on the command line names; null where it names none.
const Option* named(const CLI::App& flags, std::string_view word) {
  const std::string name(word.substr(0, word.find('=')));
  if (!name.starts_with('-')) return nullptr;
  return flags.get_option_no_throw(name);
}

std::string unknownFlag(const CLI::App& flags, std::string_view word) {
  std::vector<std::string> all;
  for (const auto* option : flags.get_options()) {
    for (const auto& name : option->get_lnames()) all.push_back("--" + name);
  }
  const std::vector<std::string_view> names(all.begin(), all.end());
  const auto meant = nearest(word.substr(0, word.find('=')), names);
  return "there is no flag " + quoted(word) +
         (meant.empty() ? "" : "; did you mean `" + std::string(meant) + "`?");
}

std::string missing(const CLI::App& flags) {
  std::vector<std::string> names;
  for (const auto* option : flags.get_options()) {
    if (option->get_required() && option->count() == 0) names.push_back(called(option));
  }
  if (names.empty()) return {};
  const std::vector<std::string_view> words(names.begin(), names.end());
  return listed(words, "and") + (names.size() == 1 ? " is missing" : " are missing");
}

// A flag without its value, or given more often than it can be.
std::string miscounted(const CLI::App& flags, std::span<const std::string_view> arguments) {
  std::vector<const Option*> before;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Option* option = named(flags, arguments[i]);
    if (option == nullptr) continue;
    const bool last = i + 1 == arguments.size();
    if (takesValue(option) && arguments[i].find('=') == std::string_view::npos &&
        (last || named(flags, arguments[i + 1]) != nullptr))
      return "`" + called(option) + "` needs a value, " + placeholder(option);
    if (takesValue(option) && !takesMany(option) &&
        std::find(before.begin(), before.end(), option) != before.end())
      return "`" + called(option) + "` is given more than once";
    before.push_back(option);
  }
  return {};
}

bool isFlag(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

}  // namespace

std::string usage(const Command& command, const CLI::App& flags) {
  std::string call = "driftbar " + std::string(command.name) + " [flags]", arguments;
  for (const auto* option : flags.get_options(isPositional)) {
    call += " " + option->get_name() + (takesMany(option) ? "..." : "");
    arguments += "\narguments\n  " + option->get_name() + "  " + option->get_description() + "\n";
  }
  return std::string(command.name) + ": " + std::string(command.does) + "\n\nusage: " + call + "\n" +
         arguments + "\nflags\n" + listedFlags(flags) + "\nexample\n  " + std::string(command.example) + "\n";
}

std::string wrongCall(const CLI::App& flags, std::span<const std::string_view> arguments,
                      const CLI::Error& refused) {
  const auto left = flags.remaining();
  const auto unknown = std::find_if(left.begin(), left.end(), isFlag);
  if (unknown != left.end()) return unknownFlag(flags, *unknown);
  if (const auto why = miscounted(flags, arguments); !why.empty()) return why;
  if (dynamic_cast<const CLI::RequiredError*>(&refused) != nullptr) {
    if (const auto why = missing(flags); !why.empty()) return why;
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&refused) != nullptr && !left.empty())
    return "unexpected argument " + quoted(left[0]);
  return printable(refused.what());
}

std::function<std::string(std::string&)> oneOf(std::vector<std::string_view> words) {
  return [words = std::move(words)](std::string& given) -> std::string {
    for (const auto word : words) {
      if (CLI::detail::to_lower(given) != word) continue;
      given = word;
      return {};
    }
    const auto meant = nearest(given, words);
    return quoted(given) + " is none of " + listed(words, "and") +
           (meant.empty() ? "" : "; did you mean `" + std::string(meant) + "`?");
  };
}

}  // namespace driftbar::cli
