#include "oracle/shrink.h"

namespace driftbar::oracle {
namespace {

using Pointer = Row::json_pointer;

// Every part below `at`, the outer before the inner: to lose much at once is tried first.
void collect(const Row& part, const Pointer& at, std::vector<Pointer>& out) {
  if (part.is_object()) {
    for (const auto& [key, value] : part.items()) {
      out.push_back(at / key);
      collect(value, at / key, out);
    }
  } else if (part.is_array()) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      out.push_back(at / i);
      collect(part[i], at / i, out);
    }
  }
}

Row without(const Row& row, const Pointer& at) {
  Row made = row;
  Row& parent = made.at(at.parent_pointer());
  if (parent.is_array()) {
    parent.erase(std::stoul(at.back()));
  } else {
    parent.erase(at.back());
  }
  return made;
}

// One pass; false where nothing could be taken away.
bool shrinkOnce(Row& row, const std::function<bool(const Row&)>& fails) {
  std::vector<Pointer> parts;
  collect(row, Pointer(), parts);
  for (const auto& at : parts) {
    if (at.to_string() == "/kind") continue;
    Row smaller = without(row, at);
    if (!fails(smaller)) continue;
    row = std::move(smaller);
    return true;
  }
  return false;
}

}  // namespace

Row smallest(Row row, const std::function<bool(const Row&)>& fails) {
  while (shrinkOnce(row, fails)) {
  }
  return row;
}

}  // namespace driftbar::oracle
