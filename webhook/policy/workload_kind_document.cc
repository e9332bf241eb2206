#include "policy/workload_kind_document.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <map>
#include <utility>

#include "base/field_path.h"
#include "base/text.h"
#include "policy/document_vocabulary.h"
#include "policy/documents.h"
#include "policy/path_check.h"
#include "policy/shipped_kinds.h"
#include "schema/shape.h"
#include "yaml/yaml.h"

namespace driftbar::policy {
namespace {

using workload::FactorWords;
using workload::KindWords;
using workload::TemplateWords;

// The text under a key that must be there.
std::string required(const yaml::Node& owner, const Members& members, std::string_view key,
                     std::string_view of, std::string_view help, Problems& problems) {
  const yaml::Node* node = members[key];
  if (node == nullptr) {
    problems.error(owner.where, "missing-key", std::string(of) + " needs `" + std::string(key) + "`",
                   std::string(help));
    return {};
  }
  const std::string* text = textOf(*node, key, problems);
  if (text != nullptr && text->empty())
    problems.error(node->where, "empty-text", "`" + std::string(key) + "` is empty", std::string(help));
  return text != nullptr ? *text : std::string();
}

std::string optional(const Members& members, std::string_view key, Problems& problems) {
  const yaml::Node* node = members[key];
  if (node == nullptr) return {};
  const std::string* text = textOf(*node, key, problems);
  if (text != nullptr && text->empty())
    problems.error(node->where, "empty-text", "`" + std::string(key) + "` is empty", "leave the key out");
  return text != nullptr ? *text : std::string();
}

bool flag(const Members& members, std::string_view key, bool otherwise, Problems& problems) {
  const yaml::Node* node = members[key];
  if (node == nullptr) return otherwise;
  if (node->kind == yaml::Node::Kind::kBool) return node->isTrue();
  const bool quotes = node->scalar == "true" || node->scalar == "false";
  problems.wrongType(*node, key, "true or false",
                     quotes ? "write it without quotes" : "write `true` or `false`");
  return otherwise;
}

// A number of pods or a path; which of them, and whether it is good, Kind::of says.
std::string numberOrPath(const yaml::Node& node, std::string_view of, Problems& problems) {
  if (node.isText() || node.kind == yaml::Node::Kind::kInteger) return node.scalar;
  problems.wrongType(node, of, "a number, a path, or {path, default, atLeast, atMost}");
  return {};
}

std::uint64_t defaultOf(const Members& members, Problems& problems) {
  const yaml::Node* node = members["default"];
  if (node == nullptr) return 1;
  std::uint64_t value = 0;
  const auto& text = node->scalar;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failed == std::errc{} && end == text.data() + text.size();
  if (node->kind == yaml::Node::Kind::kInteger && whole) return value;
  problems.wrongType(*node, "default", "a whole number of pods", "write 0, 1, 2…");
  return 1;
}

FactorWords factor(const yaml::Node& node, Problems& problems) {
  FactorWords words;
  if (!node.isMap()) {
    words.value = numberOrPath(node, "replicas", problems);
    return words;
  }
  const Members members = Members::read(node, replicasKeys(), problems);
  words.value = required(node, members, "path", "`replicas`", "write `path: spec.replicas`", problems);
  words.otherwise = defaultOf(members, problems);
  words.atLeast = optional(members, "atLeast", problems);
  words.atMost = optional(members, "atMost", problems);
  return words;
}

TemplateWords templateOf(const yaml::Node& node, Problems& problems) {
  TemplateWords words;
  const Members members = Members::read(node, templateKeys(), problems);
  if (!node.isMap()) return words;
  words.path = required(node, members, "path", "a template", "write `path: spec.template`", problems);
  words.ranks = flag(members, "ranks", true, problems);
  words.role = optional(members, "role", problems);
  if (const yaml::Node* roles = members["notRanks"]) {
    for (const auto* role : wordsOf(*roles, "notRanks", problems)) words.notRanks.push_back(role->scalar);
  }
  const yaml::Node* replicas = members["replicas"];
  if (replicas == nullptr) return words;
  if (!replicas->isList()) words.replicas.push_back(factor(*replicas, problems));
  if (replicas->isList() && replicas->items.empty())
    problems.error(replicas->where, "empty-list", "`replicas` is an empty list", "leave the key out");
  for (const auto& item : replicas->items) words.replicas.push_back(factor(item, problems));
  return words;
}

void readTemplates(const yaml::Node& spec, const Members& members, KindWords& words, Problems& problems) {
  const yaml::Node* list = members["templates"];
  if (list == nullptr) {
    problems.error(spec.where, "missing-key", "a WorkloadKind needs `templates`",
                   "list the path of each pod template: `templates: [{path: spec.template}]`");
    return;
  }
  if (!list->isList()) return problems.wrongType(*list, "templates", "a list", "begin each with `- path: …`");
  if (list->items.empty())
    problems.error(list->where, "empty-list", "a kind without templates makes no pods",
                   "list the path of each pod template, such as `spec.template`");
  for (const auto& item : list->items) words.templates.push_back(templateOf(item, problems));
}

KindWords wordsOfKind(const Envelope& document, Problems& problems) {
  KindWords words;
  const Members& members = document.members;
  const yaml::Node& spec = *document.spec;
  words.group = required(spec, members, "group", "a WorkloadKind",
                         "write what stands before the `/` in its `apiVersion`", problems);
  words.kind =
      required(spec, members, "kind", "a WorkloadKind", "write it as in `kind:` of such an object", problems);
  words.resource = optional(members, "resource", problems);
  if (const yaml::Node* suspend = members["suspend"]) {
    for (const auto* path : wordsOf(*suspend, "suspend", problems)) {
      if (path->scalar.empty())
        problems.error(path->where, "empty-text", "`suspend` is empty", "leave the key out");
      words.suspend.push_back(path->scalar);
    }
  }
  words.minAvailable = optional(members, "minAvailable", problems);
  words.startsTogether = flag(members, "startsTogether", false, problems);
  words.blueprint = flag(members, "blueprint", false, problems);
  readTemplates(spec, members, words, problems);
  return words;
}

// The node that a path of Kind::of's errors means (`templates[1].replicas[0].atMost`). One factor need not
// stand in a list, and one in a map has its path under `path`.
const yaml::Node& nodeAt(const yaml::Node& spec, const std::string& path) {
  const auto steps = FieldPath::parse(path);
  const yaml::Node* at = &spec;
  for (const auto& step : steps ? steps->steps() : std::vector<PathStep>{}) {
    if (step.kind == PathStep::Kind::kIndex) {
      if (at->isList() && step.index < at->items.size()) at = &at->items[step.index];
    } else if (const yaml::Node* next = at->find(step.key)) {
      at = next;
    }
  }
  const yaml::Node* inMap = at->isMap() && path.ends_with(']') ? at->find("path") : nullptr;
  return inMap != nullptr ? *inMap : *at;
}

void report(const Envelope& document, const Diagnostics& errors, Problems& problems) {
  for (const auto& d : errors) {
    const yaml::Node& node = nodeAt(*document.spec, d.path);
    const bool inText = node.isText() && d.where.column > 0;
    const auto where = inText ? inside(node, static_cast<std::size_t>(d.where.column), 1) : node.where;
    problems.error(where, d.id.empty() ? "workload-kind" : d.id, d.message, d.help);
  }
}

std::optional<workload::Kind> kindOf(const Envelope& document, Problems& problems) {
  const std::size_t before = problems.errorCount();
  const KindWords words = wordsOfKind(document, problems);
  if (problems.errorCount() != before) return std::nullopt;
  auto kind = workload::Kind::of(words);
  if (kind) return *std::move(kind);
  report(document, kind.errors(), problems);
  return std::nullopt;
}

// Two documents about one kind: which of them holds must not depend on the order of files.
class Taken {
 public:
  explicit Taken(Problems& problems) : problems_(problems) {}

