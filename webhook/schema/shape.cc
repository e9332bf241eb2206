#include "schema/shape.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <utility>

#include "schema/kubernetes.h"

namespace driftbar::schema {
namespace {

struct TypeRow {
  std::string_view word;  // in the file
  Type type;
  std::string_view described;
};

constexpr TypeRow kTypes[] = {
    {"text", Type::kText, "text"},
    {"time", Type::kTime, "a time"},
    {"quantity", Type::kQuantity, "a quantity"},
    {"int-or-string", Type::kIntOrString, "a number or text"},
    {"integer", Type::kInteger, "a whole number"},
    {"number", Type::kNumber, "a number"},
    {"boolean", Type::kBoolean, "a boolean"},
    {"any", Type::kAny, "anything"},
    {"", Type::kList, "a list"},
    {"", Type::kMap, "a map"},
    {"", Type::kObject, "a map"},
};

// What comes before `mark`, which is taken off `text` with it; all of it where there is no mark.
std::string_view cut(std::string_view& text, std::string_view mark) {
  const auto end = std::min(text.find(mark), text.size());
  const auto before = text.substr(0, end);
  text.remove_prefix(std::min(end + mark.size(), text.size()));
  return before;
}

// The file, read; its format is told in its first comment. What is no word of it becomes kAny, and a test
// finds that there is none such.
class Catalogue {
 public:
  using Names = std::map<std::pair<std::string_view, std::string_view>, const Shape*>;

  Catalogue(std::string_view text, std::string_view defaults) {
    while (!text.empty()) line(cut(text, "\n"));
    for (auto& [name, shape] : types_) {
      std::sort(shape->fields.begin(), shape->fields.end(),
                [](const auto& a, const auto& b) { return a.name < b.name; });
    }
    while (!defaults.empty()) absence(cut(defaults, "\n"));
  }

  static const Catalogue& ofKubernetes() {
    static const Catalogue all(kubernetesText(), defaultsText());
    return all;
  }

  static const Shape* find(const Names& names, std::string_view group, std::string_view name) {
    const auto found = names.find({group, name});
    return found == names.end() ? nullptr : found->second;
  }

  const Shape* type(std::string_view name) const {
    const auto found = types_.find(name);
    return found == types_.end() ? nullptr : found->second;
  }

  Names kinds;
  Names resources;
  int release = 0;
  int older = 0;

 private:
  void line(std::string_view rest) {
    if (rest.empty() || rest.starts_with('#')) return;
    if (rest.ends_with(':')) {
      now_ = object(rest.substr(0, rest.size() - 1));
    } else if (now_ != nullptr) {
      const auto name = cut(rest, " ");
      const auto written = cut(rest, " ");
      now_->fields.push_back({name, shape(written), !rest.empty()});
    } else {
      head(cut(rest, " "), rest);
    }
  }

  // TYPE FIELD VALUE; a test finds that there are no others.
  void absence(std::string_view rest) {
    if (rest.starts_with('#')) return;
    const auto found = types_.find(cut(rest, " "));
    const auto field = cut(rest, " ");
    if (found == types_.end()) return;
    for (auto& one : found->second->fields) {
      if (one.name == field) one.absent = rest;
    }
  }

  void head(std::string_view word, std::string_view rest) {
    if (word == "version") release = minor(rest);
    if (word == "older") older = minor(rest);
    if (word != "kind" && word != "resource") return;
    const auto group = cut(rest, " ");
    const auto name = cut(rest, " ");
    (word == "kind" ? kinds : resources)[{group == "-" ? "" : group, name}] = object(rest);
  }

  static int minor(std::string_view version) {
    cut(version, ".");
    int number = 0;
    std::from_chars(version.data(), version.data() + version.size(), number);
    return number;
  }

  Shape* object(std::string_view name) {
    Shape*& there = types_[name];
    if (there == nullptr) {
      there = made(Type::kObject);
      there->name = name.substr(name.rfind('.') + 1);
    }
    return there;
  }

