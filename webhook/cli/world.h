// What commands judge by, loaded from files: a policy set and an inventory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/terminal.h"
#include "inventory/snapshot.h"
#include "policy/policy.h"

namespace CLI {
class App;
}

namespace driftbar::cli {

// The policies of a file, a folder or `-`, as they are at a time. Warnings go to the terminal. Errors: what
// cannot be read, and everything that is wrong with what could.
Result<std::shared_ptr<const policy::PolicySet>> loadPolicies(const std::string& path, Instant now,
                                                              Terminal& terminal);

// The inventory of a file, a folder or `-`; warnings go to the terminal.
Result<std::shared_ptr<const inventory::Snapshot>> loadInventory(const std::string& path, Terminal& terminal);

// The namespaces, besides `kube-*`, whose pods are never training, and the flag that says others.
std::vector<std::string> defaultSystemNamespaces();
void declareSystemNamespaces(CLI::App& flags, std::vector<std::string>& namespaces);

// Prints what is wrong; returns kUsage.
int cannotGoOn(Terminal& terminal, const Diagnostics& errors);

}  // namespace driftbar::cli
