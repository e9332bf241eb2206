#include "policy/match_table.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/glob.h"
#include "base/text.h"
#include "kube/label_selector.h"
#include "kube/pod.h"
#include "policy/requester.h"
#include "policy/workload_class.h"

namespace driftbar::policy {
namespace {

using MaybeKey = std::optional<Match::Key>;
using Texts = std::vector<std::string>;

std::optional<Texts> textsOf(const yaml::Node& node, std::string_view of, Problems& problems) {
  const std::size_t before = problems.errorCount();
  Texts texts;
  for (const auto* word : wordsOf(node, of, problems)) texts.push_back(word->scalar);
  return problems.errorCount() == before ? std::optional(texts) : std::nullopt;
}

bool has(const Texts& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool anyGlobFits(const Texts& globs, std::string_view text) {
  return std::any_of(globs.begin(), globs.end(), [&](const auto& glob) { return globFits(glob, text); });
}

// ---- resources

// What can change a pod's spec or state. Any other subresource goes by its own name.
constexpr std::string_view kPodSubresources[] = {"", "ephemeralcontainers", "resize", "status"};

bool isAboutPods(const kube::Request& request) {
  return request.resource.group.empty() && request.resource.resource == "pods" &&
         std::find(std::begin(kPodSubresources), std::end(kPodSubresources), request.subResource) !=
             std::end(kPodSubresources);
}

MaybeKey resources(const yaml::Node& node, Problems& problems) {
  const std::size_t before = problems.errorCount();
  for (const auto* word : wordsOf(node, "resources", problems)) {
    const std::string& name = word->scalar;
    const bool subresource =
        name.starts_with("pods/") && std::find(std::begin(kPodSubresources), std::end(kPodSubresources),
                                               name.substr(5)) != std::end(kPodSubresources);
    if (name == "pods") continue;
    if (subresource) {
      problems.error(word->where, "unknown-word", "`" + name + "` is looked at with `pods`", "write `pods`");
    } else if (name == "pod" || name == "Pod" || name == "Pods") {
      problems.error(word->where, "unknown-word", "unknown resource `" + name + "`",
                     "resources are plural and in lower case: `pods`");
    } else {
      problems.notYet(word->where, "resources: " + name, "this version looks at pods");
    }
  }
  if (problems.errorCount() != before) return std::nullopt;
  return [](const Facts& facts) { return truthOf(isAboutPods(*facts.request)); };
}

// ---- operations

struct OperationRow {
  std::string_view name;
  kube::Operation operation;
};

constexpr OperationRow kOperations[] = {{"create", kube::Operation::kCreate},
                                        {"update", kube::Operation::kUpdate},
                                        {"delete", kube::Operation::kDelete},
                                        {"connect", kube::Operation::kConnect}};

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

std::optional<kube::Operation> operationOf(const yaml::Node& word, Problems& problems) {
  constexpr std::string_view kNames[] = {"create", "update", "delete"};
  const std::string name = lowered(word.scalar);
  const auto row = std::find_if(std::begin(kOperations), std::end(kOperations),
                                [&](const OperationRow& r) { return r.name == name; });
  if (row == std::end(kOperations)) {
    problems.unknown(word.where, "word", "`operations`", word.scalar, kNames);
    return std::nullopt;
  }
  if (row->operation == kube::Operation::kConnect) {
    problems.error(word.where, "never-matches", "nobody connects to `pods`",
                   "exec and the like have resources of their own, which are not part of this version");
    return std::nullopt;
  }
  return row->operation;
}

MaybeKey operations(const yaml::Node& node, Problems& problems) {
  const std::size_t before = problems.errorCount();
  std::vector<kube::Operation> wanted;
  for (const auto* word : wordsOf(node, "operations", problems)) {
    if (const auto operation = operationOf(*word, problems)) wanted.push_back(*operation);
  }
  if (problems.errorCount() != before) return std::nullopt;
  return [wanted](const Facts& facts) {
    return truthOf(std::find(wanted.begin(), wanted.end(), facts.request->operation) != wanted.end());
  };
}

Truth isCreateOrUpdate(const Facts& facts) {
  const auto operation = facts.request->operation;
  return truthOf(operation == kube::Operation::kCreate || operation == kube::Operation::kUpdate);
}

// ---- workload

MaybeKey workload(const yaml::Node& node, Problems& problems) {
  const std::size_t before = problems.errorCount();
  std::vector<Truth (*)(const Facts&)> classes;
  std::vector<std::string_view> names;
  for (const auto& row : workloadClasses()) names.push_back(row.name);
  for (const auto* word : wordsOf(node, "workload", problems)) {
    const auto row = std::find_if(workloadClasses().begin(), workloadClasses().end(),
                                  [&](const WorkloadClassRow& r) { return r.name == word->scalar; });
    if (row == workloadClasses().end()) {
      problems.unknown(word->where, "class", "`workload`", word->scalar, names);
    } else if (row->has == nullptr) {
      problems.notYet(word->where, "workload: " + word->scalar);
    } else {
      classes.push_back(row->has);
    }
  }
  if (problems.errorCount() != before) return std::nullopt;
  return [classes](const Facts& facts) {
    Truth any = Truth::kFalse;
    for (const auto belongs : classes) any = either(any, belongs(facts));
    return any;
  };
}

// ---- namespaces, names

MaybeKey namespaces(const yaml::Node& node, Problems& problems) {
  auto globs = textsOf(node, "namespaces", problems);
  if (!globs) return std::nullopt;
  return [globs = *globs](const Facts& facts) {
    return truthOf(!facts.ns.empty() && anyGlobFits(globs, facts.ns));
  };
}

// A name that is yet to be made is its beginning and five characters that nobody knows.
std::string nameOf(const Facts& facts) {
  const auto name = facts.object["metadata"]["name"].text();
  if (!name.empty()) return std::string(name);
  if (!facts.request->name.empty()) return std::string(facts.request->name);
  const auto begins = facts.object["metadata"]["generateName"].text();
  return begins.empty() ? std::string() : std::string(begins) + "\x01\x01\x01\x01\x01";
}

MaybeKey names(const yaml::Node& node, Problems& problems) {
  auto globs = textsOf(node, "names", problems);
  if (!globs) return std::nullopt;
  return [globs = *globs](const Facts& facts) { return truthOf(anyGlobFits(globs, nameOf(facts))); };
}

// ---- selectors

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

MaybeKey namespaceSelector(const yaml::Node& node, Problems& problems) {
  auto selector = selectorOf(node, "namespaceSelector", problems);
  if (!selector) return std::nullopt;
  return [selector = *selector](const Facts& facts) {
    if (facts.ns.empty()) return Truth::kFalse;
    return facts.namespaceLabels == nullptr ? Truth::kUnknown
                                            : truthOf(selector.matches(*facts.namespaceLabels));
  };
}

MaybeKey labelSelector(const yaml::Node& node, Problems& problems) {
  auto selector = selectorOf(node, "labelSelector", problems);
  if (!selector) return std::nullopt;
  return [selector = *selector](const Facts& facts) {
    const auto fits = [&](Json object) {
      return selector.matches(kube::Labels(object["metadata"]["labels"]));
    };
    const bool old = facts.request->operation == kube::Operation::kUpdate && fits(facts.request->oldObject);
    return truthOf(old || fits(facts.object));
  };
}

// ---- kinds, ownedBy

bool isKind(const yaml::Node& word, std::string_view of, Problems& problems) {
  const std::string& kind = word.scalar;
  const bool good =
      !kind.empty() && kind[0] >= 'A' && kind[0] <= 'Z' &&
      kind.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
          std::string::npos;
  if (!good) {
    problems.error(word.where, "never-matches", "`" + kind + "` is no kind, in `" + std::string(of) + "`",
                   "kinds are singular and begin with a capital: `Job`, `DaemonSet`");
  }
  return good;
}

MaybeKey kinds(const yaml::Node& node, Problems& problems) {
  const std::size_t before = problems.errorCount();
  for (const auto* word : wordsOf(node, "kinds", problems)) {
    if (isKind(*word, "kinds", problems) && word->scalar != "Pod")
      problems.notYet(word->where, "kinds: " + word->scalar,
                      "this version looks at pods; `ownedBy` names their owners");
  }
  if (problems.errorCount() != before) return std::nullopt;
  return [](const Facts& facts) { return truthOf(facts.request->kind.kind == "Pod"); };
}

// These own pods themselves, so that ownerReferences of the pod decide.
constexpr std::string_view kDirectOwners[] = {
    "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", "Node", "Deployment"};

// Further up the chain there may be an owner that only a look-up would tell.
Truth isOwnedBy(Json pod, const Texts& wanted) {
  const auto owners = kube::Pod(pod).ownerKinds();
  if (std::any_of(owners.begin(), owners.end(), [&](auto kind) { return has(wanted, kind); }))
    return Truth::kTrue;
  const bool decided = std::all_of(wanted.begin(), wanted.end(), [](const auto& kind) {
    return std::find(std::begin(kDirectOwners), std::end(kDirectOwners), kind) != std::end(kDirectOwners);
  });
  return owners.empty() || decided ? Truth::kFalse : Truth::kUnknown;
}

MaybeKey ownedBy(const yaml::Node& node, Problems& problems) {
  const std::size_t before = problems.errorCount();
  Texts wanted;
  for (const auto* word : wordsOf(node, "ownedBy", problems)) {
    if (isKind(*word, "ownedBy", problems)) wanted.push_back(word->scalar);
  }
  if (problems.errorCount() != before) return std::nullopt;
  return [wanted](const Facts& facts) { return isOwnedBy(facts.pod, wanted); };
}

// ---- podServiceAccounts, requestedBy

MaybeKey podServiceAccounts(const yaml::Node& node, Problems& problems) {
  auto globs = textsOf(node, "podServiceAccounts", problems);
  if (!globs) return std::nullopt;
  for (const auto* word : wordsOf(node, "podServiceAccounts", problems)) {
    if (word->scalar == "*" || word->scalar.find('/') != std::string::npos) continue;
    problems.error(word->where, "never-matches", "`" + word->scalar + "` names no service account",
                   "write `namespace/name`, such as `ml-tools/" + word->scalar + "`");
    return std::nullopt;
  }
  return [globs = *globs](const Facts& facts) {
    return truthOf(anyGlobFits(globs, kube::Pod(facts.pod).serviceAccount(facts.ns)));
  };
}

MaybeKey requestedBy(const yaml::Node& node, Problems& problems) {
  auto requester = Requester::parse(node, problems);
  if (!requester) return std::nullopt;
  return
      [requester = *requester](const Facts& facts) { return truthOf(requester.fits(facts.request->user)); };
}

constexpr MatchRow kMatch[] = {
    {"resources", "what is looked at; in this version `pods`, with what can change their spec", "[pods]",
     resources},
    {"operations", "create, update, delete, in any case; create and update where absent", "[create]",
     operations},
    {"workload", "a workload class or a list; `training` is built in", "training", workload},
    {"kinds", "kinds of the object judged", "[Pod]", kinds},
    {"ownedBy", "kinds of the pod's owners", "[DaemonSet]", ownedBy},
    {"namespaces", "globs of the namespace", "[\"ml-*\"]", namespaces},
    {"names", "globs of the object's name", "[\"bert-*\"]", names},
    {"namespaceSelector", "a label selector, on the labels of the namespace",
     "{matchLabels: {team: research}}", namespaceSelector},
    {"labelSelector", "a label selector, on the labels of the object, on update of the old one too",
     "{matchLabels: {app: bert}}", labelSelector},
    {"podServiceAccounts", "namespace/name globs: whom the pod runs as", "[ml-tools/profiler]",
     podServiceAccounts},
    {"requestedBy", "who asks: users, groups, serviceAccounts", "{groups: [node-admins]}", requestedBy},
};

const KeySet& matchKeys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> made;
    for (const auto& row : kMatch) made.push_back({row.name, row.doc});
    return made;
  }();
  static const KeySet set{"`match`", keys, "match"};
  return set;
}

std::vector<Match::Key> keysOf(const Members& members, Problems& problems) {
  std::vector<Match::Key> keys;
  for (const auto& row : kMatch) {
    const yaml::Node* value = members[row.name];
    if (value == nullptr) continue;
    if (auto key = row.compile(*value, problems)) keys.push_back(*std::move(key));
  }
  return keys;
}

bool namesDaemonSets(const Members& members) {
  const auto is = [](const yaml::Node& node) { return node.scalar == "DaemonSet"; };
  for (const std::string_view key : {"ownedBy", "kinds"}) {
    const yaml::Node* node = members[key];
    if (node != nullptr && (is(*node) || std::any_of(node->items.begin(), node->items.end(), is)))
      return true;
  }
  return false;
}

}  // namespace

std::span<const MatchRow> matchTable() {
  return kMatch;
}

Match compileMatch(const yaml::Node* node, Problems& problems) {
  const Members members = node != nullptr ? Members::read(*node, matchKeys(), problems) : Members();
  std::vector<Match::Key> keys = keysOf(members, problems);
  if (members["resources"] == nullptr)
    keys.insert(keys.begin(), [](const Facts& facts) { return truthOf(isAboutPods(*facts.request)); });
  if (members["operations"] == nullptr) keys.insert(keys.begin(), isCreateOrUpdate);
  return {std::move(keys), namesDaemonSets(members)};
}

Match compileExcept(const yaml::Node& node, Problems& problems) {
  const Members members = Members::read(node, matchKeys(), problems);
  if (node.isMap() && node.entries.empty()) {
    problems.error(node.where, "empty-list", "an entry of `except` without keys takes everything out",
                   "write what is to be left out, such as {namespaces: [burn-in]}");
  }
  return {keysOf(members, problems), namesDaemonSets(members)};
}

}  // namespace driftbar::policy
