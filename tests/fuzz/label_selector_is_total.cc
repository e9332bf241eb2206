// A label selector is refused with every error in its place, or matches exactly where all its requirements
// do.
#include <algorithm>

#include "fuzz/property.h"
#include "kube/label_selector.h"

using namespace driftbar;

namespace {

constexpr std::string_view kLabels[] = {
    R"({})",
    R"({"pool":"h100","gpu":"8","example.com/team":"nlp"})",
    R"({"pool":"","gpu":"-1"})",
};

void checkSelector(const kube::LabelSelector& selector) {
  for (const auto text : kLabels) {
    const auto document = JsonDocument::parse(text).value();
    const kube::Labels labels(document.root());
    const auto& all = selector.requirements();
    const bool fits = std::all_of(all.begin(), all.end(), [&](const kube::Requirement& requirement) {
      return requirement.matches(labels.find(requirement.key));
    });
    fuzz::require(selector.matches(labels) == fits, "a selector matches where all its requirements do");
  }
}

// As a node selector's requirement, which knows more operators: In and NotIn, Exists and DoesNotExist are
// opposites.
void checkRequirement(Json expression) {
  const auto read = kube::Requirement::parse(expression, "term", kube::Requirement::Of::kNodeSelector);
  if (!read) return fuzz::requireErrors(read.errors());
  const bool numeric =
      read->op == kube::SelectorOperator::kGreater || read->op == kube::SelectorOperator::kLess;
  fuzz::require(!numeric || read->values.size() == 1, "Gt and Lt have one value");
  fuzz::require(!numeric || !read->matches(std::nullopt), "a label that is not there is not greater or less");
  for (const auto& value : read->values) {
    const bool holds = read->matches(value);
    if (read->op == kube::SelectorOperator::kIn) fuzz::require(holds, "In holds for its values");
    if (read->op == kube::SelectorOperator::kNotIn)
      fuzz::require(!holds, "NotIn does not hold for its values");
    if (numeric) fuzz::require(!holds, "no number is greater or less than itself");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = JsonDocument::parse(fuzz::textOf(data, size));
  if (!document) return 0;
  const auto selector = kube::LabelSelector::parse(document->root(), "selector");
  if (selector) {
    checkSelector(*selector);
  } else {
    fuzz::requireErrors(selector.errors());
    for (const auto& error : selector.errors())
      fuzz::require(error.path.starts_with("selector"), "an error has its path");
  }
  for (const Json expression : document->root()["matchExpressions"].items()) checkRequirement(expression);
  return 0;
}
