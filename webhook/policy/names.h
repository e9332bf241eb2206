// Names that stand beside a keyed subject: one, a list, or globs.
#pragma once

#include <optional>
#include <string_view>

#include "policy/subject_table.h"

namespace driftbar::policy {

// Whether it is one of the argument's names, which may be globs.
bool nameFits(const Argument& argument, std::string_view name);

// Reports a key that no label, annotation or taint can have.
bool checkLabelKey(const yaml::Node& node, std::string_view of, Problems& problems);

// A name, a glob, or a list of them. `keysOfLabels`: each must be one that a label could have.
std::optional<Argument> namesBeside(const syntax::Leaf& leaf, std::string_view of, bool keysOfLabels,
                                    Problems& problems);

}  // namespace driftbar::policy
