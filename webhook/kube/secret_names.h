// Names of variables and options that speak of what nobody else should read.
#pragma once

#include <string_view>

namespace driftbar::kube {

// Whether a name, in words parted by `_`, speaks of a key, a token, a password or the like.
bool soundsSecret(std::string_view name);

}  // namespace driftbar::kube
