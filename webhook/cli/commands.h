// What each command's file offers to the table in commands.cc.
#pragma once

#include "cli/command.h"

namespace driftbar::cli {

Run declareDemo(CLI::App& flags);
Run declareExplain(CLI::App& flags);
Run declareExplainLanguage(CLI::App& flags);
Run declareLint(CLI::App& flags);
Run declareReview(CLI::App& flags);
Run declareSchema(CLI::App& flags);
Run declareServe(CLI::App& flags);
Run declareTest(CLI::App& flags);

}  // namespace driftbar::cli
