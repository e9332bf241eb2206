// Files as people name them on the command line: a file, a folder of YAML, `-` for standard input.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"

namespace driftbar::cli {

// What may be read.
struct Readable {
  std::size_t mostBytes = 0;  // of one file
  bool pipes = false;  // a pipe or device that is named outright, as a shell's `<(…)` is; never in folders
};

// Objects and inventories: one of 5,000 nodes is 136 MB; a larger file is a mistake, not input.
inline constexpr Readable kInput{256U << 20U, true};
// Policies: a ConfigMap holds 1 MiB.
inline constexpr Readable kPolicyInput{4U << 20U, true};
// Policies that are read again and again while serving: a pipe would make the gate wait for it.
inline constexpr Readable kServedPolicies{4U << 20U, false};

// One file, or standard input for `-`. Errors: not there, cannot be read, a folder, no file, too large.
Result<Source> readFile(const std::string& path, std::istream& standardInput, const Readable& readable);

// The file, or every .yaml, .yml and .json below the folder, in the order of their names. Names that start
// with a dot are left out: editors' files, and the ..data by which a kubelet swaps a mounted ConfigMap (its
// files are reached through the links beside it). Errors: as above, a folder that cannot be listed, links in
// a circle; all of them, not the first.
Result<std::vector<Source>> readTree(const std::string& path, std::istream& standardInput,
                                     const Readable& readable);

}  // namespace driftbar::cli