  void add(const workload::Kind& kind, const Envelope& document) {
    const yaml::Node& word = *document.members["kind"];
    const auto [first, fresh] = seen_.emplace(std::pair(kind.group, kind.kind), word.where);
    if (fresh) return;
    const Location& other = first->second;
    const std::string file =
        other.source == word.where.source || !other.source ? "" : printable(other.source->name) + ", ";
    problems_.error(word.where, "duplicate-name",
                    "another WorkloadKind says where the pods of " + kind.group + " " + kind.kind +
                        " are: " + file + "line " + std::to_string(other.line),
                    "make one of them");
  }

 private:
  Problems& problems_;
  std::map<std::pair<std::string, std::string>, Location> seen_;
};

std::vector<workload::Kind> rowsOf(std::span<const Envelope> documents, Problems& problems) {
  Taken taken(problems);
  std::vector<workload::Kind> kinds;
  for (const auto& document : documents) {
    if (document.spec == nullptr) continue;
    auto kind = kindOf(document, problems);
    if (!kind) continue;
    taken.add(*kind, document);
    kind->document = document.name;
    kinds.push_back(*std::move(kind));
  }
  return kinds;
}

std::shared_ptr<const workload::Kinds> readShipped() {
  Problems problems;
  Trees trees;
  std::vector<yaml::Node> documents;
  for (const auto& file : shippedKindFiles()) {
    auto parsed = yaml::parse(makeSource(std::string(file.path), std::string(file.text)));
    assert(parsed.ok());  // the texts are constants, and a test reads them all
    if (parsed) documents.insert(documents.end(), parsed->begin(), parsed->end());
  }
  for (const auto& document : documents) read(document, trees, problems);
  auto rows = rowsOf(trees.kinds, problems);
  assert(problems.errorCount() == 0);
  for (auto& row : rows) row.document.clear();
  return std::make_shared<const workload::Kinds>(workload::Kinds::builtIn().with(std::move(rows)));
}

// Kinds that make no pods themselves and stand in `kinds` and `ownedBy` all the same.
constexpr std::string_view kOtherKinds[] = {"Pod", "Node", "Namespace", "Service", "InferenceService"};

}  // namespace

std::shared_ptr<const workload::Kinds> shippedKinds() {
  static const auto kKinds = readShipped();
  return kKinds;
}

std::shared_ptr<const workload::Kinds> workloadKindsOf(std::span<const Envelope> documents,
                                                       Problems& problems) {
  if (documents.empty()) return shippedKinds();
  return std::make_shared<const workload::Kinds>(shippedKinds()->with(rowsOf(documents, problems)));
}

namespace {

void warnOfUnlikely(const yaml::Node& word, std::string_view text, std::string_view what,
                    std::span<const std::string> known, Problems& problems) {
  if (std::find(known.begin(), known.end(), text) != known.end()) return;
  const auto meant =
      std::find_if(known.begin(), known.end(), [&](const auto& one) { return isSlip(text, one); });
  if (meant == known.end()) return;
  problems.warning(word.where, "unlikely-word",
                   "no " + std::string(what) + " `" + printable(text) + "` is known here",
                   "did you mean `" + *meant + "`?");
}

}  // namespace

namespace {

std::vector<std::string> knownKinds(const workload::Kinds& kinds) {
  std::vector<std::string> known(std::begin(kOtherKinds), std::end(kOtherKinds));
  for (const auto& row : kinds.all()) known.push_back(row.kind);
  return known;
}

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

std::string kindMeantBy(std::string_view word, const workload::Kinds& kinds) {
  const std::string lower = lowered(word);
  for (const auto& kind : knownKinds(kinds)) {
    if (lower == lowered(kind) || lower == workload::usualPlural(kind)) return kind;
  }
  return {};
}

bool checkLikelyKind(const yaml::Node& word, const workload::Kinds& kinds, Problems& problems) {
  const auto known = knownKinds(kinds);
  if (std::find(known.begin(), known.end(), word.scalar) != known.end()) return true;
  if (const auto meant = kindMeantBy(word.scalar, kinds); !meant.empty()) {
    problems.error(word.where, "never-matches", "there is no kind `" + printable(word.scalar) + "`",
                   "did you mean `" + meant + "`?");
    return false;
  }
  warnOfUnlikely(word, word.scalar, "kind", known, problems);
  return true;
}

void warnOfUnknownKinds(const yaml::Node& words, const workload::Kinds& kinds, Problems& problems) {
  const auto known = knownKinds(kinds);
  const auto check = [&](const yaml::Node& word) {
    const std::string& kind = word.scalar;
    const bool slip =
        std::any_of(known.begin(), known.end(), [&](const auto& one) { return isSlip(kind, one); });
    if (!word.isText() || slip || schema::kind(kind) != nullptr ||
        std::find(known.begin(), known.end(), kind) != known.end())
      return;
    problems.warning(
        word.where, "unknown-kind",
        "nothing is known of the kind `" + printable(kind) + "`, so no rule looks at it",
        "say in a WorkloadKind where its pod templates sit, or name its resource under `resources`");
  };
  if (words.isText()) check(words);
  for (const auto& word : words.items) check(word);
}

void warnOfUnlikelyResource(const yaml::Node& word, const workload::Kinds& kinds, Problems& problems) {
  const std::string_view text = std::string_view(word.scalar).substr(0, word.scalar.find('/'));
  std::vector<std::string> known;
  for (const auto& row : kinds.all())
    known.push_back(row.resource + (row.group.empty() ? "" : "." + row.group));
  warnOfUnlikely(word, text, "resource", known, problems);
}

}  // namespace driftbar::policy
