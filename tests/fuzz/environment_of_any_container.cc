// Whatever a container says, its environment is read: names are names, what is shown of a place can be
// followed back into the container, and nothing is set that the container does not write. The input is a
// container, or the text of a script, which is then one's command line.
#include <string>

#include <nlohmann/json.hpp>

#include "base/field_path.h"
#include "fuzz/property.h"
#include "kube/environment.h"

using namespace driftbar;

namespace {

bool isName(std::string_view text) {
  return !text.empty() && text.find_first_of("=$` \t\n'\"\\") == std::string_view::npos;
}

// The text of the container that a setting says it comes from.
Json source(Json container, const kube::Setting& setting) {
  switch (setting.in) {
    case kube::Setting::In::kEnv:
      return container["env"].at(setting.index)["name"];
    case kube::Setting::In::kCommand:
      return container["command"].at(setting.index);
    case kube::Setting::In::kArgs:
      break;
  }
  return container["args"].at(setting.index);
}

void checkSetting(Json container, const kube::Setting& setting) {
  const bool env = setting.in == kube::Setting::In::kEnv;
  fuzz::require(env || isName(setting.name), "a command line sets names only");
  fuzz::require(source(container, setting).isText(), "a setting comes from a text of the container");
  const auto place = FieldPath::parse(setting.place());
  fuzz::require(env || place.ok(), "a place can be read");
  fuzz::requireShowableLine(setting.place(), "a place");
}

void checkContainer(Json container) {
  const auto environment = kube::Environment::of(container);
  const auto all = environment.settings();
  for (std::size_t i = 0; i < all.size(); ++i) {
    checkSetting(container, all[i]);
    fuzz::require(i == 0 || all[i - 1].name <= all[i].name, "settings are in the order of their names");
    const auto same = environment.of(all[i].name);
    fuzz::require(!same.empty() && &same.front() <= &all[i] && &all[i] <= &same.back(),
                  "what is set is found by its name");
  }
}

void checkScript(std::string_view text) {
  const nlohmann::json container{{"command", {"sh", "-c"}}, {"args", {text}}};
  const auto document =
      JsonDocument::parse(container.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  if (document) checkContainer(document->root());
}

void checkExpansion(std::string_view text) {
  kube::ShellTexts texts;
  const auto once = kube::expanded(text, texts);
  fuzz::require(!once || once->size() <= text.size(), "expanding `$$` makes no text longer");
  fuzz::require(once || text.find("$(") != std::string_view::npos, "what is unknown refers to something");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::textOf(data, size);
  checkExpansion(text);
  checkScript(text);
  const auto document = JsonDocument::parse(text);
  if (document) checkContainer(document->root());
  return 0;
}
