#include "cli/world.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "cli/files.h"
#include "inventory/file.h"

namespace driftbar::cli {

Result<std::shared_ptr<const policy::PolicySet>> loadPolicies(const std::string& path, Instant now,
                                                              Terminal& terminal) {
  auto sources = readTree(path, terminal.in, kPolicyInput);
  if (!sources) return std::move(sources).errors();
  auto loaded = policy::load(*sources, {.now = now});
  if (loaded.set == nullptr) return std::move(loaded.diagnostics);
  terminal.err << render(loaded.diagnostics);
  return loaded.set;
}

Result<std::shared_ptr<const inventory::Snapshot>> loadInventory(const std::string& path,
                                                                 Terminal& terminal) {
  auto sources = readTree(path, terminal.in, kInput);
  if (!sources) return std::move(sources).errors();
  auto read = inventory::readInventory(*sources);
  if (!read) return std::move(read).errors();
  terminal.err << render(read->warnings);
  return read->snapshot;
}

std::vector<std::string> defaultSystemNamespaces() {
  return {"driftbar-system"};  // the gate's own
}

void declareSystemNamespaces(CLI::App& flags, std::vector<std::string>& namespaces) {
  flags
      .add_option("--system-namespaces", namespaces,
                  "namespaces whose pods are never training, besides kube-*; globs")
      ->type_name("NAMES")
      ->delimiter(',')
      ->capture_default_str();
}

int cannotGoOn(Terminal& terminal, const Diagnostics& errors) {
  terminal.err << render(errors);
  return kUsage;
}

}  // namespace driftbar::cli
