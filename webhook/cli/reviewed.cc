#include "cli/reviewed.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "decision/steer.h"
#include "lookup/inventory_source.h"
#include "lookup/rounds.h"

namespace driftbar::cli {
namespace {

std::string shownName(const kube::Request& request) {
  const auto metadata = request.subject()["metadata"];
  const auto name = metadata["name"].text();
  const auto generated = metadata["generateName"].text();
  return std::string(!name.empty()        ? std::string(name)
                     : !generated.empty() ? std::string(generated) + "*"
                                          : std::string(request.name));
}

using nlohmann::ordered_json;

// The same request with another object.
kube::Review withObject(const kube::Request& request, const std::string& object) {
  auto asked = ordered_json::parse(request.root.dump());
  asked["object"] = ordered_json::parse(object);
  const ordered_json review = {
      {"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"request", std::move(asked)}};
  return kube::Review::parse(review.dump()).value();
}

// The object after mutation, JSON text; empty: it stays as it is.
std::string patchedObject(const kube::Request& request, const std::string& patch) {
  if (patch.empty()) return {};
  return ordered_json::parse(request.object.dump()).patch(ordered_json::parse(patch)).dump();
}

// A screen's worth of it.
std::string shownValue(const std::string& json) {
  constexpr std::size_t kMost = 600;
  if (json.size() <= kMost) return printable(json);
  return shortened(printable(json), kMost) + " (" + std::to_string(json.size()) +
         " bytes; `-o json` has them all)";
}

// `add /spec/affinity {…}`, a line each.
std::string shownPatch(const std::string& patch) {
  std::string out;
  for (const auto& change : ordered_json::parse(patch))
    out += "patch: " + change["op"].get<std::string>() + " " + change["path"].get<std::string>() + " " +
           shownValue(change["value"].dump()) + "\n";
  return out;
}

// Empty where a rule looked at it.
std::string whyNotJudged(const Reviewed& reviewed) {
  if (!reviewed.judged) return "no policy is about such requests";
  if (!reviewed.asked.empty()) return {};
  if (!reviewed.unsettled.empty()) return "it does not settle where its pods go";
  const auto only = reviewed.leftOut.size() == 1 ? leftOutBy(reviewed, reviewed.leftOut.begin()->first) : "";
  return only.empty() ? "no rule looks at it" : only;
}

}  // namespace

decision::Found lookedUp(const kube::Request& request, const decision::World& world, Instant now,
                         const decision::Found& given) {
  lookup::InventorySource source(world.inventory);
  const auto needs = [&](const decision::Found& found) {
    decision::Found all = given;
    all.add(found);
    return decision::judge(request, world, all, now).needs;
  };
  decision::Found all = given;
  all.add(lookup::gather(source, needs));
  return all;
}

Reviewed reviewed(const kube::Request& request, const decision::World& world, const decision::Found& found,
                  Instant now) {
  Reviewed out;
  out.kind = std::string(request.kind.kind);
  out.ns = std::string(request.ns);
  out.name = shownName(request);
  out.judged = decision::concerns(request, world);
  auto steered = decision::steer(request, world, found, now);
  out.object = patchedObject(request, steered.patch);
  const auto patched = out.object.empty() ? std::nullopt : std::optional(withObject(request, out.object));
  const auto& after = patched ? patched->request() : request;
  const auto rules = decision::askedRules(after, world, found, now);
  out.asked.assign(rules.asked.begin(), rules.asked.end());
  out.unsettled.assign(rules.unsettled.begin(), rules.unsettled.end());
  for (const auto& one : rules.leftOut) out.leftOut.emplace(one.policy, one.by);
  out.verdict = decision::judge(after, world, found, now);
  out.verdict.patch = std::move(steered.patch);
  out.verdict.steered = std::move(steered.steered);
  out.verdict.notes.insert(out.verdict.notes.begin(), steered.notes.begin(), steered.notes.end());
  out.warnings = decision::warnings(out.verdict);
  out.answer = kube::answer(decision::response(request, out.verdict));
  return out;
}

std::vector<std::string> rulesOf(const std::vector<decision::Finding>& findings) {
  std::vector<std::string> out;
  for (const auto& finding : findings) out.push_back(finding.rule);
  return out;
}

nlohmann::ordered_json exemptedJson(const decision::Verdict& verdict) {
  auto out = nlohmann::ordered_json::array();
  for (const auto& lifted : verdict.exempted)
    out.push_back({{"rule", lifted.rule}, {"exemption", lifted.exemption}});
  return out;
}

std::string indented(const std::string& text) {
  std::string out;
  bool started = false;
  for (const char c : text) {
    if (!started) out += "  ";
    started = c != '\n';
    out += c;
  }
  return started ? out + "\n" : out;
}

std::string leftOutBy(const Reviewed& reviewed, const std::string& policy) {
  const auto found = reviewed.leftOut.find(policy);
  if (found == reviewed.leftOut.end() || found->second.empty()) return {};
  return "`" + found->second + "` of " + printable(policy) + " leaves it out";
}

std::string text(const Reviewed& reviewed, const Terminal& terminal) {
  const bool allowed = reviewed.verdict.allowed();
  // A namespace is asked about in itself, and is in none.
  const bool inNone = reviewed.ns.empty() || reviewed.kind == "Namespace";
  std::string out =
      (allowed ? painted(terminal, Paint::kGreen, "ALLOW") : painted(terminal, Paint::kRed, "DENY ")) + " " +
      printable(reviewed.kind) + " " + (inNone ? "" : printable(reviewed.ns) + "/") +
      printable(reviewed.name);
  if (const auto why = whyNotJudged(reviewed); !why.empty()) out += " (not judged: " + why + ")";
  const auto count = reviewed.warnings.size();
  if (count > 0) out += " (" + std::to_string(count) + (count == 1 ? " warning)" : " warnings)");
  out += "\n";
  if (!allowed) out += indented(decision::refusal(reviewed.verdict));
  for (const auto& warning : reviewed.warnings) out += indented("warning: " + warning);
  for (const auto& finding : reviewed.verdict.audited) {
    out += indented("audit: " + finding.rule + ": " + finding.sentence);
  }
  if (!reviewed.verdict.patch.empty()) out += indented(shownPatch(reviewed.verdict.patch));
  return out;
}

nlohmann::ordered_json json(const Reviewed& reviewed) {
  nlohmann::ordered_json out;
  out["object"] = {{"kind", reviewed.kind}, {"namespace", reviewed.ns}, {"name", reviewed.name}};
  out["verdict"] = reviewed.verdict.allowed() ? "allow" : "deny";
  out["judged"] = reviewed.judged;
  out["asked"] = reviewed.asked;
  out["rules"] = rulesOf(reviewed.verdict.refused);
  out["warned"] = rulesOf(reviewed.verdict.warned);
  out["audited"] = rulesOf(reviewed.verdict.audited);
  out["exempted"] = exemptedJson(reviewed.verdict);
  out["warnings"] = reviewed.warnings;
  if (!reviewed.verdict.patch.empty()) out["patch"] = ordered_json::parse(reviewed.verdict.patch);
  out["response"] = nlohmann::ordered_json::parse(reviewed.answer)["response"];
  return out;
}

}  // namespace driftbar::cli
