#include "policy/workload_class_document.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "policy/compile.h"
#include "policy/document_vocabulary.h"
#include "policy/match_table.h"
#include "policy/path_check.h"
#include "policy/subject_table.h"

namespace driftbar::policy {
namespace {

constexpr std::string_view kSensitiveTo = "sensitiveTo";

// Roots of paths that are about the one request, and gone once the pod is there.
constexpr std::string_view kRequestRoots[] = {"request", "oldObject"};

void refuse(const Location& where, std::string_view what, const char* is, Problems& problems) {
  problems.error(where, "wrong-subject",
                 "a class is of the pod itself, and `" + std::string(what) + "` is " + is,
                 "write it in the policy: under `match`, or as a condition of the rule");
}

void refuseRequest(const Location& where, std::string_view what, Problems& problems) {
  refuse(where, what, "about one request", problems);
}

void checkPath(const yaml::Node& path, Problems& problems) {
  const auto root = std::string_view(path.scalar).substr(0, path.scalar.find_first_of(".["));
  const bool ofRequest =
      std::find(std::begin(kRequestRoots), std::end(kRequestRoots), root) != std::end(kRequestRoots);
  if (ofRequest) refuseRequest(path.where, root, problems);
}

// A pod belongs to its classes for as long as it lives, so nothing may be asked of who makes it or how.
void checkAboutPods(const syntax::Condition& condition, Problems& problems) {
  for (const auto& part : condition.parts) checkAboutPods(part, problems);
  if (condition.path != nullptr) checkPath(*condition.path, problems);
  const yaml::Node* subject = condition.leaf.subject.key;
  if (subject == nullptr) return;
  if (subject->scalar == "requestedBy" || subject->scalar == "changed")
    return refuseRequest(subject->where, subject->scalar, problems);
  if (subject->scalar == "canLandOn")  // asked only while the placement is being settled
    return refuse(subject->where, "canLandOn", "about where it may be placed", problems);
  if (subject->scalar == "field") checkPath(*condition.leaf.subject.value, problems);
}

bool isOfMatch(std::string_view key) {
  const auto rows = matchTable();
  const bool both = subjectRow(key) != nullptr;
  return key == "match" || (!both && std::any_of(rows.begin(), rows.end(),
                                                 [&](const MatchRow& row) { return row.name == key; }));
}

// Keys that the reader of conditions would take for words of its own.
bool checkKeys(const yaml::Node& spec, Problems& problems) {
  constexpr std::string_view kBeside[] = {kSensitiveTo};
  for (const auto& [key, value] : spec.entries) {
    if (key.scalar == "workload") {
      problems.error(key.where, "unknown-key", "a class is not made of other classes",
                     "write the condition out");
      return false;
    }
    if (isOfMatch(key.scalar)) {
      problems.error(
          key.where, "unknown-key",
          "`" + key.scalar + "` is a key of policies, and a class says by a condition which pods it has",
          "write a subject and a test, such as `label: team.example.com/parallel`");
      return false;
    }
    if (nearest(key.scalar, kBeside).empty()) continue;
    problems.unknown(key.where, "key", workloadClassKeys().of, key.scalar, kBeside);
    return false;
  }
  return true;
}

std::shared_ptr<const Condition> membership(const Envelope& document, Problems& problems) {
  yaml::Node rest = *document.spec;
  std::erase_if(rest.entries, [](const auto& entry) { return entry.key.scalar == kSensitiveTo; });
  if (rest.entries.empty()) return nullptr;
  if (!checkKeys(rest, problems)) return nullptr;
  const auto condition = syntax::readCondition(rest, problems);
  if (!condition) return nullptr;
  const std::size_t before = problems.errorCount();
  checkAboutPods(*condition, problems);
  if (problems.errorCount() != before) return nullptr;
  Surroundings around;
  around.kubernetes = clusterMinor(document.kubernetes, problems);
  auto compiled = compileCondition(*condition, around, problems);
  return compiled ? std::make_shared<const Condition>(*std::move(compiled)) : nullptr;
}

std::vector<std::string> sensitivity(const yaml::Node& node, std::vector<DriftClassUse>& uses,
                                     Problems& problems) {
  std::vector<std::string> classes;
  if (node.isList() && node.items.empty()) return classes;  // none, in so many words
  for (auto& use : driftClassesOf(node, kSensitiveTo, problems)) {
    classes.push_back(use.name);
    uses.push_back(std::move(use));
  }
  return classes;
}

WorkloadClass read(const Envelope& document, const WorkloadClasses& before, std::vector<DriftClassUse>& uses,
                   Problems& problems) {
  WorkloadClass made;
  made.name = document.name;
  made.doc = "declared by a document of this name";
  const yaml::Node& spec = *document.spec;
  const std::size_t errors = problems.errorCount();
  made.condition = membership(document, problems);
  const yaml::Node* sensitiveTo = spec.find(kSensitiveTo);
  if (sensitiveTo != nullptr) made.sensitiveTo = sensitivity(*sensitiveTo, uses, problems);
  if (problems.errorCount() != errors) return made;
  if (made.condition == nullptr && before.find(document.name) == nullptr) {
    const auto meant = nearest(document.name, before.names());
    problems.error(document.where, "missing-key",
                   "the class " + quoted(document.name) + " says not which pods belong to it",
                   meant.empty()
                       ? "write a condition beside `sensitiveTo`, such as `label: team.example.com/parallel`"
                       : "did you mean `" + std::string(meant) + "`?");
  } else if (sensitiveTo == nullptr) {
    problems.warning(document.where, "sensitive-to-nothing",
                     "no drift hurts the pods of a class without `sensitiveTo`",
                     "list what does: `sensitiveTo: [gpu, driver]`; or write `[]` where nothing does");
  }
  return made;
}

}  // namespace

std::shared_ptr<const WorkloadClasses> workloadClassesOf(std::span<const Envelope> documents,
                                                         std::vector<DriftClassUse>& uses,
                                                         Problems& problems) {
  const WorkloadClasses builtIn;
  auto classes = std::make_shared<WorkloadClasses>();
  for (const auto& document : documents) {
    if (document.spec == nullptr) {
      // It is broken, which has been told; that policies name it is not wrong as well.
      WorkloadClass broken;
      broken.name = document.name;
      if (!document.name.empty()) classes->put(std::move(broken));
      continue;
    }
    classes->put(read(document, builtIn, uses, problems));
  }
  return classes;
}

}  // namespace driftbar::policy
