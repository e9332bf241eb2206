// path_check: holds the path of a field to what Kubernetes has (schema/shape.h), and says what is wrong with
// it and where in the text.
//
// A path below something without a shape is not looked at. A field that the older of the releases known here
// does not have is a warning, until the policy says by its annotation `driftbar.io/kubernetes` that its
// cluster is newer; where the cluster is said to be newer than all that is known here, an unknown field is a
// warning too.
#pragma once

#include <optional>
#include <string_view>

#include "base/field_path.h"
#include "policy/problems.h"
#include "policy/scope.h"
#include "policy/vocabulary.h"
#include "policy/zero_values.h"
#include "schema/shape.h"
#include "yaml/yaml.h"

namespace driftbar::policy {

struct CheckedPath {
  bool good = true;                      // nothing is wrong with it
  const schema::Shape* shape = nullptr;  // of the values that it leads to; null: not known
  std::optional<ZeroValue> zero = {};    // what their absence means
};

// `node` is the text of `path`, whose steps from number `first` on are followed from a shape (null: not
// known).
CheckedPath checkPath(const yaml::Node& node, const FieldPath& path, std::size_t first,
                      const schema::Shape* from, const Surroundings& around, Problems& problems);

// Of a path whose step number `first` is the `containers` of `pod.containers`: what one of the three kinds of
// containers has is there.
CheckedPath checkContainers(const yaml::Node& node, const FieldPath& path, std::size_t first,
                            const Surroundings& around, Problems& problems);

// Whether `some` and `every`, of which `word` is one, find elements where the path leads.
bool checkElements(const yaml::Node& node, std::string_view word, const FieldPath& path,
                   const CheckedPath& checked, Problems& problems);

// What the annotation says: the minor of the cluster's version; 0 where there is none, or it is wrong.
int clusterMinor(const yaml::Node* annotation, Problems& problems);

// The warning about what only newer releases have; `what` is a field or word. None where the cluster is new.
void warnOfNewer(const Location& where, const std::string& what, const Surroundings& around,
                 Problems& problems);

// Whether the cluster is newer than what is known here.
bool isBeyondSchema(const Surroundings& around);

// The place of a part of a scalar's text; the whole of it where the part can't be found on its line.
Location inside(const yaml::Node& node, std::size_t offset, std::size_t width);

// `it has …`, or where people find what a shape with many fields has; `path` is the way to it as written.
std::string fieldsOf(const schema::Shape& shape, std::string_view path);

}  // namespace driftbar::policy
