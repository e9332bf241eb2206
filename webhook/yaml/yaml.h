// YAML as people write it, with a place for every node: what policies, tests, inventories and objects come in
// as.
//
// parse() is the one way in. It reads every document of a text and refuses what could mislead or run away:
// tabs in indentation, a key twice in a map, aliases past a budget and cycles, merge keys, nesting past
// kMaxDepth, NUL and bytes that are not UTF-8. Scalars mean what Kubernetes' own reader makes of them
// (sigs.k8s.io/yaml), so that a policy is read as an object would be. A text that starts with `{` and a JSON
// key is JSON and is read by the same rules.
//
// A node that came by an alias has the place of the alias; what is below it has the places where it is
// written.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/source.h"

namespace driftbar::yaml {

// How many nodes all aliases of a text may stand for. A node takes some 130 bytes, an entry of a map two of
// them, so a bomb stops at about 25 MB; an inventory in which each of 3,000 nodes repeats 30 labels still
// fits.
inline constexpr std::size_t kAliasBudget = 100'000;

class Node {
 public:
  enum class Kind { kNull, kBool, kInteger, kReal, kText, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  Location where;       // of its first character; its width covers a scalar's first line
  std::string scalar;   // the text as written, without quotes; of lists and maps empty
  bool quoted = false;  // written with quotes or as a block scalar
  std::vector<Node> items;
  std::vector<Entry> entries;  // in the order written

  bool isMap() const { return kind == Kind::kMap; }
  bool isList() const { return kind == Kind::kList; }
  bool isNull() const { return kind == Kind::kNull; }
  bool isText() const { return kind == Kind::kText; }
  bool isNumber() const { return kind == Kind::kInteger || kind == Kind::kReal; }
  bool isScalar() const { return !isMap() && !isList(); }
  // Of a boolean.
  bool isTrue() const;
  // The value under `key`; null where this is not a map or has no such key.
  const Node* find(std::string_view key) const;
};

struct Node::Entry {
  Node key;  // always a scalar
  Node value;
};

// All documents of the text; empty ones are left out.
Result<std::vector<Node>> parse(const Source& source);

// What kind of node a value is, in words: `a list`, `text`, `a number`.
std::string_view describe(const Node& node);

// The node as JSON, for what is judged as an object. Keys become text as in sigs.k8s.io/yaml (`on` is
// "true", 010 is "8").
std::string toJsonText(const Node& node);
Result<JsonDocument> toJson(const Node& node);

}  // namespace driftbar::yaml
