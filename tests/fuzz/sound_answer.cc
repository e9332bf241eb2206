#include "fuzz/sound_answer.h"

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/text.h"
#include "fuzz/property.h"
#include "fuzz/world.h"
#include "kube/labels.h"

namespace driftbar::fuzz {
namespace {

// apiserver endpoints/filters/warning.go: truncateItemRunes and truncateAtTotalRunes.
constexpr std::size_t kMostCharacters = 256, kMostInAll = 4096;

void checkStatus(const nlohmann::json& response) {
  const bool allowed = response.at("allowed").get<bool>();
  require(response.contains("status") == !allowed, "a status comes with a refusal and with nothing else");
  if (allowed) return;
  const auto& status = response.at("status");
  require(status.at("code") == 403 && status.at("reason") == "Forbidden", "a refusal is 403 Forbidden");
  const auto message = status.at("message").get<std::string>();
  require(!message.empty(), "a refusal says why");
  requireShowable(message, "a refusal");
}

void checkWarnings(const nlohmann::json& response) {
  std::size_t total = 0;
  std::set<std::string> seen;
  for (const auto& item : response.value("warnings", nlohmann::json::array())) {
    const auto warning = item.get<std::string>();
    requireShowableLine(warning, "a warning");
    require(!warning.empty() && seen.insert(warning).second, "warnings are there once each");
    require(characters(warning) <= kMostCharacters, "a warning is not longer than the API server sends on");
    total += characters(warning);
  }
  require(total <= kMostInAll, "all warnings are within what the API server sends on");
}

void checkAnnotations(const nlohmann::json& response) {
  const auto annotations = response.value("auditAnnotations", nlohmann::json::object());
  for (const auto& [key, value] : annotations.items()) {
    require(kube::isLabelKey(key) && key.find('/') == std::string::npos, "an annotation's key is a name");
    requireShowable(value.get<std::string>(), "an audit annotation");
  }
}

}  // namespace

void requireSoundAnswer(const kube::Request& request, const decision::World& world) {
  const auto verdict = decision::judge(request, world, noon());
  require(verdict.allowed() == decision::refusal(verdict).empty(), "what is not allowed is refused in words");
  const std::string answer = kube::answer(decision::response(request, verdict));
  const auto again = decision::judge(request, world, noon());
  require(kube::answer(decision::response(request, again)) == answer,
          "the same request gets the same answer");

  const auto review = nlohmann::json::parse(answer, nullptr, false);
  require(!review.is_discarded(), "an answer is JSON");
  const auto& response = review.at("response");
  require(response.at("uid").get<std::string>() == request.uid, "an answer has the uid of its request");
  require(response.at("allowed").get<bool>() == verdict.allowed(), "an answer says what the verdict does");
  checkStatus(response);
  checkWarnings(response);
  checkAnnotations(response);
}

}  // namespace driftbar::fuzz
