#include "reference/properties.h"

#include "reference/engine.h"

namespace driftbar::reference {
namespace {

Row deniedInstead(Row world) {
  for (auto& document : world["policies"]) {
    if (document.at("kind") != "Policy") continue;
    for (auto& rule : document["spec"]["rules"]) {
      if (!rule.contains("require")) continue;
      rule["deny"] = {{"not", rule["require"]}};
      rule.erase("require");
    }
  }
  return world;
}

void shuffleLists(Chance& chance, Row& part) {
  if (part.is_array() && part.size() > 1) chance.shuffle(part);
  for (auto& item : part) {
    if (item.is_structured()) shuffleLists(chance, item);
  }
}

// The first rule that meets it tells what is no single rule's matter, so rules about nodes keep their order.
Row shuffled(Chance& chance, Row world) {
  for (auto& document : world["policies"]) {
    if (document.at("kind") != "Policy") continue;
    Row& spec = document["spec"];
    bool placement = false;
    for (auto& rule : spec["rules"]) {
      placement = placement || rule.contains("avoidNodes");
      shuffleLists(chance, rule);
    }
    if (!placement) chance.shuffle(spec["rules"]);
    for (const auto* key : {"match", "except"}) {
      if (spec.contains(key)) shuffleLists(chance, spec[key]);
    }
  }
  chance.shuffle(world["policies"]);
  chance.shuffle(world["nodes"]);
  return world;
}

// The elements of a pod's lists in another order. Only of what is made anew: on an update places that go by
// number change with the order.
Row reordered(Chance& chance, Row requests) {
  for (auto& request : requests) {
    if (request.at("operation") != "CREATE" || !request["object"].contains("spec")) continue;
    for (const auto* key : {"containers", "tolerations", "volumes", "taints"}) {
      Row& spec = request["object"]["spec"];
      if (spec.contains(key) && spec[key].is_array()) chance.shuffle(spec[key]);
    }
  }
  return requests;
}

// A path by number means another element then.
bool picksByNumber(const Row& policies) {
  return policies.dump().find("[0]") != std::string::npos || policies.dump().find("[1]") != std::string::npos;
}

std::string elementsMatter(Chance& chance, const Engine& engine, const Row& world) {
  if (picksByNumber(world.at("policies"))) return {};
  const Row& requests = world.at("requests");
  const Row others = reordered(chance, requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Row a = engine.verdict(requests[i]), b = engine.verdict(others[i]);
    if (a != b)
      return "another order of elements:\n" + a.dump() + "\nbecomes\n" + b.dump() + "\nby " +
             others[i].dump();
  }
  return {};
}

std::string differsFrom(const Engine& engine, const Row& other, const Row& requests, const char* what) {
  const auto same = Engine::of(other);
  if (!same)
    return std::string(what) + ": does not load any more:\n" +
           render(loadDocuments(other.at("policies")).diagnostics);
  for (const auto& request : requests) {
    const Row a = engine.verdict(request), b = same->verdict(request);
    if (a != b)
      return std::string(what) + ":\n" + a.dump() + "\nbecomes\n" + b.dump() + "\nby\n" +
             other.at("policies").dump(2) + "\nrequest " + request.dump();
  }
  return {};
}

bool asksAlways(const Row& policies, const std::string& id) {
  for (const auto& document : policies) {
    if (document.at("kind") != "Policy") continue;
    for (const auto& rule : document.at("spec").at("rules")) {
      if (document.at("metadata").at("name").get<std::string>() + "/" + rule.at("name").get<std::string>() ==
          id)
        return rule.value("onUpdate", "changes") == std::string("always");
    }
  }
  return false;
}

std::string brokenByNothing(const Engine& engine, const Row& world) {
  for (const auto& request : world.at("requests")) {
    if (request.at("operation") != "UPDATE" || request.at("object") != request.at("oldObject")) continue;
    const Row verdict = engine.verdict(request);
    for (const auto* list : {"refused", "warned", "audited", "notes"}) {
      for (const auto& rule : verdict.at(list)) {
        if (!asksAlways(world.at("policies"), rule))
          return "an update that changes nothing: " + verdict.dump() + " to " + request.dump();
      }
    }
  }
  return {};
}

}  // namespace

std::string brokenProperty(Chance& chance, const Row& world) {
  const auto engine = Engine::of(world);
  if (!engine) return {};
  auto what = differsFrom(*engine, deniedInstead(world), world.at("requests"), "require as deny of not");
  if (what.empty())
    what = differsFrom(*engine, shuffled(chance, world), world.at("requests"), "another order");
  if (what.empty()) what = elementsMatter(chance, *engine, world);
  if (what.empty()) what = brokenByNothing(*engine, world);
  return what;
}

}  // namespace driftbar::reference
