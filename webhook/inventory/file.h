// The inventory that people write or save: Nodes, Namespaces and what rules look up, as YAML or JSON text.
//
// readInventory() is the one way in. It takes texts, for this room reads no files. A text holds any number of
// documents; a document is an object or a list of objects (kind List as `kubectl get -o yaml` prints it,
// NodeList and the like as the API server answers, lists in lists). Fields that driftbar does not know are
// fine. Pods, ReplicaSets, Jobs, any objects are kept as they are, to be looked up by name; what has no name
// is counted and left out.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "base/source.h"
#include "inventory/snapshot.h"
#include "yaml/yaml.h"

namespace driftbar::inventory {

struct FileInventory {
  std::shared_ptr<const Snapshot> snapshot;     // never null
  std::map<std::string, std::size_t> nameless;  // `Kustomization` → how many were left out
  Diagnostics warnings;                         // an inventory without any node
};

// Errors, all of them, each with its place: what yaml::parse refuses, an object without a kind or name, a
// label that is no text, a quantity that is none, two objects of one kind, namespace and
// name.
// `objects` come after the sources: what was read as a part of another text.
Result<FileInventory> readInventory(std::span<const Source> sources,
                                    std::span<const yaml::Node> objects = {});

}  // namespace driftbar::inventory
