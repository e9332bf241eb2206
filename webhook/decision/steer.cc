#include "decision/steer.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <set>
#include <utility>

#include "base/text.h"
#include "decision/asked.h"
#include "decision/rules.h"
#include "decision/words.h"
#include "policy/resources.h"
#include "scheduling/steering.h"

namespace driftbar::decision {
namespace {

using policy::Rule;
using policy::Steer;
using scheduling::Wanted;

bool isToBePlaced(const kube::Request& request) {
  if (!policy::isAboutPod(request) || !request.subResource.empty()) return false;
  const kube::Pod pod(request.object);
  if (!pod.nodeName().empty() || pod.gated()) return false;
  if (request.operation == kube::Operation::kCreate) return true;
  return request.operation == kube::Operation::kUpdate && kube::Pod(request.oldObject).gated();
}

bool meets(const kube::Node& node, const std::vector<kube::Clause>& clauses) {
  const auto met = [&](const kube::Requirement& one) { return one.matches(node.labels().find(one.key)); };
  return std::all_of(clauses.begin(), clauses.end(), [&](const kube::Clause& clause) {
    return std::any_of(clause.begin(), clause.end(), met);
  });
}

class Pilot {
 public:
  Pilot(const kube::Request& request, const World& world, const Answers& answers, const Subject& subject)
      : request_(request),
        world_(world),
        answers_(answers),
        subject_(subject),
        view_(subject.views().front()) {}

  Verdict take() {
    Verdict out;
    choose();
    if (!required_.empty() || !preferred_.empty()) write(out);
    return out;
  }

 private:
  // The rules that steer this pod.
  void choose() {
    eachAsked(world_, subject_, [&](const Rule& rule, const auto&) {
      if (rule.verb != policy::Verb::kAvoidNodes || rule.steer == Steer::kNone) return;
      if (world_.policies->exemptionFor(rule.id, view_.facts) != nullptr) return;
      (rule.steer == Steer::kRequired ? required_ : preferred_).push_back(&rule);
    });
    // Too few nodes for the rules in enforce: the pod as it is will be refused. A rule that refuses nothing
    // may not stand in the way of one that does.
    if (leavesEnough(required_)) return;
    std::erase_if(required_, [](const Rule* rule) { return rule->mode != policy::Mode::kEnforce; });
    if (!leavesEnough(required_)) required_.clear();
  }

  void write(Verdict& out) {
    Wanted required;
    for (const Rule* rule : required_) add(required.clauses, rule->labels.clauses);
    const Json spec = request_.object["spec"];
    const bool onlyAppends = request_.operation == kube::Operation::kUpdate;
    for (const auto& left : scheduling::steered(spec, required, {}, onlyAppends).left)
      std::erase(required.clauses, left);
    required.notOn = unsafeNodes(required_, required.clauses, out);
    std::vector<Wanted> wishes;
    for (const Rule* rule : preferred_)
      wishes.push_back({rule->labels.clauses, unsafeNodes({rule}, rule->labels.clauses, out)});
    const auto steered = scheduling::steered(spec, required, wishes, onlyAppends);
    if (!steered.affinity) return;
    out.patch = patchOf(spec, *steered.affinity);
    for (const auto* rules : {&required_, &preferred_}) {
      for (const Rule* rule : *rules) {
        if (named_.contains(rule) || !rule->labels.clauses.empty()) out.steered.push_back(rule->id);
      }
    }
  }

  static void add(std::vector<kube::Clause>& to, const std::vector<kube::Clause>& clauses) {
    for (const auto& clause : clauses) {
      if (std::find(to.begin(), to.end(), clause) == to.end()) to.push_back(clause);
    }
  }

