// The access that Kubernetes gives to every pod: two environment variables and the service account's files.
#pragma once

#include <string>

#include "cluster/access.h"

namespace driftbar::cluster {

struct PodPlaces {
  std::string host, port;  // KUBERNETES_SERVICE_HOST and _PORT
  std::string tokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token";
  std::string trustFile = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";

  static PodPlaces ofThisProcess();
};

// Whether this looks like a pod at all.
bool inCluster(const PodPlaces& places = PodPlaces::ofThisProcess());

// The token is read anew for each request, for the kubelet replaces it. Errors: not in a cluster, files that
// cannot be read or hold no certificate.
Result<Access> accessInCluster(const PodPlaces& places = PodPlaces::ofThisProcess());

}  // namespace driftbar::cluster
