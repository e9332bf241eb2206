#include "kube/node.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/text.h"

namespace driftbar::kube {
namespace {

struct Section {
  std::string_view name;
  std::span<const std::string_view> kept;
};

constexpr std::string_view kKeptMetadata[] = {"name",   "uid",        "resourceVersion", "creationTimestamp",
                                              "labels", "annotations"};
constexpr std::string_view kKeptSpec[] = {"taints", "unschedulable", "providerID"};
constexpr std::string_view kKeptStatus[] = {"conditions", "capacity", "allocatable", "nodeInfo", "addresses"};

// THE TABLE of what is kept of a node.
constexpr Section kSections[] = {{"metadata", kKeptMetadata}, {"spec", kKeptSpec}, {"status", kKeptStatus}};

std::string jsonText(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Writes a map of JSON texts.
class MapWriter {
 public:
  void add(std::string_view key, std::string_view valueText) {
    text_ += text_.empty() ? '{' : ',';
    text_ += jsonText(key);
    text_ += ':';
    text_ += valueText;
  }
  std::string text() && { return (text_.empty() ? "{" : std::move(text_)) + "}"; }

 private:
  std::string text_;
};

struct Reduced {
  std::string text;
  std::size_t droppedAnnotations = 0;
};

std::string reducedAnnotations(Json annotations, std::size_t& dropped) {
  MapWriter map;
  for (const auto& [key, value] : annotations.entries()) {
    if (value.text().size() > kMaxAnnotationBytes) {
      ++dropped;
    } else {
      map.add(key, value.dump());
    }
  }
  return std::move(map).text();
}

Reduced reduced(Json object) {
  Reduced made;
  MapWriter node;
  node.add("apiVersion", "\"v1\"");
  node.add("kind", "\"Node\"");
  for (const auto& section : kSections) {
    MapWriter map;
    for (const auto key : section.kept) {
      const Json value = object[section.name][key];
      if (!value.exists()) continue;
      map.add(key, key == "annotations" ? reducedAnnotations(value, made.droppedAnnotations) : value.dump());
    }
    node.add(section.name, std::move(map).text());
  }
  made.text = std::move(node).text();
  return made;
}

void append(Diagnostics& to, const Diagnostics& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Kind and version are not written on the items of a NodeList.
void checkKind(Json object, Diagnostics& wrong) {
  const Json kind = object["kind"], version = object["apiVersion"];
  if ((kind.exists() && kind.text() != "Node") || (version.exists() && version.text() != "v1")) {
    wrong.push_back(error(
        "not-a-node", "not a Node of v1, but kind " + quoted(kind.text()) + " of " + quoted(version.text())));
  }
}

void checkQuantities(Json resources, const std::string& path, Diagnostics& wrong) {
  for (const auto& [name, amount] : resources.entries()) {
    if (Quantity::read(amount)) continue;
    wrong.push_back(error("bad-quantity", printable(amount.dump()) + " is not a quantity",
                          "quantities look like 8, 500m or 64Gi", path + pathStep(name)));
  }
}

// A status that YAML has made a boolean (`status: True`) would fit no rule, and so would a taint's misspelt
// effect: the API server has neither, people's files do.
void checkText(Json value, const std::string& path, Diagnostics& wrong) {
  if (value.exists() && !value.isText()) {
    wrong.push_back(error("not-text", "must be text, this is " + printable(value.dump()),
                          "write it in quotes: \"" + printable(value.dump()) + "\"", path));
  }
}

void checkConditions(Json conditions, Diagnostics& wrong) {
  std::size_t index = 0;
  for (const Json condition : conditions.items()) {
    const auto path = "status.conditions[" + std::to_string(index++) + "]";
    checkText(condition["type"], path + ".type", wrong);
    checkText(condition["status"], path + ".status", wrong);
  }
}

void checkTaints(Json taints, Diagnostics& wrong) {
  std::size_t index = 0;
  for (const Json taint : taints.items()) {
    const auto path = "spec.taints[" + std::to_string(index++) + "]";
    checkText(taint["key"], path + ".key", wrong);
    checkText(taint["value"], path + ".value", wrong);
    // An empty one closes nothing; the API server refuses it, its own code does not.
    const auto effect = taint["effect"].text();
    if (taint["effect"].isText() && effect.empty()) continue;
    if (effect == "NoSchedule" || effect == "PreferNoSchedule" || effect == "NoExecute") continue;
    wrong.push_back(error("bad-effect", quoted(effect) + " is not an effect of a taint",
                          "it is NoSchedule, PreferNoSchedule or NoExecute", path + ".effect"));
  }
}

void checkSpec(Json spec, Diagnostics& wrong) {
  const Json unschedulable = spec["unschedulable"];
  if (unschedulable.exists() && !unschedulable.isNull() && !unschedulable.asBool()) {
    wrong.push_back(error("not-a-boolean",
                          "must be true or false, this is " + printable(unschedulable.dump()), {},
                          "spec.unschedulable"));
  }
  checkTaints(spec["taints"], wrong);
}

Diagnostics check(Json object) {
  Diagnostics wrong;
  checkKind(object, wrong);
  const Json metadata = object["metadata"];
  if (metadata["name"].text().empty())
    wrong.push_back(error("no-name", "the node has no name", {}, "metadata.name"));
  for (const std::string_view map : {"labels", "annotations"}) {
    const auto labels = Labels::checked(metadata[map], "metadata." + std::string(map));
    if (!labels) append(wrong, labels.errors());
  }
  for (const std::string_view map : {"capacity", "allocatable"})
    checkQuantities(object["status"][map], "status." + std::string(map), wrong);
  checkConditions(object["status"]["conditions"], wrong);
  checkSpec(object["spec"], wrong);
  return wrong;
}

std::vector<Condition> conditionsOf(Json conditions) {
  std::vector<Condition> list;
  for (const Json condition : conditions.items()) {
    list.push_back({condition["type"].text(), condition["status"].text(), condition["reason"].text(),
                    condition["message"].text(), parseInstant(condition["lastTransitionTime"].text())});
  }
  return list;
}

std::vector<Resource> resourcesOf(Json resources) {
  std::vector<Resource> list;
  for (const auto& [name, amount] : resources.entries())
    list.push_back({name, Quantity::read(amount).value_or(Quantity())});
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return list;
}

}  // namespace

Result<std::shared_ptr<const Node>> Node::parse(Json object) {
  if (!object.isMap()) return error("not-a-map", "a node must be a map");
  if (auto wrong = check(object); !wrong.empty()) return wrong;
  const Reduced kept = reduced(object);
  auto document = JsonDocument::parse(kept.text);
  if (!document) return std::move(document).errors();
  const std::shared_ptr<Node> node(new Node(std::move(document).value()));
  node->read();
  node->droppedAnnotations_ = kept.droppedAnnotations;
  return std::shared_ptr<const Node>(node);
}

void Node::read() {
  const Json metadata = object()["metadata"], spec = object()["spec"], status = object()["status"];
  name_ = metadata["name"].text();
  labels_ = Labels(metadata["labels"]);
  annotations_ = Labels(metadata["annotations"]);
  taints_ = Taint::listOf(spec["taints"]);
  tainted_ = std::any_of(taints_.begin(), taints_.end(), closes);
  unschedulable_ = spec["unschedulable"].isTrue();
  conditions_ = conditionsOf(status["conditions"]);
  allocatable_ = resourcesOf(status["allocatable"]);
  readFacts();
}

namespace {

// The texts of what the agent wrote, end to end: name and value, name and value. Nothing where it is not to
// be read.
struct Reported {
  std::string texts;
  std::vector<std::size_t> ends;  // of each
};

std::optional<Reported> reported(std::string_view annotation) {
  const auto document = JsonDocument::parse(annotation);
  if (!document || !document->root().isMap()) return std::nullopt;
  Reported made;
  for (const auto& [name, value] : document->root().entries()) {
    if (value.isNull()) continue;
    if (value.isList() || value.isMap()) return std::nullopt;
    made.texts += name;
    made.ends.push_back(made.texts.size());
    made.texts += value.isText() ? std::string(value.text()) : value.dump();
    made.ends.push_back(made.texts.size());
  }
  made.texts.shrink_to_fit();  // it is kept for each of some thousand nodes
  return made;
}

}  // namespace

void Node::readFacts() {
  const auto annotation = annotations_.find(kFactsAnnotation);
  auto made = annotation ? reported(*annotation) : std::nullopt;
  factsKnown_ = made.has_value();
  if (!made) return;
  factTexts_ = std::move(made->texts);
  facts_.reserve(made->ends.size() / 2);
  std::size_t begin = 0;
  const std::string_view texts = factTexts_;
  for (std::size_t i = 0; i + 1 < made->ends.size(); i += 2) {
    const std::size_t middle = made->ends[i], end = made->ends[i + 1];
    facts_.push_back({texts.substr(begin, middle - begin), texts.substr(middle, end - middle)});
    begin = end;
  }
  std::sort(facts_.begin(), facts_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

std::optional<std::string_view> Node::fact(std::string_view name) const {
  const auto at =
      std::lower_bound(facts_.begin(), facts_.end(), name,
                       [](const Fact& fact, std::string_view wanted) { return fact.name < wanted; });
  return at != facts_.end() && at->name == name ? std::optional(at->text) : std::nullopt;
}

const Condition* Node::condition(std::string_view type) const {
  for (const auto& condition : conditions_) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

bool Node::keeps(const FieldPath& path) {
  const auto& steps = path.steps();
  if (steps.size() < 2 || steps[0].kind != PathStep::Kind::kKey || steps[1].kind != PathStep::Kind::kKey)
    return false;
  for (const auto& section : kSections) {
    if (section.name != steps[0].key) continue;
    return std::find(section.kept.begin(), section.kept.end(), steps[1].key) != section.kept.end();
  }
  return false;
}

}  // namespace driftbar::kube
