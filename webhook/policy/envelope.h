// Envelope: what a document of every kind has around its spec, read and checked.
//
// documentKind() says whether a document is one of ours, and of which kind; readEnvelope() reads the rest.
// What the spec says is for the kind's own reader (documents).
#pragma once

#include <string>
#include <string_view>

#include "policy/problems.h"
#include "policy/vocabulary.h"
#include "yaml/yaml.h"

namespace driftbar::policy {

struct Envelope {
  const yaml::Node* document = nullptr;
  const yaml::Node* spec = nullptr;        // null where there is none, or none that is a map
  Location where;                          // of its name, or of the document where it has none
  std::string name;                        // empty where it has none
  const yaml::Node* kubernetes = nullptr;  // the annotation that says the cluster's version
  Members members;                         // of the spec, where the kind's keys are known before
};

// `Policy`, …; empty where it is none of ours, which has been reported: as a warning where it is of another
// API, else as an error.
std::string_view documentKind(const yaml::Node& document, Problems& problems);

// `of` is `a Policy`, for messages; `specHelp` says how a spec begins. Without `keys` the members of the spec
// are left to whoever reads it.
Envelope readEnvelope(const yaml::Node& document, std::string_view of, std::string_view specHelp,
                      const KeySet* keys, Problems& problems);

}  // namespace driftbar::policy
