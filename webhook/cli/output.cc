#include "cli/output.h"

#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace driftbar::cli {
namespace {

void emit(YAML::Emitter& out, const nlohmann::ordered_json& value) {
  if (value.is_object()) {
    out << YAML::BeginMap;
    for (const auto& [key, item] : value.items()) {
      out << YAML::Key << key << YAML::Value;
      emit(out, item);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    out << YAML::BeginSeq;
    for (const auto& item : value) emit(out, item);
    out << YAML::EndSeq;
  } else if (value.is_string() && value.get_ref<const std::string&>().find('\n') != std::string::npos) {
    out << YAML::Literal << value.get<std::string>();
  } else if (value.is_string()) {
    out << YAML::DoubleQuoted << value.get<std::string>();
  } else {
    out << value.dump();
  }
}

}  // namespace

void declareOutput(CLI::App& flags, Output& output) {
  static const std::map<std::string, Output> kForms{
      {"text", Output::kText}, {"json", Output::kJson}, {"yaml", Output::kYaml}};
  flags.add_option("-o,--output", output, "text, json or yaml")
      ->transform(CLI::CheckedTransformer(kForms))
      ->option_text("FORM");
}

std::string formatted(const nlohmann::ordered_json& value, Output output) {
  if (output == Output::kJson)
    return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  YAML::Emitter out;
  emit(out, value);
  return std::string(out.c_str()) + "\n";
}

}  // namespace driftbar::cli
