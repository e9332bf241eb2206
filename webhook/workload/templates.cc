// Reading an object by its row of the table.
#include <algorithm>
#include <functional>

#include "base/text.h"
#include "workload/workload.h"

namespace driftbar::workload {
namespace {

// The one value at a path that leads to one.
Json valueAt(const FieldPath& path, Json root) {
  Json found = root;
  if (!path.empty()) path.each(root, [&](const std::string&, Json value) { found = value; });
  return found;
}

std::optional<std::uint64_t> countOf(Json number) {
  const auto integer = number.asInteger();
  if (!integer || *integer < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*integer);
}

bool isWritten(Json value) {
  return value.exists() && !value.isNull();
}

// The product, or the largest number where it does not fit.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

bool sameWord(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// The element of a list that is known by `by`.
Json named(Json list, std::string_view by, std::string_view wanted) {
  if (by.empty()) return {};
  for (const Json item : list.items()) {
    if (item[by].text() == wanted) return item;
  }
  return {};
}

// Follows a template's path and keeps what each step led to, for what stands beside the template.
class Search {
 public:
  Search(const TemplateAt& at, std::vector<Template>& found) : at_(at), found_(found) {}

  // `list` is the name of the list that `value` may be, `role` the last key or name on the way.
  void from(Json value, const std::string& place, std::string_view list, const std::string& role) {
    if (!isWritten(value)) return;
    way_.push_back(value);
    step(value, place, list, role);
    way_.pop_back();
  }

 private:
  void step(Json value, const std::string& place, std::string_view list, const std::string& role) {
    if (way_.size() > at_.path.steps().size()) return found(value, place, role);
    const PathStep& next = at_.path.steps()[way_.size() - 1];
    switch (next.kind) {
      case PathStep::Kind::kEach:
        return each(value, place, list);
      case PathStep::Kind::kIndex:
        return from(value.at(next.index), place + "[" + std::to_string(next.index) + "]", {}, role);
      case PathStep::Kind::kKey:
        break;
    }
    if (value.isList()) {
      from(named(value, mergeKey(list), next.key), place + "[" + quoted(next.key) + "]", {}, role);
    } else {
      from(value[next.key], below(place, next.key), next.key, role);
    }
  }

  void each(Json value, const std::string& place, std::string_view list) {
    const auto by = mergeKey(list);
    std::size_t index = 0;
    for (const Json item : value.items()) {
      const std::string number = std::to_string(index++);
      const auto key = by.empty() ? std::nullopt : item[by].asText();
      const auto name = item[by.empty() ? "name" : by].asText();
      from(item, place + "[" + (key ? quoted(*key) : number) + "]", {}, name ? std::string(*name) : number);
    }
    for (const auto& [key, item] : value.entries()) from(item, below(place, key), key, std::string(key));
  }

  // A place does not begin with a dot.
  static std::string below(const std::string& place, std::string_view key) {
    const std::string written = pathStep(key);
    return place.empty() && written.starts_with('.') ? written.substr(1) : place + written;
  }

  void found(Json value, const std::string& place, const std::string& onTheWay) {
    if (!value.isMap()) return;
    Template made;
    made.place = place;
    made.role = at_.roleAt         ? std::string(at_.roleAt->in(way_).text())
                : at_.role.empty() ? onTheWay
                                   : at_.role;
    made.ranks = isRank(made.role);
    made.replicas = replicas();
    made.pod = podOf(value, made.own);
    found_.push_back(std::move(made));
  }

  bool isRank(std::string_view role) const {
    const bool kept = at_.ranks && std::none_of(at_.notRanks.begin(), at_.notRanks.end(),
                                                [&](const auto& other) { return sameWord(other, role); });
    return kept || (at_.ranksWhen && at_.ranksWhen->in(way_).isTrue());
  }

  std::optional<std::uint64_t> replicas() const {
    if (at_.replicas.empty()) return std::nullopt;
    std::uint64_t pods = 1;
    for (const Factor& factor : at_.replicas) {
      const auto count = factor.in(way_);
      if (!count) return std::nullopt;
      pods = product(pods, *count);
    }
    return pods;
  }

  static Json podOf(Json value, std::shared_ptr<const JsonDocument>& own) {
    if (isWritten(value["spec"]) || !value["containers"].isList()) return value;
    auto wrapped = JsonDocument::parse("{\"spec\":" + value.dump() + "}");
    if (!wrapped) return value;  // it has been read once already; only its depth may have passed the limit
    own = std::make_shared<const JsonDocument>(*std::move(wrapped));
    return own->root();
  }

  const TemplateAt& at_;
  std::vector<Template>& found_;
  std::vector<Json> way_;
};

// A path that is followed for what it does not find. `list` is the name of the list that `value` may be.
bool isBlocked(std::span<const PathStep> steps, Json value, std::string_view list) {
  if (!isWritten(value)) return true;
  if (steps.empty()) return !value["spec"].isMap() && !value["containers"].isList();
  const PathStep& step = steps.front();
  const auto rest = steps.subspan(1);
  if (step.kind == PathStep::Kind::kKey) {
    const Json next = value.isList() ? named(value, mergeKey(list), step.key) : value[step.key];
    return isBlocked(rest, next, step.key);
  }
  const bool many = value.isList() || (step.kind == PathStep::Kind::kEach && value.isMap());
  if (!many) return true;
  for (const Json item : value.items()) {
    if (isBlocked(rest, item, {})) return true;
  }
  for (const auto& [key, item] : value.entries()) {
    if (isBlocked(rest, item, key)) return true;
  }
  return false;
}

}  // namespace

Json Beside::in(std::span<const Json> way) const {
  return shared_ < way.size() ? valueAt(below_, way[shared_]) : Json();
}

std::optional<std::uint64_t> Factor::in(std::span<const Json> way) const {
  const Json written = at_ ? at_->in(way) : Json();
  auto count = isWritten(written) ? countOf(written) : otherwise_;
  if (!count) return std::nullopt;
  if (const auto least = atLeast_ ? countOf(atLeast_->in(way)) : std::nullopt)
    *count = std::max(*count, *least);
  if (const auto most = atMost_ ? countOf(atMost_->in(way)) : std::nullopt) *count = std::min(*count, *most);
  if (*count > 0 && lessOneWith_ && isWritten(lessOneWith_->in(way))) --*count;
  return count;
}

std::string Template::placeOf(std::string_view inPod) const {
  if (bare() && inPod.starts_with("spec")) {
    inPod.remove_prefix(4);
    return place + std::string(inPod);
  }
  const bool joined = place.empty() || inPod.empty() || inPod.starts_with('[');
  return place + (joined ? "" : ".") + std::string(inPod);
}

std::vector<Template> templatesOf(const Kind& kind, Json object) {
  std::vector<Template> found;
  for (const TemplateAt& at : kind.templates) Search(at, found).from(object, {}, {}, {});
  return found;
}

std::vector<std::string> pathsWithoutTemplate(const Kind& kind, Json object) {
  const auto found = templatesOf(kind, object);
  const bool any = std::any_of(found.begin(), found.end(),
                               [](const Template& one) { return one.pod["spec"].isMap() || one.bare(); });
  std::vector<std::string> blocked;
  for (const TemplateAt& at : kind.templates) {
    if (!any && isBlocked(at.path.steps(), object, {})) blocked.push_back(at.path.toString());
  }
  return blocked;
}

bool suspended(const Kind& kind, Json object) {
  return std::any_of(kind.suspend.begin(), kind.suspend.end(),
                     [&](const FieldPath& path) { return valueAt(path, object).isTrue(); });
}

std::optional<std::uint64_t> minAvailable(const Kind& kind, Json object) {
  const auto pods = kind.minAvailable ? countOf(valueAt(*kind.minAvailable, object)) : std::nullopt;
  return pods == 0U ? std::nullopt : pods;
}

std::optional<Runtime> runtimeOf(const Kind& kind, Json object) {
  if (!kind.runtime) return std::nullopt;
  const Json reference = valueAt(*kind.runtime, object);
  const std::string_view name = reference["name"].text();
  if (name.empty()) return std::nullopt;
  return Runtime{reference["apiGroup"].asText().value_or(kind.runtimeGroup),
                 reference["kind"].asText().value_or(kind.runtimeKind), name};
}

}  // namespace driftbar::workload