  static std::string patchOf(Json spec, const std::string& nodeAffinity) {
    const bool beside = spec["affinity"].isMap();
    return R"([{"op":"add","path":"/spec/affinity)" + std::string(beside ? "/nodeAffinity" : "") +
           R"(","value":)" + (beside ? nodeAffinity : R"({"nodeAffinity":)" + nodeAffinity + "}") + "}]";
  }

  bool isUnsafe(const Rule& rule, const kube::Node& node) const {
    return countsAsUnsafe(rule, unsafe(rule, node, view_.facts));
  }

  Candidates* candidates() const { return world_.inventory ? answers_.candidates(view_.facts.pod) : nullptr; }

  // Whether each rule, and all of them together, leave as many nodes as are asked for. Where there are none
  // at all nothing is known to be lost, and a node that comes has to be a safe one.
  bool leavesEnough(const std::vector<const Rule*>& rules) const {
    Candidates* all = candidates();
    if (all == nullptr || rules.empty() || all->at(0) == nullptr) return true;
    std::vector<std::size_t> safe(rules.size());
    std::size_t safeToAll = 0, seen = 0;
    for (; const kube::Node* node = all->at(seen); ++seen) {
      bool closed = false;
      for (std::size_t i = 0; i < rules.size(); ++i) {
        if (isUnsafe(*rules[i], *node)) {
          closed = true;
        } else {
          ++safe[i];
        }
      }
      safeToAll += closed ? 0 : 1;
      if (safeToAll > 0 && meetsNeeds(rules, safe)) return true;
    }
    // Fewer candidates than a rule asks for are a warning of its, and the pod is steered to what there is.
    return safeToAll > 0 && meetsNeeds(rules, safe, seen);
  }

  static bool meetsNeeds(const std::vector<const Rule*>& rules, const std::vector<std::size_t>& safe,
                         std::size_t candidates = std::numeric_limits<std::size_t>::max()) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const auto needed = static_cast<std::size_t>(rules[i]->minSafe.value_or(1));
      if (safe[i] < needed && candidates >= needed) return false;
    }
    return true;
  }

  // Candidates that rules call unsafe though they meet the clauses: no label says it.
  std::vector<std::string> unsafeNodes(const std::vector<const Rule*>& rules,
                                       const std::vector<kube::Clause>& clauses, Verdict& out) {
    std::vector<std::string> names;
    Candidates* all = candidates();
    const auto said = [&](const Rule* rule) { return isSaid(*rule, clauses); };
    if (all == nullptr || std::all_of(rules.begin(), rules.end(), said)) return names;
    std::size_t more = 0;
    const Rule* worst = nullptr;
    for (std::size_t i = 0; const kube::Node* node = all->at(i); ++i) {
      if (!meets(*node, clauses)) continue;
      const auto rule =
          std::find_if(rules.begin(), rules.end(), [&](const Rule* one) { return isUnsafe(*one, *node); });
      if (rule == rules.end()) continue;
      named_.insert(*rule);
      if (names.size() < kMostNames) {
        names.emplace_back(node->name());
      } else {
        ++more;
        worst = *rule;
      }
    }
    if (more > 0) tellMore(*worst, more, out);
    return names;
  }

  static bool isSaid(const Rule& rule, const std::vector<kube::Clause>& clauses) {
    return rule.labels.whole &&
           std::all_of(rule.labels.clauses.begin(), rule.labels.clauses.end(), [&](const kube::Clause& one) {
             return std::find(clauses.begin(), clauses.end(), one) != clauses.end();
           });
  }

  void tellMore(const Rule& rule, std::size_t more, Verdict& out) const {
    out.notes.push_back(rule.id + ": " + view_.shown + " is kept off " + std::to_string(kMostNames) +
                        " unsafe nodes by name, and may still land on " + std::to_string(more) + " more");
  }

  const kube::Request& request_;
  const World& world_;
  const Answers& answers_;
  const Subject& subject_;
  const View& view_;
  std::vector<const Rule*> required_, preferred_;
  std::set<const Rule*> named_;  // those that some node is kept off by name for
};

}  // namespace

Verdict steer(const kube::Request& request, const World& world, const Found& found, Instant now) {
  Verdict out;
  // An API server sends no pod without an object, a recorded review may be cut down.
  if (isLetBe(request, world) || !isToBePlaced(request) || !request.object.isMap()) return out;
  const Answers answers(world, found);
  const Subject subject(request, world, answers, now);
  const View& view = subject.views().front();
  try {
    if (subject.fault().empty() && !view.facts.ofDaemonSet)
      out = Pilot(request, world, answers, subject).take();
  } catch (const std::exception& bug) {  // the validating webhook judges the pod as it is
    out = {};
    out.notes.push_back(std::string(kNoRule) + ": " + view.shown +
                        " could not be steered, by an error of driftbar's own: " +
                        shortened(printable(bug.what()), kLongestSentence));
  }
  out.needs = answers.needs();
  return out;
}

}  // namespace driftbar::decision
