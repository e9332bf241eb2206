#include "policy/selector.h"

namespace driftbar::policy {

std::optional<kube::LabelSelector> selectorOf(const yaml::Node& node, std::string_view of,
                                              Problems& problems) {
  if (!node.isMap()) {
    problems.wrongType(node, of, "a label selector", "write {matchLabels: {pool: h100}}");
    return std::nullopt;
  }
  const auto json = yaml::toJson(node);
  if (!json) {
    problems.add(json.errors());
    return std::nullopt;
  }
  auto selector = kube::LabelSelector::parse(json->root(), of);
  if (selector) return *std::move(selector);
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
