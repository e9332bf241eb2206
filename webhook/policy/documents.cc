#include "policy/documents.h"

#include <algorithm>
#include <utility>

#include "policy/document_vocabulary.h"

namespace driftbar::policy {
namespace {

Envelope envelopeOf(const DocumentKind& kind, const yaml::Node& document, Problems& problems) {
  const bool map = kind.spec.form == Form::kMap;
  return readEnvelope(document, kind.of, kind.specHelp, map ? &kind.spec.keys() : nullptr, problems);
}

void readPolicy(const DocumentKind& kind, const yaml::Node& document, Trees& trees, Problems& problems) {
  trees.policies.push_back(syntax::read(envelopeOf(kind, document, problems), problems));
}

// What the others say refers to nothing that is read before it, or is compiled once all is known.
template <std::vector<Envelope> Trees::*Into>
void keep(const DocumentKind& kind, const yaml::Node& document, Trees& trees, Problems& problems) {
  (trees.*Into).push_back(envelopeOf(kind, document, problems));
}

// Whoever runs tests reads them by the same function (loadTests).
void readTest(const DocumentKind&, const yaml::Node& document, Trees& trees, Problems& problems) {
  if (!trees.withTests) return;
  if (auto test = readPolicyTest(document, problems)) trees.tests.push_back(*std::move(test));
}

constexpr DocumentKind kKinds[] = {
    {"Policy", "which requests it looks at, its mode, its rules", "a Policy", "write `spec:` with `rules`",
     written::map(specKeys), readPolicy},
    {"NodeBaseline", "what the nodes of a pool must look like", "a NodeBaseline",
     "write `spec:` with `nodes` and `expect`", written::map(baselineKeys), keep<&Trees::baselines>},
    {"WorkloadClass", "which pods belong to a class, and which drift hurts them", "a WorkloadClass",
     "write `spec:` with a condition and `sensitiveTo`", written::condition(Place::kPod, workloadClassKeys),
     keep<&Trees::classes>},
    {"WorkloadKind", "where the pod templates sit inside a kind of object", "a WorkloadKind",
     "write `spec:` with `group`, `kind` and `templates`", written::map(workloadKindKeys),
     keep<&Trees::kinds>},
    {"Exemption", "lifts rules until a date, with a reason", "an Exemption",
     "write `spec:` with `reason`, `expires`, `rules` and `match`", written::map(exemptionKeys),
     keep<&Trees::exemptions>},
    {"PolicyTest", "cases with their expected verdicts, run by `driftbar test`", "a PolicyTest",
     "write `spec:` with `cases`", written::map(testSpecKeys), readTest},
};

}  // namespace

std::span<const DocumentKind> documentTable() {
  return kKinds;
}

std::span<const Key> documentKinds() {
  static const std::vector<Key> kKeys = [] {
    std::vector<Key> keys;
    for (const auto& row : kKinds) keys.push_back({row.name, row.doc, row.spec});
    return keys;
  }();
  return kKeys;
}

void read(const yaml::Node& document, Trees& trees, Problems& problems) {
  const std::size_t before = problems.errorCount();
  const std::string_view kind = documentKind(document, problems);
  if (problems.errorCount() != before) trees.complete = false;
  if (kind.empty()) return;
  const auto row = std::find_if(std::begin(kKinds), std::end(kKinds),
                                [&](const DocumentKind& one) { return one.name == kind; });
  if (row != std::end(kKinds)) return row->read(*row, document, trees, problems);
  trees.complete = false;
  problems.unknown(document.find("kind")->where, "kind", {}, kind, namesOf(documentKinds()));
}

}  // namespace driftbar::policy
