// policy: the language that platform teams write, from YAML to programs that judge.
//
// load() is the way in: it reads every source, gathers every error and warning of all of them, and gives a
// set only where there is no error. What it gives is immutable, can be shared by threads, and cannot fail
// when it judges. evaluate() judges one rule over Facts, or over one candidate node for avoidNodes.
//
// The stages, a file each: yaml::parse, documents (by their kind, to its reader), syntax (typed tree with
// places), check (what holds for documents and rules), compile (conditions to programs, by the rows of
// subject_table and test_table), sense (rules that load and say nothing), evaluate. This room decides nothing
// about verdicts: modes, candidates and messages are `decision`'s.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "base/time.h"
#include "kube/node.h"
#include "policy/baseline.h"
#include "policy/facts.h"
#include "policy/resources.h"
#include "policy/said_by_labels.h"
#include "policy/truth.h"
#include "workload/workload.h"

namespace driftbar::policy {

enum class Verb { kDeny, kRequire, kAvoidNodes };
enum class Mode { kEnforce, kWarn, kAudit };
enum class OnUnknown { kDeny, kWarn, kAllow };
enum class OnUpdate { kChanges, kAlways };
enum class OnError { kDeny, kAllow };
enum class Steer { kNone, kPreferred, kRequired };

std::string_view toString(Verb verb);
std::string_view toString(Mode mode);

// What requests a policy looks at, or what an entry of `except` takes out. Every key given must hold.
class Match {
 public:
  using Key = std::function<Truth(const Facts&)>;
  struct Named {
    std::string_view name;  // of the key as it is written; lives as long as the program
    Key fits;
  };
  struct Keys {
    std::vector<Named> ofRequest;
    std::vector<Named> beyond;  // may ask beyond the request; the dearer later
  };

  Match() = default;  // fits everything
  Match(Keys keys, bool namesDaemonSets, bool namesPods, std::optional<Resources> resources)
      : keys_(std::move(keys)),
        namesDaemonSets_(namesDaemonSets),
        namesPods_(namesPods),
        resources_(std::move(resources)) {}
  // Of the request alone.
  void add(Named key) { keys_.ofRequest.insert(keys_.ofRequest.begin(), std::move(key)); }
  Truth fits(const Facts& facts) const;
  // Its two halves: by the keys that ask the request alone, and by the others.
  Truth fitsRequest(const Facts& facts) const;
  Truth fitsBeyond(const Facts& facts) const;
  bool asksBeyond() const { return !keys_.beyond.empty(); }
  // The first key that surely does not fit; empty where none is known not to.
  std::string_view misfit(const Facts& facts) const;
  bool namesDaemonSets() const { return namesDaemonSets_; }  // in ownedBy or kinds
  bool namesPods() const { return namesPods_; }              // by a key that only pods can fit
  // As written; where absent, each rule's subjects say what is looked at.
  const std::optional<Resources>& resources() const { return resources_; }

 private:
  Keys keys_;
  bool namesDaemonSets_ = false;
  bool namesPods_ = false;
  std::optional<Resources> resources_;
};

class Condition;        // compiled; see condition.h
class WorkloadClasses;  // see workload_class.h

// What a rule's subjects are about.
enum class About {
  kPods,    // pods, and each pod template of a workload
  kNodes,   // nodes as they are created and changed
  kObjects  // only the object, the request and who asks
};

struct Rule {
  std::string name;
  std::string id;  // policy/rule
  Verb verb = Verb::kDeny;
  About about = About::kPods;
  bool meansDaemonSets = false;        // its policy's match names them: else their placement is left alone
  bool ofWhole = false;                // nothing in it depends on which template of a workload is asked
  Mode mode = Mode::kEnforce;          // the rule's own, else the policy's
  std::optional<OnUnknown> onUnknown;  // as written; where absent, the default depends on the pod
  std::optional<OnUnknown> staleInventory;  // avoidNodes; as written
  OnUpdate onUpdate = OnUpdate::kChanges;
  OnError onError = OnError::kDeny;
  std::optional<int> minSafe;  // avoidNodes; as written
  bool whenAny = false;        // avoidNodes: `when: any`
  Steer steer = Steer::kNone;  // avoidNodes: whether pods are kept off unsafe nodes, and how
  SaidByLabels labels;         // avoidNodes: what labels say of safe nodes
  std::string message;         // a template with {placeholders}; empty: made from the condition
  std::string fix, docs;
  Location where;  // of its name
  std::shared_ptr<const Condition> condition;
};

struct Policy {
  std::string name;
  std::string description;
  Mode mode = Mode::kEnforce;
  Match match;
  std::vector<Match> except;
  std::vector<Rule> rules;
  Location where;  // of its name

  // match, and no entry of except. Unknown where an answer that is missing could change it.
  Truth looksAt(const Facts& facts) const;
  // What leaves the request out for certain: `match.workload`, `except[0]`; empty where nothing does.
  std::string leftOutBy(const Facts& facts) const;
  // Whether the rule, where match says nothing of resources, is about what the request is about.
  bool concerns(const Rule& rule, const Facts& facts) const;
};

// The refusals of break-glass are known as POLICY/break-glass. It is no rule, and nothing lifts it.
inline constexpr std::string_view kBreakGlassRule = "break-glass";

// Lifts rules for named objects or people, until it ends.
struct Exemption {
  std::string name;
  std::string reason;
  Instant expires{};               // the first moment at which it lifts nothing
  std::vector<std::string> rules;  // globs of policy/rule
  Match match;                     // without defaults: what is not said is no limit
  Location where;                  // of its name

