// Explain: where the pods of a request could land, node by node and why, and what became of every rule.
//
// For people who ask why; judging stops at what it needs. It looks at every node, and asks every rule of
// avoidNodes about each that the pod could land on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "decision/judge.h"

namespace driftbar::decision {

struct NodeExplained {
  // What a rule of avoidNodes finds on it.
  struct Finding {
    std::string rule;  // policy/rule
    policy::Mode mode;
    bool unknown;  // it cannot be told
    bool counts;   // the rule counts the node as unsafe
    std::string why;
  };
  std::string name;
  std::vector<std::string> obstacles;  // why the pod cannot land there; empty: it could
  std::vector<Finding> findings;       // of a node that it could land on

  bool open() const { return obstacles.empty(); }
  // Open, and no rule in enforce counts it as unsafe.
  bool safe() const;
};

struct PodExplained {
  std::string shown;                 // `Pod "bert-0"`, `PyTorchJob "bert" (Worker)`
  bool settled = false;              // whether the request settles where it goes
  std::vector<NodeExplained> nodes;  // by name
  std::size_t open = 0, safe = 0;    // how many of them
  std::vector<std::string>
      narrowedBy;       // what is not judged and may keep it off more (scheduling/narrowing.h)
  std::string whyNone;  // where none is open: what keeps nodes out, and what the nearest lack
};

struct RuleExplained {
  std::string rule;        // policy/rule
  std::string_view state;  // one of those below
  std::string why;         // the sentence of what was found, or what leaves the request out; may be empty
};

// What becomes of a rule.
inline constexpr std::string_view kRefuses = "refuses", kWarns = "warns", kRecords = "records",
                                  kLifted = "lifted", kTells = "tells", kKept = "kept",
                                  kNotSettled = "not settled", kLeftOut = "left out";

struct Explanation {
  bool inventory = false;            // whether nodes are known at all
  std::vector<PodExplained> pods;    // one; of a workload one for each template
  std::vector<RuleExplained> rules;  // of the policies with rules about such requests, in their order
};

// `verdict` is what judge() said of the request.
Explanation explain(const kube::Request& request, const World& world, const Found& found, Instant now,
                    const Verdict& verdict);

}  // namespace driftbar::decision