  const Shape* shape(std::string_view written) {
    if (written.starts_with('[')) return list(written.substr(1, written.size() - 2));
    if (written.starts_with('{')) {
      Shape* map = made(Type::kMap);
      map->element = shape(written.substr(1, written.size() - 2));
      return map;
    }
    if (written.starts_with("text(")) return words(written.substr(5, written.size() - 6));
    if (written.find('.') != std::string_view::npos) return object(written);
    return scalar(written);
  }

  // The keys stand behind the last `;`, and an element has none of its own behind it.
  const Shape* list(std::string_view inside) {
    Shape* list = made(Type::kList);
    const auto keys = inside.rfind(';');
    const bool has = keys != std::string_view::npos && inside.back() != ']' && inside.back() != '}';
    if (has && inside.find(',', keys) == std::string_view::npos) list->key = inside.substr(keys + 1);
    list->element = shape(has ? inside.substr(0, keys) : inside);
    return list;
  }

  const Shape* words(std::string_view written) {
    Shape* text = made(Type::kText);
    for (bool more = true; more;) {
      more = written.find('|') != std::string_view::npos;
      auto word = cut(written, "|");
      const bool newer = word.ends_with('*');
      if (newer) word.remove_suffix(1);
      text->words.push_back({word, newer});
    }
    return text;
  }

  const Shape* scalar(std::string_view word) {
    Shape*& there = scalars_[word];
    if (there != nullptr) return there;
    const auto row = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const TypeRow& r) { return !word.empty() && r.word == word; });
    return there = made(row == std::end(kTypes) ? Type::kAny : row->type);
  }

  Shape* made(Type type) {
    all_.emplace_back();
    all_.back().type = type;
    return &all_.back();
  }

  std::deque<Shape> all_;  // where shapes stay put
  std::map<std::string_view, Shape*> types_;
  std::map<std::string_view, Shape*> scalars_;
  Shape* now_ = nullptr;
};

}  // namespace

const Shape::Field* Shape::field(std::string_view fieldName) const {
  const auto found =
      std::lower_bound(fields.begin(), fields.end(), fieldName,
                       [](const Field& f, std::string_view wanted) { return f.name < wanted; });
  return found == fields.end() || found->name != fieldName ? nullptr : &*found;
}

std::vector<std::string_view> Shape::fieldNames() const {
  std::vector<std::string_view> names;
  for (const auto& field : fields) names.push_back(field.name);
  return names;
}

std::string_view describe(Type type) {
  for (const auto& row : kTypes) {
    if (row.type == type) return row.described;
  }
  return {};
}

const Shape* kind(std::string_view group, std::string_view kind) {
  return Catalogue::find(Catalogue::ofKubernetes().kinds, group, kind);
}

const Shape* kind(std::string_view kind) {
  const Shape* only = nullptr;
  for (const auto& [name, shape] : Catalogue::ofKubernetes().kinds) {
    if (name.second != kind) continue;
    if (only != nullptr) return nullptr;
    only = shape;
  }
  return only;
}

const Shape* resource(std::string_view group, std::string_view resource) {
  return Catalogue::find(Catalogue::ofKubernetes().resources, group, resource);
}

const Shape* type(std::string_view name) {
  return Catalogue::ofKubernetes().type(name);
}

// The file has these: a test asks for each.
const Shape& pod() {
  return *kind("", "Pod");
}

const Shape& podTemplate() {
  return *type("core.v1.PodTemplateSpec");
}

const Shape& node() {
  return *kind("", "Node");
}

const Shape& nameSpace() {
  return *kind("", "Namespace");
}

const Shape& request() {
  return *kind("admission.k8s.io", "AdmissionRequest");
}

int release() {
  return Catalogue::ofKubernetes().release;
}

int olderRelease() {
  return Catalogue::ofKubernetes().older;
}

}  // namespace driftbar::schema
