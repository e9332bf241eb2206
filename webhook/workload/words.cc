// Rows of the table from plain words. All that is wrong is gathered, each error with the word it is about.
#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "workload/workload.h"

namespace driftbar::workload {
namespace {

constexpr std::string_view kId = "workload-kind";

// `of` before the path of each error.
Diagnostics below(std::string_view of, Diagnostics errors) {
  for (auto& each : errors) {
    const bool joined = each.path.empty() || each.path.starts_with('[');
    each.path = std::string(of) + (joined ? "" : ".") + each.path;
  }
  return errors;
}

// Takes what went well and keeps what went wrong.
class Gathering {
 public:
  template <typename T>
  void take(std::string_view word, Result<T> result, std::optional<T>& into) {
    if (result) {
      into = *std::move(result);
    } else {
      keep(word, std::move(result).errors());
    }
  }
  void keep(std::string_view word, Diagnostics wrong) {
    for (auto& each : below(word, std::move(wrong))) errors_.push_back(std::move(each));
  }
  void wrong(std::string_view word, std::string message, std::string help) {
    errors_.push_back(error(std::string(kId), std::move(message), std::move(help), std::string(word)));
  }
  bool fine() const { return errors_.empty(); }
  Diagnostics errors() && { return std::move(errors_); }

 private:
  Diagnostics errors_;
};

std::optional<std::uint64_t> numberOf(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool beginsLikeNumber(std::string_view text) {
  const auto digit = text.find_first_not_of("+-");
  return digit != std::string_view::npos && text[digit] >= '0' && text[digit] <= '9';
}

bool isLower(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// A DNS subdomain, near enough to find what was written into the wrong line.
bool isGroup(std::string_view group) {
  return std::all_of(group.begin(), group.end(), [](char c) { return isLower(c) || c == '.' || c == '-'; });
}

bool isKind(std::string_view kind) {
  const auto fits = [](char c) { return isLower(c) || (c >= 'A' && c <= 'Z'); };
  return !kind.empty() && kind[0] >= 'A' && kind[0] <= 'Z' && std::all_of(kind.begin(), kind.end(), fits);
}

// A DNS label: k8s.io/apiextensions-apiserver pkg/apis/apiextensions/validation, of names.plural.
bool isResource(std::string_view resource) {
  return std::all_of(resource.begin(), resource.end(), [](char c) { return isLower(c) || c == '-'; });
}

void checkResource(Gathering& all, const KindWords& words) {
  const std::string& resource = words.resource;
  if (resource.empty() || isResource(resource)) return;
  const bool grouped = resource.find('.') != std::string::npos;
  all.wrong("resource", "`" + printable(resource) + "` is not a resource",
            std::string(grouped ? "the group stands under `group`; " : "") +
                "resources are plural and in lower case: `" +
                (isKind(words.kind) ? usualPlural(words.kind) : "roundtables") + "`");
}

std::string indexed(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

// How paths begin in rules and in JSONPath; in a row they begin inside of the object.
constexpr std::string_view kOtherBeginnings[] = {"object.", "oldObject.", "request.object.", "$.", "."};

Result<FieldPath> insidePath(std::string_view path) {
  for (const auto beginning : kOtherBeginnings) {
    const auto rest = path.substr(std::min(beginning.size(), path.size()));
    if (!path.starts_with(beginning) || rest.empty() || rest.starts_with('.')) continue;
    return error(std::string(kId), "`" + printable(path) + "` begins outside of the object",
                 "paths begin inside of the object: write `" + printable(rest) + "`");
  }
  return FieldPath::parse(path);
}

void takeBeside(Gathering& all, std::string_view word, const std::string& path, const FieldPath& templatePath,
                std::optional<Beside>& into) {
  if (!path.empty()) all.take(word, Beside::of(path, templatePath), into);
}

// The path of something that the object has once.
void takeSingle(Gathering& all, std::string_view word, const std::string& path,
                std::optional<FieldPath>& into) {
  if (path.empty()) return;
  all.take(word, insidePath(path), into);
  if (into && into->hasEach())
    all.wrong(word, "`" + printable(path) + "` leads to many values", "write a path without `[*]`");
}

}  // namespace

Result<Beside> Beside::of(std::string_view path, const FieldPath& templatePath) {
  auto parsed = insidePath(path);
  if (!parsed) return std::move(parsed).errors();
  const auto& own = parsed->steps();
  const auto& other = templatePath.steps();
  const auto parting = std::mismatch(own.begin(), own.end(), other.begin(), other.end()).first;
  Beside beside;
  beside.shared_ = static_cast<std::size_t>(parting - own.begin());
  beside.below_ = parsed->from(beside.shared_);
  if (!beside.below_.hasEach()) return beside;
  return error(std::string(kId),
               "`" + printable(path) + "` leads through a `[*]` that the template's path `" +
                   printable(templatePath.toString()) + "` does not lead through",
               "write the path beside the template, with the same lists and maps before it");
}

Result<Factor> Factor::of(const FactorWords& words, const FieldPath& templatePath) {
  Gathering all;
  Factor factor;
  if (const auto number = numberOf(words.value)) {
    factor.otherwise_ = *number;
  } else if (beginsLikeNumber(words.value)) {
    all.wrong("", "`" + printable(words.value) + "` is neither a number of pods nor a path",
              "write a whole number such as `1`, or a path such as `spec.replicas`");
  } else {
    factor.otherwise_ = words.otherwise;
    all.take("", Beside::of(words.value, templatePath), factor.at_);
  }
  takeBeside(all, "atLeast", words.atLeast, templatePath, factor.atLeast_);
  takeBeside(all, "atMost", words.atMost, templatePath, factor.atMost_);
  takeBeside(all, "lessOneWith", words.lessOneWith, templatePath, factor.lessOneWith_);
  if (!all.fine()) return std::move(all).errors();
  return factor;
}

Result<TemplateAt> TemplateAt::of(const TemplateWords& words) {
  auto path = insidePath(words.path);
  if (!path) return below("path", std::move(path).errors());
  Gathering all;
  TemplateAt at;
  at.path = *std::move(path);
  at.ranks = words.ranks;
  at.notRanks = words.notRanks;
  for (std::size_t i = 0; i < words.replicas.size(); ++i) {
    std::optional<Factor> factor;
    all.take(indexed("replicas", i), Factor::of(words.replicas[i], at.path), factor);
    if (factor) at.replicas.push_back(*std::move(factor));
  }
  takeBeside(all, "ranksWhen", words.ranksWhen, at.path, at.ranksWhen);
  if (words.role.find('.') == std::string::npos) {
    at.role = words.role;
  } else {
    takeBeside(all, "role", words.role, at.path, at.roleAt);
  }
  if (!all.fine()) return std::move(all).errors();
  return at;
}

Result<Kind> Kind::of(const KindWords& words) {
  Gathering all;
  Kind kind;
  kind.group = words.group;
  kind.kind = words.kind;
  kind.resource = words.resource.empty() ? usualPlural(words.kind) : words.resource;
  kind.startsTogether = words.startsTogether;
  kind.blueprint = words.blueprint;
  if (!isGroup(words.group))
    all.wrong("group", "`" + printable(words.group) + "` is not an API group",
              "write what stands before the `/` in `apiVersion`, such as `batch.volcano.sh`");
  if (!isKind(words.kind))
    all.wrong("kind", "`" + printable(words.kind) + "` is not a kind",
              "write it as in `kind:` of such an object, such as `RayJob`");
  checkResource(all, words);
  for (std::size_t i = 0; i < words.templates.size(); ++i) {
    std::optional<TemplateAt> at;
    all.take(indexed("templates", i), TemplateAt::of(words.templates[i]), at);
    if (at) kind.templates.push_back(*std::move(at));
  }
  for (std::size_t i = 0; i < words.suspend.size(); ++i) {
    std::optional<FieldPath> path;
    takeSingle(all, indexed("suspend", i), words.suspend[i], path);
    if (path) kind.suspend.push_back(*std::move(path));
  }
  takeSingle(all, "minAvailable", words.minAvailable, kind.minAvailable);
  if (words.runtime) {
    takeSingle(all, "runtime", words.runtime->path, kind.runtime);
    kind.runtimeGroup = words.runtime->group;
    kind.runtimeKind = words.runtime->kind;
  } else if (words.templates.empty()) {
    all.wrong("templates", "a kind without templates makes no pods",
              "list the path of each pod template, such as `spec.template`");
  }
  if (!all.fine()) return std::move(all).errors();
  return kind;
}

std::string usualPlural(std::string_view kind) {
  std::string word;
  for (const char c : kind) word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (word.ends_with('y') && !word.ends_with("ay") && !word.ends_with("ey") && !word.ends_with("oy"))
    return word.substr(0, word.size() - 1) + "ies";
  for (const std::string_view end : {"s", "x", "ch", "sh"}) {
    if (word.ends_with(end)) return word + "es";
  }
  return word + "s";
}

}  // namespace driftbar::workload
