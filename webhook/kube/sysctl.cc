#include "kube/sysctl.h"

#include <algorithm>
#include <iterator>

namespace driftbar::kube {
namespace {

// Source: pkg/kubelet/sysctl/safe_sysctls.go of 1.37; pod-security-admission/policy/check_sysctls.go has the
// same.
constexpr std::string_view kSafe[] = {"kernel.shm_rmid_forced",
                                      "net.ipv4.ip_local_port_range",
                                      "net.ipv4.tcp_syncookies",
                                      "net.ipv4.ping_group_range",
                                      "net.ipv4.ip_unprivileged_port_start",
                                      "net.ipv4.ip_local_reserved_ports",
                                      "net.ipv4.tcp_keepalive_time",
                                      "net.ipv4.tcp_fin_timeout",
                                      "net.ipv4.tcp_keepalive_intvl",
                                      "net.ipv4.tcp_keepalive_probes",
                                      "net.ipv4.tcp_rmem",
                                      "net.ipv4.tcp_wmem",
                                      "net.ipv4.tcp_slow_start_after_idle",
                                      "net.ipv4.tcp_notsent_lowat"};

constexpr std::size_t kLongestName = 253;

bool isAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string_view dottedSysctl(std::string_view name, std::string& room) {
  const auto first = name.find_first_of("./");
  if (first == std::string_view::npos || name[first] == '.') return name;
  room.assign(name);
  for (char& c : room) c = c == '/' ? '.' : c == '.' ? '/' : c;
  return room;
}

bool isSafeSysctl(std::string_view dotted) {
  return std::find(std::begin(kSafe), std::end(kSafe), dotted) != std::end(kSafe);
}

bool isSysctlName(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  char before = '.';
  for (const char c : name) {
    const bool separates = c == '.' || c == '/';
    if (separates && !isAlphanumeric(before)) return false;
    if (!separates && c != '-' && c != '_' && !isAlphanumeric(c)) return false;
    if ((c == '-' || c == '_') && (before == '.' || before == '/')) return false;
    before = c;
  }
  return isAlphanumeric(before);
}

}  // namespace driftbar::kube
