#include "cli/world.h"

#include <utility>

#include "cli/files.h"
#include "inventory/file.h"

namespace driftbar::cli {

Result<std::shared_ptr<const policy::PolicySet>> loadPolicies(const std::string& path, Terminal& terminal) {
  auto sources = readTree(path, terminal.in);
  if (!sources) return std::move(sources).errors();
  auto loaded = policy::load(*sources);
  if (loaded.set == nullptr) return std::move(loaded.diagnostics);
  terminal.err << render(loaded.diagnostics);
  return loaded.set;
}

Result<std::shared_ptr<const inventory::Snapshot>> loadInventory(const std::string& path,
                                                                 Terminal& terminal) {
  auto sources = readTree(path, terminal.in);
  if (!sources) return std::move(sources).errors();
  auto read = inventory::readInventory(*sources);
  if (!read) return std::move(read).errors();
  terminal.err << render(read->warnings);
  return read->snapshot;
}

int cannotGoOn(Terminal& terminal, const Diagnostics& errors) {
  terminal.err << render(errors);
  return kUsage;
}

}  // namespace driftbar::cli
