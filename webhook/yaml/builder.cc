#include "yaml/builder.h"

#include <yaml-cpp/mark.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "yaml/json_text.h"
#include "yaml/scalar.h"

namespace driftbar::yaml {
namespace {

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

struct TaggedKind {
  std::string_view tag;
  Node::Kind kind;
};

constexpr TaggedKind kTags[] = {
    {"str", Node::Kind::kText},  {"int", Node::Kind::kInteger}, {"float", Node::Kind::kReal},
    {"bool", Node::Kind::kBool}, {"null", Node::Kind::kNull},   {"seq", Node::Kind::kList},
    {"map", Node::Kind::kMap},
};

// Nothing where the text has no tag (yaml-cpp says `?` then, and `!` of what is quoted).
std::optional<Node::Kind> taggedKind(const std::string& tag, const Location& where) {
  if (tag.empty() || tag == "?" || tag == "!") return std::nullopt;
  const std::string_view name = tag;
  for (const auto& row : kTags) {
    if (name.starts_with(kCoreTag) && name.substr(kCoreTag.size()) == row.tag) return row.kind;
  }
  throw Refusal{errorAt(where, "yaml-tag", "the tag `" + tag + "` means nothing here",
                        "take the tag away; objects have text, numbers, true, false, null, lists and maps")};
}

struct Size {
  std::size_t nodes = 0;
  std::size_t depth = 0;
};

// Stops counting once `most` is passed, so that a bomb is not walked either.
void measure(const Node& node, std::size_t level, std::size_t most, Size& size) {
  if (++size.nodes > most) return;
  size.depth = std::max(size.depth, level);
  for (const auto& item : node.items) measure(item, level + 1, most, size);
  for (const auto& [key, value] : node.entries) {
    ++size.nodes;
    measure(value, level + 1, most, size);
  }
}

Diagnostic tooDeep(const Location& where) {
  return errorAt(where, "too-deep", "nested deeper than " + std::to_string(kMaxDepth) + " levels",
                 "the deepest object of Kubernetes has about 100");
}

}  // namespace

std::size_t Builder::offsetOf(const YAML::Mark& mark) const {
  const auto offset = static_cast<std::size_t>(std::max(mark.pos, 0)) + places_.markBytes();
  return std::min(offset, places_.text().size());
}

std::optional<std::size_t> Builder::openBracket() const {
  for (auto it = open_.rbegin(); it != open_.rend(); ++it) {
    if (it->flow) return it->offset;
  }
  return std::nullopt;
}

void Builder::OnDocumentStart(const YAML::Mark& mark) {
  const std::size_t offset = offsetOf(mark);
  if (documentsStarted_++ > 0 && !places_.text().substr(offset).starts_with("---")) {
    throw Refusal{errorAt(places_.at(offset), "yaml-syntax", "this does not belong to the document above",
                          "check the indentation, or begin another document with a line `---`")};
  }
  anchors_.clear();
  open_.clear();
}

bool Builder::expectsKey() const {
  return !open_.empty() && open_.back().node.isMap() && !open_.back().key;
}

std::size_t Builder::nextNumber() const {
  if (open_.empty()) return 0;
  const auto& parent = open_.back();
  if (parent.node.isList()) return parent.node.items.size();
  return 2 * parent.node.entries.size() + (parent.key ? 1 : 0);
}

void Builder::remember(YAML::anchor_t anchor) {
  if (anchor == 0) return;
  Path path;
  for (std::size_t i = 1; i < open_.size(); ++i) path.push_back(open_[i].number);
  if (!open_.empty()) path.push_back(nextNumber());
  anchors_[anchor] = std::move(path);
}

const Node* Builder::behind(const Path& path) const {
  std::size_t level = 0;  // down the lists and maps that are being read
  while (level < path.size() && level + 1 < open_.size() && open_[level + 1].number == path[level]) ++level;
  if (level == path.size()) return nullptr;
  const Open& parent = open_[level];
  const std::size_t first = path[level];
  if (parent.key && first == 2 * parent.node.entries.size()) return &*parent.key;
  const Node* at = &parent.node;
  for (; level < path.size(); ++level) {
    const std::size_t number = path[level];
    if (at->isList()) {
      at = &at->items[number];
    } else {
      const auto& entry = at->entries[number / 2];
      at = number % 2 == 0 ? &entry.key : &entry.value;
    }
  }
  return at;
}

void Builder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const std::size_t offset = offsetOf(mark);
  checkIndentation(offset);
  const std::size_t end = std::min(places_.text().find_first_of(" \t\r\n,]}", offset), places_.text().size());
  const Location where = places_.at(offset, end - offset);
  const auto found = anchors_.find(anchor);
  const Node* node = found == anchors_.end() ? nullptr : behind(found->second);
  if (node == nullptr) {
    throw Refusal{
        errorAt(where, "yaml-cycle", "the alias stands inside of what it stands for", "write the value out")};
  }
  Size size;
  measure(*node, 1, kAliasBudget - spent_, size);
  spent_ += size.nodes;
  if (spent_ > kAliasBudget) {
    throw Refusal{errorAt(where, "yaml-bomb",
                          "the aliases stand for more than " + std::to_string(kAliasBudget) + " values",
                          "write the values out, or split the file")};
  }
  if (open_.size() + size.depth > kMaxDepth) throw Refusal{tooDeep(where)};
  Node copy = *node;
  copy.where = where;
  if (expectsKey() && !copy.isScalar()) addKey(std::move(copy));
  if (expectsKey()) {
    checkKey(copy, end);
    return addKey(std::move(copy));
  }
  add(std::move(copy));
}

