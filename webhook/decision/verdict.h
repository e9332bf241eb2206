// Verdict: what the gate says to one request, and how people get to read it.
//
// The text of a refusal starts on the line where the API server's words end, and `kubectl get events` shows
// the first line only, so that line says rule, object and finding. Lines below it are indented by two. All
// broken rules are told at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "decision/needs.h"

namespace driftbar::decision {

// What a note begins with that no rule is the reason of: that a pod fits no node.
inline constexpr std::string_view kNoRule = "driftbar";

// A node or a place, and what is wrong with it.
struct Detail {
  std::string subject;  // `gpu-07`; empty where the text says it all
  std::string text;     // `label driftbar.io/drift is "critical"`
  // How it hangs together with the one before: `either`, `and` or `or`; empty where it stands for itself.
  std::string_view join = {};
};

// A broken rule.
struct Finding {
  std::string rule;      // policy/rule
  std::string sentence;  // `Pod "bert-0" can only land on drifted nodes (2 of 2)`
  std::vector<Detail> details;
  std::size_t more = 0;  // how many details are left out
  std::string fix, docs;
  // What it hangs on that is not known: `namespace "ml" was not found`.
  std::vector<std::string> unsure = {};
};

struct Verdict {
  std::vector<Finding> refused;  // enforce
  std::vector<Finding> warned;
  std::vector<Finding> audited;
  // Warnings of rules that are not broken, each beginning with its rule's name; kNoRule where it is none's
  // matter.
  std::vector<std::string> notes;
  std::string
      untemplated;  // that a WorkloadKind's paths lead to no pod template in the object; empty: nothing

  // A broken rule that was lifted for this request.
  struct Exempted {
    std::string rule, exemption;  // policy/rule, and the name of the document
    std::string sentence;         // what was found
    std::string reason, ends;     // as they are told: the ends is a day or a time
  };
  std::vector<Exempted> exempted;

  std::vector<std::string> faulted;  // rules that could not be judged, so that their onError decided

  std::string patch;                 // JSON Patch text; empty: the object stays as it is
  std::vector<std::string> steered;  // the rules that it is for, as policy/rule

  std::vector<Need> needs;  // what rules asked for and nobody has looked up

  bool allowed() const { return refused.empty(); }
};

// The message of a refusal, several lines; empty when the verdict is to allow. Values are made printable
// where they enter a sentence, so nothing here can reach a terminal raw.
std::string refusal(const Verdict& verdict);

// What kubectl shows as `Warning:`, a line each: first the notes of broken rules in warn mode, then the
// others. A line aims at 120 characters: nodes are named while they fit.
std::vector<std::string> warnings(const Verdict& verdict);

}  // namespace driftbar::decision
