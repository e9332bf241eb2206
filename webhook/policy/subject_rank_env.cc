// rankEnv: the variables of all that carry ranks, for `agree`.
//
// Of each variable that any container sets there is one value for each container that sets it, and one for
// the first that does not, which is enough to disagree: so the values are no more than what is written.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "policy/containers.h"
#include "policy/names.h"
#include "policy/subjects.h"
#include "policy/variables.h"

namespace driftbar::policy::subjects {
namespace {

// A container of some rank. What a Trail points at lives no longer than eachContainer looks at it, so the
// place is written out.
struct Rank {
  Json container;
  std::string place;
  kube::Environment environment;
  std::vector<Json> entries;  // of its `env`
};

struct SetIn {
  std::string_view name;
  std::size_t rank = 0;
  const kube::Setting* setting = nullptr;
  bool again = false;  // the container may set it in several ways
};

bool namedOutright(const Argument& argument, std::string_view name) {
  return std::find(argument.names.begin(), argument.names.end(), name) != argument.names.end();
}

// Some differ from host to host by their nature.
bool isMeant(const Argument& argument, std::string_view name) {
  return nameFits(argument, name) && (!kube::mayDifferByHost(name) || namedOutright(argument, name));
}

class RankVariables {
 public:
  RankVariables(const Argument& argument, const Scope& scope) : argument_(argument) {
    for (const auto& pod : scope.facts->allTemplates()) {
      if (pod.ranks && pod.pod.exists()) add(pod);
    }
    for (std::size_t i = 0; i < ranks_.size(); ++i) gather(i);
    std::sort(set_.begin(), set_.end(), [](const SetIn& a, const SetIn& b) {
      return a.name != b.name ? a.name < b.name : a.rank < b.rank;
    });
  }

  void tell(Seen& seen) const {
    for (auto from = set_.begin(); from != set_.end();) {
      const auto to =
          std::find_if(from, set_.end(), [&](const SetIn& each) { return each.name != from->name; });
      if (!tell({from, to}, seen)) return;
      from = to;
    }
    for (const auto& name : argument_.names) {
      if (!isGlob(name) && !tellUnset(name, seen)) return;
    }
  }

 private:
  void add(const PodTemplate& pod) {
    const Trail top = pod.top();
    eachContainer(argument_, pod, top, ByItself::kAccelerated, [&](Json container, const Trail& at) {
      Rank rank{container, at.toString(), kube::Environment::of(container), entriesOf(container)};
      (rank.environment.fromElsewhere() ? withMore_ : without_).push_back(ranks_.size());
      ranks_.push_back(std::move(rank));
      return true;
    });
  }

  void gather(std::size_t at) {
    std::string_view before;
    for (const auto& setting : ranks_[at].environment.settings()) {
      if (!isMeant(argument_, setting.name)) continue;
      if (setting.name == before) {
        set_.back().again = true;
      } else {
        set_.push_back({setting.name, at, &setting, false});
      }
      before = setting.name;
    }
  }

  // One variable.
  bool tell(std::span<const SetIn> settings, Seen& seen) const {
    for (const auto& one : settings) {
      if (!tellSet(one, seen)) return false;
    }
    return tellLacking(settings, without_, seen) && tellLacking(settings, withMore_, seen);
  }

  bool tellSet(const SetIn& one, Seen& seen) const {
    const Rank& rank = ranks_[one.rank];
    Value value = valueOf(*one.setting, rank.entries);
    if (one.again) {
      const auto privacy = value.privacy;
      value = Value::unknown(one.name);
      value.written = true;
      value.why = "it may be set in several ways";
      value.privacy = privacy;
    }
    const bool inEnv = one.setting->in == kube::Setting::In::kEnv;
    const std::string place = one.setting->place();
    return tellAt(value, rank, inEnv ? place : place + "[" + quoted(one.name) + "]", seen);
  }

  // The first of the ranks `among` that does not set it, if there is one.
  bool tellLacking(std::span<const SetIn> settings, const std::vector<std::size_t>& among, Seen& seen) const {
    auto lacking = among.begin();
    for (const auto& one : settings) {
      if (lacking != among.end() && *lacking == one.rank) ++lacking;
    }
    if (lacking == among.end()) return true;
    const std::string_view name = settings.front().name;
    const bool unknown = mayComeWithOthers(ranks_[*lacking].container, name);
    Value value = unknown ? Value::unknown(name) : Value::absent(name);
    if (unknown) value.why = "it may come by envFrom";
    const kube::Setting nowhere{name, std::nullopt, kube::Setting::In::kEnv, 0};
    return tellAt(value, ranks_[*lacking], nowhere.place(), seen);
  }

  // A variable that is named outright and that nothing sets but envFrom, perhaps: where it is not the same
  // one everywhere, it can't be told whether all agree.
  bool tellUnset(std::string_view name, Seen& seen) const {
    const bool isSet =
        std::any_of(set_.begin(), set_.end(), [&](const SetIn& one) { return one.name == name; });
    const auto sourceOf = [&](const Rank& rank) {
      return mayComeWithOthers(rank.container, name) ? rank.container["envFrom"].dump() : std::string();
    };
    const Rank* may = nullptr;
    bool same = true;
    for (const auto& rank : ranks_) {
      if (isSet) break;
      const auto source = sourceOf(rank);
      same = same && source == sourceOf(ranks_.front());
      if (may == nullptr && !source.empty()) may = &rank;
    }
    if (may == nullptr || same) return true;
    // Of a rank that nothing sets it for, that it is missing is evidence of its own.
    for (const auto& rank : ranks_) {
      if (!sourceOf(rank).empty()) continue;
      const kube::Setting nowhere{name, std::nullopt, kube::Setting::In::kEnv, 0};
      if (!tellAt(Value::absent(name), rank, nowhere.place(), seen)) return false;
      break;
    }
    Value value = Value::unknown(name);
    value.why = "it may come by envFrom";
    const kube::Setting nowhere{name, std::nullopt, kube::Setting::In::kEnv, 0};
    return tellAt(value, *may, nowhere.place(), seen);
  }

  static bool tellAt(Value value, const Rank& rank, const std::string& below, Seen& seen) {
    const std::string place = rank.place + "." + below;
    const Trail at{nullptr, Trail::Kind::kRoot, place, 0};
    value.trail = &at;
    value.container = rank.container["name"].text();
    return seen(value);
  }

  const Argument& argument_;
  std::vector<Rank> ranks_;
  std::vector<std::size_t> without_, withMore_;  // ranks by whether they have envFrom
  std::vector<SetIn> set_;
};

}  // namespace

std::optional<Argument> parseRankEnv(const syntax::Leaf& leaf, const Surroundings&, Problems& problems) {
  return variablesBeside(leaf, "rankEnv", {}, problems);
}

void rankEnvValues(const Argument& argument, const Scope& scope, Seen& seen) {
  const Facts& facts = *scope.facts;
  if (facts.podKnown) return RankVariables(argument, scope).tell(seen);
  const Trail top = facts.pod.top();
  Value value = Value::unknown(argument.names.front());
  value.trail = &top;
  value.why = "the pod could not be looked up";
  seen(value);
}
std::string rankEnvNoun(const Argument&, const Value& value, const Scope&) {
  return "env " + printable(value.name);
}

}  // namespace driftbar::policy::subjects
