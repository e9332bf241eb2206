// Objects as people have them: any number of YAML or JSON documents, lists in them, AdmissionReviews beside
// them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "yaml/yaml.h"

namespace driftbar::cli {

// One object of a file, out of its list.
struct Object {
  yaml::Node node;
  std::string apiVersion, kind, ns, name;  // name: generateName and `*` where the name is yet to come

  bool isReview() const { return kind == "AdmissionReview"; }
};

// Every object of the sources, in their order. Errors, all of them with their place: what yaml::parse
// refuses, and what an API server would refuse too (no apiVersion, kind or name, a label that is no text, a
// pod without containers).
Result<std::vector<Object>> readObjects(const std::vector<Source>& sources);
// Of one document: the object, or those of a list.
Result<std::vector<Object>> readObjects(yaml::Node document);

}  // namespace driftbar::cli
