// What is known of variables by their names alone.
#include <algorithm>

#include "kube/environment.h"
#include "kube/secret_names.h"

namespace driftbar::kube {
namespace {

// Communication libraries: NCCL and its kin, libfabric, UCX and UCC, SHARP, NVSHMEM, Gloo, the MPIs, verbs
// providers. Their variables are knobs of transport.
constexpr std::string_view kShownPrefixes[] = {
    "NCCL_",  "TORCH_NCCL_", "RCCL_",    "HCCL_",  "CCL_",      "MSCCL_",    "FI_",       "UCX_",
    "UCC_",   "SHARP_",      "NVSHMEM_", "GLOO_",  "OMPI_MCA_", "PMIX_MCA_", "PRTE_MCA_", "I_MPI_",
    "MPICH_", "HYDRA_",      "HOROVOD_", "RDMAV_", "MLX5_",     "IBV_",      "PSM2_",     "PSM3_"};

// The rendezvous of torch.distributed and what tells a rank who it is.
constexpr std::string_view kShownNames[] = {"MASTER_ADDR",
                                            "MASTER_PORT",
                                            "WORLD_SIZE",
                                            "RANK",
                                            "LOCAL_RANK",
                                            "NODE_RANK",
                                            "GROUP_RANK",
                                            "LOCAL_WORLD_SIZE",
                                            "TORCH_DISTRIBUTED_DEBUG",
                                            "CUDA_DEVICE_MAX_CONNECTIONS",
                                            "CUDA_LAUNCH_BLOCKING",
                                            "OMPI_ALLOW_RUN_AS_ROOT",
                                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"};

// As a word of the name, between underscores: a PKEY is a partition of InfiniBand, and no key.
constexpr std::string_view kSecretWords[] = {"KEY", "KEYS", "AUTH", "PASS", "PWD", "CRED", "CREDS", "COOKIE"};
// Anywhere in the name.
constexpr std::string_view kSecretParts[] = {"TOKEN",      "SECRET",     "PASSWORD", "PASSWD",
                                             "PASSPHRASE", "CREDENTIAL", "APIKEY",   "PRIVATE"};

// NCCL's own documentation names no list; these name a host's interface, a host, or a file that a host
// writes.
constexpr std::string_view kByHost[] = {"NCCL_SOCKET_IFNAME",
                                        "NCCL_OOB_NET_IFNAME",
                                        "NCCL_HOSTID",
                                        "NCCL_DEBUG_FILE",
                                        "NCCL_TOPO_DUMP_FILE",
                                        "NCCL_GRAPH_DUMP_FILE",
                                        "NCCL_RAS_ADDR",
                                        "GLOO_SOCKET_IFNAME",
                                        "RANK",
                                        "LOCAL_RANK",
                                        "NODE_RANK",
                                        "GROUP_RANK",
                                        "ROLE_RANK",
                                        "OMPI_COMM_WORLD_RANK",
                                        "OMPI_COMM_WORLD_LOCAL_RANK",
                                        "OMPI_COMM_WORLD_NODE_RANK",
                                        "PMI_RANK",
                                        "PMIX_RANK",
                                        "SLURM_PROCID",
                                        "SLURM_LOCALID",
                                        "SLURM_NODEID"};

template <std::size_t N>
bool isOneOf(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

// Any letter case.
bool sameWord(std::string_view word, std::string_view capitals) {
  return std::equal(word.begin(), word.end(), capitals.begin(), capitals.end(),
                    [](char a, char b) { return upper(a) == b; });
}

bool hasPart(std::string_view name, std::string_view capitals) {
  return std::search(name.begin(), name.end(), capitals.begin(), capitals.end(),
                     [](char a, char b) { return upper(a) == b; }) != name.end();
}

}  // namespace

bool soundsSecret(std::string_view name) {
  for (const auto part : kSecretParts) {
    if (hasPart(name, part)) return true;
  }
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    for (const auto secret : kSecretWords) {
      if (sameWord(name.substr(0, end), secret)) return true;
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

bool mayBeShown(std::string_view name) {
  const bool known =
      isOneOf(kShownNames, name) || std::any_of(std::begin(kShownPrefixes), std::end(kShownPrefixes),
                                                [&](auto prefix) { return name.starts_with(prefix); });
  return known && !soundsSecret(name);
}

bool mayDifferByHost(std::string_view name) {
  return isOneOf(kByHost, name);
}

}  // namespace driftbar::kube
