// Scope: what a condition is judged over at one moment.
#pragma once

#include "base/time.h"
#include "kube/node.h"
#include "policy/facts.h"
#include "policy/value.h"

namespace driftbar::policy {

struct Scope {
  const Facts* facts = nullptr;      // in deny and require
  const kube::Node* node = nullptr;  // in avoidNodes
  Instant now{};
  // Inside of `where`: the element, and the way to it.
  Json element;
  const Trail* above = nullptr;
};

// What the conditions of a rule are about, for the stages before.
struct Surroundings {
  enum class About { kPod, kCandidate };
  About about = About::kPod;
  bool readsEach = false;  // of many values each must pass: in require, and under `not` in deny
  // Inside of `where`: the pattern of the list that the elements are of, as zero_values has it.
  bool inElement = false;
  std::string elements;
};

}  // namespace driftbar::policy
