// Workload classes: which pods belong to `training` and the like, and which classes of drift hurt them.
//
// Some are built in (THE TABLE, in the .cc); a document of the same name replaces one.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/facts.h"
#include "policy/truth.h"

namespace driftbar::policy {

class Condition;

struct WorkloadClass {
  std::string name;
  std::string doc;
  std::vector<std::string> sensitiveTo;  // classes of drift
  // One of the two says which pods belong.
  Truth (*builtIn)(const Facts& facts) = nullptr;
  std::shared_ptr<const Condition> condition;

  // Of the pod or template that is judged; false where there is none, unknown where it is not known.
  Truth has(const Facts& facts) const;
};

// Immutable once made.
class WorkloadClasses {
 public:
  WorkloadClasses();  // those built in
  // Replaces the class of this name. Without a membership of its own it keeps that of the one it replaces.
  void put(WorkloadClass made);

  // Null where there is none. What is returned lives on with whoever holds it.
  std::shared_ptr<const WorkloadClass> find(std::string_view name) const;
  std::vector<std::string_view> names() const;  // sorted
  std::vector<std::shared_ptr<const WorkloadClass>> all() const;

 private:
  std::map<std::string, std::shared_ptr<const WorkloadClass>, std::less<>> byName_;
};

}  // namespace driftbar::policy
