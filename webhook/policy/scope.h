// Scope: what a condition is judged over at one moment.
#pragma once

#include <string>

#include "base/time.h"
#include "kube/node.h"
#include "policy/facts.h"
#include "policy/value.h"

namespace driftbar::schema {
struct Shape;
}

namespace driftbar::policy {

struct Scope {
  const Facts* facts = nullptr;      // null only where a node is judged for its own sake
  const kube::Node* node = nullptr;  // of avoidNodes and onNode the candidate, else the node of the request
  Json nodeObject;                   // what `node` in field paths means
  std::string_view nodePlace;        // what places in it begin with
  Instant now{};
  bool meansDaemonSets = false;  // of the rule: where they can land is asked too
  // Inside of `where`: the element, and the way to it.
  Json element;
  const Trail* above = nullptr;
};

// What the conditions of a rule are about, for the stages before.
struct Surroundings {
  enum class About {
    kPod,       // pods and pod templates: `label` is the pod's
    kNode,      // nodes as they are created and changed: `label` is the node's
    kCandidate  // nodes that a pod could land on, of which only a part is kept
  };
  About about = About::kPod;
  // What a condition on candidates stands under, for messages; and, where it is not a rule, what to do with
  // what is none of a node's.
  std::string_view word = "`avoidNodes`";
  std::string_view elsewhere = {};
  bool readsEach = false;  // of many values each must pass: in require, and under `not` in deny
  // Inside of `where`: the pattern of the list that the elements are of, as Field has it.
  bool inElement = false;
  std::string elements;
  const schema::Shape* element = nullptr;  // and what one of them looks like; null: not known
  // What `object` and `oldObject` look like, where they can be of one built-in kind only; null: not known.
  const schema::Shape* object = nullptr;
  int kubernetes = 0;  // the minor of the cluster's version, as the policy says it; 0: it does not
};

}  // namespace driftbar::policy
