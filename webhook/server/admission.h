// Admission: what answers POST /validate and /mutate.
//
// Bytes become a review once, the review a verdict, the verdict bytes. The world is taken whole at the start
// and kept to the end. Where judging needs what neither the review nor the world has, that is looked up
// first, without a thread of the front's waiting for it; most often nothing is needed, and then nothing is
// paid. What cannot be read as an AdmissionReview v1 is answered 400 in one sentence; before there is a
// world, 500, so that the webhook's failurePolicy decides; nothing is ever allowed unjudged.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/time.h"
#include "decision/judge.h"
#include "decision/needs.h"
#include "decision/steer.h"
#include "lookup/lookup.h"
#include "lookup/rounds.h"
#include "record/metrics.h"
#include "server/message.h"

namespace driftbar::server {

class Admission : public Handler {
 public:
  using Decide = std::function<decision::Verdict(const kube::Request&, const decision::World&,
                                                 const decision::Found&, Instant)>;
  struct Surroundings {
    // What to judge by, or nullopt while policies or inventory are not complete. From any thread.
    std::function<std::optional<decision::World>()> world;
    std::function<Instant()> now;
    Log log = [](std::string_view) {};

    lookup::Lookup* lookup = nullptr;  // must outlive the front; null: nothing is looked up
    // What /validate and /mutate answer. A verdict that has needs is reached again with what was found.
    Decide judge = judgeByRules;
    Decide steer = decision::steer;
  };
  // `metrics` must outlive this.
  Admission(Surroundings surroundings, record::Metrics& metrics);

  // From any thread, on many at once.
  std::optional<Reply> handle(const Request& request, const Later& later) override;

 private:
  struct Case;
  std::optional<Reply> answer(const Request& request, const decision::World& world, const Later& later);
  decision::Verdict judged(const Request& request, const Case& one, const decision::Found& found) const;
  void lookUp(const Request& request, Case one, std::vector<decision::Need> first, const Resume& resume);
  Reply told(const Request& request, const Case& one, const decision::Verdict& verdict);
  static decision::Verdict judgeByRules(const kube::Request& request, const decision::World& world,
                                        const decision::Found& found, Instant now);
  void count(std::string_view path, const decision::Verdict& verdict);

  const Surroundings surroundings_;
  record::Metrics& metrics_;
};

}  // namespace driftbar::server
