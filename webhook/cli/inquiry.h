// Inquiry: what people ask without a gate: objects as they have them, or recorded reviews, by these policies
// and with this inventory. For `review` and `explain`.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/objects.h"
#include "cli/requests.h"
#include "cli/reviewed.h"
#include "cli/terminal.h"
#include "cli/world.h"
#include "decision/judge.h"
#include "kube/review.h"

namespace CLI {
class App;
}

namespace driftbar::cli {

struct InquiryFlags {
  std::string policies, inventory, now;
  std::vector<std::string> objects, old;
  std::vector<std::string> systemNamespaces = defaultSystemNamespaces();
  Asked asked;
};

// Declares them into `into`, which must outlive the parsing.
void declareInquiry(CLI::App& flags, InquiryFlags& into);

class Inquiry {
 public:
  // Reads all that the flags name; warnings go to the terminal. Errors: what cannot be read, is wrong, or
  // contradicts. The flags must outlive it.
  static Result<std::unique_ptr<const Inquiry>> of(const InquiryFlags& flags, Terminal& terminal);

  const decision::World& world() const { return world_; }
  Instant now() const { return now_; }

  // Calls `answer` with the request that each object makes, in their order, and what was looked up for it.
  // Gives back what is wrong with those that make none.
  template <typename Answer>
  Diagnostics each(const Answer& answer) const {
    Diagnostics wrong = wrong_;
    for (const auto& object : objects_) {
      const auto review = requestOf(object);
      if (!review) {
        wrong.insert(wrong.end(), review.errors().begin(), review.errors().end());
        continue;
      }
      const auto& request = review->request();
      answer(request, lookedUp(request, world_, now_));
    }
    return wrong;
  }

 private:
  explicit Inquiry(const InquiryFlags& flags) : flags_(flags) {}
  Result<kube::Review> requestOf(const Object& object) const;

  const InquiryFlags& flags_;
  std::vector<std::string_view> systemNamespaces_;
  decision::World world_;
  Instant now_{};
  std::vector<Object> objects_, olds_;
  Diagnostics wrong_;
};

}  // namespace driftbar::cli
