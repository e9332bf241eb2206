#include "decision/beyond.h"

#include <utility>

#include "base/text.h"

namespace driftbar::decision {

Answers::ObjectFound Answers::find(const Need& need) const {
  const Answer* answer = found_.answer(need);
  if (answer == nullptr) {
    needs_.insert(need);
    return {};
  }
  return {answer->object(), answer->state() != Answer::State::kNone};
}

Answers::NodeFound Answers::node(std::string_view name) const {
  if (world_.inventory) {
    if (const auto* node = world_.inventory->node(name)) return {node, true};
  }
  if (const auto read = nodes_.find(name); read != nodes_.end()) return {read->second.get(), true};
  const auto found = find(Need::node(name));
  if (!found.known || !found.object.exists()) return {nullptr, found.known};
  auto node = kube::Node::parse(found.object);
  if (!node) return {};  // what cannot be read is not known
  return {nodes_.emplace(std::string(name), *std::move(node)).first->second.get(), true};
}

// Read only by those whose answer hangs on it, and most often not at all: the watch is some 50 ms behind.
Answers::NamespaceFound Answers::ns(std::string_view name) const {
  const auto known = [](const inventory::Namespace& ns) { return NamespaceFound{&ns.labels(), ns.object()}; };
  if (world_.inventory) {
    if (const auto* ns = world_.inventory->ns(name)) return known(*ns);
  }
  if (const auto read = namespaces_.find(name); read != namespaces_.end()) return known(*read->second);
  if (const Json object = find(Need::nameSpace(name)).object; object.exists()) {
    if (auto ns = inventory::Namespace::parse(object))
      return known(*namespaces_.emplace(std::string(name), *std::move(ns)).first->second);
  }
  ++missedNamespaces_;
  return {};
}

std::string Answers::whyNot(std::string_view ns) const {
  const std::string shown = "namespace " + quoted(ns);
  const Answer* answer = found_.answer(Need::nameSpace(ns));
  if (answer == nullptr) return shown + " is not in the inventory";
  if (answer->isObject()) return shown + " could not be read: it is no namespace";
  if (answer->state() == Answer::State::kNotFound) return shown + " was not found";
  return shown + " could not be read: " + answer->reason();
}

Answers::ObjectFound Answers::owner(Json reference, std::string_view ns) const {
  return find(Need::owner(reference, ns));
}

Answers::ObjectFound Answers::pod(std::string_view ns, std::string_view name, std::string_view uid) const {
  return find(Need::pod(ns, name, uid));
}

policy::Truth Answers::canLandOn(const policy::PodTemplate& pod, const kube::LabelSelector& nodes) const {
  Candidates* candidates = this->candidates(pod);
  if (candidates == nullptr) return policy::Truth::kUnknown;
  for (std::size_t i = 0; const kube::Node* node = candidates->at(i); ++i) {
    if (nodes.matches(node->labels())) return policy::Truth::kTrue;
  }
  return policy::Truth::kFalse;
}

Candidates* Answers::candidates(const policy::PodTemplate& pod) const {
  const auto key = std::pair(pod.before, std::string(pod.place));
  const auto made = candidates_.find(key);
  if (made != candidates_.end()) return made->second.get();
  if (!world_.inventory) return nullptr;
  const kube::Pod view(pod.pod);
  if (!view.nodeName().empty()) return candidatesOnPinned(pod);
  auto fresh = std::make_unique<Candidates>(world_.inventory->nodes(), view);
  return candidates_.emplace(key, std::move(fresh)).first->second.get();
}

// The one node that it is pinned to, which may have joined after the inventory was read.
Candidates* Answers::candidatesOnPinned(const policy::PodTemplate& pod) const {
  const kube::Pod view(pod.pod);
  const auto found = node(view.nodeName());
  if (found.node == nullptr) return nullptr;
  const auto read = nodes_.find(view.nodeName());
  auto fresh = read == nodes_.end() ? std::make_unique<Candidates>(world_.inventory->nodes(), view)
                                    : std::make_unique<Candidates>(
                                          std::span<const inventory::NodePtr>(&read->second, 1), view);
  return candidates_.emplace(std::pair(pod.before, std::string(pod.place)), std::move(fresh))
      .first->second.get();
}

}  // namespace driftbar::decision
