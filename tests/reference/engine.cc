#include "reference/engine.h"

#include <set>
#include <stdexcept>

#include "decision/beyond.h"
#include "decision/subject.h"
#include "inventory/file.h"
#include "kube/review.h"

namespace driftbar::reference {
namespace {

constexpr std::string_view kSystem[] = {"driftbar-*"};

kube::Review reviewOf(const Row& request) {
  Row review = {{"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}};
  review["request"] = request;
  auto parsed = kube::Review::parse(review.dump());
  if (!parsed) throw std::runtime_error(render(parsed.errors()));
  return *std::move(parsed);
}

Row sorted(const std::set<std::string>& names) {
  Row out = Row::array();
  for (const auto& name : names) out.push_back(name);
  return out;
}

template <typename Told>
Row rulesOf(const std::vector<Told>& findings) {
  std::set<std::string> names;
  for (const auto& finding : findings) names.insert(finding.rule);
  return sorted(names);
}

// A note begins with its rule's name and a colon, or with `driftbar` where it is no rule's.
Row rulesOf(const std::vector<std::string>& notes) {
  std::set<std::string> names;
  for (const auto& note : notes) names.insert(note.substr(0, note.find(':')));
  return sorted(names);
}

char letterOf(policy::Truth broken) {
  return broken == policy::Truth::kTrue ? 'b' : broken == policy::Truth::kFalse ? 'k' : 'u';
}

Row evidenceOf(const policy::Judgement& judgement) {
  Row out = Row::array();
  for (const auto& e : judgement.evidence)
    out.push_back(Row::array({e.place, e.absent ? Row() : Row(e.value)}));
  return out;
}

}  // namespace

policy::Loaded loadDocuments(const Row& documents) {
  std::vector<Source> sources;
  for (const auto& document : documents)
    sources.push_back(makeSource(std::to_string(sources.size()) + ".json", document.dump()));
  return policy::load(sources);
}

std::optional<Engine> Engine::of(const Row& world) {
  Engine made;
  made.world_.policies = loadDocuments(world.at("policies")).set;
  if (made.world_.policies == nullptr) return std::nullopt;
  std::vector<Source> sources;
  for (const auto* list : {"nodes", "namespaces"}) {
    for (const auto& object : world.at(list)) sources.push_back(makeSource("inventory.json", object.dump()));
  }
  if (!world.value("noInventory", false)) {
    const auto inventory = inventory::readInventory(sources);
    if (!inventory) throw std::runtime_error(render(inventory.errors()));
    made.world_.inventory = inventory->snapshot;
  }
  if (world.value("stale", false)) made.world_.outOfTouch = std::chrono::seconds(200);
  made.world_.systemNamespaces = kSystem;
  made.found_ = world.value("found", Row());
  made.now_ = *parseInstant(world.at("now").get<std::string>());
  return made;
}

decision::Answer Engine::lookUp(const decision::Need& need) const {
  using Kind = decision::Need::Kind;
  const char* list = need.kind == Kind::kPod ? "pods" : need.kind == Kind::kOwner ? "owners" : "nodes";
  for (const auto& object : found_.value(list, Row::array())) {
    const Row& metadata = object.at("metadata");
    if (object.at("kind") != need.object || metadata.at("name") != need.name) continue;
    if (need.kind != Kind::kNode && metadata.at("namespace") != need.ns) continue;
    const std::string text = object.dump();
    return ofThatUid(need, decision::Answer::found(*JsonDocument::parse(text), text.size()));
  }
  return decision::Answer::notFound();
}

// One look-up may show the next.
decision::Verdict Engine::judged(const kube::Request& request, decision::Found& found) const {
  while (true) {
    auto verdict = decision::judge(request, world_, found, now_);
    if (found_.is_null() || verdict.needs.empty()) return verdict;
    for (const auto& need : verdict.needs) found.add(need, lookUp(need));
  }
}

Row Engine::verdict(const Row& request) const {
  const auto review = reviewOf(request);
  decision::Found found;
  const auto verdict = judged(review.request(), found);
  Row out = Row::object();
  out["refused"] = rulesOf(verdict.refused);
  out["warned"] = rulesOf(verdict.warned);
  out["audited"] = rulesOf(verdict.audited);
  out["exempted"] = rulesOf(verdict.exempted);
  out["notes"] = rulesOf(verdict.notes);
  out["faulted"] = rulesOf(verdict.faulted);
  return out;
}

std::optional<Row> Engine::judgements(const Row& request) const {
  if (request.at("operation") != "CREATE" || request.at("resource").at("resource") != "pods" ||
      request.at("kind").at("kind") != "Pod" || !request.at("object").is_object())
    return std::nullopt;
  const auto review = reviewOf(request);
  decision::Found found;
  judged(review.request(), found);
  const decision::Answers answers(world_, found);
  const decision::Subject subject(review.request(), world_, answers, now_);
  Row out = Row::object();
  const auto& facts = subject.views().front().facts;
  for (const auto& policy : world_.policies->policies()) {
    if (policy.looksAt(facts) == policy::Truth::kFalse) continue;
    for (const auto& rule : policy.rules) {
      if (rule.verb == policy::Verb::kAvoidNodes || !policy.concerns(rule, facts)) continue;
      const auto judgement = policy::evaluate(rule, facts);
      out[rule.id] = {{"is", std::string(1, letterOf(judgement.broken))},
                      {"evidence", evidenceOf(judgement)}};
    }
  }
  return out;
}

}  // namespace driftbar::reference
