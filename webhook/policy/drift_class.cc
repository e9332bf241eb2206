#include "policy/drift_class.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "kube/labels.h"

namespace driftbar::policy {
namespace {

constexpr std::string_view kBuiltIn[] = {"gpu",    "driver", "rdma",    "nccl",
                                         "kernel", "os",     "storage", "security"};

// The taint of a drifted node is named by the class, and so it must make a taint's key.
constexpr std::string_view kTaintPrefix = "drift.driftbar.io/";

bool isBuiltIn(std::string_view name) {
  return std::find(std::begin(kBuiltIn), std::end(kBuiltIn), name) != std::end(kBuiltIn);
}

bool checkClass(const yaml::Node& word, Problems& problems) {
  if (kube::isLabelKey(std::string(kTaintPrefix) + word.scalar)) return true;
  problems.error(word.where, "bad-name", quoted(word.scalar) + " can't be a class of drift",
                 "nodes are tainted by its name, so it has at most 63 letters, digits, `-`, `_` and `.`");
  return false;
}

}  // namespace

std::span<const std::string_view> builtInDriftClasses() {
  return kBuiltIn;
}

std::vector<DriftClassUse> driftClassesOf(const yaml::Node& node, std::string_view of, Problems& problems) {
  std::vector<DriftClassUse> uses;
  for (const yaml::Node* word : wordsOf(node, of, problems)) {
    if (checkClass(*word, problems)) uses.push_back({word->scalar, word->where});
  }
  return uses;
}

void addDriftClasses(const syntax::Condition& condition, std::vector<DriftClassUse>& uses) {
  for (const auto& part : condition.parts) addDriftClasses(part, uses);
  const syntax::Leaf& leaf = condition.leaf;
  if (leaf.subject.key == nullptr || leaf.subject.key->scalar != "drift") return;
  const yaml::Node* classes = leaf.subject.value->find("class");
  if (classes == nullptr) return;
  if (classes->isText()) uses.push_back({classes->scalar, classes->where});
  for (const auto& item : classes->items) {
    if (item.isText()) uses.push_back({item.scalar, item.where});
  }
}

void warnOfLoneDriftClasses(std::span<const DriftClassUse> uses, Problems& problems) {
  std::map<std::string_view, int> counts;
  for (const auto& use : uses) ++counts[use.name];
  for (const auto& use : uses) {
    if (isBuiltIn(use.name) || counts[use.name] > 1) continue;
    std::vector<std::string_view> others(std::begin(kBuiltIn), std::end(kBuiltIn));
    for (const auto& [name, count] : counts) {
      if (count > 1 && !isBuiltIn(name)) others.push_back(name);
    }
    const auto meant = nearest(use.name, others);
    problems.warning(use.where, "lone-class",
                     "the class of drift `" + use.name + "` is used in this place only",
                     meant.empty() ? "name it also where drift is declared or where it hurts; built in are " +
                                         listed(kBuiltIn, "and")
                                   : "did you mean `" + std::string(meant) + "`?");
  }
}

}  // namespace driftbar::policy
