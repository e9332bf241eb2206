#include "decision/candidates.h"

#include <algorithm>
#include <limits>
#include <map>
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

}  // namespace

std::string Candidates::nearestMisses() const {
  // The fewer things stand in the way, the nearer. Of the nearest, what most nodes have in common is told.
  std::map<std::string, std::size_t> nearest;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const auto& node : nodes_) {
    const auto obstacles = placement_.obstacles(*node);
    if (obstacles.size() > fewest) continue;
    if (obstacles.size() < fewest) nearest.clear();
    fewest = obstacles.size();
    ++nearest[joined(obstacles)];
  }
  if (nearest.empty()) return {};
  const auto most = std::max_element(nearest.begin(), nearest.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first + " (" + std::to_string(most->second) + (most->second == 1 ? " node)" : " nodes)");
}

}  // namespace driftbar::decision
