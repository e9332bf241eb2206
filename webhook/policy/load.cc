// load: all sources through all stages, and every error of all of them.
#include <algorithm>
#include <deque>
#include <span>
#include <utility>

#include "policy/baseline_document.h"
#include "policy/check.h"
#include "policy/compile.h"
#include "policy/documents.h"
#include "policy/drift_class.h"
#include "policy/exemption.h"
#include "policy/fact_table.h"
#include "policy/match_table.h"
#include "policy/object_check.h"
#include "policy/policy.h"
#include "policy/policy_test.h"
#include "policy/problems.h"
#include "policy/sense.h"
#include "policy/subject_table.h"
#include "policy/syntax.h"
#include "policy/test_table.h"
#include "policy/workload_class.h"
#include "policy/workload_class_document.h"
#include "policy/workload_kind_document.h"
#include "yaml/yaml.h"

namespace driftbar::policy {
namespace {

// The documents must outlive the syntax trees, which point into them.
using Documents = std::deque<yaml::Node>;

void readSource(const Source& source, Documents& documents, Trees& trees, Problems& problems) {
  auto parsed = yaml::parse(source);
  if (!parsed) {
    trees.complete = false;
    return problems.add(std::move(parsed).errors());
  }
  if (parsed->empty()) {
    Location where;
    where.source = source;
    // Not a warning: a file that is being written is empty for a moment, and its rules must stay in force
    // then.
    problems.error(where, "empty-file", "the file has no document", "delete it, or put a policy in it");
  }
  for (auto& node : *parsed) {
    documents.push_back(std::move(node));
    read(documents.back(), trees, problems);
  }
}

void checkTrees(const Trees& trees, Problems& problems) {
  check(trees.policies, problems);
  checkNames(trees.classes, "a WorkloadClass", problems);
  checkNames(trees.kinds, "a WorkloadKind", problems);
  checkNames(trees.exemptions, "an Exemption", problems);
  checkNames(trees.baselines, "a NodeBaseline", problems);
}

PolicySet compileAll(const Trees& trees, std::optional<Instant> now, Problems& problems) {
  std::vector<DriftClassUse> uses;
  Declared declared;
  declared.classes = workloadClassesOf(trees.classes, uses, problems);
  declared.kinds = workloadKindsOf(trees.kinds, problems);
  std::vector<Policy> policies;
  for (const auto& tree : trees.policies) policies.push_back(compile(tree, declared, problems));
  Declarations made;
  made.classes = declared.classes;
  made.kinds = declared.kinds;
  made.exemptions = exemptionsOf(trees, declared, now, problems);
  made.baselines = baselinesOf(trees.baselines, uses, problems);
  for (const auto& tree : trees.policies) {
    for (const auto& rule : tree.rules) {
      if (rule.condition) addDriftClasses(*rule.condition, uses);
    }
  }
  if (trees.complete) warnOfLoneDriftClasses(uses, problems);
  if (problems.errorCount() == 0) checkSense(trees.policies, policies, problems);
  return PolicySet(std::move(policies), std::move(made));
}

// The names in tests, where the policies are there and right: else everything would be unknown.
void checkNames(const std::vector<PolicyTest>& tests, const std::shared_ptr<const PolicySet>& set,
                Problems& problems) {
  checkTestNames(tests, problems);
  if (problems.errorCount() > 0 || set->policies().empty()) return;
  for (const auto& test : tests) judging(test, {&set, 1}, problems);
}

void checkInside(const TestObject& one, Problems& problems) {
  if (one.object.isMap()) checkObject(one.object, problems);
}

// The objects that tests have inside of them.
void checkObjects(const std::vector<PolicyTest>& tests, Problems& problems) {
  for (const auto& test : tests) {
    for (const auto& one : test.inventory) checkInside(one, problems);
    for (const auto& asked : test.cases) {
      if (asked.old) checkInside(*asked.old, problems);
      checkInside(asked.object, problems);
    }
  }
}

// A folder of nothing but these is one that other folders use.
bool declares(const Trees& trees) {
  return !trees.kinds.empty() || !trees.classes.empty() || !trees.baselines.empty();
}

void checkPolicies(const Trees& trees, const PolicySet& set, const LoadOptions& options, Problems& problems) {
  if (!options.needsPolicy || !set.policies().empty() || !trees.tests.empty() || problems.errorCount() > 0)
    return;
  constexpr char kMessage[] = "there is no policy";
  if (options.checkTests && declares(trees)) {
    problems.warning({}, "no-policies", kMessage,
                     "give the folder of the policies too, for what is declared here is used by them");
  } else {
    problems.error({}, "no-policies", kMessage,
                   "a policy is a document with `apiVersion: driftbar.io/v1alpha1` and `kind: Policy`");
  }
}

// By source, then by place, so that people read from top to bottom whatever stage found it.
void sort(Diagnostics& diagnostics, const std::vector<Source>& sources) {
  const auto rank = [&](const Diagnostic& d) {
    const auto at = std::find(sources.begin(), sources.end(), d.where.source) - sources.begin();
    return std::tuple(at, d.where.line, d.where.column);
  };
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return rank(a) < rank(b); });
}

}  // namespace

std::string_view toString(Verb verb) {
  for (const auto& row : syntax::verbs()) {
    if (row.verb == verb) return row.name;
  }
  return {};
}

