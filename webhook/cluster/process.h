// A program run to its end, with a deadline: what credential plugins need.
#pragma once

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace driftbar::cluster {

struct Program {
  std::string command;  // looked for on PATH where it has no slash
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // over our own
};

struct ProgramEnd {
  int exitCode = 0;  // 128 and the signal's number where a signal ended it, as shells count
  std::string out, err;
};

// Runs the program in a process group of its own, with nothing to read on its standard input, and kills the
// group at the deadline, when `stop` is asked for, or when it writes more than kMaxOutput. Errors: it cannot
// be started, or was killed so.
inline constexpr std::size_t kMaxOutput = 1024 * 1024;  // a token and a chain of certificates are some 20 kB
Result<ProgramEnd> run(const Program& program, Duration deadline, std::stop_token stop);

}  // namespace driftbar::cluster
