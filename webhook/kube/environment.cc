#include "kube/environment.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.h"

namespace driftbar::kube {
namespace {

constexpr std::string_view kShells[] = {"sh", "bash", "dash", "ash", "zsh", "ksh"};
constexpr std::string_view kLaunchers[] = {"mpirun",  "mpiexec", "mpiexec.hydra", "orterun",
                                           "prterun", "oshrun",  "horovodrun",    "srun"};

// What a command by this name does to variables, or that it runs no program that would read them.
// kRuns: the rest is a command, a builtin of the shell or a program.
enum class Builtin { kNone, kExports, kUnsets, kSources, kSets, kRuns, kQuiet };

constexpr std::pair<std::string_view, Builtin> kBuiltins[] = {
    {"export", Builtin::kExports}, {"declare", Builtin::kExports}, {"typeset", Builtin::kExports},
    {"unset", Builtin::kUnsets},   {"source", Builtin::kSources},  {".", Builtin::kSources},
    {"eval", Builtin::kSources},   {"set", Builtin::kSets},        {"cd", Builtin::kQuiet},
    {"pushd", Builtin::kQuiet},    {"popd", Builtin::kQuiet},      {"echo", Builtin::kQuiet},
    {"printf", Builtin::kQuiet},   {"ulimit", Builtin::kQuiet},    {"umask", Builtin::kQuiet},
    {"sleep", Builtin::kQuiet},    {"true", Builtin::kQuiet},      {":", Builtin::kQuiet},
    {"exit", Builtin::kQuiet},     {"wait", Builtin::kQuiet},      {"trap", Builtin::kQuiet},
    {"shift", Builtin::kQuiet},    {"shopt", Builtin::kQuiet},     {"readonly", Builtin::kQuiet},
    {"local", Builtin::kQuiet},    {"[", Builtin::kQuiet},         {"[[", Builtin::kQuiet},
    {"test", Builtin::kQuiet},     {"mkdir", Builtin::kQuiet},     {"read", Builtin::kQuiet},
    {"command", Builtin::kRuns},   {"builtin", Builtin::kRuns},
};

// A variable may be named again and again, and each time its whole text is put in. Scripts that people keep
// in a variable are some lines.
constexpr std::size_t kMostPutIn = 64 * 1024;

// How a launcher's option says which variables it passes on.
enum class Passes { kPair, kNameThenValue, kNames };

constexpr std::pair<std::string_view, Passes> kOptions[] = {
    {"-x", Passes::kPair},  // Open MPI: NAME or NAME=VALUE
    {"--x", Passes::kPair},
    {"--env", Passes::kPair},
    {"-env", Passes::kNameThenValue},  // Hydra
    {"-genv", Passes::kNameThenValue},
    {"-envlist", Passes::kNames},
    {"-genvlist", Passes::kNames},
    {"--export", Passes::kNames},  // Slurm: ALL,NAME,NAME=VALUE
};

template <typename Table>
auto foundIn(const Table& table, std::string_view word) {
  return std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return row.first == word; });
}

template <std::size_t N>
bool isOneOf(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::string_view fileName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool isName(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::all_of(text.begin(), text.end(), fits);
}

// Whether the text stands for the value that the variable has already: `$NAME`, `${NAME}`, Kubernetes'
// `$(NAME)`.
bool isItself(std::string_view text, std::string_view name) {
  if (!text.starts_with('$')) return false;
  text.remove_prefix(1);
  const bool braces = text.starts_with('{') && text.ends_with('}');
  if (braces || (text.starts_with('(') && text.ends_with(')'))) text = text.substr(1, text.size() - 2);
  return text == name;
}

// `bash -c`, `sh -euxc`; not `--norc`.
bool isOption(std::string_view word, char letter) {
  return word.size() > 1 && (word[0] == '-' || word[0] == '+') && word[1] != '-' &&
         word.find(letter) != std::string_view::npos;
}

// A script that is written down to be run later.
bool isScript(std::string_view body, std::string_view program, std::string_view target) {
  if (isOneOf(kShells, fileName(program)) || target.ends_with(".sh")) return true;
  const auto line = body.substr(0, body.find('\n'));
  const auto interpreter = line.substr(line.find_last_of(" /") + 1);
  return line.starts_with("#!") && isOneOf(kShells, interpreter);
}

}  // namespace

