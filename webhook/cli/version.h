// What this program is and what it was built with.
#pragma once

#include <string>

namespace driftbar::cli {

std::string version();              // `driftbar 0.1.0`, with a line end
std::string versionOfEverything();  // and a line for each library, as linked

}  // namespace driftbar::cli
