// The kubeconfig: which API server, and who we are to it, as kubectl reads it.
//
// Several files are merged as kubectl merges them: of two entries of one name the first file's counts, whole;
// likewise current-context. Paths in a file are taken from its own folder. What driftbar cannot honour
// (proxy-url, auth-provider, impersonation) is an error and never left out in silence, for another identity
// or another way would be used then.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/source.h"
#include "cluster/access.h"
#include "cluster/clock.h"

namespace driftbar::cluster {

// Of texts whose names are their paths, the most important first. `context` empty: the current-context.
// Reads the files that the entries name. Errors: all that is wrong with the chosen context, its cluster and
// its user, each with its place; entries that are not chosen are not looked into.
Result<Access> accessFrom(std::span<const Source> kubeconfigs, const std::string& context,
                          const Clock& now = systemNow);

// Where kubectl would look: `explicitPath` alone, or the list in `fromEnvironment` (KUBECONFIG), or
// .kube/config below `home`.
std::vector<std::string> kubeconfigPaths(const std::string& explicitPath, const std::string& fromEnvironment,
                                         const std::string& home);

// Reads those files and takes the access from them. Of a list, files that are not there are passed over as
// kubectl does; that none is there is an error.
Result<Access> loadKubeconfig(const std::string& explicitPath, const std::string& context = {},
                              const Clock& now = systemNow);

}  // namespace driftbar::cluster
