// Files of the repository that are compiled into the program, by their paths. cmake/embed.cmake writes them.
#pragma once

#include <string_view>

namespace driftbar {

struct EmbeddedFile {
  std::string_view path;  // `policies/training-nodes/policy.yaml`
  std::string_view text;
};

}  // namespace driftbar
