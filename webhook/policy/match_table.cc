#include "policy/match_table.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "base/glob.h"
#include "base/text.h"
#include "kube/label_selector.h"
#include "kube/pod.h"
#include "policy/glob_sense.h"
#include "policy/requester.h"
#include "policy/resources.h"
#include "policy/selector.h"
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

MaybeKey resources(const yaml::Node& node, const Declared& declared, Problems& problems) {
  auto resources = Resources::parse(node, problems);
  if (!resources) return std::nullopt;
  for (const auto* word : wordsOf(node, "resources", problems))
    warnOfUnlikelyResource(*word, *declared.kinds, problems);
  return [resources = *resources](const Facts& facts) { return truthOf(resources.has(*facts.request)); };
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
  constexpr std::string_view kNames[] = {"create", "update", "delete", "connect"};
  const std::string name = lowered(word.scalar);
  const auto row = std::find_if(std::begin(kOperations), std::end(kOperations),
                                [&](const OperationRow& r) { return r.name == name; });
  if (row != std::end(kOperations)) return row->operation;
  problems.unknown(word.where, "word", "`operations`", word.scalar, kNames);
  return std::nullopt;
}

MaybeKey operations(const yaml::Node& node, const Declared&, Problems& problems) {
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

// Connecting is all that can be done to what is connected to, so nothing is taken out but deleting.
Truth isNoDelete(const Facts& facts) {
  return truthOf(facts.request->operation != kube::Operation::kDelete);
}

// ---- workload

MaybeKey workload(const yaml::Node& node, const Declared& declared, Problems& problems) {
  const std::size_t before = problems.errorCount();
  std::vector<std::shared_ptr<const WorkloadClass>> classes;
  const auto names = declared.classes->names();
  for (const auto* word : wordsOf(node, "workload", problems)) {
    if (auto found = declared.classes->find(word->scalar)) {
      classes.push_back(std::move(found));
    } else {
      problems.unknown(word->where, "class", "`workload`", word->scalar, names);
    }
  }
  if (problems.errorCount() != before) return std::nullopt;
  return [classes](const Facts& facts) {
    Truth any = Truth::kFalse;
    for (const auto& one : classes) any = either(any, one->has(facts));
    return any;
  };
}

// ---- namespaces, names

MaybeKey namespaces(const yaml::Node& node, const Declared&, Problems& problems) {
  auto globs = textsOf(node, "namespaces", problems);
  warnOfNamespaceGlobs(node, problems);
  if (!globs) return std::nullopt;
  return [globs = *globs](const Facts& facts) {
    return truthOf(!facts.ns.empty() && anyGlobFits(globs, facts.ns));
  };
}

// A name that is yet to be made is its beginning and five characters that nobody knows.
std::string nameOf(const Facts& facts) {
  const auto name = facts.named["metadata"]["name"].text();
  if (!name.empty()) return std::string(name);
  if (!facts.request->name.empty()) return std::string(facts.request->name);
  const auto begins = facts.named["metadata"]["generateName"].text();
  return begins.empty() ? std::string() : std::string(begins) + "\x01\x01\x01\x01\x01";
}

MaybeKey names(const yaml::Node& node, const Declared&, Problems& problems) {
  auto globs = textsOf(node, "names", problems);
  warnOfNameGlobs(node, problems);
  if (!globs) return std::nullopt;
  return [globs = *globs](const Facts& facts) { return truthOf(anyGlobFits(globs, nameOf(facts))); };
}

// ---- selectors

MaybeKey namespaceSelector(const yaml::Node& node, const Declared&, Problems& problems) {
  auto selector = selectorOf(node, "namespaceSelector", problems);
  if (!selector) return std::nullopt;
  return [selector = *selector](const Facts& facts) {
    const auto* labels = facts.nameSpace().labels;
    if (labels != nullptr) return truthOf(selector.matches(*labels));
    return facts.ns.empty() ? Truth::kFalse : Truth::kUnknown;
  };
}

MaybeKey labelSelector(const yaml::Node& node, const Declared&, Problems& problems) {
  auto selector = selectorOf(node, "labelSelector", problems);
  if (!selector) return std::nullopt;
  return [selector = *selector](const Facts& facts) {
    const auto fits = [&](Json object) {
      return selector.matches(kube::Labels(object["metadata"]["labels"]));
    };
    if (!facts.podKnown) return Truth::kUnknown;
    const bool old = facts.request->operation == kube::Operation::kUpdate && fits(facts.oldNamed);
    return truthOf(old || fits(facts.named));
  };
}

// ---- kinds, ownedBy

bool isKind(const yaml::Node& word, std::string_view of, const Declared& declared, Problems& problems) {
  const std::string& kind = word.scalar;
  const bool good =
      !kind.empty() && kind[0] >= 'A' && kind[0] <= 'Z' &&
      kind.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
          std::string::npos;
  if (!good) {
    const auto meant = kindMeantBy(kind, *declared.kinds);
    problems.error(word.where, "never-matches", "`" + kind + "` is no kind, in `" + std::string(of) + "`",
                   meant.empty() ? "kinds are singular and begin with a capital: `Job`, `DaemonSet`"
                                 : "did you mean `" + meant + "`?");
    return false;
  }
  return checkLikelyKind(word, *declared.kinds, problems);
}

MaybeKey kinds(const yaml::Node& node, const Declared& declared, Problems& problems) {
  const std::size_t before = problems.errorCount();
  Texts wanted;
  for (const auto* word : wordsOf(node, "kinds", problems)) {
    if (isKind(*word, "kinds", declared, problems)) wanted.push_back(word->scalar);
  }
  if (problems.errorCount() != before) return std::nullopt;
  return [wanted](const Facts& facts) {
    const bool asked = isAskedOfPod(*facts.request);
    return truthOf(has(wanted, asked ? "Pod" : facts.request->kind.kind));
  };
}

// These own pods themselves, so that ownerReferences of the pod decide.
constexpr std::string_view kDirectOwners[] = {
    "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", "Node", "Deployment"};

// Longer chains are not met with; a cycle that someone made ends here.
constexpr int kLongestChain = 6;

// Whether the owner that `reference` names, or one above it, is of a kind that is wanted.
Truth isOwnedAbove(const Facts& facts, Json reference, const Texts& wanted, int left) {
  if (has(wanted, reference["kind"].text())) return Truth::kTrue;
  if (facts.beyond == nullptr || left == 0) return Truth::kUnknown;
  const auto owner = facts.beyond->owner(reference, facts.ns);
  if (!owner.known) return Truth::kUnknown;
  Truth owned = Truth::kFalse;
  for (const Json next : owner.object["metadata"]["ownerReferences"].items())
    owned = either(owned, isOwnedAbove(facts, next, wanted, left - 1));
  return owned;
}

Truth isOwnedBy(const Facts& facts, const Texts& wanted) {
  if (!facts.podKnown) return Truth::kUnknown;
  // The pods of a template will be the object's, which may have owners itself.
  if (!facts.pod.place.empty() && has(wanted, facts.request->kind.kind)) return Truth::kTrue;
  const auto owners = kube::Pod(facts.named).ownerKinds();
  if (std::any_of(owners.begin(), owners.end(), [&](auto kind) { return has(wanted, kind); }))
    return Truth::kTrue;
  const bool decided = std::all_of(wanted.begin(), wanted.end(), [](const auto& kind) {
    return std::find(std::begin(kDirectOwners), std::end(kDirectOwners), kind) != std::end(kDirectOwners);
  });
  if (decided) return Truth::kFalse;
  Truth owned = Truth::kFalse;
  for (const Json reference : facts.named["metadata"]["ownerReferences"].items())
    owned = either(owned, isOwnedAbove(facts, reference, wanted, kLongestChain));
  return owned;
}

MaybeKey ownedBy(const yaml::Node& node, const Declared& declared, Problems& problems) {
  const std::size_t before = problems.errorCount();
  Texts wanted;
  for (const auto* word : wordsOf(node, "ownedBy", problems)) {
    if (isKind(*word, "ownedBy", declared, problems)) wanted.push_back(word->scalar);
  }
  if (problems.errorCount() != before) return std::nullopt;
  return [wanted](const Facts& facts) { return isOwnedBy(facts, wanted); };
}

// ---- podServiceAccounts, requestedBy

MaybeKey podServiceAccounts(const yaml::Node& node, const Declared&, Problems& problems) {
  auto globs = textsOf(node, "podServiceAccounts", problems);
  if (!globs) return std::nullopt;
  for (const auto* word : wordsOf(node, "podServiceAccounts", problems)) {
    if (word->scalar == "*" || word->scalar.find('/') != std::string::npos) continue;
    problems.error(word->where, "never-matches", "`" + word->scalar + "` names no service account",
                   "write `namespace/name`, such as `ml-tools/" + word->scalar + "`");
    return std::nullopt;
  }
  return [globs = *globs](const Facts& facts) {
    if (!facts.podKnown) return Truth::kUnknown;
    if (!facts.pod.pod.exists()) return Truth::kFalse;
    return truthOf(anyGlobFits(globs, kube::Pod(facts.pod.pod).serviceAccount(facts.ns)));
  };
}

MaybeKey requestedBy(const yaml::Node& node, const Declared&, Problems& problems) {
  auto requester = Requester::parse(node, problems);
  if (!requester) return std::nullopt;
  return [requester = *requester](const Facts& facts) { return requester.fits(facts); };
}

constexpr MatchRow kMatch[] = {
    {"resources",
     "`pods`, `nodes`, `pods/exec`, `jobs.batch`, `*`; absent: what each rule's subjects are about", "[pods]",
     written::texts(), resources},
    {"operations", "create, update, delete, connect, in any case; all but delete where absent", "[create]",
     written::oneOfInAnyCase("create update delete connect").orList(), operations},
    {"workload", "a workload class or a list; `training` and `rdma-training` are built in", "training",
     written::texts(), workload},
    {"kinds", "kinds of the object judged; where a request carries no pod, of the pod looked up",
     "[PyTorchJob]", written::texts(), kinds},
    {"ownedBy", "kinds in the chain of owners", "[DaemonSet]", written::texts(), ownedBy,
     MatchRow::Asks::kRead},
    {"namespaces", "globs of the namespace", "[\"ml-*\"]", written::texts(), namespaces},
    {"names", "globs of the object's name", "[\"bert-*\"]", written::texts(), names},
    {"namespaceSelector", "a label selector, on the labels of the namespace",
     "{matchLabels: {team: research}}", written::a(Form::kSelector), namespaceSelector,
     MatchRow::Asks::kWatched},
    {"labelSelector", "a label selector, on the labels of the object, on update of the old one too",
     "{matchLabels: {app: bert}}", written::a(Form::kSelector), labelSelector},
    {"podServiceAccounts", "namespace/name globs: whom the pod runs as", "[ml-tools/profiler]",
     written::texts(), podServiceAccounts},
    {"requestedBy", "who asks: users, groups, serviceAccounts", "{groups: [node-admins]}",
     written::map(requestedByKeys), requestedBy},
};

// What costs least is asked first, so that nothing is looked up that the rest leaves no room for.
Match::Keys keysOf(const Members& members, const Declared& declared, Problems& problems) {
  std::map<MatchRow::Asks, std::vector<Match::Named>> byCost;
  for (const auto& row : kMatch) {
    const yaml::Node* value = members[row.name];
    if (value == nullptr) continue;
    if (auto key = row.compile(*value, declared, problems))
      byCost[row.asks].push_back({row.name, *std::move(key)});
  }
  Match::Keys keys;
  for (auto& [asks, made] : byCost) {
    auto& into = asks == MatchRow::Asks::kRequest ? keys.ofRequest : keys.beyond;
    std::move(made.begin(), made.end(), std::back_inserter(into));
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

// Nobody connects to a pod, and exec knows nothing but connecting.
void checkOperations(const Members& members, const Resources& resources, Problems& problems) {
  const yaml::Node* node = members["operations"];
  if (node == nullptr) return;
  bool connect = false, other = false;
  const auto look = [&](const yaml::Node& word) {
    (lowered(word.scalar) == "connect" ? connect : other) = true;
  };
  if (node->isText()) look(*node);
  for (const auto& word : node->items) look(word);
  if (connect && !other && !resources.connects()) {
    problems.error(node->where, "never-matches", "nobody connects to any of these resources",
                   "one connects to `pods/exec`, `pods/attach`, `pods/portforward` and `pods/proxy`");
  } else if (other && !connect && !resources.holds()) {
    problems.error(node->where, "never-matches", "these resources know only `connect`",
                   "leave `operations` out, or write `[connect]`");
  }
}

Match matchOf(const Members& members, const Declared& declared, Problems& problems) {
  std::optional<Resources> resources;
  if (const yaml::Node* node = members["resources"]) {
    Problems ignored;  // the key's own compile tells
    resources = Resources::parse(*node, ignored);
    if (resources) checkOperations(members, *resources, problems);
  }
  bool namesPods = false;
  for (const std::string_view name : {"workload", "ownedBy", "podServiceAccounts"}) {
    const yaml::Node* key = members.key(name);
    if (key == nullptr) continue;
    namesPods = true;
    if (!resources || !resources->namesOnlyNodes()) continue;
    problems.error(key->where, "never-matches", "no node fits `" + std::string(name) + "`: it is about pods",
                   "take it out, or take `resources: [nodes]` out");
  }
  return {keysOf(members, declared, problems), namesDaemonSets(members), namesPods, std::move(resources)};
}

}  // namespace

std::span<const MatchRow> matchTable() {
  return kMatch;
}

const KeySet& matchKeys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> made;
    for (const auto& row : kMatch) made.push_back({row.name, row.doc, row.written});
    return made;
  }();
  static const KeySet set{"`match`", keys, "match"};
  return set;
}

Match compileMatch(const yaml::Node* node, const Declared& declared, Problems& problems) {
  const Members members = node != nullptr ? Members::read(*node, matchKeys(), problems) : Members();
  if (members["kinds"] != nullptr && members["resources"] == nullptr)
    warnOfUnknownKinds(*members["kinds"], *declared.kinds, problems);
  Match match = matchOf(members, declared, problems);
  if (members["operations"] == nullptr) match.add({"operations", isNoDelete});
  return match;
}

Match compileExcept(const yaml::Node& node, std::string_view of, const Declared& declared,
                    Problems& problems) {
  const Members members = Members::read(node, matchKeys(), problems);
  if (node.isMap() && node.entries.empty()) {
    problems.error(node.where, "empty-list", std::string(of) + " without keys takes everything out",
                   "write what is to be left out, such as {namespaces: [burn-in]}");
  }
  return matchOf(members, declared, problems);
}

}  // namespace driftbar::policy
