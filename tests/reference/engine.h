// Engine: what driftbar itself says to a case, in the form in which the reference evaluator says it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "decision/judge.h"
#include "decision/needs.h"
#include "reference/chance.h"

namespace driftbar::reference {

// The loader's word on documents; the diagnostics with it.
policy::Loaded loadDocuments(const Row& documents);

class Engine {
 public:
  // What the case's requests are judged against. Nothing where the policies do not load.
  static std::optional<Engine> of(const Row& world);

  // `refused`, `warned`, `audited`, `exempted` and `notes`: lists of rules, sorted, each once; `faulted`:
  // those that could not be judged.
  Row verdict(const Row& request) const;

  // The answer to each rule with `deny` or `require`, `b`, `k` or `u`, and the evidence for it; nothing where
  // the request is one that only decision knows how to lay before a rule.
  std::optional<Row> judgements(const Row& request) const;

 private:
  // The verdict once everything that judging needs has been looked up among what the case has to find.
  decision::Verdict judged(const kube::Request& request, decision::Found& found) const;
  decision::Answer lookUp(const decision::Need& need) const;

  decision::World world_;
  Row found_;  // null: nothing is looked up
  Instant now_{};
};

}  // namespace driftbar::reference
