// Any text loads or is refused in words that can be shown, the same each time; and what loads can judge.
#include <string>
#include <vector>

#include "fuzz/property.h"
#include "fuzz/sound_answer.h"
#include "fuzz/world.h"
#include "policy/policy.h"

using namespace driftbar;

namespace {

policy::Loaded load(std::string_view text) {
  return policy::load({makeSource("policy.yaml", std::string(text))});
}

std::string idsOf(const policy::PolicySet& set) {
  std::string ids;
  for (const auto& policy : set.policies()) {
    for (const auto& rule : policy.rules) ids += rule.id + "\n";
  }
  return ids;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto loaded = load(fuzz::textOf(data, size));
  fuzz::require((loaded.set == nullptr) == hasErrors(loaded.diagnostics),
                "a set is there exactly where no error is");
  for (const auto& diagnostic : loaded.diagnostics) {
    fuzz::require(diagnostic.where.source != nullptr || diagnostic.id == "no-policies",
                  "each diagnostic says where, but for what is missing from all sources");
    fuzz::require(!diagnostic.id.empty(), "each diagnostic has an id");
  }
  fuzz::requireShowable(render(loaded.diagnostics), "what loading says");

  const auto again = load(fuzz::textOf(data, size));
  fuzz::require(render(again.diagnostics) == render(loaded.diagnostics), "loading twice says the same");
  if (loaded.set == nullptr) return 0;
  fuzz::require(again.set != nullptr && idsOf(*again.set) == idsOf(*loaded.set),
                "loading twice gives the same");
  decision::World world = fuzz::smallWorld();
  world.policies = loaded.set;
  fuzz::requireSoundAnswer(fuzz::trainingReview().request(), world);
  return 0;
}
