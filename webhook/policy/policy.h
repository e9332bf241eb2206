// PolicySet: the compiled policies, and the two questions that are asked of them: does a request fit a policy, and
// does it break a rule.
//
// load() is the way in; it gathers every error of every file. What it returns is immutable, shared between threads,
// and evaluating it is total: no exception, no side effect, cost bounded by the request and the set. Evidence is
// gathered only where it is asked for, so the common answer allocates nothing.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/source.h"
#include "base/time.h"
#include "kube/labels.h"
#include "kube/node.h"
#include "kube/pod.h"
#include "kube/review.h"

namespace driftbar::policy {

enum class Mode { kEnforce, kWarn, kAudit };
enum class Verb { kDeny, kRequire, kAvoidNodes };
enum class Answer { kDeny, kWarn, kAllow };  // what onUnknown and staleInventory can say
enum class Truth { kFalse, kTrue, kUnknown };

// What a condition may look at. Views; valid while the review and the snapshot live.
struct Facts {
  const kube::Request* request = nullptr;
  kube::Pod pod;                                 // the pod judged; of rules on nodes: none
  Json object, oldObject;                        // as judged: for the old half of an update, object is the old one
  const kube::Labels* namespaceLabels = nullptr;  // null: not known
  Json namespaceObject;
  const kube::Node* node = nullptr;  // the candidate, in avoidNodes
  Instant now{};
};

// Why a condition holds, or does not: one place and what is there.
struct Evidence {
  std::string place;     // `spec.containers["main"].image`, `metadata.labels.team`: the same for the same thing in an
                         // old and a new object
  std::string value;     // raw; with the place what an update is compared by
  std::string sentence;  // printable: `label driftbar.io/drift is "critical"`, `image of container "main" is "x"`
  std::string expected;  // printable: `must not be there`, `must be one of "a", "b"`; may be empty
};

struct Judgement {
  Truth broken = Truth::kFalse;
  std::vector<Evidence> evidence;  // of what breaks it or cannot be told
};

class Condition;  // compiled; see condition.h

struct Rule {
  std::string name;
  std::string id;  // policy/rule
  Verb verb = Verb::kDeny;
  Mode mode = Mode::kEnforce;
  std::optional<Answer> onUnknown;       // absent: the contract's default, which depends on what is unknown
  std::optional<Answer> staleInventory;  // absent: deny in enforce, else warn
  bool alwaysOnUpdate = false;           // onUpdate: always
  bool denyOnError = true;
  int minSafe = 1;
  bool whenAny = false;  // when: any
  std::string message, fix, docs;
  Location where;
  std::shared_ptr<const Condition> condition;

  // Broken: of deny and avoidNodes when the condition holds, of require when it does not. avoidNodes wants facts.node.
  Truth broken(const Facts& facts) const;
  Judgement judge(const Facts& facts) const;  // the same, with the evidence
};

class Match;  // compiled match and except; see match.h

struct Policy {
  std::string name, description;
  Mode mode = Mode::kEnforce;
  std::vector<Rule> rules;
  std::shared_ptr<const Match> match;

  // Whether the policy looks at this request: its match holds and no entry of except does. Unknown where a label of a
  // namespace that is not known would decide.
  Truth fits(const Facts& facts) const;
  // match.ownedBy or kinds names DaemonSet: then DaemonSets' pods are not left alone in avoidNodes.
  bool meansDaemonSets() const;
};

class PolicySet {
 public:
  explicit PolicySet(std::vector<Policy> policies) : policies_(std::move(policies)) {}
  std::span<const Policy> policies() const { return policies_; }  // sorted by name
  std::size_t ruleCount() const;

 private:
  std::vector<Policy> policies_;
};

struct LoadOptions {
  // Globs of the namespaces that the class `training` never covers.
  std::vector<std::string> systemNamespaces{"kube-*", "driftbar-system"};
};

struct Loaded {
  std::shared_ptr<const PolicySet> set;  // null where there is an error
  Diagnostics diagnostics;               // errors and warnings, in the order of files and places
};

Loaded load(const std::vector<Source>& sources, const LoadOptions& options = {});

}  // namespace driftbar::policy