std::string_view toString(Mode mode) {
  switch (mode) {
    case Mode::kEnforce:
      return "enforce";
    case Mode::kWarn:
      return "warn";
    case Mode::kAudit:
      return "audit";
  }
  return {};
}

namespace {

Truth allOf(std::span<const Match::Named> keys, const Facts& facts) {
  Truth all = Truth::kTrue;
  for (const auto& key : keys) {
    all = both(all, key.fits(facts));
    if (all == Truth::kFalse) break;
  }
  return all;
}

}  // namespace

Truth Match::fitsRequest(const Facts& facts) const {
  return allOf(keys_.ofRequest, facts);
}

Truth Match::fitsBeyond(const Facts& facts) const {
  return allOf(keys_.beyond, facts);
}

Truth Match::fits(const Facts& facts) const {
  const Truth request = fitsRequest(facts);
  return request == Truth::kFalse ? request : both(request, fitsBeyond(facts));
}

std::string_view Match::misfit(const Facts& facts) const {
  for (const auto* keys : {&keys_.ofRequest, &keys_.beyond}) {
    for (const auto& key : *keys) {
      if (key.fits(facts) == Truth::kFalse) return key.name;
    }
  }
  return {};
}

std::string Policy::leftOutBy(const Facts& facts) const {
  if (const auto key = match.misfit(facts); !key.empty()) return "match." + std::string(key);
  for (std::size_t i = 0; i < except.size(); ++i) {
    if (except[i].fits(facts) == Truth::kTrue) return "except[" + std::to_string(i) + "]";
  }
  return {};
}

// What the request alone tells comes first, in match and in every exception: nothing is looked up for a
// policy that does not look at the request anyway.
Truth Policy::looksAt(const Facts& facts) const {
  Truth looks = match.fitsRequest(facts);
  const auto takeOut = [&](bool beyond) {
    for (const auto& entry : except) {
      if (looks == Truth::kFalse) return;
      if (entry.asksBeyond() == beyond) looks = both(looks, !entry.fits(facts));
    }
  };
  takeOut(false);
  if (looks != Truth::kFalse) looks = both(looks, match.fitsBeyond(facts));
  takeOut(true);
  return looks;
}

bool Policy::concerns(const Rule& rule, const Facts& facts) const {
  if (match.resources()) return true;
  switch (rule.about) {
    case About::kPods:
      return facts.about == Facts::About::kPod || facts.about == Facts::About::kWorkload;
    case About::kNodes:
      return facts.about == Facts::About::kNode;
    case About::kObjects:
      break;
  }
  return false;
}

PolicySet::PolicySet(std::vector<Policy> policies, Declarations declared)
    : policies_(std::move(policies)), declared_(std::move(declared)) {
  if (declared_.classes == nullptr) declared_.classes = std::make_shared<const WorkloadClasses>();
  if (declared_.kinds == nullptr) declared_.kinds = shippedKinds();
  std::sort(policies_.begin(), policies_.end(),
            [](const Policy& a, const Policy& b) { return a.name < b.name; });
}

const Policy* PolicySet::find(std::string_view name) const {
  const auto found =
      std::find_if(policies_.begin(), policies_.end(), [&](const Policy& p) { return p.name == name; });
  return found == policies_.end() ? nullptr : &*found;
}

std::size_t PolicySet::ruleCount() const {
  std::size_t count = 0;
  for (const auto& policy : policies_) count += policy.rules.size();
  return count;
}

Loaded load(const std::vector<Source>& sources, const LoadOptions& options) {
  Problems problems;
  Documents documents;
  Trees trees;
  trees.withTests = options.checkTests;
  for (const auto& source : sources) readSource(source, documents, trees, problems);
  checkTrees(trees, problems);
  auto set = std::make_shared<const PolicySet>(compileAll(trees, options.now, problems));
  checkPolicies(trees, *set, options, problems);
  checkNames(trees.tests, set, problems);
  checkObjects(trees.tests, problems);
  Loaded loaded;
  loaded.tests = trees.tests.size();
  if (problems.errorCount() == 0) loaded.set = std::move(set);
  loaded.diagnostics = problems.take();
  sort(loaded.diagnostics, sources);
  return loaded;
}

std::vector<Word> words() {
  std::vector<Word> all;
  for (const auto& row : subjectTable()) all.push_back({row.name, "a subject", row.doc, row.example});
  for (const auto& row : testTable()) all.push_back({row.name, "a test", row.doc, row.example});
  for (const auto& row : matchTable()) all.push_back({row.name, "match", row.doc, row.example});
  static const WorkloadClasses kBuiltIn;
  for (const auto& row : kBuiltIn.all()) all.push_back({row->name, "a workload class", row->doc, {}});
  const auto add = [&](std::string_view of, std::span<const Key> keys) {
    for (const auto& key : keys)
      if (!key.later) all.push_back({key.name, of, key.doc, {}});
  };
  add("a condition", syntax::conditionKeys());
  add("beside a subject", modifierKeys());
  for (const auto& row : factTable()) all.push_back({row.name, "a fact", row.doc, {}});
  add("a kind of document", documentKinds());
  for (const auto* set : allKeySets()) add(set->about, set->keys);
  return all;
}

}  // namespace driftbar::policy
