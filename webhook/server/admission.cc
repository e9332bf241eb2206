#include "server/admission.h"

#include <string>
#include <utility>

#include "base/text.h"
#include "decision/subject.h"
#include "kube/review.h"

namespace driftbar::server {
namespace {

// 500, and without Retry-After, for the sake of who reads it: of a 503 the API server shows its user nothing
// that we say, and a Retry-After makes it ask until its deadline and then show that.
Reply notReady() {
  return textReply(500, "driftbar is not ready: policies or the inventory are not loaded yet");
}

Reply unreadable(const Diagnostics& why) {
  std::string all;
  for (const auto& d : why) all += (all.empty() ? "" : "; ") + summary(d);
  return textReply(400, all);
}

bool isLate(const Request& request) {
  return std::chrono::steady_clock::now() > request.deadline;
}

// A request that waited until nobody waits for its answer: it is refused in so many words, for an answer that
// came in time after all must not let it pass unjudged.
decision::Verdict tooLate(const kube::Request& request, const decision::World& world) {
  decision::Verdict verdict;
  if (decision::concerns(request, world)) {
    verdict.refused.push_back(
        {"driftbar",
         "there was no time left to judge the request",
         {},
         0,
         "try again; if it stays so, driftbar is overloaded: see driftbar_requests_in_flight",
         {}});
  }
  return verdict;
}

// Half of the time that is left: the rest is for the wait after it, for judging and for the answer, and the
// API server adds the times of its webhooks up.
lookup::Time lookUpBy(const Request& request, const lookup::Lookup& lookup) {
  const auto left = request.deadline - std::chrono::steady_clock::now();
  return lookup.now() + left / 2;
}

std::string shown(const kube::Request& request) {
  const auto name = request.name.empty() ? request.subject()["metadata"]["name"].text() : request.name;
  return decision::whatIsAsked(request) + " " + (request.ns.empty() ? "" : printable(request.ns) + "/") +
         printable(name);
}

}  // namespace

Admission::Admission(Surroundings surroundings, record::Metrics& metrics)
    : surroundings_(std::move(surroundings)), metrics_(metrics) {}

std::optional<Reply> Admission::handle(const Request& request, const Later& later) {
  if (request.path != "/validate" && request.path != "/mutate") {
    return textReply(404, "there are /validate and /mutate here, both for POST");
  }
  if (request.method != "POST") {
    auto reply = textReply(405, std::string(request.path) + " takes POST only");
    reply.headers.emplace_back("Allow", "POST");
    return reply;
  }
  const auto world = surroundings_.world();
  return world ? answer(request, *world, later) : notReady();
}

// A review that is being answered: judged by one world and at one time, however often.
struct Admission::Case {
  kube::Review review;
  decision::World world;
  Instant now;
};

std::optional<Reply> Admission::answer(const Request& request, const decision::World& world,
                                       const Later& later) {
  auto review = kube::Review::parse(request.body);
  if (!review) {
    metrics_.counter(record::Metric::kBadRequests, {review.errors()[0].id}).add();
    return unreadable(review.errors());
  }
  Case one{*std::move(review), world, surroundings_.now()};
  auto verdict = judged(request, one, {});
  if (verdict.needs.empty() || surroundings_.lookup == nullptr) return told(request, one, verdict);
  lookUp(request, std::move(one), std::move(verdict.needs), later());
  return std::nullopt;
}

// The last judgement is made on a thread of the front's; those that only say what is needed next are not.
void Admission::lookUp(const Request& request, Case one, std::vector<decision::Need> first,
                       const Resume& resume) {
  const auto kept = std::make_shared<const Case>(std::move(one));
  const auto needs = [this, request, kept](const decision::Found& found) {
    return judged(request, *kept, found).needs;
  };
  lookup::gather(*surroundings_.lookup, std::move(first), needs, lookUpBy(request, *surroundings_.lookup),
                 [this, request, kept, resume](decision::Found found) {
                   resume([this, request, kept, found = std::move(found)] {
                     return told(request, *kept, judged(request, *kept, found));
                   });
                 });
}

decision::Verdict Admission::judged(const Request& request, const Case& one,
                                    const decision::Found& found) const {
  const auto& asked = one.review.request();
  const bool mutates = request.path == "/mutate";
  // A pod that is left as it is will be judged all the same.
  if (isLate(request)) return mutates ? decision::Verdict() : tooLate(asked, one.world);
  return (mutates ? surroundings_.steer : surroundings_.judge)(asked, one.world, found, one.now);
}

Reply Admission::told(const Request& request, const Case& one, const decision::Verdict& verdict) {
  const auto& asked = one.review.request();
  count(request.path, verdict);
  for (const auto& finding : verdict.refused) {
    surroundings_.log("refused " + shown(asked) + ", asked by " + printable(asked.user.name) + ": " +
                      finding.rule + ": " + finding.sentence);
  }
  return jsonReply(kube::answer(decision::response(asked, verdict)));
}

decision::Verdict Admission::judgeByRules(const kube::Request& request, const decision::World& world,
                                          const decision::Found& found, Instant now) {
  return decision::judge(request, world, found, now);
}

void Admission::count(std::string_view path, const decision::Verdict& verdict) {
  using record::Metric;
  metrics_.counter(Metric::kVerdicts, {path, verdict.allowed() ? "allowed" : "refused"}).add();
  for (const auto& rule : verdict.faulted) metrics_.counter(Metric::kRuleFailures, {rule}).add();
  const std::pair<const char*, const std::vector<decision::Finding>*> byMode[] = {
      {"enforce", &verdict.refused}, {"warn", &verdict.warned}, {"audit", &verdict.audited}};
  for (const auto& [mode, findings] : byMode) {
    for (const auto& finding : *findings) metrics_.counter(Metric::kFindings, {finding.rule, mode}).add();
  }
  for (const auto& one : verdict.exempted) metrics_.counter(Metric::kFindings, {one.rule, "exempted"}).add();
}

}  // namespace driftbar::server