void Builder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const std::size_t offset = skipProperties(places_.text(), offsetOf(mark));
  const auto rest = places_.text().substr(offset);
  Node node;
  for (const std::string_view written : {"~", "null", "Null", "NULL"}) {
    if (rest.starts_with(written)) node.scalar = written;
  }
  node.where = places_.at(offset, node.scalar.size());
  if (node.scalar.empty()) {
    // Nothing is written, and yaml-cpp's place is that of whatever comes next.
    const auto before = places_.text().find_last_not_of(" \t\r\n", offset == 0 ? 0 : offset - 1);
    node.where = !open_.empty() && open_.back().key
                     ? open_.back().key->where
                     : places_.at(before == std::string_view::npos ? 0 : before);
  }
  remember(anchor);
  if (expectsKey()) return addKey(std::move(node));
  add(std::move(node));
}

Node Builder::scalarNode(const Extent& extent, const std::string& tag, const std::string& value) const {
  Node node;
  node.where = places_.at(extent.begin, extent.firstLineEnd - extent.begin);
  node.scalar = value;
  const auto tagged = taggedKind(tag, node.where);
  const bool plain = tagged ? *tagged != Node::Kind::kText : tag == "?";
  node.quoted = !plain;
  node.kind = Node::Kind::kText;
  if (!plain) return node;
  const Meaning meaning = resolve(value);
  if (!meaning.finite) {
    throw Refusal{errorAt(node.where, "not-a-number", "`" + value + "` is no number that an object can have",
                          "quote it if it is meant as text")};
  }
  node.kind = meaning.kind;
  if (tagged == Node::Kind::kReal && meaning.kind == Node::Kind::kInteger) node.kind = Node::Kind::kReal;
  if (tagged && node.kind != *tagged) {
    throw Refusal{errorAt(node.where, "yaml-tag", "`" + value + "` is not what its tag says", {})};
  }
  return node;
}

