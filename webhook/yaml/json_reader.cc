#include "yaml/json_reader.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "yaml/builder.h"
#include "yaml/scalar.h"

namespace driftbar::yaml {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

void appendUtf8(std::string& out, std::uint32_t c) {
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | ((c >> shift) & 0x3FU)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0U | (c >> 6U));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0U | (c >> 12U));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0U | (c >> 18U));
    tail(12), tail(6), tail(0);
  }
}

class Reader {
 public:
  explicit Reader(const Places& places) : places_(places), text_(places.text()), at_(places.markBytes()) {}

  std::vector<Node> values() {
    std::vector<Node> out;
    for (skip(); at_ < text_.size(); skip()) {
      if (rest().starts_with("---")) {
        at_ += 3;
        continue;
      }
      out.push_back(value(0));
    }
    return out;
  }

  Diagnostics takeProblems() { return std::move(problems_); }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip() { at_ = std::min(text_.find_first_not_of(kSpace, at_), text_.size()); }

  [[noreturn]] void refuse(std::size_t at, std::string message, std::string help = {}) const {
    throw Refusal{
        errorAt(places_.at(std::min(at, text_.size())), "json-syntax", std::move(message), std::move(help))};
  }

  void take(char wanted, std::string_view after) {
    skip();
    if (next() == wanted) {
      ++at_;
      return;
    }
    refuse(at_, "expected `" + std::string(1, wanted) + "` " + std::string(after),
           "the text is read as JSON, since it begins with `{`");
  }

  Node value(std::size_t depth) {
    skip();
    if (depth > kMaxDepth) {
      throw Refusal{errorAt(places_.at(at_), "too-deep",
                            "nested deeper than " + std::to_string(kMaxDepth) + " levels",
                            "the deepest object of Kubernetes has about 100")};
    }
    switch (next()) {
      case '{':
        return map(depth);
      case '[':
        return list(depth);
      case '"':
        return text();
      default:
        return word();
    }
  }

  Node start(Node::Kind kind) const {
    Node node;
    node.kind = kind;
    node.where = places_.at(at_);
    return node;
  }

  // Whether another element follows; takes the comma or the end.
  bool another(char end, bool first) {
    skip();
    if (next() == end) return ++at_, false;
    if (!first) take(',', "or `" + std::string(1, end) + "` here");
    return true;
  }

  Node list(std::size_t depth) {
    Node node = start(Node::Kind::kList);
    ++at_;
    for (bool first = true; another(']', first); first = false) node.items.push_back(value(depth + 1));
    return node;
  }

  Node map(std::size_t depth) {
    Node node = start(Node::Kind::kMap);
    ++at_;
    std::unordered_map<std::string, int> seen;
    for (bool first = true; another('}', first); first = false) {
      skip();
      if (next() != '"') refuse(at_, "a key in double quotes is expected here");
      Node key = text();
      const auto [before, fresh] = seen.emplace(key.scalar, key.where.line);
      if (!fresh) duplicate(key, before->second);
      take(':', "after the key");
      Node entry = value(depth + 1);
      node.entries.push_back({std::move(key), std::move(entry)});
    }
    return node;
  }

  void duplicate(const Node& key, int line) {
    problems_.push_back(
        errorAt(key.where, "duplicate-key",
                "the key `" + key.scalar + "` is there twice, first on line " + std::to_string(line),
                "keep one of them"));
  }

  Node text() {
    Node node = start(Node::Kind::kText);
    node.quoted = true;
    const std::size_t begin = at_++;
    while (next() != '"') {
      if (at_ >= text_.size() || next() == '\n') refuse(begin, "the quote that begins here is never closed");
      if (next() == '\\') {
        escape(node.scalar);
      } else {
        node.scalar += text_[at_++];
      }
    }
    ++at_;
    node.where = places_.at(begin, at_ - begin);
    return node;
  }

  void escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t begin = at_++;
    const auto found = kNames.find(next());
    if (at_ < text_.size() && found != std::string_view::npos) {
      out += kMeanings[found];
      ++at_;
      return;
    }
    if (next() != 'u') refuse(begin, "this is no escape of JSON");
    ++at_;
    appendUtf8(out, character(begin));
  }

  // A lone half of a pair becomes U+FFFD, as in Go's reader.
  std::uint32_t character(std::size_t begin) {
    constexpr std::uint32_t kReplacement = 0xFFFD;
    const std::uint32_t c = hex(begin);
    if (c < 0xD800 || c > 0xDFFF) return c;
    if (c > 0xDBFF || !rest().starts_with("\\u")) return kReplacement;
    const std::size_t back = at_;
    at_ += 2;
    const std::uint32_t low = hex(begin);
    if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((c - 0xD800) << 10U) + (low - 0xDC00);
    at_ = back;
    return kReplacement;
  }

  std::uint32_t hex(std::size_t begin) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = next();
      const auto digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c | 0x20) : c);
      if (digit == std::string_view::npos) refuse(begin, "an escape `\\u` has four hex digits");
      value = value * 16 + static_cast<std::uint32_t>(digit);
    }
    return value;
  }

  Node word() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(" \t\r\n,:{}[]\"", at_), text_.size());
    Node node = start(Node::Kind::kNull);
    node.scalar = text_.substr(begin, at_ - begin);
    node.where = places_.at(begin, at_ - begin);
    if (!isJsonWord(node.scalar)) {
      refuse(begin,
             node.scalar.empty() ? "a value is missing here" : "`" + node.scalar + "` is no JSON value",
             "text has double quotes");
    }
    node.kind = resolve(node.scalar).kind;
    if (node.kind == Node::Kind::kText) refuse(begin, "the number is too large");
    return node;
  }

  static bool isJsonWord(std::string_view word) {
    if (word == "true" || word == "false" || word == "null") return true;
    if (word.starts_with('-')) word.remove_prefix(1);
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (word.empty() || !digit(word[0]) || !digit(word.back())) return false;
    if (word.size() > 1 && word[0] == '0' && digit(word[1])) return false;
    if (word.find(".e") != std::string_view::npos || word.find(".E") != std::string_view::npos) return false;
    return word.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
           resolve(word).kind != Node::Kind::kNull;
  }

  const Places& places_;
  std::string_view text_;
  std::size_t at_ = 0;
  Diagnostics problems_;
};

}  // namespace

bool looksLikeJson(const Places& places) {
  const auto text = places.text().substr(places.markBytes());
  const auto open = text.find_first_not_of(kSpace);
  if (open == std::string_view::npos || text[open] != '{') return false;
  const auto inside = text.find_first_not_of(kSpace, open + 1);
  return inside != std::string_view::npos && text[inside] == '"';
}

Result<std::vector<Node>> readJson(const Places& places) {
  Reader reader(places);
  try {
    auto values = reader.values();
    auto problems = reader.takeProblems();
    if (!problems.empty()) return problems;
    return values;
  } catch (Refusal& refusal) {
    auto problems = reader.takeProblems();
    problems.push_back(std::move(refusal.why));
    return problems;
  }
}

}  // namespace driftbar::yaml
