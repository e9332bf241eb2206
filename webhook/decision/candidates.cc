#include "decision/candidates.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace driftbar::decision {

Candidates::Candidates(std::span<const inventory::NodePtr> nodes, const kube::Pod& pod)
    : nodes_(nodes), placement_(scheduling::Placement::of(pod)) {}

const kube::Node* Candidates::at(std::size_t number) {
  while (found_.size() <= number && next_ < nodes_.size()) {
    const auto& node = nodes_[next_++];
    if (placement_.admits(*node)) found_.push_back(node.get());
  }
  return number < found_.size() ? found_[number] : nullptr;
}

std::size_t Candidates::count() {
  at(nodes_.size());
  return found_.size();
}

namespace {

std::string joined(const std::vector<scheduling::Obstacle>& obstacles) {
  std::string out;
  for (const auto& obstacle : obstacles) out += (out.empty() ? "" : ", ") + obstacle.text;
  return out;
}

// What keeps nodes out, in the order of ObstacleKind: `its` is what the pod's author wrote.
constexpr std::string_view kWhat[] = {"its nodeName",
                                      "being unschedulable",
                                      "its nodeSelector",
                                      "its node affinity",
                                      "taints it lacks tolerations for",
                                      "what it asks for"};
static_assert(std::size(kWhat) == static_cast<std::size_t>(scheduling::ObstacleKind::kResource) + 1);
// How many nodes each of them keeps out; a node counts for all that it has.
using Excluded = std::array<std::size_t, std::size(kWhat)>;

// `6 are excluded by what it asks for, 3 by its nodeSelector`: the most first.
std::string told(const Excluded& excluded) {
  std::array<std::size_t, std::size(kWhat)> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return excluded[a] > excluded[b]; });
  std::string out;
  for (const std::size_t kind : order) {
    const std::size_t count = excluded[kind];
    if (count == 0) break;
    const char* verb = count == 1 ? " is excluded by " : " are excluded by ";
    out += (out.empty() ? "" : ", ") + std::to_string(count) + (out.empty() ? verb : " by ");
    out += kWhat[kind];
  }
  return out;
}

}  // namespace

std::string Candidates::whyNone() const {
  if (nodes_.empty()) return "there are none";
  Excluded excluded{};
  // The fewer things stand in the way, the nearer. Of the nearest, what most nodes have in common is told.
  std::map<std::string, std::size_t> nearest;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const auto& node : nodes_) {
    const auto obstacles = placement_.obstacles(*node);
    for (const auto& obstacle : obstacles) ++excluded[static_cast<std::size_t>(obstacle.kind)];
    if (obstacles.size() > fewest) continue;
    if (obstacles.size() < fewest) nearest.clear();
    fewest = obstacles.size();
    ++nearest[joined(obstacles)];
  }
  const auto most = std::max_element(nearest.begin(), nearest.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return told(excluded) + "; nearest: " + most->first + " (" + std::to_string(most->second) +
         (most->second == 1 ? " node)" : " nodes)");
}

}  // namespace driftbar::decision
