// Engine: what driftbar itself says to a case, in the form in which the reference evaluator says it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "decision/judge.h"
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
  decision::World world_;
  Instant now_{};
};

}  // namespace driftbar::reference
