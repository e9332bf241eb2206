#include "yaml/json_text.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "yaml/scalar.h"

namespace driftbar::yaml {
namespace {

void appendText(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  out += '"';
}

void append(std::string& out, const Node& node);

void appendItems(std::string& out, const Node& list) {
  const char* between = "[";
  for (const auto& item : list.items) {
    out += std::exchange(between, ",");
    append(out, item);
  }
  out += list.items.empty() ? "[]" : "]";
}

void appendEntries(std::string& out, const Node& map) {
  const char* between = "{";
  for (const auto& [key, value] : map.entries) {
    out += std::exchange(between, ",");
    appendText(out, keyText(key));
    out += ':';
    append(out, value);
  }
  out += map.entries.empty() ? "{}" : "}";
}

void append(std::string& out, const Node& node) {
  switch (node.kind) {
    case Node::Kind::kText:
      return appendText(out, node.scalar);
    case Node::Kind::kList:
      return appendItems(out, node);
    case Node::Kind::kMap:
      return appendEntries(out, node);
    default:
      out += resolve(node.scalar).json;
  }
}

}  // namespace

std::string keyText(const Node& key) {
  const bool asWritten = key.isText() || key.isNull();
  if (asWritten) return key.scalar;
  const std::string json = resolve(key.scalar).json;
  if (key.kind != Node::Kind::kReal) return json;
  // sigs.k8s.io/yaml writes a key that is a real in the digits that a 32-bit one needs.
  char out[32];
  const auto end = std::to_chars(out, out + sizeof out, std::strtof(json.c_str(), nullptr)).ptr;
  return {out, end};
}

std::string toJsonText(const Node& node) {
  std::string out;
  append(out, node);
  return out;
}

Result<JsonDocument> toJson(const Node& node) {
  auto document = JsonDocument::parse(toJsonText(node));
  if (document) return document;
  Diagnostics errors = std::move(document).errors();
  for (auto& d : errors) d.where = node.where;
  return errors;
}

}  // namespace driftbar::yaml
