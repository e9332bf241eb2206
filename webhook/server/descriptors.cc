#include "server/descriptors.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

namespace driftbar::server {

std::size_t raiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<std::size_t>::max();
  const rlimit raised{limit.rlim_max, limit.rlim_max};
  return setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

Bounds within(std::size_t descriptors, Bounds bounds) {
  const std::size_t most = descriptors - std::min(kOtherDescriptors, descriptors / 2);
  if (bounds.connections + bounds.overflow <= most) return bounds;
  bounds.overflow = most / 9;  // the proportion of the bounds as they are
  bounds.connections = most - bounds.overflow;
  return bounds;
}

}  // namespace driftbar::server
