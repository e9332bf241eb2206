#include "policy/vocabulary.h"

#include <algorithm>

#include "base/text.h"
#include "policy/document_vocabulary.h"

namespace driftbar::policy {
namespace {

constexpr Key kDocument[] = {
    {"apiVersion", "driftbar.io/v1alpha1"},
    {"kind", "what the document says"},
    {"metadata", "its name"},
    {"spec", "what it consists of"},
    {"status", "written by a cluster; nothing is read from it"},
};

// What a cluster adds to an object is let be, so that `kubectl get -o yaml` can be loaded again.
constexpr Key kMetadata[] = {
    {"name", "unique within the kind, a DNS name in lower case"},
    {"labels", "labels of the document itself"},
    {"annotations", "annotations of the document itself"},
    {"uid", "written by a cluster"},
    {"resourceVersion", "written by a cluster"},
    {"generation", "written by a cluster"},
    {"creationTimestamp", "written by a cluster"},
    {"managedFields", "written by a cluster"},
};

constexpr Key kSpec[] = {
    {"description", "one sentence for people"},
    {"mode", "enforce (default), warn or audit, for all rules that do not say it themselves"},
    {"match", "which requests the policy looks at; absent: all that its rules can be about"},
    {"except", "a list; what fits any entry is not looked at"},
    {"rules", "the rules, each with a name and one verb"},
    {"breakGlass", "who may pass for a while, with a reason", true},
};

constexpr Key kRule[] = {
    {"name", "unique within the policy; the rule is known as policy/rule"},
    {"deny", "broken when the condition holds"},
    {"require", "broken when the condition does not hold"},
    {"avoidNodes", "broken when the pod can land only on nodes for which the condition holds"},
    {"set", "changes pods", true},
    {"mode", "enforce, warn or audit; the policy's where absent"},
    {"steer", "whether node affinity is added; in this version `none`"},
    {"minSafe", "avoidNodes: broken when fewer safe candidates than that are left"},
    {"when", "avoidNodes: `any` means broken when any candidate is unsafe"},
    {"sameAcrossNodes", "avoidNodes: what the nodes of one job must agree on", true},
    {"onUnknown", "deny, warn (default) or allow: what an unknown value or node means"},
    {"staleInventory", "avoidNodes: deny, warn or allow when the cluster has been out of touch"},
    {"onUpdate", "changes (default) or always: whether an update answers for what was there before"},
    {"onError", "deny (default) or allow: what happens when judging itself fails"},
    {"message", "the sentence that takes the place of ours, with {placeholders}"},
    {"fix", "what the author of the object should do"},
    {"docs", "a URL"},
};

constexpr Key kRequestedBy[] = {
    {"users", "user names, as globs"},
    {"groups", "groups, as globs"},
    {"serviceAccounts", "namespace/name, as globs"},
    {"onOwnNode", "`true`: the node that the request is about, or an account whose token is bound to it"},
};

constexpr Key kTaint[] = {
    {"key", "the taint's key"},
    {"value", "only with this value"},
    {"effect", "only with this effect"},
};

constexpr Key kDrift[] = {
    {"class",
     "of this class alone: gpu, driver, rdma, nccl, kernel, os, storage, security, or a word of the "
     "team's own"},
    {"atLeast", "minor, major or critical: not below this severity"},
};

// ---- Of a PolicyTest.

constexpr Key kTestSpec[] = {
    {"policies", "the policies that judge, by name; all of this file's folder where absent"},
    {"inventory", "a list of files, from this file's folder, and of objects: Nodes, Namespaces"},
    {"now", "the time that the cases are judged at, as in 2026-12-01T10:00:00Z; the clock's where absent"},
    {"cases", "the cases, each with a name, one request and what is expected"},
};

constexpr Key kCase[] = {
    {"name", "unique within the test, any text of one line"},
    {"create", "a file, or an object"},
    {"update", "the object before and after: {old, new}"},
    {"delete", "a file, or an object: what is deleted"},
    {"connect", "exec and the like: {pod, subresource, command}"},
    {"bind", "a pod is bound to a node: {pod, node}"},
    {"review", "an AdmissionReview as an API server sends it"},
    {"as", "who asks: {user, groups}; the user `test`, of no groups, where absent"},
    {"serviceAccount", "a service account asks: namespace/name"},
    {"namespace", "of objects that name none; `default` where absent"},
    {"expect", "what must come"},
};

constexpr Key kUpdate[] = {
    {"old", "a file, or an object: before"},
    {"new", "a file, or an object: after"},
};

constexpr Key kConnect[] = {
    {"pod", "a file, or a pod"},
    {"subresource", "exec, attach, portforward or proxy"},
    {"command", "with exec: what is run"},
};

constexpr Key kBind[] = {
    {"pod", "a file, or a pod"},
    {"node", "the name of the node"},
};

constexpr Key kAs[] = {
    {"user", "the name of the user; `test` where absent"},
    {"groups", "the groups of the user"},
};

constexpr Key kExpect[] = {
    {"verdict", "allow or deny"},
    {"rules", "exactly the broken rules in enforce, as policy/rule; `[]`: none"},
    {"warned", "exactly the broken rules in warn"},
    {"audited", "exactly the broken rules in audit"},
    {"exempted", "exactly the broken rules that an exemption lifts"},
    {"message", "parts that the refusal or its warnings must have"},
    {"patched", "values in the object after mutation, at paths as in `field`; `{}`: no change"},
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
                   std::string(keys.of) + " is a map of keys, and this is " + std::string(describe(map)));
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
  problems.wrongType(node, of, "text",
                     node.isScalar() && !node.isNull() ? "write it in quotes: \"" + node.scalar + "\"" : "");
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
