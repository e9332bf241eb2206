// Files as people name them on the command line: a file, a folder of YAML, `-` for standard input.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"

namespace driftbar::cli {

// A policy or an inventory of 5,000 nodes is a few dozen MiB at most; a larger file is a mistake, not input.
inline constexpr std::size_t kMaxFileBytes = 256 * 1024 * 1024;

// One file, or standard input for `-`. Errors: not there, cannot be read, a folder, too large.
Result<Source> readFile(const std::string& path, std::istream& standardInput);

// The file, or every .yaml, .yml and .json below the folder, in the order of their names. Names that start
// with a dot are left out: editors' files, and the ..data by which a kubelet swaps a mounted ConfigMap (its
// files are reached through the links beside it). Errors: as above, a folder that cannot be listed, links in
// a circle; all of them, not the first.
Result<std::vector<Source>> readTree(const std::string& path, std::istream& standardInput);

}  // namespace driftbar::cli
