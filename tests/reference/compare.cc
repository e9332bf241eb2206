#include "reference/compare.h"

#include <algorithm>
#include <array>
#include <set>

#include "reference/words.h"

namespace driftbar::reference {
namespace {

using Pointer = Row::json_pointer;

constexpr std::array kLists = {"refused", "warned", "audited", "exempted", "notes"};

bool has(const Row& list, const Row& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// What is no single rule's matter is told by one of the rules that meet it, as the strongest of them tells
// it; which one, the contract does not say.
void compareShared(const std::string& matter, const Row& told, const Row& ours,
                   std::vector<std::string>& out) {
  bool wanted = false, said = false;
  for (const auto& lists :
       std::vector<std::vector<const char*>>{{"refused"}, {"warned", "notes"}, {"audited"}, {"exempted"}}) {
    for (const auto* list : lists) {
      wanted = wanted || !told.at(list).empty();
      for (const auto& name : ours.at(list)) said = said || has(told.at(list), name);
    }
    if (wanted && !said) out.push_back(matter + " " + std::string(lists[0]) + ": by the reference only");
    if (wanted) said = true;
  }
}

// Ours without the rules that may be there for what is shared, but for what they have to say of their own.
void leaveOutShared(const Row& told, const Row& own, Row& ours) {
  for (const auto* list : kLists) {
    Row left = Row::array();
    for (const auto& name : ours.at(list)) {
      if (!has(told.at(list), name) || has(own.at(list), name)) left.push_back(name);
    }
    ours[list] = left;
  }
}

// The engine does not look for rules that close all nodes together where another has refused: those it leaves
// out.
void leaveOutTogether(const Row& ours, Row& theirs) {
  Row alone = Row::array();
  for (const auto& name : theirs.at("refused")) {
    if (!has(theirs.at("together"), name)) alone.push_back(name);
  }
  if (!alone.empty() && ours.at("refused") == alone) theirs["refused"] = alone;
}

// Rules that the engine is known to judge wrongly in this request.
void leaveOut(Row& verdict, const Row& rules) {
  for (const auto* list : kLists) {
    Row left = Row::array();
    for (const auto& name : verdict.at(list)) {
      if (!has(rules, name)) left.push_back(name);
    }
    verdict[list] = left;
  }
}

void compareLists(Row ours, Row theirs, std::vector<std::string>& out) {
  for (const auto& [path, list] : {std::pair{"unknown and broken in an update", "mixed"},
                                   {"what disagreed before an update", "disagreed"}}) {
    if (isOn("path", path)) continue;
    const Row rules = theirs.at(list);
    leaveOut(ours, rules);
    leaveOut(theirs, rules);
  }
  if (!isOn("path", "closed together beside a refusal")) leaveOutTogether(ours, theirs);
  const Row& shared = theirs.at("shared");
  for (const auto& [matter, told] : shared.items()) compareShared(matter, told, ours, out);
  for (const auto& [matter, told] : shared.items()) leaveOutShared(told, theirs, ours);
  for (const auto* list : kLists) {
    for (const auto& name : theirs.at(list)) {
      if (!has(ours.at(list), name))
        out.push_back(std::string(list) + " " + name.get<std::string>() + ": by the reference only");
    }
    for (const auto& name : ours.at(list)) {
      if (!has(theirs.at(list), name))
        out.push_back(std::string(list) + " " + name.get<std::string>() + ": by the engine only");
    }
  }
  for (const auto& name : ours.at("faulted")) out.push_back("faulted " + name.get<std::string>());
}

// Lists and maps stand for their place: how their JSON is written is no matter. Of what is not known only the
// place counts.
std::set<std::string> shown(const Row& evidence, bool known) {
  std::set<std::string> out;
  for (const auto& one : evidence) {
    std::string text = one.at(0);
    if (known && !one.at(1).is_null()) {
      const std::string value = one.at(1);
      text += "=" + (value.starts_with('{') || value.starts_with('[') ? "…" : value);
    }
    out.insert(text);
  }
  return out;
}

std::string joined(const std::set<std::string>& parts) {
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : "; ") + part;
  return "{" + out + "}";
}

// Values that must agree are one piece of evidence to both, which the reference puts at no place of the
// object.
bool isOfAgree(const std::set<std::string>& places) {
  return std::any_of(places.begin(), places.end(),
                     [](const std::string& place) { return place.starts_with("values of "); });
}

void compareJudgements(const Row& ours, const Row& theirs, std::vector<std::string>& out) {
  for (const auto& [rule, judgement] : ours.items()) {
    const std::string is = judgement.at("is"), wanted = theirs.at("rules").at(rule);
    if (wanted == "-") continue;  // a request that is not judged at all
    if (is != wanted) {
      out.push_back("judgement " + rule + ": " + wanted + " to the reference, " + is + " to the engine");
      continue;
    }
    const Row& wantedEvidence = theirs.at("evidence");
    const auto a = shown(wantedEvidence.contains(rule) ? wantedEvidence.at(rule) : Row::array(), is == "b");
    const auto b = shown(judgement.at("evidence"), is == "b");
    if (isOfAgree(a)) continue;
    // Of what is not known the engine names what settles it, the reference all.
    const bool same =
        is == "u" ? !b.empty() && std::includes(a.begin(), a.end(), b.begin(), b.end()) : a == b;
    if (!same)
      out.push_back("evidence " + rule + ": " + joined(a) + " to the reference, " + joined(b) +
                    " to the engine");
  }
}

// ---- shrinking

// Without these, nothing is what it was.
constexpr const char* kParts[] = {
    "policies", "requests",  "nodes",      "namespaces", "now",   "system",    "apiVersion",
    "kind",     "metadata",  "spec",       "rules",      "name",  "operation", "type",
    "effect",   "key",       "status",     "resource",   "uid",   "userInfo",  "username",
    "object",   "oldObject", "containers", "image",      "group", "version",   "namespace"};

bool stays(const std::string& key) {
  return std::find(std::begin(kParts), std::end(kParts), key) != std::end(kParts);
}

// Every part below `at`, the outer before the inner: to lose much at once is tried first.
void collect(const Row& part, const Pointer& at, std::vector<Pointer>& out) {
  if (part.is_object()) {
    for (const auto& [key, value] : part.items()) {
      if (!stays(key)) out.push_back(at / key);
      collect(value, at / key, out);
    }
  } else if (part.is_array()) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      out.push_back(at / i);
      collect(part[i], at / i, out);
    }
  }
}

Row without(const Row& row, const Pointer& at) {
  Row made = row;
  Row& parent = made.at(at.parent_pointer());
  if (parent.is_array()) {
    parent.erase(std::stoul(at.back()));
  } else {
    parent.erase(at.back());
  }
  return made;
}

}  // namespace

std::vector<std::string> differences(const Engine& engine, const Row& request, const Row& reference) {
  std::vector<std::string> out;
  compareLists(engine.verdict(request), reference, out);
  if (const auto judgements = engine.judgements(request)) compareJudgements(*judgements, reference, out);
  return out;
}

Row smallest(Row row, const std::function<bool(const Row&)>& fails) {
  for (bool lost = true; lost;) {
    lost = false;
    std::vector<Pointer> parts;
    collect(row, Pointer(), parts);
    for (std::size_t i = 0; i < parts.size();) {
      Row smaller = without(row, parts[i]);
      if (!fails(smaller)) {
        ++i;
        continue;
      }
      row = std::move(smaller);
      lost = true;
      parts.clear();
      collect(row, Pointer(), parts);
    }
  }
  return row;
}

}  // namespace driftbar::reference