void Builder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       const std::string& value) {
  const std::size_t offset = offsetOf(mark);
  checkIndentation(offset);
  const Extent extent = extentOf(places_.text(), offset, value);
  if (!extent.closed) {
    throw Refusal{errorAt(places_.at(extent.begin), "open-quote",
                          "the quote that begins here is never closed",
                          "close it, or quote the whole value in the other kind of quotes")};
  }
  Node node = scalarNode(extent, tag, value);
  remember(anchor);
  if (!expectsKey()) return add(std::move(node));
  checkKey(node, extent.end);
  addKey(std::move(node));
}

void Builder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                              YAML::EmitterStyle::value style) {
  open(Node::Kind::kList, mark, tag, anchor, style);
}

void Builder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) {
  open(Node::Kind::kMap, mark, tag, anchor, style);
}

void Builder::open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                   YAML::EmitterStyle::value style) {
  checkIndentation(offsetOf(mark));
  Open next;
  next.offset = skipProperties(places_.text(), offsetOf(mark));
  next.node.kind = kind;
  next.node.where = places_.at(next.offset);
  next.flow = style == YAML::EmitterStyle::Flow;
  next.number = nextNumber();
  const auto tagged = taggedKind(tag, next.node.where);
  if (tagged && *tagged != kind) {
    throw Refusal{errorAt(next.node.where, "yaml-tag",
                          std::string(describe(next.node)) + " is not what its tag says", {})};
  }
  if (open_.size() >= kMaxDepth) throw Refusal{tooDeep(next.node.where)};
  if (expectsKey()) addKey(std::move(next.node));  // refuses it
  remember(anchor);
  open_.push_back(std::move(next));
}

void Builder::close() {
  Node node = std::move(open_.back().node);
  open_.pop_back();
  add(std::move(node));
}

void Builder::add(Node node) {
  if (open_.empty()) {
    if (!node.isNull()) documents_.push_back(std::move(node));
    return;
  }
  Open& parent = open_.back();
  if (parent.node.isList()) {
    parent.node.items.push_back(std::move(node));
    return;
  }
  parent.node.entries.push_back({*std::move(parent.key), std::move(node)});
  parent.key.reset();
}

void Builder::addKey(Node key) {
  if (!key.isScalar() || key.isNull()) {
    throw Refusal{errorAt(key.where, "yaml-key", "a key must be text, not " + std::string(describe(key)),
                          "quote it if it is meant as text")};
  }
  if (key.scalar == "<<" && !key.quoted) {
    throw Refusal{errorAt(key.where, "merge-key", "merge keys `<<` are not read",
                          "write the keys out")};
  }
  Open& map = open_.back();
  const auto [first, fresh] = map.seen.emplace(keyText(key), key.where);
  if (!fresh) {
    problems_.push_back(errorAt(
        key.where, "duplicate-key",
        "the key `" + key.scalar + "` is there twice, first on line " + std::to_string(first->second.line),
        "keep one of them"));
  }
  map.key = std::move(key);
}

// yaml-cpp takes `name:web` on a line of its own for a key without a value.
void Builder::checkKey(const Node& key, std::size_t end) {
  if (open_.back().flow) return;
  const auto text = places_.text();
  const auto next = skipBlanks(text, end);
  if (next < text.size() && text[next] == ':') return;
  const auto colon = key.scalar.find(':');
  throw Refusal{errorAt(key.where, "yaml-syntax", "`" + shortened(key.scalar, 40) + "` has no value",
                        colon == std::string::npos
                            ? "write a colon and a value behind it, or indent it as part of the value above"
                            : "put a blank behind the colon: `" + key.scalar.substr(0, colon) + ": " +
                                  key.scalar.substr(colon + 1) + "`")};
}

void Builder::checkIndentation(std::size_t offset) const {
  if (openBracket()) return;
  const auto indentation = places_.indentation(offset);
  const std::size_t start = places_.lineStart(offset);
  const auto tab = indentation.find('\t');
  if (tab == std::string_view::npos || start + indentation.size() != offset) return;
  throw Refusal{errorAt(places_.at(start + tab), "tab", "a tab in the indentation", "indent with blanks")};
}

}  // namespace driftbar::yaml
