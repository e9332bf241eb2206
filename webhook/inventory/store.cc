#include "inventory/store.h"

#include <algorithm>

namespace driftbar::inventory {
namespace {

// A shelf: the objects of one kind, sorted by name. This is where `name` is, or would be.
template <typename Shelf>
auto place(Shelf& shelf, std::string_view name) {
  return std::lower_bound(shelf.begin(), shelf.end(), name,
                          [](const auto& p, std::string_view n) { return p->name() < n; });
}

template <typename Pointer>
void putOn(std::vector<Pointer>& shelf, Pointer object) {
  const auto at = place(shelf, object->name());
  if (at != shelf.end() && (*at)->name() == object->name()) {
    *at = std::move(object);
  } else {
    shelf.insert(at, std::move(object));
  }
}

template <typename Pointer>
bool removeFrom(std::vector<Pointer>& shelf, std::string_view name) {
  const auto at = place(shelf, name);
  if (at == shelf.end() || (*at)->name() != name) return false;
  shelf.erase(at);
  return true;
}

template <typename Pointer>
std::optional<Object> findOn(const std::vector<Pointer>& shelf, std::string_view name) {
  const auto at = place(shelf, name);
  if (at == shelf.end() || (*at)->name() != name) return std::nullopt;
  return Object(*at);
}

template <typename Pointer>
std::vector<Pointer> allOf(std::vector<Object> objects) {
  std::vector<Pointer> out;
  out.reserve(objects.size());
  for (auto& object : objects) out.push_back(std::move(std::get<Pointer>(object)));
  return out;
}

// Kubernetes gives every change of an object a new resourceVersion. What people wrote has none, and is never
// taken for unchanged.
bool sameVersion(Json a, Json b) {
  const std::string_view version = a["metadata"]["resourceVersion"].text();
  return !version.empty() && version == b["metadata"]["resourceVersion"].text() &&
         a["metadata"]["uid"].text() == b["metadata"]["uid"].text();
}

// Brings `fresh` into order and keeps the objects of `shelf` that it has in the same version.
template <typename Pointer>
void refill(std::vector<Pointer>& shelf, std::vector<Pointer> fresh) {
  std::stable_sort(fresh.begin(), fresh.end(),
                   [](const Pointer& a, const Pointer& b) { return a->name() < b->name(); });
  std::vector<Pointer> next;
  next.reserve(fresh.size());
  for (auto& object : fresh) {
    const auto held = place(shelf, object->name());
    const bool unchanged = held != shelf.end() && (*held)->name() == object->name() &&
                           sameVersion((*held)->object(), object->object());
    if (!next.empty() && next.back()->name() == object->name()) next.pop_back();
    next.push_back(unchanged ? *held : std::move(object));
  }
  shelf = std::move(next);
}

template <typename Parsed>
Result<Object> asObject(Result<Parsed> parsed) {
  if (!parsed) return std::move(parsed).errors();
  return Object(std::move(*parsed));
}

}  // namespace

Result<Object> parseObject(Kind kind, Json object) {
  return kind == Kind::kNode ? asObject(kube::Node::parse(object)) : asObject(Namespace::parse(object));
}

Kind kindOf(const Object& object) {
  return std::holds_alternative<NodePtr>(object) ? Kind::kNode : Kind::kNamespace;
}

std::string_view nameOf(const Object& object) {
  return std::visit([](const auto& pointer) { return pointer->name(); }, object);
}

void Store::put(Object object) {
  if (auto* node = std::get_if<NodePtr>(&object)) {
    putOn(nodes_, std::move(*node));
  } else {
    putOn(namespaces_, std::move(std::get<NamespacePtr>(object)));
  }
}

bool Store::remove(Kind kind, std::string_view name) {
  return kind == Kind::kNode ? removeFrom(nodes_, name) : removeFrom(namespaces_, name);
}

void Store::replace(Kind kind, std::vector<Object> objects) {
  if (kind == Kind::kNode) {
    refill(nodes_, allOf<NodePtr>(std::move(objects)));
  } else {
    refill(namespaces_, allOf<NamespacePtr>(std::move(objects)));
  }
}

std::optional<Object> Store::find(Kind kind, std::string_view name) const {
  return kind == Kind::kNode ? findOn(nodes_, name) : findOn(namespaces_, name);
}

std::size_t Store::count(Kind kind) const {
  return kind == Kind::kNode ? nodes_.size() : namespaces_.size();
}

std::shared_ptr<const Snapshot> Store::snapshot() const {
  return std::make_shared<const Snapshot>(nodes_, namespaces_);
}

}  // namespace driftbar::inventory
