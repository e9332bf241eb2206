#include "policy/selector.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace driftbar::policy {

namespace {

constexpr std::string_view kKeys[] = {"matchLabels", "matchExpressions"};

bool isKey(std::string_view word) {
  return std::find(std::begin(kKeys), std::end(kKeys), word) != std::end(kKeys);
}

// Labels that stand where `matchLabels` stands.
bool hasStrayKeys(const yaml::Node& selector, std::string_view of, Problems& problems) {
  bool any = false;
  for (const auto& [key, value] : selector.entries) {
    if (isKey(key.scalar)) continue;
    any = true;
    const auto meant = nearest(key.scalar, kKeys);
    problems.error(key.where, "unknown-key",
                   "unknown key `" + shortened(printable(key.scalar), 60) + "` in `" + std::string(of) + "`",
                   !meant.empty()   ? "did you mean `" + std::string(meant) + "`?"
                   : value.isText() ? "write `{matchLabels: {" + printable(key.scalar) + ": " +
                                          printable(value.scalar) + "}}`"
                                    : "here may stand " + listed(kKeys));
  }
  return any;
}

}  // namespace

std::optional<kube::LabelSelector> selectorOf(const yaml::Node& node, std::string_view of,
                                              Problems& problems) {
  if (!node.isMap()) {
    problems.wrongType(node, of, "a label selector", "write {matchLabels: {pool: h100}}");
    return std::nullopt;
  }
  const bool stray = hasStrayKeys(node, of, problems);
  yaml::Node known = node;
  std::erase_if(known.entries, [](const auto& entry) { return !isKey(entry.key.scalar); });
  const auto json = yaml::toJson(known);
  if (!json) {
    problems.add(json.errors());
    return std::nullopt;
  }
  auto selector = kube::LabelSelector::parse(json->root(), of);
  if (selector) return stray ? std::nullopt : std::optional(*std::move(selector));
  for (const auto& d : selector.errors()) {
    const std::string path = d.path.empty() ? std::string(of) : d.path;
    problems.error(node.where, d.id, path + ": " + d.message, d.help);
  }
  return std::nullopt;
}

namespace {

std::string listedIn(const std::vector<std::string>& values) {
  std::string out;
  for (const auto& value : values) out += (out.empty() ? "" : ", ") + value;
  return "(" + out + ")";
}

std::string shown(const kube::Requirement& one) {
  using Op = kube::SelectorOperator;
  switch (one.op) {
    case Op::kIn:
      return one.values.size() == 1 ? one.key + "=" + one.values[0] : one.key + " in " + listedIn(one.values);
    case Op::kNotIn:
      return one.key + " notin " + listedIn(one.values);
    case Op::kDoesNotExist:
      return "!" + one.key;
    default:
      return one.key;
  }
}

}  // namespace

std::string shown(const kube::LabelSelector& selector) {
  std::string out;
  for (const auto& one : selector.requirements()) out += (out.empty() ? "" : ", ") + shown(one);
  return out.empty() ? "any labels" : out;
}

}  // namespace driftbar::policy
