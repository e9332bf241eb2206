#include "policy/check.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/text.h"

namespace driftbar::policy {
namespace {

constexpr std::string_view kPlaceholders[] = {"pod",  "node",      "nodes", "field", "value", "expected",
                                              "user", "namespace", "rule",  "kind",  "name"};

// RFC 1123: labels of at most 63 lower-case letters, digits and `-`, with dots between, 253 in all.
bool isDnsName(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  std::size_t length = 0;
  char before = '.';
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (c != '.' && c != '-' && !plain) return false;
    if ((before == '.' || c == '.') && (!plain && before == '.')) return false;
    if (c == '.' && before == '-') return false;
    length = c == '.' ? 0 : length + 1;
    if (length > 63) return false;
    before = c;
  }
  return before != '.' && before != '-';
}

std::string asDnsName(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c == '_' || c == ' ' || c == '/' ? '-' : c;
    }
  }
  return out;
}

class Names {
 public:
  Names(std::string_view of, Problems& problems) : of_(of), problems_(problems) {}

  void add(const std::string& name, const Location& where) {
    const auto [first, fresh] = seen_.emplace(name, where);
    if (fresh) return;
    const Location& other = first->second;
    const std::string file =
        other.source == where.source || !other.source ? "" : printable(other.source->name) + ", ";
    problems_.error(where, "duplicate-name",
                    "the name `" + printable(name) + "` is taken by another " + std::string(of_) + ": " +
                        file + "line " + std::to_string(other.line),
                    "name one of them otherwise");
  }

 private:
  std::string_view of_;
  Problems& problems_;
  std::map<std::string, Location> seen_;
};

// Keys that go with some verbs only.
void checkVerbKeys(const syntax::Rule& rule, Problems& problems) {
  if (rule.verb.key == nullptr) return;
  for (const auto& row : ruleKeys().keys) {
    const yaml::Node* key = rule.members.key(row.name);
    const auto verbs = wordsIn(row.with);
    const bool fits = std::find(verbs.begin(), verbs.end(), rule.verb.key->scalar) != verbs.end();
    if (key == nullptr || verbs.empty() || fits) continue;
    problems.error(key->where, "wrong-verb",
                   "`" + std::string(row.name) + "` means nothing beside `" + rule.verb.key->scalar + "`",
                   "it goes with " + listed(verbs, "and"));
  }
}

// How other systems write what is filled in: `{{ pod }}`, `${pod}`; empty where there is none.
std::string_view foreignPlaceholder(std::string_view text) {
  for (const std::string_view begin : {"{{", "${", "$("}) {
    const auto open = text.find(begin);
    if (open == std::string_view::npos) continue;
    const auto close = text.find_first_of("})", open);
    if (close == std::string_view::npos) continue;
    const std::size_t width = begin == "{{" && text.substr(close).starts_with("}}") ? 2 : 1;
    return text.substr(open, close + width - open);
  }
  return {};
}

// `{pod}` in a text that is told as it is.
void warnOfPlaceholder(const yaml::Node& text, std::string_view of, Problems& problems) {
  for (const auto name : kPlaceholders) {
    const std::string written = "{" + std::string(name) + "}";
    if (text.scalar.find(written) == std::string::npos) continue;
    problems.warning(text.where, "placeholder-as-text",
                     "`" + std::string(of) + "` is told as it is written, `" + written + "` too",
                     "put what is filled in into `message`");
    return;
  }
}

void checkMessage(const yaml::Node& message, Problems& problems) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const std::string_view text = message.scalar;
  if (const auto foreign = foreignPlaceholder(text); !foreign.empty()) {
    return problems.error(message.where, "unknown-placeholder", quoted(foreign) + " is no placeholder",
                          "a placeholder is a word in one pair of braces, such as `{pod}`");
  }
  for (auto open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const auto close = text.find('}', open);
    if (close == std::string_view::npos) break;
    const auto name = text.substr(open + 1, close - open - 1);
    if (name.empty() || name.find_first_not_of(kLetters) != std::string_view::npos) continue;
    // The column of a byte of a message is not known where it is folded over lines, so the whole is pointed
    // at.
    if (std::find(std::begin(kPlaceholders), std::end(kPlaceholders), name) == std::end(kPlaceholders))
      problems.unknown(message.where, "placeholder", "`message`", name, kPlaceholders);
  }
}

// What people read is one line; the line end of a block scalar is let be.
void checkOneLine(const yaml::Node& node, std::string_view of, Problems& problems) {
  std::string_view text = node.scalar;
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.empty()) {
    problems.error(node.where, "empty-text", "`" + std::string(of) + "` is empty", "leave the key out");
  } else if (text.find('\n') != std::string_view::npos) {
    problems.error(node.where, "several-lines", "`" + std::string(of) + "` is one line",
                   "write it with `>-`, which makes one line of several");
  }
}

void checkTexts(const syntax::Rule& rule, Problems& problems) {
  for (const std::string_view key : {"message", "fix", "docs"}) {
    const yaml::Node* node = rule.members[key];
    if (node == nullptr || textOf(*node, key, problems) == nullptr) continue;
    checkOneLine(*node, key, problems);
    if (key == "message") checkMessage(*node, problems);
    if (key == "fix" || key == "docs") warnOfPlaceholder(*node, key, problems);
    if (key == "docs" && !node->scalar.starts_with("https://") && !node->scalar.starts_with("http://"))
      problems.error(node->where, "bad-url", "`docs` is a URL", "begin it with `https://`");
  }
}

void checkRule(const syntax::Rule& rule, Names& names, Problems& problems) {
  checkVerbKeys(rule, problems);
  checkTexts(rule, problems);
  const yaml::Node* name = rule.members["name"];
  if (name == nullptr) {
    if (!rule.members.empty())
      problems.error(rule.where, "missing-key", "a rule needs `name`",
                     "people find the rule by it: policy/name");
    return;
  }
  const std::string* text = textOf(*name, "name", problems);
  if (text == nullptr) return;
  checkName(*text, "a rule", name->where, problems);
  if (*text == kBreakGlassRule) {
    problems.error(name->where, "bad-name",
                   "the name `break-glass` is taken: refusals of break-glass have it",
                   "name the rule otherwise");
  }
  names.add(*text, name->where);
}

}  // namespace

void checkName(std::string_view name, std::string_view of, const Location& where, Problems& problems) {
  if (isDnsName(name)) return;
  const std::string meant = asDnsName(name);
  problems.error(where, "bad-name", quoted(name) + " can't be the name of " + std::string(of),
                 isDnsName(meant) ? "write `" + meant + "`"
                                  : "a name has lower-case letters, digits, `-` and `.`, and begins and ends "
                                    "with a letter or digit");
}

std::span<const std::string_view> placeholders() {
  return kPlaceholders;
}

void check(const std::vector<syntax::PolicyDocument>& documents, Problems& problems) {
  Names policies("policy", problems);
  for (const auto& document : documents) {
    if (!document.name.empty()) {
      checkName(document.name, "a policy", document.where, problems);
      policies.add(document.name, document.where);
    }
    Names rules("rule of the policy", problems);
    for (const auto& rule : document.rules) checkRule(rule, rules, problems);
  }
}

void checkNames(std::span<const Envelope> documents, std::string_view of, Problems& problems) {
  Names names(of.substr(of.find(' ') + 1), problems);
  for (const auto& document : documents) {
    if (document.name.empty()) continue;
    checkName(document.name, of, document.where, problems);
    names.add(document.name, document.where);
  }
}

}  // namespace driftbar::policy
