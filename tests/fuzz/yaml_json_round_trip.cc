// What is read as YAML can be written as JSON, and that JSON is read, as JSON and as YAML, to mean the same
// again.
#include <string>

#include "fuzz/property.h"
#include "yaml/yaml.h"

using namespace driftbar;

namespace {

void checkDocument(const yaml::Node& node) {
  const std::string text = yaml::toJsonText(node);
  const auto json = yaml::toJson(node);
  if (!json) fuzz::requireErrors(json.errors());
  fuzz::require(json.ok(), "what is read as YAML is JSON");
  if (!node.isMap()) return;  // JSON that is no map is read as any YAML is, where quotes know other escapes
  const auto again = yaml::parse(makeSource("again.json", text));
  if (!again) fuzz::requireErrors(again.errors());
  fuzz::require(again.ok() && again->size() == 1, "JSON is YAML");
  const auto rewritten = yaml::toJson(again->front());
  fuzz::require(rewritten.ok() && rewritten->root() == json->root(), "JSON read as YAML means the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto documents = yaml::parse(makeSource("text.yaml", std::string(fuzz::textOf(data, size))));
  if (!documents) {
    fuzz::requireErrors(documents.errors());
    return 0;
  }
  for (const auto& document : *documents) checkDocument(document);
  return 0;
}
