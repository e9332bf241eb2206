// Globs that nothing fits, or more than is meant: what people write who take them for regular expressions.
//
// All of it are warnings. Which names Kubernetes allows: apimachinery pkg/util/validation (IsDNS1123Label of
// namespaces, IsDNS1123Subdomain of most others; objects of RBAC may have any name of a path, so a `:` in a
// name lets it be).
#pragma once

#include "policy/problems.h"
#include "yaml/yaml.h"

namespace driftbar::policy {

// The words of a list or the one word; what is no text is let be.
void warnOfNamespaceGlobs(const yaml::Node& words, Problems& problems);
void warnOfNameGlobs(const yaml::Node& words, Problems& problems);
void warnOfImageGlob(const yaml::Node& word, Problems& problems);

}  // namespace driftbar::policy
