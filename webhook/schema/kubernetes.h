// The text of kubernetes.txt, put into the program at build time.
#pragma once

#include <string_view>

namespace driftbar::schema {

std::string_view kubernetesText();

}  // namespace driftbar::schema
