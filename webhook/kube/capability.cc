#include "kube/capability.h"

#include <algorithm>

namespace driftbar::kube {
namespace {

constexpr std::string_view kNames[] = {"CHOWN",
                                       "DAC_OVERRIDE",
                                       "DAC_READ_SEARCH",
                                       "FOWNER",
                                       "FSETID",
                                       "KILL",
                                       "SETGID",
                                       "SETUID",
                                       "SETPCAP",
                                       "LINUX_IMMUTABLE",
                                       "NET_BIND_SERVICE",
                                       "NET_BROADCAST",
                                       "NET_ADMIN",
                                       "NET_RAW",
                                       "IPC_LOCK",
                                       "IPC_OWNER",
                                       "SYS_MODULE",
                                       "SYS_RAWIO",
                                       "SYS_CHROOT",
                                       "SYS_PTRACE",
                                       "SYS_PACCT",
                                       "SYS_ADMIN",
                                       "SYS_BOOT",
                                       "SYS_NICE",
                                       "SYS_RESOURCE",
                                       "SYS_TIME",
                                       "SYS_TTY_CONFIG",
                                       "MKNOD",
                                       "LEASE",
                                       "AUDIT_WRITE",
                                       "AUDIT_CONTROL",
                                       "SETFCAP",
                                       "MAC_OVERRIDE",
                                       "MAC_ADMIN",
                                       "SYSLOG",
                                       "WAKE_ALARM",
                                       "BLOCK_SUSPEND",
                                       "AUDIT_READ",
                                       "PERFMON",
                                       "BPF",
                                       "CHECKPOINT_RESTORE",
                                       "ALL"};

constexpr std::string_view kPrefix = "CAP_";

bool isSmall(char c) {
  return c >= 'a' && c <= 'z';
}

}  // namespace

std::span<const std::string_view> capabilityNames() {
  return kNames;
}

std::string_view plainCapability(std::string_view name, std::string& room) {
  if (std::any_of(name.begin(), name.end(), isSmall)) {
    room.assign(name);
    for (char& c : room) c = isSmall(c) ? static_cast<char>(c - 'a' + 'A') : c;
    name = room;
  }
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  return name;
}

}  // namespace driftbar::kube
