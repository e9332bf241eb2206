// judge: what the gate says to a request. One engine for the webhook, `review` and every later command.
//
// A pure function of its arguments: no I/O, no clock, no thread, no state. A fault in judging a rule becomes
// a refusal or a pass by the rule's `onError`, never an exception.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "decision/needs.h"
#include "decision/verdict.h"
#include "inventory/snapshot.h"
#include "kube/review.h"
#include "policy/policy.h"

namespace driftbar::decision {

// What a request is judged against, taken once and kept to its end.
struct World {
  std::shared_ptr<const policy::PolicySet> policies;  // never null
  std::shared_ptr<const inventory::Snapshot>
      inventory;  // null: there is none, so nothing is known of any node
  // How long the cluster has been out of touch, where that is longer than the snapshot may be trusted for.
  std::optional<Duration> outOfTouch;
  // Globs of the namespaces, besides `kube-*`, that the class `training` never covers: the gate's own, and
  // those of
  // --system-namespaces.
  std::span<const std::string_view> systemNamespaces;
};

// `found` is what has been looked up for this request. Where the verdict has needs, it stands on less than
// could be known: find them and judge again.
Verdict judge(const kube::Request& request, const World& world, const Found& found, Instant now);
inline Verdict judge(const kube::Request& request, const World& world, Instant now) {
  return judge(request, world, Found(), now);
}

// The rules, as policy/rule, of the policies that look at a request; the names live as long as the policies.
struct AskedRules {
  std::vector<std::string_view> asked;  // judge() asks them of it
  // Those about where it may go, which is not settled by this request: a gated pod, a suspended workload.
  std::vector<std::string_view> unsettled;
  // The policies with rules about such requests that leave this one out, and by what (Policy::leftOutBy).
  struct LeftOut {
    std::string_view policy;
    std::string by;
  };
  std::vector<LeftOut> leftOut;
};

// For who counts which rules were ever kept, and tells people why one had nothing to say.
AskedRules askedRules(const kube::Request& request, const World& world, const Found& found, Instant now);

// Whether any rule could look at such a request; others are allowed.
bool concerns(const kube::Request& request, const World& world);

// The verdict as an API server gets it.
kube::Response response(const kube::Request& request, const Verdict& verdict);

}  // namespace driftbar::decision
