#include "cluster/in_cluster.h"

#include <cstdlib>

#include "cluster/text_file.h"
#include "cluster/tls.h"

namespace driftbar::cluster {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

constexpr const char* kMountHelp =
    "a pod has it unless automountServiceAccountToken is false on the pod or its service account";

Diagnostics mountErrors(Diagnostics errors) {
  for (auto& d : errors) d.help = kMountHelp;
  return errors;
}

}  // namespace

PodPlaces PodPlaces::ofThisProcess() {
  PodPlaces places;
  places.host = environment("KUBERNETES_SERVICE_HOST");
  places.port = environment("KUBERNETES_SERVICE_PORT");
  return places;
}

bool inCluster(const PodPlaces& places) {
  return !places.host.empty() && !places.port.empty();
}

Result<Access> accessInCluster(const PodPlaces& places) {
  if (!inCluster(places)) {
    return error(
        "not-in-cluster",
        "this is not a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set",
        "outside a cluster, name a kubeconfig with `--kubeconfig` or an inventory with `--inventory`");
  }
  const bool sixth = places.host.find(':') != std::string::npos;
  auto server =
      Server::parse("https://" + (sixth ? "[" + places.host + "]" : places.host) + ":" + places.port);
  if (!server) return std::move(server).errors();
  auto trust = readText(places.trustFile, "the cluster's certificate authority");
  if (!trust) return mountErrors(std::move(trust).errors());
  if (countCertificates(*trust) == 0) {
    return error("bad-certificate", "`" + places.trustFile + "` holds no certificate in PEM form");
  }
  WrittenCredentials written;
  written.tokenFile = places.tokenFile;
  Access access{std::move(*server),
                "the service account of this pod",
                std::move(*trust),
                true,
                {},
                credentialsFrom(std::move(written))};
  if (auto token = access.credentials->current({}); !token) return mountErrors(std::move(token).errors());
  return access;
}

}  // namespace driftbar::cluster
