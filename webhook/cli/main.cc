// driftbar: a thin front of the library. Everything that it does is in cli/program.cc and the commands.
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>
#include <vector>

#include "cli/command.h"

int main(int argc, char** argv) try {
  const bool color = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  driftbar::cli::Terminal terminal{std::cin, std::cout, std::cerr, color};
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  const int code = driftbar::cli::runProgram(arguments, terminal);
  if (std::cout.flush()) return code;
  std::cerr << "driftbar: the result could not be written\n";
  return driftbar::cli::kInternal;
} catch (const std::exception& bug) {
  std::cerr << "driftbar: stopped by an error of its own: " << bug.what() << "\n";
  return driftbar::cli::kInternal;
}
