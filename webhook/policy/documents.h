// Documents: THE TABLE of the kinds of documents, and what is read of a set before anything is compiled.
//
// read() takes a document to the reader of its kind. What a reader keeps points into the YAML, which must
// live as long.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "policy/envelope.h"
#include "policy/policy_test.h"
#include "policy/problems.h"
#include "policy/syntax.h"

namespace driftbar::policy {

// What the readers made, by kind; in the order of the sources.
struct Trees {
  std::vector<syntax::PolicyDocument> policies;
  std::vector<Envelope> classes, kinds, exemptions, baselines;
  std::vector<PolicyTest> tests;
  bool withTests = false;  // whether PolicyTests are read; else they are ignored
  // False where something could not be read at all, so that a name that is not here may still be somewhere.
  bool complete = true;
};

struct DocumentKind {
  std::string_view name;
  std::string_view doc;
  std::string_view of;        // `a Policy`, for messages
  std::string_view specHelp;  // how its spec begins
  Written spec;
  void (*read)(const DocumentKind& kind, const yaml::Node& document, Trees& trees, Problems& problems);
};

std::span<const DocumentKind> documentTable();

void read(const yaml::Node& document, Trees& trees, Problems& problems);

}  // namespace driftbar::policy
