// Terminal: where a command's results and errors go, and whether a person is looking.
#pragma once

#include <iosfwd>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

namespace driftbar::cli {

struct Terminal {
  std::istream& in;
  std::ostream& out;   // results
  std::ostream& err;   // errors, warnings, progress
  bool color = false;  // a terminal is there, and NO_COLOR is not set
};

// What scripts can rely on, everywhere.
enum ExitCode : int {
  kGood = 0,         // allowed, no finding
  kFinding = 1,      // refused, a failed case, an error in a policy
  kUsage = 2,        // wrong usage, or input that cannot be read
  kUnreachable = 3,  // the cluster could not be reached
  kInternal = 70,    // an error of the program's own (EX_SOFTWARE of sysexits.h)
};

enum class Paint { kRed, kGreen, kYellow, kBold };
// The text, painted where color is on.
std::string painted(const Terminal& terminal, Paint paint, std::string_view text);

}  // namespace driftbar::cli
