// The texts of kubernetes.txt and defaults.txt, put into the program at build time.
#pragma once

#include <string_view>

namespace driftbar::schema {

std::string_view kubernetesText();
std::string_view defaultsText();

}  // namespace driftbar::schema
