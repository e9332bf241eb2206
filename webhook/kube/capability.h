// Capabilities of Linux, as pods name them: `NET_ADMIN`, without `CAP_`, and `ALL` for all of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace driftbar::kube {

// Every name that a kernel has, and `ALL`. Source: include/uapi/linux/capability.h of Linux 6.12.
std::span<const std::string_view> capabilityNames();

// As runtimes read it: in capitals, and without the `CAP_` that some take. `room` holds what had to be
// changed; else it is in `name` itself.
std::string_view plainCapability(std::string_view name, std::string& room);

}  // namespace driftbar::kube
