// Store: the inventory while it changes. What a list or a watch brings is put in, snapshots are taken out.
//
// Objects are shared between the store and every snapshot that holds them; a snapshot is a copy of two lists
// of pointers (at 5,000 nodes some 80 kB). A store is not safe for several threads at once; its snapshots
// are.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "inventory/snapshot.h"

namespace driftbar::inventory {

enum class Kind { kNode, kNamespace };

// One object of the inventory; never null.
using Object = std::variant<NodePtr, NamespacePtr>;

// Reads an object of this kind; the errors are those of kube::Node::parse and Namespace::parse.
Result<Object> parseObject(Kind kind, Json object);

Kind kindOf(const Object& object);
std::string_view nameOf(const Object& object);

class Store {
 public:
  // Adds the object, or takes it in the place of the one of its kind and name.
  void put(Object object);
  // False where there was none.
  bool remove(Kind kind, std::string_view name);
  // Makes these, all of this kind, the only objects of it. One that is held already in the same version (uid
  // and resourceVersion) stays the same object, so that what is remembered by its address stays good. Of two
  // of one name the later counts.
  void replace(Kind kind, std::vector<Object> objects);

  std::optional<Object> find(Kind kind, std::string_view name) const;
  std::size_t count(Kind kind) const;
  std::shared_ptr<const Snapshot> snapshot() const;

 private:
  std::vector<NodePtr> nodes_;            // sorted by name, as a snapshot wants them
  std::vector<NamespacePtr> namespaces_;  // sorted by name
};

}  // namespace driftbar::inventory
