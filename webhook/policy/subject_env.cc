// env: a variable as containers' programs will find it.
//
// Most containers set no variable on their command line, so a plain name is first looked for in `env` alone;
// only where the command line may speak of it is that read (kube/environment).
#include <algorithm>
#include <vector>

#include "base/glob.h"
#include "base/text.h"
#include "kube/environment.h"
#include "policy/containers.h"
#include "policy/names.h"
#include "policy/subjects.h"
#include "policy/variables.h"

namespace driftbar::policy::subjects {
namespace {

// Whether some text of the command line could set one of the variables. A name may be put together of quoted
// parts.
bool speaksOf(Json container, const std::vector<std::string>& names) {
  for (const auto list : {"command", "args"}) {
    for (const Json word : container[list].items()) {
      const std::string_view text = word.text();
      if (text.find_first_of("\"'\\") != std::string_view::npos) return true;
      const bool named = std::any_of(names.begin(), names.end(), [&](const auto& name) {
        return text.find(name) != std::string_view::npos;
      });
      if (named) return true;
    }
  }
  return false;
}

// A variable that is nowhere set: there is none, or one may come with a whole ConfigMap or Secret.
Value notSet(Json container, std::string_view name) {
  if (!mayComeWithOthers(container, name)) return Value::absent(name);
  Value value = Value::unknown(name);
  value.why = "it may come by envFrom";
  return value;
}

class Container {
 public:
  Container(Json json, const Trail& at, const Argument& argument, Seen& seen)
      : json_(json), at_(at), argument_(argument), seen_(seen) {}

  bool tell() const {
    const auto& names = argument_.names;
    const bool globs = std::any_of(names.begin(), names.end(), [](const auto& name) { return isGlob(name); });
    if (!globs && !speaksOf(json_, names)) {
      return std::all_of(names.begin(), names.end(), [&](const auto& name) { return tellFromEnv(name); });
    }
    const auto environment = kube::Environment::of(json_);
    const auto entries = entriesOf(json_);
    if (globs) return tellThoseThatFit(environment, entries);
    return std::all_of(names.begin(), names.end(),
                       [&](const auto& name) { return tellAll(name, environment.of(name), entries); });
  }

 private:
  using Settings = std::span<const kube::Setting>;

  // The last of its name, as Kubernetes has it.
  bool tellFromEnv(std::string_view name) const {
    Json entry;
    for (const Json variable : json_["env"].items()) {
      if (variable["name"].text() == name) entry = variable;
    }
    if (!entry.exists()) return tellMissing(name);
    kube::ShellTexts texts;
    kube::Setting setting{name, std::nullopt, kube::Setting::In::kEnv, 0};
    const Json source = entry["valueFrom"];
    if (!source.exists() || source.isNull()) setting.value = kube::expanded(entry["value"].text(), texts);
    return tell(valueOf(setting, entry), setting);
  }

  bool tellAll(std::string_view name, Settings settings, const std::vector<Json>& entries) const {
    if (settings.empty()) return tellMissing(name);
    return std::all_of(settings.begin(), settings.end(),
                       [&](const auto& each) { return tell(valueOf(each, entries), each); });
  }

  bool tellThoseThatFit(const kube::Environment& environment, const std::vector<Json>& entries) const {
    for (const auto& setting : environment.settings()) {
      if (nameFits(argument_, setting.name) && !tell(valueOf(setting, entries), setting)) return false;
    }
    // What else may be there.
    return std::all_of(argument_.names.begin(), argument_.names.end(), [&](const auto& name) {
      return (!isGlob(name) && !environment.of(name).empty()) || tellMissing(name);
    });
  }

  // A list or glob stands for those that are there.
  bool tellMissing(std::string_view name) const {
    const Value value = notSet(json_, name);
    if (argument_.eachThere && value.kind == Value::Kind::kAbsent) return true;
    return tell(value, {name, std::nullopt, kube::Setting::In::kEnv, 0});
  }

  bool tell(Value value, const kube::Setting& setting) const {
    const VariablePlace place(at_, setting);
    value.trail = &place.trail();
    value.container = json_["name"].text();
    return seen_(value);
  }

  Json json_;
  const Trail& at_;
  const Argument& argument_;
  Seen& seen_;
};

bool checkVariable(const yaml::Node& word, Problems& problems) {
  const auto equals = word.scalar.find('=');
  if (!word.scalar.empty() && equals == std::string::npos) return true;
  problems.error(word.where, "never-matches",
                 word.scalar.empty() ? "a variable has a name" : "no variable has a `=` in its name",
                 word.scalar.empty() ? "write it, or a glob"
                                     : "write {env: " + printable(word.scalar.substr(0, equals)) +
                                           ", equals: " + printable(word.scalar.substr(equals + 1)) + "}");
  return false;
}

}  // namespace

std::optional<Argument> variablesBeside(const syntax::Leaf& leaf, std::string_view of,
                                        std::span<const std::string_view> ofWords, Problems& problems) {
  auto argument = namesBeside(leaf, of, false, problems);
  if (!argument) return std::nullopt;
  bool good = readPlaces(leaf, ofWords, *argument, problems);
  for (const auto* word : wordsOf(*leaf.subject.value, of, problems))
    good = checkVariable(*word, problems) && good;
  return good ? argument : std::nullopt;
}

std::optional<Argument> parseEnv(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  return variablesBeside(leaf, "env", kOfContainers, problems);
}

void envValues(const Argument& argument, const Scope& scope, Seen& seen) {
  askPod(argument, scope, seen, [&](const PodTemplate& pod, const Trail& top) {
    eachContainer(argument, pod, top, ByItself::kAccelerated, [&](Json container, const Trail& at) {
      return Container(container, at, argument, seen).tell();
    });
  });
}
// Several may be set in one text, so that one goes by its name as well.
std::string envPlace(const Argument&, const Value& value, const Scope&) {
  const std::string place = value.trail->toString();
  return value.trail->kind == Trail::Kind::kNumber ? place + "[" + quoted(value.name) + "]" : place;
}
std::string envNoun(const Argument&, const Value& value, const Scope&) {
  return "env " + printable(value.name) + ofContainer(value);
}

}  // namespace driftbar::policy::subjects