  bool covers(std::string_view ruleId) const;
};

// What the documents beside the policies declare.
struct Declarations {
  std::shared_ptr<const WorkloadClasses> classes;  // null: those built in
  std::shared_ptr<const workload::Kinds> kinds;    // null: those built in and shipped
  std::vector<Exemption> exemptions;
  std::vector<Baseline> baselines;
};

// Immutable. Policies are sorted by name, so that the order of files means nothing.
class PolicySet {
 public:
  explicit PolicySet(std::vector<Policy> policies, Declarations declared = {});
  std::span<const Policy> policies() const { return policies_; }
  const Policy* find(std::string_view name) const;  // null where there is none
  std::size_t ruleCount() const;

  // For a set of some of these policies.
  const Declarations& declared() const { return declared_; }
  const WorkloadClasses& classes() const { return *declared_.classes; }
  const workload::Kinds& kinds() const { return *declared_.kinds; }
  // By their end, then by name.
  std::span<const Exemption> exemptions() const { return declared_.exemptions; }
  // By name.
  std::span<const Baseline> baselines() const { return declared_.baselines; }

  // Of the exemptions that lift the rule for this request now, the one that ends first; null where there is
  // none. One whose match can't be told lifts nothing.
  const Exemption* exemptionFor(std::string_view ruleId, const Facts& facts) const;

 private:
  std::vector<Policy> policies_;
  Declarations declared_;
};

struct LoadOptions {
  bool needsPolicy = true;       // a set without any policy is an error
  bool checkTests = false;       // PolicyTests are checked too, without running; else they are ignored
  std::optional<Instant> now{};  // for warnings of exemptions that have ended; without it there are none
};

struct Loaded {
  std::shared_ptr<const PolicySet> set;  // null where there is an error
  Diagnostics diagnostics;               // errors and warnings, in the order of the sources and their lines
  std::size_t tests = 0;                 // PolicyTests that were checked
};

Loaded load(const std::vector<Source>& sources, const LoadOptions& options = {});

// One thing that speaks against an object or a node, or that could not be told.
struct Evidence {
  enum class Kind { kBroken, kUnknown, kWrongType };
  Kind kind = Kind::kBroken;
  std::string place;  // spec.containers["trainer"].image, metadata.labels["pool"]
  std::string value;  // as it is in the object; empty where it is absent. For comparing, not for people
  std::string shown;  // for people: the value, or that it is hidden
  bool absent = false;
  bool strangeNode = false;  // unknown, and the pod is bound or pinned to a node
  std::string noun;          // `label pool`
  std::string sentence;      // `label pool is "a"`
  std::string expected;      // `must be "b"`, `must not be there`, `must be at least 512Mi`

  // Pieces of one clause (0: of none) break the rule together: the clause is mended where all those of one
  // alternative are.
  std::size_t clause = 0, alternative = 0;

  // Of the request alone, or of what was before: no part of the object that the request brings.
  bool ofRequest() const {
    return place == "request" || place.starts_with("request.") || place.starts_with("oldObject");
  }
  std::string thing;  // what it is about, where that is not its place
  // What tells two pieces of evidence apart; looks at this one's text. What could not be told before does not
  // excuse what is broken now, were its value the same: so it is of `agree`, where a value that may not be
  // there has gone.
  using Key = std::tuple<bool, bool, std::string_view, bool, std::string_view>;
  Key key() const {
    const bool named = !thing.empty();
    return {kind == Kind::kUnknown, named, named ? thing : place, absent, value};
  }
};

struct Judgement {
  Truth broken = Truth::kFalse;    // of avoidNodes: the node is unsafe
  std::vector<Evidence> evidence;  // empty where it is kept; where it can't be told, what is unknown
};

// A rule with `deny` or `require`. Allocates nothing where the rule is kept.
Judgement evaluate(const Rule& rule, const Facts& facts);
// What can't be told of a rule with `deny` or `require`, also where it is broken by something else.
std::vector<Evidence> untold(const Rule& rule, const Facts& facts);
// A rule with `avoidNodes`, for one candidate of the pod that is judged.
Judgement evaluate(const Rule& rule, const kube::Node& node, const Facts& facts);
// The same without the evidence, whose texts cost more than the judging.
Truth unsafe(const Rule& rule, const kube::Node& node, const Facts& facts);
// A condition alone, as `deny` reads it.
Truth holds(const Condition& condition, const Facts& facts);

// The evidence of `now` that `before` did not have: what an update brings in. Who asks, and what else is of
// the request, is new each time; it counts where nothing in the object speaks against it, for beside
// something that does, that must be new.
std::vector<Evidence> broughtIn(const Judgement& now, const Judgement& before);

// The names that a `message` may have in braces.
std::span<const std::string_view> placeholders();

// THE WORDS of the language, for references and help: every row of the tables.
struct Word {
  std::string_view name;
  std::string_view of;  // `a subject`, `a test`, `match`, `a rule`, …
  std::string_view doc;
  std::string_view example;  // may be empty
};
std::vector<Word> words();

}  // namespace driftbar::policy
