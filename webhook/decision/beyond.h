// Answers: what rules ask beyond the request, told from the inventory and from what has been looked up.
//
// What is in neither is unknown to the rule that asks and noted as a need: whoever may wait finds it, and the
// request is judged again. So one run of judging says what the next one wants, and most have no next.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decision/candidates.h"
#include "decision/judge.h"
#include "decision/needs.h"
#include "policy/facts.h"

namespace driftbar::decision {

class Answers final : public policy::Beyond {
 public:
  Answers(const World& world, const Found& found) : world_(world), found_(found) {}

  NodeFound node(std::string_view name) const override;
  NamespaceFound ns(std::string_view name) const override;
  ObjectFound owner(Json reference, std::string_view ns) const override;
  policy::Truth canLandOn(const policy::PodTemplate& pod, const kube::LabelSelector& nodes) const override;

  // The pod of this name; not known until it has been looked up.
  ObjectFound pod(std::string_view ns, std::string_view name, std::string_view uid) const;
  // Where the pod could land; null where nothing is known of the nodes. Lives as long as this.
  Candidates* candidates(const policy::PodTemplate& pod) const;

  // Why a namespace that was asked for is not known: `namespace "ml" was not found`.
  std::string whyNot(std::string_view ns) const;
  // How often one was asked for that is not known. What makes it grow hangs on that namespace.
  std::size_t missedNamespaces() const { return missedNamespaces_; }

  // What was asked for and is not known, in the order of Need.
  std::vector<Need> needs() const { return {needs_.begin(), needs_.end()}; }

 private:
  ObjectFound find(const Need& need) const;
  Candidates* candidatesOnPinned(const policy::PodTemplate& pod) const;

  const World& world_;
  const Found& found_;
  // What has been worked out so far. One request is judged by one thread.
  mutable std::set<Need> needs_;
  mutable std::map<std::string, inventory::NodePtr, std::less<>> nodes_;
  mutable std::map<std::string, inventory::NamespacePtr, std::less<>> namespaces_;
  mutable std::size_t missedNamespaces_ = 0;
  mutable std::map<std::pair<bool, std::string>, std::unique_ptr<Candidates>>
      candidates_;  // by before or now, and place
};

}  // namespace driftbar::decision
