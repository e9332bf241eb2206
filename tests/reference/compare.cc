#include "reference/compare.h"

#include <algorithm>
#include <array>
#include <set>

namespace driftbar::reference {
namespace {

using Pointer = Row::json_pointer;

constexpr std::array kLists = {"refused", "warned", "audited", "exempted", "notes"};

bool has(const Row& list, const Row& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// What is no single rule's matter is told by one of the rules that meet it, as the strongest of them tells
// it; which one, the contract does not say. Takes these rules out of `ours`.
void compareShared(const std::string& matter, const Row& told, Row& ours, std::vector<std::string>& out) {
  bool wanted = false, said = false;
  for (const auto& lists :
       std::vector<std::vector<const char*>>{{"refused"}, {"warned", "notes"}, {"audited"}, {"exempted"}}) {
    for (const auto* list : lists) {
      Row left = Row::array();
      for (const auto& name : ours.at(list)) {
        const bool may = has(told.at(list), name);
        if (!may) left.push_back(name);
        said = said || may;
      }
      ours[list] = left;
      wanted = wanted || !told.at(list).empty();
    }
    if (wanted && !said) out.push_back(matter + " " + std::string(lists[0]) + ": by the reference only");
    if (wanted) said = true;
  }
}

void compareLists(Row ours, const Row& theirs, std::vector<std::string>& out) {
  for (const auto& [matter, told] : theirs.at("shared").items()) compareShared(matter, told, ours, out);
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

// Lists and maps stand for their place: how their JSON is written is no matter.
std::set<std::string> shown(const Row& evidence) {
  std::set<std::string> out;
  for (const auto& one : evidence) {
    const std::string place = one.at(0);
    const std::string value = one.at(1).is_null() ? "" : one.at(1).get<std::string>();
    out.insert(place + (one.at(1).is_null() ? "" : "=") +
               (value.starts_with('{') || value.starts_with('[') ? "…" : value));
  }
  return out;
}

std::string joined(const std::set<std::string>& parts) {
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : "; ") + part;
  return "{" + out + "}";
}

void compareJudgements(const Row& ours, const Row& theirs, std::vector<std::string>& out) {
  for (const auto& [rule, judgement] : ours.items()) {
    const std::string is = judgement.at("is"), wanted = theirs.at("rules").at(rule);
    if (wanted == "-") continue;  // a request that is not judged at all
    if (is != wanted) {
      out.push_back("judgement " + rule + ": " + wanted + " to the reference, " + is + " to the engine");
      continue;
    }
    const auto a = theirs.at("evidence").contains(rule) ? shown(theirs.at("evidence").at(rule))
                                                        : std::set<std::string>();
    const auto b = shown(judgement.at("evidence"));
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
