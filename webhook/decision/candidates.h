// Candidates: the nodes that a pod could land on, found one after the other as they are asked for.
//
// Most verdicts are certain after the first safe node, so the search goes no further than it is asked, and
// what has been found serves every rule of the request.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "inventory/snapshot.h"
#include "scheduling/placement.h"

namespace driftbar::decision {

class Candidates {
 public:
  // `nodes` and the pod must outlive it.
  Candidates(std::span<const inventory::NodePtr> nodes, const kube::Pod& pod);

  // The candidate of this number, from 0; null past the last.
  const kube::Node* at(std::size_t number);
  // How many there are; looks at every node.
  std::size_t count();
  // Where there is no candidate: what excludes how many nodes, and why those that miss by least do:
  // `8 are excluded by what it asks for; nearest: nvidia.com/gpu: asks for 16, has 8 (5 nodes)`.
  std::string whyNone() const;
  std::size_t nodes() const { return nodes_.size(); }

 private:
  std::span<const inventory::NodePtr> nodes_;
  scheduling::Placement placement_;
  std::vector<const kube::Node*> found_;
  std::size_t next_ = 0;  // the first node that has not been asked
};

}  // namespace driftbar::decision