// One pass over a container that writes down what happens to variables, in order; and what is left of it.
class Environment::Reading final : private ShellScript {
 public:
  explicit Reading(Json container) : container_(container) {}

  Environment read() {
    made_.fromElsewhere_ = container_["envFrom"].size() > 0;
    variables();
    commandLine();
    settle();
    return std::move(made_);
  }

 private:
  enum class What {
    kSets,     // from here on
    kAssigns,  // in the shell; others see it if they saw the variable before, or once it is exported
    kPasses,   // what the shell has
    kUnsets,
    kForOne  // for one command
  };

  struct Event {
    Setting setting;
    What what = What::kSets;
    bool certain = true;
  };

  void variables() {
    std::size_t index = 0;
    for (const Json variable : container_["env"].items()) {
      Setting setting{variable["name"].text(), std::nullopt, Setting::In::kEnv, index++};
      if (setting.name.empty()) continue;
      // A variable with neither value nor source is the empty text.
      if (!variable["valueFrom"].exists() || variable["valueFrom"].isNull())
        setting.value = expanded(variable["value"].text(), made_.texts_);
      events_.push_back({setting});
    }
  }

  // Command and args are one list of words, which no shell has seen yet.
  void commandLine() {
    commandSize_ = container_["command"].size();
    std::optional<OwnVariables> own;  // made where a word refers to one
    for (const auto list : {"command", "args"}) {
      for (const Json word : container_[list].items()) {
        auto known = expanded(word.text(), made_.texts_);
        if (!known) {
          if (!own) own = ownVariables();
          known = withOwnVariables(word.text(), *own);
        }
        argv_.push_back({known.value_or(word.text()), !known.has_value(), std::string_view::npos});
      }
    }
    // The entrypoint of an image may be a shell; then the args begin with its options.
    const bool options = commandSize_ == 0 && !argv_.empty() && isOption(argv_[0].text, 'c');
    const std::span<const ShellWord> words = argv_;
    program(words.subspan(options ? shell(words).words : 0));
  }

  struct OwnVariable {
    std::optional<std::string_view> value;
    bool mayBeText = true;  // of one that is not known: more than a name, a number or an address
  };
  using OwnVariables = std::map<std::string_view, OwnVariable>;

  // Those of `env`, the last of each name.
  OwnVariables ownVariables() const {
    OwnVariables own;
    auto event = events_.begin();  // variables() has made one of each that has a name
    for (const Json variable : container_["env"].items()) {
      if (variable["name"].text().empty()) continue;
      const Json source = variable["valueFrom"];
      own[event->setting.name] = {event->setting.value,
                                  !source["fieldRef"].exists() && !source["resourceFieldRef"].exists()};
      ++event;
    }
    return own;
  }

