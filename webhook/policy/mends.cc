#include "policy/mends.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "kube/quantity.h"
#include "schema/follow.h"

namespace driftbar::policy {
namespace {

struct Misplaced {
  std::string_view of, word, help;
};

constexpr std::string_view kMatchInSpec =
    "`match` stands in `spec`; rules with another match go into another Policy";
constexpr std::string_view kExceptInSpec =
    "`except` stands in `spec`; rules with other exceptions go into another Policy";
constexpr std::string_view kUnderMatch =
    "it is a key of `match`, which stands in `spec`; rules with another match go into another Policy";
constexpr std::string_view kUnderWho = "it is a key of `requestedBy`: write `requestedBy: {users: […]}`";
constexpr std::string_view kOfExpectation =
    "of an expectation write `drift: {class: gpu, severity: major}`; a rule has `mode`";
constexpr std::string_view kWho = "write `as: {user: …, groups: […]}`";
constexpr std::string_view kRequest =
    "write `create:` before it; or `update: {old, new}`, `delete:` and others";

constexpr std::string_view kAsLeaf = "write each as `{label: KEY, equals: VALUE}`";

constexpr Misplaced kMisplaced[] = {
    {"a document", "rules", "`rules` stands in `spec`"},
    {"a document", "match", "`match` stands in `spec`"},
    {"a document", "except", "`except` stands in `spec`"},
    {"a document", "mode", "`mode` stands in `spec`, or in a rule"},
    {"a document", "cases", "`cases` stands in `spec`"},
    {"a document", "policies", "`policies` stands in `spec`"},
    {"a document", "inventory", "`inventory` stands in `spec`"},
    {"a document", "expect", "`expect` stands in `spec`"},
    {"a document", "templates", "`templates` stands in `spec`"},
    {"a document", "name", "write `metadata: {name: …}`"},
    {"a document", "namespace", "it counts for the whole cluster; write `namespaces` under `match`"},
    {"the `spec` of a Policy", "deny", "it is the verb of a rule: write `rules:` and `- name: …` above it"},
    {"the `spec` of a Policy", "require",
     "it is the verb of a rule: write `rules:` and `- name: …` above it"},
    {"the `spec` of a Policy", "avoidNodes",
     "it is the verb of a rule: write `rules:` and `- name: …` above it"},
    {"the `spec` of a Policy", "resources", "write it under `match`"},
    {"the `spec` of a Policy", "operations", "write it under `match`"},
    {"the `spec` of a Policy", "workload", "write it under `match`"},
    {"the `spec` of a Policy", "kinds", "write it under `match`"},
    {"the `spec` of a Policy", "namespaces", "write it under `match`"},
    {"the `spec` of a Policy", "requestedBy", "write it under `match`"},
    {"a rule", "match", kMatchInSpec},
    {"a rule", "except", kExceptInSpec},
    {"a rule", "workload", kUnderMatch},
    {"a rule", "resources", kUnderMatch},
    {"a rule", "operations", kUnderMatch},
    {"a rule", "kinds", kUnderMatch},
    {"a rule", "ownedBy", kUnderMatch},
    {"a rule", "namespaces", kUnderMatch},
    {"a rule", "names", kUnderMatch},
    {"a rule", "namespaceSelector", kUnderMatch},
    {"a rule", "labelSelector", kUnderMatch},
    {"a rule", "podServiceAccounts", kUnderMatch},
    {"a rule", "requestedBy", kUnderMatch},
    {"a rule", "denied", "did you mean `deny`?"},
    {"a rule", "required", "did you mean `require`?"},
    {"a rule", "avoid", "did you mean `avoidNodes`?"},
    {"a condition", "match", kMatchInSpec},
    {"a condition", "except", kExceptInSpec},
    {"a condition", "workload", kUnderMatch},
    {"a condition", "resources", kUnderMatch},
    {"a condition", "operations", kUnderMatch},
    {"a condition", "kinds", kUnderMatch},
    {"a condition", "ownedBy", kUnderMatch},
    {"a condition", "namespaces", kUnderMatch},
    {"a condition", "names", kUnderMatch},
    {"a condition", "namespaceSelector", kUnderMatch},
    {"a condition", "labelSelector", kUnderMatch},
    {"a condition", "podServiceAccounts", kUnderMatch},
    {"a condition", "pod", "write `field: pod.…`"},
    {"a condition", "node", "write `field: node.…`"},
    {"a condition", "object", "write `field: object.…`"},
    {"a condition", "oldObject", "write `field: oldObject.…`"},
    {"a condition", "request", "write `field: request.…`, or `requestedBy` for who asks"},
    {"a condition", "matchLabels", kAsLeaf},
    {"a condition", "matchExpressions", kAsLeaf},
    {"a condition", "class", kOfExpectation},
    {"a condition", "severity", kOfExpectation},
    {"a condition", "status", "beside `condition` write `equals: \"False\"`"},
    {"a condition", "nodeSelector",
     "write `field: pod.spec.nodeSelector.KEY`, or `canLandOn` for where the pod could land"},
    {"a condition", "podName", "write `field: pod.metadata.name`, or `names` under `match`"},
    {"a condition", "nodes", "write `field: node.metadata.name` with `in`"},
    {"a condition", "cordoned", "write `field: node.spec.unschedulable` with `equals: true`"},
    {"a condition", "digest", "write `image: \"*@sha256:*\"`"},
    {"a condition", "equalsField", "two fields cannot be compared here; CEL and Rego can"},
    {"a condition", "from", "write a second condition: `field: oldObject.…` is what was before"},
    {"a condition", "to", "write a second condition: `field: node.…` or `pod.…` is what is now"},
    {"a condition", "hostPID", "write `hostNamespace: pid`"},
    {"a condition", "hostIPC", "write `hostNamespace: ipc`"},
    {"a condition", "hostNetwork", "write `hostNamespace: network`"},
    {"a condition", "nodeName", "write `field: pod.spec.nodeName`"},
    {"a condition", "toleration", "write `some: pod.spec.tolerations` with `where`"},
    {"a condition", "serviceAccount", "write `field: pod.spec.serviceAccountName`"},
    {"a condition", "capabilities", "write `capability: NET_ADMIN`"},
    {"a condition", "sysctls", "write `sysctl: NAME`"},
    {"a condition", "securityContext",
     "write the field in it, such as `field: pod.spec.securityContext.runAsUser`"},
    {"the `spec` of an Exemption", "policies", "write `rules: [POLICY/*]`"},
    {"the `spec` of an Exemption", "policy", "write `rules: [POLICY/*]`"},
    {"the `spec` of an Exemption", "namespaces", "write it under `match`"},
    {"the `spec` of an Exemption", "requestedBy", "write it under `match`"},
    {"the `spec` of a WorkloadKind", "apiVersion", "write `group:`, with what stands before the `/`"},
    {"the `spec` of a WorkloadKind", "plural", "write `resource`"},
    {"the `spec` of a WorkloadKind", "path", "write `templates: [{path: …}]`"},
    {"the `spec` of a WorkloadKind", "template", "write `templates: [{path: …}]`"},
    {"the `spec` of a WorkloadKind", "replicas", "it stands beside a `path` of `templates`"},
    {"a case", "user", kWho},
    {"a case", "groups", kWho},
    {"a case", "pod", kRequest},
    {"a case", "object", kRequest},
    {"a case", "node", kRequest},
    {"a case", "verdict", "write `expect: {verdict: …}`"},
    {"a case", "rules", "write `expect: {rules: […]}`"},
    {"`as`", "serviceAccount", "write `serviceAccount: NAMESPACE/NAME` beside `name`, in the place of `as`"},
    {"`as`", "username", "write `user`"},
    {"`update`", "before", "write `old`"},
    {"`update`", "after", "write `new`"},
    {"`match`", "labels", "write `labelSelector: {matchLabels: {…}}`"},
    {"`match`", "users", kUnderWho},
    {"`match`", "groups", kUnderWho},
    {"`match`", "serviceAccounts", kUnderWho},
    {"`match`", "onOwnNode", kUnderWho},
    {"`match`", "any", "every key that stands there must hold; write a list under one key, or two Policies"},
    {"`match`", "all", "every key that stands there must hold: write them side by side"},
    {"`operations`", "patch", "write `update`: to an API server a patch is one"},
    {"`operations`", "apply", "write `create` and `update`"},
    {"`operations`", "edit", "write `update`"},
    {"`onUnknown`", "block", "write `deny`"},
    {"`onUnknown`", "enforce", "write `deny`"},
    {"`onError`", "block", "write `deny`"},
    {"`onError`", "enforce", "write `deny`"},
    {"`staleInventory`", "block", "write `deny`"},
    {"`staleInventory`", "enforce", "write `deny`"},
    {"`steer`", "block", "write `required`"},
    {"`steer`", "enforce", "write `required`"},
    {"`when`", "none", "leave `when` out: the rule is broken when no node is safe"},
    {"`when`", "all", "leave `when` out: the rule is broken when no node is safe"},
    {"`mode`", "deny", "write `enforce`"},
    {"`mode`", "allow", "write `audit`: what the rule finds is recorded only"},
    {"`hostNamespace`", "net", "write `network`"},
    {"`hostNamespace`", "hostPID", "write `pid`"},
    {"`hostNamespace`", "hostIPC", "write `ipc`"},
    {"`hostNamespace`", "hostNetwork", "write `network`"},
};

// How a value is written that was given in another form; `…` stands for the scalar that was written.
struct Form {
  std::string_view of, help;
};

constexpr Form kForms[] = {
    {"a template", "write `- path: …`"},
    {"a rule", "begin it with `- name: …`"},
    {"a case", "begin it with `- name: …`"},
    {"`as`", "write `as: {user: …}`"},
    {"`expect`", "write `expect: {verdict: …}`"},
    {"`requestedBy`", "write `{groups: […]}`, or `users` or `serviceAccounts`"},
    {"`match`", "write the keys below it, such as `match: {workload: training}`"},
    {"`update`", "write `update: {old: …, new: …}`"},
    {"`connect`", "write `connect: {pod: …, subresource: exec}`"},
    {"`bind`", "write `bind: {pod: …, node: gpu-07}`"},
    {"`metadata`", "write `metadata: {name: …}`"},
    {"`drift`", "write `drift: {atLeast: major}` or `drift: {class: gpu}`"},
    {"`nodes`", "write `nodes: {matchLabels: {pool: …}}`"},
    {"`quarantine`", "write `quarantine: {atLeast: critical}`"},
};

// What is known by one name and was given as a map. `key` is where such maps have the name, `value` the rest
// that becomes a test.
struct NamedForm {
  std::string_view of, key, value;
};

constexpr NamedForm kNamed[] = {
    {"label", "key", "value"},       {"annotation", "key", "value"}, {"env", "name", "value"},
    {"resource", "name", "value"},   {"fact", "name", "value"},      {"sysctl", "name", "value"},
    {"condition", "type", "status"},
};

std::string scalarOf(const yaml::Node& node) {
  const std::string text = shortened(printable(node.scalar), 60);
  return node.isText() && node.quoted ? quoted(text) : text;
}

// {pool: h100}, or {key: pool, value: h100}.
std::string namedForm(const NamedForm& row, const yaml::Node& map) {
  const yaml::Node* key = map.find(row.key);
  const yaml::Node* value = map.find(row.value);
  if (key == nullptr && map.entries.size() == 1) {
    key = &map.entries[0].key;
    value = &map.entries[0].value;
  }
  if (key == nullptr || !key->isScalar() || (value != nullptr && !value->isScalar()))
    return "write `" + std::string(row.of) + ": …` and a test beside it, such as `equals: …`";
  const std::string name = "{" + std::string(row.of) + ": " + scalarOf(*key);
  return "write `" + name + (value != nullptr ? ", equals: " + scalarOf(*value) : "") + "}`";
}

std::string inListForm(std::string_view of, const yaml::Node& map) {
  const yaml::Node* kind = map.find("kind");
  if (kind == nullptr || !kind->isText()) return "write `" + std::string(of) + ": [Job]`";
  return "write the kind alone: `" + std::string(of) + ": [" + scalarOf(*kind) + "]`";
}

}  // namespace

std::string_view mendOfWord(std::string_view of, std::string_view word) {
  const auto row = std::find_if(std::begin(kMisplaced), std::end(kMisplaced),
                                [&](const Misplaced& m) { return m.of == of && m.word == word; });
  return row == std::end(kMisplaced) ? std::string_view{} : row->help;
}

namespace {

// Where people copy fields from, with the path that it has here. What a pod and its containers both have is
// meant of the containers but for the pod's own fields: theirs is in force.
struct FieldsOf {
  std::string_view path;
  const schema::Shape& (*root)();
  std::string_view below;  // the way from the root
  int steps;               // how far below it
};

constexpr FieldsOf kFieldsOf[] = {{"pod.spec", schema::pod, "spec", 1},
                                  {"pod.containers[*]", schema::pod, "spec.containers[*]", 2},
                                  {"pod", schema::pod, "", 3},
                                  {"node", schema::node, "", 3}};

const schema::Shape& shapeAt(const schema::Shape& root, std::string_view path) {
  return path.empty() ? root : *schema::follow(root, FieldPath::parse(path)->steps()).end;
}

}  // namespace

std::string mendOfField(std::string_view word) {
  for (const auto& row : kFieldsOf) {
    const auto& from = shapeAt(row.root(), row.below);
    const std::string way = schema::wayTo(from, word, row.steps);
    if (way.empty()) continue;
    const std::string path = std::string(row.path) + way;
    const auto& end = shapeAt(from, std::string_view(way).substr(1));
    const bool list = end.type == schema::Type::kList;
    const bool parts = (list ? *end.element : end).type == schema::Type::kObject;
    if (list && parts) return "write `some: " + path + "` with `where`";
    if (parts) return "write the field in it: `field: " + path + ".…`";
    return "write `field: " + path + (list ? "[*]`" : "`");
  }
  return {};
}

std::string mendOfForm(std::string_view of, const yaml::Node& value) {
  if (value.isMap()) {
    for (const auto& row : kNamed) {
      if (row.of == of) return namedForm(row, value);
    }
    return of == "kinds" || of == "ownedBy" ? inListForm(of, value) : std::string();
  }
  for (const auto& row : kForms) {
    if (row.of != of) continue;
    std::string help(row.help);
    constexpr std::string_view kHole = "…";
    const bool fills = value.isText() && !value.scalar.empty();
    if (const auto at = help.find(kHole); at != std::string::npos && fills)
      help.replace(at, kHole.size(), scalarOf(value));
    return help;
  }
  return {};
}

std::string mendOfQuantity(std::string_view text) {
  if (!text.ends_with('B') && !text.ends_with('b')) return {};
  text.remove_suffix(1);
  const bool binary = text.ends_with('i');
  if (binary) text.remove_suffix(1);
  std::string plain(text);
  if (plain.ends_with('K')) plain.back() = 'k';
  const std::string twofold = std::string(text) + "i";
  if (kube::Quantity::parse(plain) && kube::Quantity::parse(twofold))
    return binary ? "write `" + twofold + "`" : "write `" + plain + "` or `" + twofold + "`";
  return {};
}

}  // namespace driftbar::policy
