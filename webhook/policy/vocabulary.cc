#include "policy/vocabulary.h"

#include <algorithm>

#include "base/text.h"
#include "policy/document_vocabulary.h"
#include "policy/match_table.h"
#include "policy/mends.h"

namespace driftbar::policy {
namespace {

constexpr std::string_view kApiVersion = "driftbar.io/v1alpha1";
constexpr Written kModeWord = written::oneOf("enforce warn audit");
constexpr Written kUnknownWord = written::oneOf("deny warn allow");
constexpr Written kFileOrObject = written::a(Form::kFileOrObject);

constexpr Key kDocument[] = {
    {"apiVersion", "driftbar.io/v1alpha1", written::oneOf(kApiVersion), Need::kMust},
    {"kind", "what the document says", written::text(), Need::kMust},
    {"metadata", "its name", written::map(metadataKeys), Need::kMust},
    {"spec", "what it consists of", written::a(Form::kObject), Need::kMust},
    {"status", "written by a cluster; nothing is read from it", written::a(Form::kAnything)},
};

// What a cluster adds to an object is let be, so that `kubectl get -o yaml` can be loaded again.
constexpr Key kMetadata[] = {
    {"name", "unique within the kind, a DNS name in lower case", written::a(Form::kName), Need::kMust},
    {"labels", "labels of the document itself", written::a(Form::kAnything)},
    {"annotations", "annotations of the document itself", written::a(Form::kAnything)},
    {"uid", "written by a cluster", written::a(Form::kAnything)},
    {"resourceVersion", "written by a cluster", written::a(Form::kAnything)},
    {"generation", "written by a cluster", written::a(Form::kAnything)},
    {"creationTimestamp", "written by a cluster", written::a(Form::kAnything)},
    {"managedFields", "written by a cluster", written::a(Form::kAnything)},
};

constexpr Key kSpec[] = {
    {"description", "one sentence for people", written::text()},
    {"mode", "enforce (default), warn or audit, for all rules that do not say it themselves", kModeWord},
    {"match", "which requests the policy looks at; absent: all that its rules can be about",
     written::map(matchKeys).orEmpty()},
    {"except", "a list; what fits any entry is not looked at", written::map(matchKeys).list()},
    {"rules", "the rules, each with a name and one verb", written::map(ruleKeys).list(), Need::kMust},
    laterKey("breakGlass", "who may pass for a while, with a reason"),
};

constexpr Key kRule[] = {
    {"name", "unique within the policy; the rule is known as policy/rule", written::a(Form::kName),
     Need::kMust},
    {"deny", "broken when the condition holds", written::condition(Place::kRule), Need::kOneOfThese},
    {"require", "broken when the condition does not hold", written::condition(Place::kRule),
     Need::kOneOfThese},
    {"avoidNodes", "broken when the pod can land only on nodes for which the condition holds",
     written::condition(Place::kCandidate), Need::kOneOfThese},
    laterKey("set", "changes pods"),
    {"mode", "enforce, warn or audit; the policy's where absent", kModeWord},
    {"steer",
     "avoidNodes: required (default in enforce), preferred or none (default otherwise): whether pods get "
     "node "
     "affinity that keeps them off unsafe nodes",
     written::oneOf("required preferred none"), Need::kMay, "avoidNodes"},
    {"minSafe",
     "avoidNodes: broken when fewer safe candidates than that are left; a warning where there are fewer "
     "candidates in all",
     written::a(Form::kCount), Need::kMay, "avoidNodes"},
    {"when", "avoidNodes: `any` means broken when any candidate is unsafe", written::oneOf("any"), Need::kMay,
     "avoidNodes"},
    laterKey("sameAcrossNodes", "avoidNodes: what the nodes of one job must agree on"),
    {"onUnknown", "deny, warn (default) or allow: what an unknown value or node means", kUnknownWord},
    {"staleInventory", "avoidNodes: deny, warn or allow when the cluster has been out of touch", kUnknownWord,
     Need::kMay, "avoidNodes"},
    {"onUpdate", "changes (default) or always: whether an update answers for what was there before",
     written::oneOf("changes always"), Need::kMay, "deny require"},
    {"onError", "deny (default) or allow: what happens when judging itself fails",
     written::oneOf("deny allow")},
    {"message", "the sentence that takes the place of ours, with {placeholders}",
     written::a(Form::kSentence)},
    {"fix", "what the author of the object should do", written::a(Form::kSentence)},
    {"docs", "a URL", written::a(Form::kUrl)},
};

constexpr Key kRequestedBy[] = {
    {"users", "user names, as globs", written::texts()},
    {"groups", "groups, as globs", written::texts()},
    {"serviceAccounts", "namespace/name, as globs", written::texts()},
    {"onOwnNode", "`true`: the node that the request is about, or an account whose token is bound to it",
     written::a(Form::kTrue)},
};

constexpr Key kTaint[] = {
    {"key", "the taint's key", written::text()},
    {"value", "only with this value", written::a(Form::kLiteral)},
    {"effect", "only with this effect", written::oneOf("NoSchedule PreferNoSchedule NoExecute")},
};

constexpr Key kDrift[] = {
    {"class",
     "of this class alone: gpu, driver, rdma, nccl, kernel, os, storage, security, or a word of the "
     "team's own",
     written::texts()},
    {"atLeast", "minor, major or critical: not below this severity", written::severity()},
};

// ---- Of a PolicyTest.

constexpr Key kTestSpec[] = {
    {"policies", "the policies that judge, by name; all of this file's folder where absent",
     written::texts()},
    {"inventory", "a list of files, from this file's folder, and of objects: Nodes, Namespaces",
     written::a(Form::kFileOrObject).list().orEmpty()},
    {"now", "the time that the cases are judged at, as in 2026-12-01T10:00:00Z; the clock's where absent",
     written::a(Form::kInstant)},
    {"cases", "the cases, each with a name, one request and what is expected", written::map(caseKeys).list(),
     Need::kMust},
};

constexpr Key kCase[] = {
    {"name", "unique within the test, any text of one line", written::a(Form::kSentence), Need::kMust},
    {"create", "a file, or an object", kFileOrObject, Need::kOneOfThese},
    {"update", "the object before and after: {old, new}", written::map(updateKeys), Need::kOneOfThese},
    {"delete", "a file, or an object: what is deleted", kFileOrObject, Need::kOneOfThese},
    {"connect", "exec and the like: {pod, subresource, command}", written::map(connectKeys),
     Need::kOneOfThese},
    {"bind", "a pod is bound to a node: {pod, node}", written::map(bindKeys), Need::kOneOfThese},
    {"review", "an AdmissionReview as an API server sends it", kFileOrObject, Need::kOneOfThese},
    {"as", "who asks: {user, groups}; the user `test`, of no groups, where absent", written::map(asKeys)},
    {"serviceAccount", "a service account asks: namespace/name", written::a(Form::kAccount)},
    {"namespace", "of objects that name none; `default` where absent", written::a(Form::kSentence)},
    {"expect", "what must come", written::map(expectKeys), Need::kMust},
};

constexpr Key kUpdate[] = {
    {"old", "a file, or an object: before", kFileOrObject, Need::kMust},
    {"new", "a file, or an object: after", kFileOrObject, Need::kMust},
};

constexpr Key kConnect[] = {
    {"pod", "a file, or a pod", kFileOrObject, Need::kMust},
    {"subresource", "exec, attach, portforward or proxy", written::oneOf("exec attach portforward proxy"),
     Need::kMust},
    {"command", "with exec: what is run", written::texts()},
};

constexpr Key kBind[] = {
    {"pod", "a file, or a pod", kFileOrObject, Need::kMust},
    {"node", "the name of the node", written::a(Form::kSentence), Need::kMust},
};

constexpr Key kAs[] = {
    {"user", "the name of the user; `test` where absent", written::a(Form::kSentence)},
    {"groups", "the groups of the user", written::texts()},
};

constexpr Key kExpect[] = {
    {"verdict", "allow or deny", written::oneOf("allow deny")},
    {"rules", "exactly the broken rules in enforce, as policy/rule; `[]`: none", written::texts().orEmpty()},
    {"warned", "exactly the broken rules in warn", written::texts().orEmpty()},
    {"audited", "exactly the broken rules in audit", written::texts().orEmpty()},
    {"exempted", "exactly the broken rules that an exemption lifts", written::texts().orEmpty()},
    {"message", "parts that the refusal or its warnings must have", written::texts()},
    {"patched", "values in the object after mutation, at paths as in `field`; `{}`: no change",
     written::a(Form::kObject).orEmpty()},
};

constexpr KeySet kDocumentSet{"a document", kDocument, "a document"};
constexpr KeySet kMetadataSet{"`metadata`", kMetadata, "metadata"};
constexpr KeySet kSpecSet{"the `spec` of a Policy", kSpec, "spec"};
constexpr KeySet kRuleSet{"a rule", kRule, "a rule"};
constexpr KeySet kRequestedBySet{"`requestedBy`", kRequestedBy, "requestedBy"};
constexpr KeySet kTaintSet{"`taint`", kTaint, "taint"};
constexpr KeySet kDriftSet{"`drift`", kDrift, "drift"};
constexpr KeySet kTestSpecSet{"the `spec` of a PolicyTest", kTestSpec, "spec of a PolicyTest"};
constexpr KeySet kCaseSet{"a case", kCase, "a case"};
constexpr KeySet kUpdateSet{"`update`", kUpdate, "update"};
constexpr KeySet kConnectSet{"`connect`", kConnect, "connect"};
constexpr KeySet kBindSet{"`bind`", kBind, "bind"};
constexpr KeySet kAsSet{"`as`", kAs, "as"};
constexpr KeySet kExpectSet{"`expect`", kExpect, "expect"};
constexpr const KeySet* kAllSets[] = {
    &kDocumentSet, &kMetadataSet, &kSpecSet,   &kRuleSet,    &kRequestedBySet, &kTaintSet, &kDriftSet,
    &kTestSpecSet, &kCaseSet,     &kUpdateSet, &kConnectSet, &kBindSet,        &kAsSet,    &kExpectSet};

struct Foreign {
  std::string_view word;
  std::string_view help;
};

constexpr Foreign kForeign[] = {
    // Kubernetes
    {"matchConstraints", "write `match` with `resources` and `operations`"},
    {"matchConditions", "write `match`, and what it can't say as a condition of the rule"},
    {"objectSelector", "write `labelSelector` under `match`"},
    {"excludeNamespaces", "write `except: [{namespaces: […]}]`"},
    {"excludedNamespaces", "write `except: [{namespaces: […]}]`"},
    {"validations", "write `rules`, each with `deny` or `require`"},
    {"failurePolicy", "write `onError: deny` or `onError: allow` in the rule"},
    {"validationActions", "write `mode: enforce`, `warn` or `audit`"},
    {"operator", "write the test as the key: `in: […]`, `notIn: […]`, `exists: true`"},
    {"In", "write `in`"},
    {"NotIn", "write `notIn`"},
    {"Exists", "write `exists: true`"},
    {"DoesNotExist", "write `exists: false`"},
    {"Gt", "write `moreThan`"},
    {"Lt", "write `lessThan`"},
    {"nodeSelector", "write `label` under `avoidNodes`"},
    {"nodeLabel", "write `label`; in `avoidNodes` it is the node's"},
    {"podLabel", "write `label`; in `deny` and `require` it is the pod's"},
    {"tolerations", "write `field: pod.spec.tolerations[*].key`"},
    {"matchLabels", "write `labelSelector: {matchLabels: …}` under `match`, `label` in a rule"},
    {"matchExpressions", "write `labelSelector: {matchExpressions: …}` under `match`, `label` in a rule"},
    // CEL
    {"expression", "write the condition in words: a subject such as `label` or `field`, and tests"},
    {"cel", "there is no logic language; write a subject such as `label` or `field`, and tests"},
    {"if", "there is no logic language; write a subject such as `label` or `field`, and tests"},
    {"variables", "there are no variables; write the condition out"},
    {"messageExpression", "write `message` with {placeholders}"},
    // Kyverno
    {"validate", "write `deny` or `require`"},
    {"mutate", "changing pods is not part of this version"},
    {"generate", "nothing is generated here"},
    {"verifyImages", "signatures are not checked here"},
    {"preconditions", "write `match`, or more leaves in the condition (a list means all)"},
    {"exclude", "write `except`, a list"},
    {"validationFailureAction", "write `mode: enforce`, `warn` or `audit`"},
    {"failureAction", "write `mode: enforce`, `warn` or `audit`"},
    {"background", "leave it out; `driftbar review` judges what is there"},
    {"pattern", "write `require` with a condition such as {field: pod.spec.hostNetwork, equals: false}"},
    {"anyPattern", "write `require: {any: […]}`"},
    {"foreach", "write `some: PATH` or `every: PATH` with `where`"},
    {"results", "write `cases`, each with `expect`"},
    {"subjects", "write `requestedBy: {users: […], groups: […], serviceAccounts: […]}`"},
    {"clusterRoles", "write `requestedBy: {groups: […]}`; roles are not known to a webhook"},
    {"AnyIn", "write `in`; in `deny` one of many values is enough"},
    {"AllIn", "write `in`; in `require` each value must pass"},
    {"AnyNotIn", "write `notIn`; in `deny` one of many values is enough"},
    {"Equals", "write `equals`"},
    {"NotEquals", "write `notEquals`"},
    {"GreaterThan", "write `moreThan`"},
    {"GreaterThanOrEquals", "write `atLeast`"},
    {"LessThan", "write `lessThan`"},
    {"LessThanOrEquals", "write `atMost`"},
    // Gatekeeper
    {"enforcementAction", "write `mode: enforce`, `warn` or `audit`"},
    {"violation", "write `deny`"},
    {"rego", "write the condition in words; there is no Rego here"},
    {"parameters", "write the values into the rule"},
    {"assertions", "write `expect: {verdict: deny, rules: […]}`"},
    {"dryrun", "write `audit`"},
    {"Enforce", "write `enforce`"},
    {"Audit", "write `audit`"},
    {"Deny", "write `enforce`"},
    {"Warn", "write `warn`"},
    {"block", "write `enforce`"},
    // Prometheus, and words that people try
    {"expr", "write the condition in words: a subject such as `condition` or `label`, and tests"},
    {"alert", "write `name`"},
    {"severity", "write `mode: enforce`, `warn` or `audit`"},
    {"regex", "write `matches`; it looks at the whole value"},
    {"regexp", "write `matches`; it looks at the whole value"},
    {"=~", "write `matches`; it looks at the whole value"},
    {"!~", "write `notMatches`; it looks at the whole value"},
    {"eq", "write `equals`"},
    {"ne", "write `notEquals`"},
    {"gt", "write `moreThan`"},
    {"ge", "write `atLeast`"},
    {"gte", "write `atLeast`"},
    {"lt", "write `lessThan`"},
    {"le", "write `atMost`"},
    {"lte", "write `atMost`"},
    {"min", "write `atLeast`"},
    {"max", "write `atMost`"},
    {"or", "write `any: […]`"},
    {"and", "write `all: […]`, or just a list"},
    {"none", "write `not: {any: […]}`"},
    {"oneOf", "write `any: […]`, or the test `in: […]`"},
    {"anyOf", "write `any: […]`"},
    {"allOf", "write `all: […]`"},
    {"forbid", "write `deny`"},
    {"must", "write `require`"},
    {"prefix", "write `startsWith`"},
    {"suffix", "write `endsWith`"},
    {"value", "write the test as the key: `equals: …`"},
    {"values", "write the test as the key: `in: […]`"},
    {"uniform", "it stands in an expectation of a NodeBaseline, in the place of tests"},
    {"until", "write `expires: 2026-12-24`, or a time"},
    {"expiry", "write `expires: 2026-12-24`, or a time"},
    {"ttl", "write `expires: 2026-12-24`, or a time"},
};

}  // namespace

const KeySet& documentKeys() {
  return kDocumentSet;
}
const KeySet& metadataKeys() {
  return kMetadataSet;
}
const KeySet& specKeys() {
  return kSpecSet;
}
const KeySet& ruleKeys() {
  return kRuleSet;
}
const KeySet& requestedByKeys() {
  return kRequestedBySet;
}
const KeySet& taintKeys() {
  return kTaintSet;
}
const KeySet& driftKeys() {
  return kDriftSet;
}
const KeySet& testSpecKeys() {
  return kTestSpecSet;
}
const KeySet& caseKeys() {
  return kCaseSet;
}
const KeySet& updateKeys() {
  return kUpdateSet;
}
const KeySet& connectKeys() {
  return kConnectSet;
}
const KeySet& bindKeys() {
  return kBindSet;
}
const KeySet& asKeys() {
  return kAsSet;
}
const KeySet& expectKeys() {
  return kExpectSet;
}
std::span<const KeySet* const> allKeySets() {
  static const std::vector<const KeySet*> kAll = [] {
    std::vector<const KeySet*> all(std::begin(kAllSets), std::end(kAllSets));
    const auto documents = documentKeySets();
    all.insert(all.end(), documents.begin(), documents.end());
    return all;
  }();
  return kAll;
}

std::string_view foreignHelp(std::string_view word) {
  const auto found = std::find_if(std::begin(kForeign), std::end(kForeign),
                                  [&](const auto& row) { return row.word == word; });
  return found == std::end(kForeign) ? std::string_view{} : found->help;
}

std::vector<std::string_view> wordsIn(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::vector<std::string_view> namesOf(std::span<const Key> keys) {
  std::vector<std::string_view> names;
  for (const auto& key : keys) {
    if (!key.later) names.push_back(key.name);
  }
  return names;
}

Members Members::read(const yaml::Node& map, const KeySet& keys, Problems& problems) {
  Members members;
  if (!map.isMap()) {
    problems.error(map.where, "wrong-type",
                   std::string(keys.of) + " is a map of keys, and this is " + std::string(describe(map)),
                   mendOfForm(keys.of, map));
    return members;
  }
  for (const auto& [key, value] : map.entries) {
    const std::string& written = key.scalar;  // clang 14 captures no structured binding
    const auto row =
        std::find_if(keys.keys.begin(), keys.keys.end(), [&](const Key& k) { return k.name == written; });
    if (row == keys.keys.end()) {
      problems.unknown(key.where, "key", keys.of, key.scalar, namesOf(keys.keys));
    } else if (row->later) {
      problems.notYet(key.where, key.scalar);
    } else {
      members.members_.push_back({&key, &value});
    }
  }
  return members;
}

Members Members::among(const yaml::Node& map, const KeySet& keys) {
  Members members;
  for (const auto& entry : map.entries) {
    const bool is = std::any_of(keys.keys.begin(), keys.keys.end(),
                                [&](const Key& k) { return k.name == entry.key.scalar; });
    if (is) members.members_.push_back({&entry.key, &entry.value});
  }
  return members;
}

const yaml::Node* Members::operator[](std::string_view name) const {
  for (const auto& member : members_) {
    if (member.key->scalar == name) return member.value;
  }
  return nullptr;
}

const yaml::Node* Members::key(std::string_view name) const {
  for (const auto& member : members_) {
    if (member.key->scalar == name) return member.key;
  }
  return nullptr;
}

const std::string* textOf(const yaml::Node& node, std::string_view of, Problems& problems) {
  if (node.isText()) return &node.scalar;
  // YAML of this age takes more words for booleans than people expect.
  const bool word = node.kind == yaml::Node::Kind::kBool && node.scalar != "true" && node.scalar != "false";
  std::string help = mendOfForm(of, node);
  if (node.isScalar() && !node.isNull())
    help = "write it in quotes: \"" + node.scalar + "\"" +
           (word ? "; YAML reads n, y, no, on and the like as true or false" : "");
  problems.wrongType(node, of, "text", std::move(help));
  return nullptr;
}

std::vector<const yaml::Node*> wordsOf(const yaml::Node& node, std::string_view of, Problems& problems) {
  std::vector<const yaml::Node*> words;
  if (!node.isList()) {
    if (textOf(node, of, problems) != nullptr) words.push_back(&node);
    return words;
  }
  if (node.items.empty()) {
    problems.error(node.where, "empty-list", "`" + std::string(of) + "` is an empty list",
                   "leave the key out, or name something");
  }
  for (const auto& item : node.items) {
    if (textOf(item, of, problems) != nullptr) words.push_back(&item);
  }
  return words;
}

}  // namespace driftbar::policy
