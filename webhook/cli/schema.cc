// driftbar schema: the JSON Schema of the documents, for editors.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "policy/document_schema.h"

namespace driftbar::cli {
namespace {

using Value = nlohmann::ordered_json;

constexpr std::size_t kWidth = 110;  // of the printed text

std::string onOneLine(const Value& value) {
  if (!value.is_structured() || value.empty()) return value.dump();
  std::string out(1, value.is_array() ? '[' : '{');
  for (const auto& [key, item] : value.items()) {
    if (out.size() > 1) out += ", ";
    if (value.is_object()) out += Value(key).dump() + ": ";
    out += onOneLine(item);
  }
  return out + (value.is_array() ? ']' : '}');
}

bool isFlat(const Value& value) {
  return std::none_of(value.begin(), value.end(), [](const Value& one) { return one.is_structured(); });
}

// What fits on a line is one, and so is every list of words: else it would be ten pages.
void print(std::string& out, const Value& value, const std::string& indent) {
  std::string line = onOneLine(value);
  if (indent.size() + line.size() <= kWidth || (!value.is_object() && isFlat(value))) {
    out += line;
    return;
  }
  const std::string inner = indent + "  ";
  out += value.is_array() ? '[' : '{';
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    out += (first ? "\n" : ",\n") + inner;
    if (value.is_object()) out += Value(key).dump() + ": ";
    print(out, item, inner);
    first = false;
  }
  out += "\n" + indent + (value.is_array() ? ']' : '}');
}

int schema(Terminal& terminal) {
  std::string out;
  print(out, policy::documentSchema(), "");
  terminal.out << out << "\n";
  return kGood;
}

}  // namespace

Run declareSchema(CLI::App&) {
  return schema;
}

}  // namespace driftbar::cli
