#include "policy/envelope.h"

#include <algorithm>

#include "base/text.h"
#include "policy/mends.h"

namespace driftbar::policy {
namespace {

constexpr std::string_view kGroup = "driftbar.io";
constexpr std::string_view kVersion = "driftbar.io/v1alpha1";

std::string beginning() {
  return "begin it with `apiVersion: " + std::string(kVersion) + "` and `kind: Policy`";
}

// Whether nobody but us has documents like this: the group is ours but for its end, or left out beside a kind
// of ours.
bool isMeantAsOurs(std::string_view version, std::string_view group, std::string_view kind) {
  constexpr std::string_view kProduct = "driftbar";
  const auto kinds = namesOf(documentKinds());
  const bool ourKind = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  return group.starts_with(kProduct) || (ourKind && version.find('/') == std::string_view::npos);
}

// Whether it is a document of our API.
bool isOurs(const yaml::Node& version, const std::string& text, std::string_view kind, Problems& problems) {
  const std::string_view group = std::string_view(text).substr(0, text.find('/'));
  if (group == kGroup) {
    if (text == kVersion) return true;
    problems.error(version.where, "unknown-version", "unknown version `" + text + "`",
                   "write `" + std::string(kVersion) + "`");
    return false;
  }
  const std::string_view ours[] = {kGroup};
  if (text.find('/') != std::string::npos && !nearest(group, ours).empty()) {
    problems.error(version.where, "unknown-version", "unknown group `" + std::string(group) + "`",
                   "did you mean `" + std::string(kVersion) + "`?");
  } else if (isMeantAsOurs(text, group, kind)) {
    problems.error(version.where, "unknown-version",
                   "unknown version `" + shortened(printable(text), 60) + "`",
                   "write `" + std::string(kVersion) + "`");
  } else {
    problems.warning(version.where, "other-api", "a document of `" + text + "` is skipped: it is no policy",
                     "policies have `apiVersion: " + std::string(kVersion) + "`");
  }
  return false;
}

// No document of ours is in a namespace. What people expect of one is said otherwise.
void refuseNamespace(const yaml::Node& ns, std::string_view of, Problems& problems) {
  const bool matches = of == "a Policy" || of == "an Exemption";
  problems.error(ns.where, "unknown-key", std::string(of) + " is not in a namespace",
                 matches ? "write `match: {namespaces: [" + ns.scalar + "]}` in its spec"
                         : "take the key out: it counts for the whole cluster");
}

void readMetadata(Envelope& envelope, std::string_view of, Problems& problems) {
  const yaml::Node* metadata = envelope.document->find("metadata");
  const std::string missing = std::string(of) + " needs `metadata.name`";
  if (metadata == nullptr) {
    problems.error(envelope.where, "missing-key", missing, "write `metadata: {name: …}`");
    return;
  }
  if (const yaml::Node* ns = metadata->find("namespace")) refuseNamespace(*ns, of, problems);
  if (const yaml::Node* annotations = metadata->find("annotations"))
    envelope.kubernetes = annotations->find("driftbar.io/kubernetes");
  yaml::Node rest = *metadata;
  std::erase_if(rest.entries, [](const auto& entry) { return entry.key.scalar == "namespace"; });
  const Members members = Members::read(rest, metadataKeys(), problems);
  const yaml::Node* name = members["name"];
  if (name == nullptr) {
    if (metadata->isMap()) problems.error(metadata->where, "missing-key", missing, "write `name: …`");
    return;
  }
  envelope.where = name->where;
  const std::string* text = textOf(*name, "name", problems);
  if (text == nullptr) return;
  if (text->empty()) problems.error(name->where, "empty-text", "`metadata.name` is empty", "write `name: …`");
  envelope.name = *text;
}

// Documents of ours inside of a `List`, as kubectl prints several.
bool isListOfOurs(const yaml::Node& document, std::string_view kind) {
  const yaml::Node* items = document.find("items");
  return kind == "List" && items != nullptr &&
         std::any_of(items->items.begin(), items->items.end(), [](const yaml::Node& item) {
           const yaml::Node* version = item.find("apiVersion");
           return version != nullptr && version->scalar.starts_with(kGroup);
         });
}

}  // namespace

std::string_view documentKind(const yaml::Node& document, Problems& problems) {
  if (!document.isMap()) {
    problems.error(document.where, "wrong-type",
                   "a document is a map of keys, and this is " + std::string(describe(document)),
                   beginning());
    return {};
  }
  const yaml::Node* version = document.find("apiVersion");
  const yaml::Node* kind = document.find("kind");
  if (version == nullptr || kind == nullptr) {
    problems.error(document.where, "missing-key",
                   std::string("a document needs `") + (version == nullptr ? "apiVersion" : "kind") + "`",
                   beginning());
    return {};
  }
  const std::string* versionText = textOf(*version, "apiVersion", problems);
  const std::string* kindText = textOf(*kind, "kind", problems);
  if (versionText == nullptr || kindText == nullptr) return {};
  if (isListOfOurs(document, *kindText)) {
    problems.error(kind->where, "in-a-list", "documents inside of a `List` are not read",
                   "write each as a document of its own, with `---` between them");
    return {};
  }
  if (!isOurs(*version, *versionText, *kindText, problems)) return {};
  if (!kindText->empty()) return *kindText;
  problems.error(kind->where, "empty-text", "`kind` is empty", "write `kind: Policy`");
  return {};
}

namespace {

// Keys of the spec that stand beside it: that has been told, and where they stand there need be no more.
bool hasMisplaced(const yaml::Node& document) {
  return std::any_of(document.entries.begin(), document.entries.end(), [](const auto& entry) {
    return mendOfWord(documentKeys().of, entry.key.scalar).find("`spec`") != std::string_view::npos;
  });
}

}  // namespace

Envelope readEnvelope(const yaml::Node& document, std::string_view of, std::string_view specHelp,
                      const KeySet* keys, Problems& problems) {
  Envelope envelope;
  envelope.document = &document;
  envelope.where = document.where;
  Members::read(document, documentKeys(), problems);
  readMetadata(envelope, of, problems);
  const yaml::Node* spec = document.find("spec");
  if (spec == nullptr && hasMisplaced(document)) return envelope;
  if (spec == nullptr) {
    problems.error(document.where, "missing-key", std::string(of) + " needs `spec`", std::string(specHelp));
    return envelope;
  }
  if (spec->isMap()) envelope.spec = spec;
  if (keys != nullptr) {
    envelope.members = Members::read(*spec, *keys, problems);
  } else if (!spec->isMap()) {
    problems.wrongType(*spec, "spec", "a map of keys",
                       spec->isList() ? "put `all:` above the list" : std::string(specHelp));
  }
  return envelope;
}

}  // namespace driftbar::policy
