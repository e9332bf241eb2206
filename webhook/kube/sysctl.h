// Sysctls by name: `net.core.somaxconn` and `net/core/somaxconn` are the same one.
#pragma once

#include <string>
#include <string_view>

namespace driftbar::kube {

// The name with dots. `room` holds it where it was written with slashes; else it is `name` itself. Source:
// component-helpers node/util/sysctl NormalizeName.
std::string_view dottedSysctl(std::string_view name, std::string& room);

// Whether Kubernetes 1.37 counts it as safe: it is the pod's own, and touches no other. `dotted` as above.
// On kernels that do not keep some of them apart, a kubelet takes those for unsafe; which kernel a pod will
// find is not known.
bool isSafeSysctl(std::string_view dotted);

// Whether the API server takes it as the name of a pod's sysctl. Source: apis/core/validation
// IsValidSysctlName.
bool isSysctlName(std::string_view name);

}  // namespace driftbar::kube
