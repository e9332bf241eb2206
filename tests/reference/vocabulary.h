// The words of which cases are made: few, so that rules and objects meet in them.
#pragma once

namespace driftbar::reference {

inline constexpr const char* kNow = "2026-12-01T10:00:00Z";

inline constexpr const char* kKeys[] = {"team", "pool", "x.io/a", "tier"};
inline constexpr const char* kKeyGlobs[] = {"x.io/*", "*o*", "t*"};
inline constexpr const char* kTexts[] = {"a", "b",   "8",       "500m",   "1Gi",
                                         "",  "a-b", "535.104", "v1.2.3", "true"};
inline constexpr const char* kPools[] = {"a", "b", "8"};
inline constexpr const char* kNamespaces[] = {"ml", "prod", "lost", "kube-system", "driftbar-system"};
inline constexpr const char* kNames[] = {"bert-0", "eval-1"};
inline constexpr const char* kContainers[] = {"trainer", "sidecar", "setup"};
inline constexpr const char* kImages[] = {"registry/a:1", "registry/b:latest", "other/a:1"};
inline constexpr const char* kResources[] = {"nvidia.com/gpu", "cpu", "rdma/hca"};
inline constexpr const char* kVariables[] = {"NCCL_DEBUG", "NCCL_IB_HCA", "WORLD_SIZE", "HOME"};
inline constexpr const char* kPaths[] = {"/", "/etc", "/mnt/data", "/proc/sys"};
inline constexpr const char* kCapabilities[] = {"SYS_ADMIN", "NET_RAW", "ALL"};
inline constexpr const char* kSysctls[] = {"net.ipv4.tcp_syncookies", "net.core.somaxconn",
                                           "kernel.shm_rmid_forced"};
inline constexpr const char* kAccounts[] = {"default", "runner"};
inline constexpr const char* kOwners[] = {"ReplicaSet", "StatefulSet", "Job", "DaemonSet"};
inline constexpr const char* kConditions[] = {"Ready", "GPUMissing"};
inline constexpr const char* kStatuses[] = {"True", "False", "Unknown"};
inline constexpr const char* kEffects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule"};
inline constexpr const char* kFacts[] = {"nic.mtu", "selinux.mode"};
inline constexpr const char* kUsers[] = {"alice", "bob", "system:serviceaccount:ml:runner", "system:node:n1"};
inline constexpr const char* kGroups[] = {"ml-users", "oncall", "system:nodes"};

}  // namespace driftbar::reference
