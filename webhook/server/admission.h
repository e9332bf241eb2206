// Admission: what answers POST /validate and /mutate.
//
// Bytes become a review once, the review a verdict, the verdict bytes. The world is taken whole at the start
// and kept to the end. What cannot be read as an AdmissionReview v1 is answered 400 in one sentence; before
// there is a world, 500, so that the webhook's failurePolicy decides; nothing is ever allowed unjudged.
#pragma once

#include <functional>
#include <optional>

#include "base/time.h"
#include "decision/judge.h"
#include "record/metrics.h"
#include "server/message.h"

namespace driftbar::server {

class Admission : public Handler {
 public:
  struct Surroundings {
    // What to judge by, or nullopt while policies or inventory are not complete. From any thread.
    std::function<std::optional<decision::World>()> world;
    std::function<Instant()> now;
    Log log = [](std::string_view) {};
  };
  // `metrics` must outlive this.
  Admission(Surroundings surroundings, record::Metrics& metrics);

  // From any thread, on many at once.
  Reply handle(const Request& request) override;

 private:
  Reply answer(const Request& request, const decision::World& world);
  void count(std::string_view path, const decision::Verdict& verdict);

  const Surroundings surroundings_;
  record::Metrics& metrics_;
};

}  // namespace driftbar::server
