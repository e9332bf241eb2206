// File descriptors: how many this process may have, and how many connections that allows.
//
// A front that took the last descriptor would blind the whole process: no probe could be answered, no policy
// or certificate read, no watch begun anew. So it takes part of them only.
#pragma once

#include <cstddef>

#include "server/limits.h"

namespace driftbar::server {

// The ops port's 80 connections, and some dozens for listeners, threads, the watch and files being read.
inline constexpr std::size_t kOtherDescriptors = 128;

// Raises the soft limit to the hard one, as Go's runtime does at every start (the soft one is 1,024 by a
// tradition of select(), which nothing here uses), and returns the limit that is then in force.
std::size_t raiseDescriptorLimit();

// `bounds` with as many connections as leave kOtherDescriptors of `descriptors`, or half where there are few.
Bounds within(std::size_t descriptors, Bounds bounds);

}  // namespace driftbar::server