  // With what `env` says in the place of `$(NAME)`, as the kubelet puts it there before anything runs; what
  // names no variable of the container is left to the shell. Nothing, where a value is not known, or where it
  // gets so long that nobody can have meant it.
  std::optional<std::string_view> withOwnVariables(std::string_view text, const OwnVariables& own) {
    std::string made;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t end = text.substr(at).starts_with("$(") ? text.find(')', at) : std::string_view::npos;
      if (end == std::string_view::npos) {
        made += text[at];
        if (text.substr(at).starts_with("$$")) ++at;
        continue;
      }
      const auto named = own.find(text.substr(at + 2, end - at - 2));
      if (named == own.end() && made_.fromElsewhere_) return std::nullopt;
      if (named == own.end()) {
        made += text.substr(at, end + 1 - at);
      } else if (const auto& value = named->second.value; value && putIn_ + value->size() <= kMostPutIn) {
        made += *value;
        putIn_ += value->size();
      } else {
        made_.unread_ = made_.unread_ || named->second.mayBeText;
        return std::nullopt;
      }
      at = end;
    }
    return made_.texts_.emplace_front(std::move(made));
  }

  // ---- What a shell says ----

  void command(std::span<const ShellWord> words, bool certain) override {
    const bool before = std::exchange(certain_, certain_ && certain);
    const auto first = std::find_if(words.begin(), words.end(),
                                    [](const auto& word) { return word.equals == std::string_view::npos; });
    const What what = first != words.end() ? What::kForOne : exportsAll_ ? What::kSets : What::kAssigns;
    for (auto word = words.begin(); word != first; ++word) assignment(*word, what);
    run(words.subspan(static_cast<std::size_t>(first - words.begin())));
    certain_ = before;
  }

  void hereDocument(std::string_view body, std::string_view program, std::string_view target) override {
    if (isScript(body, program, target)) nested(body, false);
  }

  void nested(std::string_view text, bool certain) {
    if (depth_ == kNestedScripts) {
      made_.unread_ = true;
      return;
    }
    ++depth_;
    const bool before = std::exchange(certain_, certain_ && certain);
    readShell(text, made_.texts_, *this);
    certain_ = before;
    --depth_;
  }

  // ---- Commands ----

  void run(std::span<const ShellWord> words) {
    if (words.empty()) return;
    const auto builtin = foundIn(kBuiltins, words[0].text);
    switch (builtin == std::end(kBuiltins) ? Builtin::kNone : builtin->second) {
      case Builtin::kNone:
        return program(words);
      case Builtin::kExports:
        return exports(words);
      case Builtin::kUnsets:
        for (const auto& word : words.subspan(1)) note(word, word.text, std::nullopt, What::kUnsets);
        return;
      case Builtin::kSources:
        made_.unread_ = true;
        return;
      case Builtin::kSets:
        for (const auto& word : words.subspan(1))
          exportsAll_ = exportsAll_ || isOption(word.text, 'a') || word.text == "allexport";
        return;
      case Builtin::kRuns:
        return run(words.subspan(1));
      case Builtin::kQuiet:
        return;
    }
  }

  void exports(std::span<const ShellWord> words) {
    bool exported = words[0].text == "export";
    for (const auto& word : words.subspan(1)) {
      if (word.text.starts_with('-') || word.text.starts_with('+')) {
        if (isOption(word.text, 'n')) return;  // no longer exported, which is rare: it is left as it was
        exported = exported || isOption(word.text, 'x');
      } else {
        assignment(word, exported ? What::kSets : What::kAssigns);
      }
    }
  }

  // A program with its arguments, among which may be others: `timeout 60 env X=1 mpirun -x Y=2 bash -c '…'`.
  void program(std::span<const ShellWord> words) {
    bool launches = false, delegates = false;
    for (std::size_t at = 0; at < words.size();) {
      const auto rest = words.subspan(at);
      const std::string_view word = fileName(rest[0].text);
      launches = launches || isOneOf(kLaunchers, word);
      std::size_t taken = 1;
      if (word == "env" || word == "sudo") {
        taken += assignments(rest.subspan(1), word == "env");
      } else if (isOneOf(kShells, word)) {
        const Shell started = shell(rest.subspan(1));
        delegates = delegates || started.script;
        taken += started.words;
      } else if (launches) {
        taken += option(rest);
      }
      at += taken;
    }
    if (!delegates && !words.empty()) ++programs_;
  }

  // After `env` and `sudo`: their options, then NAME=VALUE. What `env -S` splits stands for words of its own.
  std::size_t assignments(std::span<const ShellWord> words, bool splits) {
    std::size_t at = 0;
    for (; at < words.size(); ++at) {
      const std::string_view text = words[at].text;
      if (text == "-u" || text == "-C") {
        ++at;  // the next word is of this option
      } else if (splits && (text == "-S" || text == "--split-string")) {
        if (++at < words.size()) split(words[at], words[at].text);
      } else if (splits && (text.starts_with("-S") || text.starts_with("--split-string="))) {
        split(words[at], text.substr(text.starts_with("-S") ? 2 : text.find('=') + 1));
      } else if (!text.starts_with('-')) {
        if (text.find('=') == std::string_view::npos) break;
        assignment(words[at], What::kForOne);
      }
    }
    return std::min(at, words.size());
  }

  // Its assignments are for the program, though that may stand in the words behind it.
  void split(const ShellWord& word, std::string_view text) {
    const bool before = std::exchange(exportsAll_, true);
    script(word, text);
    exportsAll_ = before;
  }

  struct Shell {
    std::size_t words = 0;  // that were read
    bool script = false;    // it was given one
  };

  // After a shell: its options, and with -c a script.
  Shell shell(std::span<const ShellWord> words) {
    bool text = false;
    std::size_t at = 0;
    for (; at < words.size(); ++at) {
      const std::string_view word = words[at].text;
      if (!word.starts_with('-') && !word.starts_with('+')) {
        if (text) script(words[at], word);
        return {text ? at + 1 : at, text};
      }
      text = text || isOption(word, 'c');
      if (isOption(word, 'o') || isOption(word, 'O')) ++at;
    }
    return {std::min(at, words.size()), false};
  }

  // What a shell inside of a script exports is gone when it ends; that of the container's own is the
  // container's.
  void script(const ShellWord& word, std::string_view text) {
    const bool own = depth_ == 0;
    if (own) scriptAt_ = &word - argv_.data();
    nested(text, own);
    if (own) scriptAt_ = -1;
  }

  // A launcher's option; the number of words after it that belong to it.
  std::size_t option(std::span<const ShellWord> words) {
    const std::string_view text = words[0].text;
    const std::size_t equals = text.starts_with("--") ? text.find('=') : std::string_view::npos;
    const auto row = foundIn(kOptions, text.substr(0, equals));
    if (row == std::end(kOptions)) return 0;
    ShellWord value = words[0];
    std::size_t taken = 0;
    if (equals != std::string_view::npos) {
      value.text.remove_prefix(equals + 1);
    } else if (words.size() > 1) {
      value = words[1];
      taken = 1;
    } else {
      return 0;
    }
    const ShellWord& place = words[taken];
    switch (row->second) {
      case Passes::kPair:
        pair(place, value.text, value.unknown);
        return taken;
      case Passes::kNames:
        names(place, value);
        return taken;
      case Passes::kNameThenValue:
        break;
    }
    if (value.text.find('=') != std::string_view::npos || words.size() < taken + 2) {
      pair(place, value.text, value.unknown);
      return taken;
    }
    const ShellWord& last = words[taken + 1];
    note(last, value.text, last.unknown ? std::nullopt : std::optional(last.text), What::kForOne);
    return taken + 1;
  }

  void names(const ShellWord& place, ShellWord list) {
    while (!list.text.empty()) {
      const std::size_t end = std::min(list.text.find(','), list.text.size());
      const auto each = list.text.substr(0, end);
      if (each != "ALL" && each != "NONE") pair(place, each, list.unknown);
      list.text.remove_prefix(std::min(end + 1, list.text.size()));
    }
  }

  // NAME=VALUE, or a NAME that is passed on.
  void pair(const ShellWord& place, std::string_view text, bool unknown, What what = What::kForOne) {
    const std::size_t equals = text.find('=');
    std::string_view name = text.substr(0, equals);
    const bool appends = name.ends_with('+');
    if (appends) name.remove_suffix(1);
    if (unknown && !isName(name)) made_.unread_ = true;  // `export $(cat file)`: who knows what
    if (equals == std::string_view::npos) return note(place, name, std::nullopt, What::kPasses);
    const auto value = text.substr(equals + 1);
    if (unknown && isItself(value, name)) return note(place, name, std::nullopt, What::kPasses);
    note(place, name, unknown || appends ? std::nullopt : std::optional(value), what);
  }

  void assignment(const ShellWord& word, What what) { pair(word, word.text, word.unknown, what); }

  void note(const ShellWord& place, std::string_view name, std::optional<std::string_view> value, What what) {
    if (!isName(name)) return;
    const std::size_t at = static_cast<std::size_t>(scriptAt_ >= 0 ? scriptAt_ : &place - argv_.data());
    const bool command = at < commandSize_;
    events_.push_back({{name, value, command ? Setting::In::kCommand : Setting::In::kArgs,
                        command ? at : at - commandSize_},
                       what,
                       certain_});
  }

  // ---- What is left ----

  void settle() {
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& a, const Event& b) { return a.setting.name < b.setting.name; });
    for (auto from = events_.cbegin(); from != events_.cend();) {
      const auto to = std::find_if(
          from, events_.cend(), [&](const Event& each) { return each.setting.name != from->setting.name; });
      settle({from, to});
      from = to;
    }
  }

  // All of one variable, in order.
  void settle(std::span<const Event> events) {
    if (events.size() == 1 && events[0].what == What::kSets)
      return made_.settings_.push_back(events[0].setting);
    std::vector<Setting> seen, inShell;  // by programs, and by the shell alone
    for (const Event& event : events) {
      const bool assigns = event.what == What::kAssigns && seen.empty();
      auto& into = assigns ? inShell : seen;
      switch (event.what) {
        case What::kPasses:
          if (!seen.empty()) break;
          seen = inShell.empty() ? std::vector{event.setting} : inShell;
          break;
        case What::kUnsets:
          if (event.certain) seen.clear(), inShell.clear();
          break;
        case What::kForOne:
          if (event.certain && programs_ == 1) seen.clear();
          seen.push_back(event.setting);
          break;
        case What::kSets:
        case What::kAssigns:
          if (event.certain) into.clear();
          into.push_back(event.setting);
          break;
      }
    }
    made_.settings_.insert(made_.settings_.end(), seen.begin(), seen.end());
  }

  Json container_;
  Environment made_;
  std::vector<Event> events_;

  std::vector<ShellWord> argv_;
  std::size_t commandSize_ = 0;   // of argv_, the words of `command`; the others are of `args`
  std::ptrdiff_t scriptAt_ = -1;  // the word of argv_ that holds the script that is being read
  int depth_ = 0;                 // of scripts
  bool certain_ = true;           // whether the script that is being read is sure to run
  std::size_t putIn_ = 0;         // bytes that came in the place of `$(NAME)`
  bool exportsAll_ = false;       // `set -a`
  std::size_t programs_ = 0;      // that may be the one that matters
};

