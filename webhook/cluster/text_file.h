// Small files that say how to reach the API server: a kubeconfig, certificates, a token.
#pragma once

#include <string>

#include "base/result.h"

namespace driftbar::cluster {

// The whole file. `what` names it in errors (`the token file`), which say why it could not be read.
Result<std::string> readText(const std::string& path, const std::string& what);

// `path`, where it is relative taken from `folder`, as kubectl does with the paths in a kubeconfig.
std::string resolved(const std::string& path, const std::string& folder);

}  // namespace driftbar::cluster
