#include "cli/output.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"
#include "cli/usage.h"

namespace driftbar::cli {
namespace {

using Value = nlohmann::ordered_json;

std::string compact(const Value& value) {
  return value.dump(-1, ' ', false, Value::error_handler_t::replace);
}

// What would mislead a terminal stands in JSON text raw, where it is not ASCII: direction overrides, C1. All
// of it is below U+10000 and inside of strings, so an escape of JSON takes its place.
std::string withoutMisleading(const std::string& json) {
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    const auto lead = static_cast<unsigned char>(json[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    const auto piece = std::string_view(json).substr(at, length);
    at += length;
    if (piece == "\n" || printable(piece) == piece) {
      out += piece;
      continue;
    }
    std::uint32_t code = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (const char c : piece.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", code & 0xFFFFU);
    out += escaped;
  }
  return out;
}

// ---- YAML. A text in double quotes is written as in JSON, which YAML reads alike.

// Without quotes only what every reader takes for text: a letter first, plain characters, and none of the
// words that YAML 1.1 has for booleans and null.
bool standsAlone(const std::string& text) {
  constexpr std::string_view kWords[] = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
  const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto isPlain = [&](char c) {
    return isLetter(c) || (c >= '0' && c <= '9') ||
           std::string_view("._/- ").find(c) != std::string_view::npos;
  };
  if (text.empty() || !isLetter(text.front()) || text.back() == ' ') return false;
  return std::all_of(text.begin(), text.end(), isPlain) &&
         std::find(std::begin(kWords), std::end(kWords), CLI::detail::to_lower(text)) == std::end(kWords);
}

// Several lines are written as lines where every reader gets them back as they are.
bool standsAsBlock(const std::string& text) {
  if (text.find('\n') == std::string::npos || text.front() == ' ' || text.front() == '\n' ||
      text.back() == '\n')
    return false;
  const auto stays = [](unsigned char c) { return c == '\n' || c >= ' '; };
  return std::all_of(text.begin(), text.end(), stays) && withoutMisleading(text) == text;
}

std::string block(const std::string& text, const std::string& indent) {
  std::string out = "|-\n" + indent;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += indent;
  }
  return out;
}

std::string scalar(const Value& value, const std::string& indent) {
  if (!value.is_string()) return compact(value);
  const auto& text = value.get_ref<const std::string&>();
  if (standsAlone(text)) return text;
  return standsAsBlock(text) ? block(text, indent) : withoutMisleading(compact(value));
}

bool isFlat(const Value& value) {
  return !value.is_structured() || value.empty();
}

// `started`: the first line's indent is written already, behind a `- `.
void emit(std::string& out, const Value& value, const std::string& indent, bool started) {
  const bool map = value.is_object();
  for (const auto& [key, item] : value.items()) {
    out += (started ? "" : indent) + (map ? scalar(Value(key), indent) + ":" : "-");
    started = false;
    if (isFlat(item)) {
      out += " " + scalar(item, indent + "  ") + "\n";
    } else if (map) {
      out += "\n";
      emit(out, item, item.is_array() ? indent : indent + "  ", false);
    } else {
      out += " ";
      emit(out, item, indent + "  ", true);
    }
  }
}

std::string yaml(const Value& value) {
  if (isFlat(value)) return scalar(value, "  ") + "\n";
  std::string out;
  emit(out, value, "", false);
  return out;
}

}  // namespace

void declareOutput(CLI::App& flags, Output& output) {
  const auto choose = [&output](const std::string& form) {
    output = form == "json" ? Output::kJson : form == "yaml" ? Output::kYaml : Output::kText;
  };
  flags.add_option_function<std::string>("-o,--output", choose, "text, json or yaml")
      ->type_name("FORM")
      ->default_str("text")
      ->transform(CLI::Validator(oneOf({"text", "json", "yaml"}), ""));
}

std::string formatted(const nlohmann::ordered_json& value, Output output) {
  if (output == Output::kYaml) return yaml(value);
  return withoutMisleading(value.dump(2, ' ', false, Value::error_handler_t::replace)) + "\n";
}

}  // namespace driftbar::cli