Environment Environment::of(Json container) {
  return Reading(container).read();
}

std::span<const Setting> Environment::of(std::string_view name) const {
  const auto [from, to] =
      std::equal_range(settings_.begin(), settings_.end(), Setting{name, std::nullopt, Setting::In::kEnv, 0},
                       [](const Setting& a, const Setting& b) { return a.name < b.name; });
  return {from, to};
}

std::string Setting::place() const {
  switch (in) {
    case In::kEnv:
      return "env[" + quoted(name) + "].value";
    case In::kCommand:
      return "command[" + std::to_string(index) + "]";
    case In::kArgs:
      break;
  }
  return "args[" + std::to_string(index) + "]";
}

std::optional<std::string_view> expanded(std::string_view text, ShellTexts& texts) {
  if (text.find('$') == std::string_view::npos) return text;
  std::string made;
  bool closes = true;  // there is a `)` ahead; looked for once
  for (std::size_t at = 0; at < text.size(); ++at) {
    made += text[at];
    if (text[at] != '$' || at + 1 == text.size()) continue;
    if (text[at + 1] == '$') {
      ++at;
    } else if (text[at + 1] == '(' && closes) {
      closes = text.find(')', at) != std::string_view::npos;
      if (closes) return std::nullopt;
    }
  }
  return texts.emplace_front(std::move(made));
}

}  // namespace driftbar::kube
