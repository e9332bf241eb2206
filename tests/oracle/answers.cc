#include "oracle/answers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "kube/label_selector.h"
#include "kube/pod.h"
#include "kube/quantity.h"
#include "kube/taint.h"
#include "scheduling/placement.h"

namespace driftbar::oracle {
namespace {

using kube::Quantity;

JsonDocument documentOf(const Row& row) {
  auto document = JsonDocument::parse(row.dump());
  if (!document) throw std::runtime_error(render(document.errors()));  // our generators write valid JSON
  return std::move(document).value();
}

std::string asJson(const std::string& text) {
  return Row(text).dump();
}

// As in judge/main.go: 1 affinity, 2 taint, 4 unschedulable, 8 fit.
constexpr std::pair<scheduling::ObstacleKind, int> kObstacleBits[] = {
    {scheduling::ObstacleKind::kSelector, 1}, {scheduling::ObstacleKind::kAffinity, 1},
    {scheduling::ObstacleKind::kTaint, 2},    {scheduling::ObstacleKind::kUnschedulable, 4},
    {scheduling::ObstacleKind::kResource, 8},
};

char digitOf(const scheduling::Placement& placement, const kube::Node& node) {
  int sum = 0;
  for (const auto& obstacle : placement.obstacles(node)) {
    for (const auto& [kind, bit] : kObstacleBits) sum |= kind == obstacle.kind ? bit : 0;
  }
  // What is said for people must be what is decided.
  return placement.admits(node) == (sum == 0) ? "0123456789abcdef"[sum] : 'X';
}

std::string selector(const Row& row) {
  const auto document = documentOf(row);
  const auto made = kube::LabelSelector::parse(document.root()["selector"], "selector");
  if (!made) return asJson("error");
  std::string digits;
  for (const Json labels : document.root()["labels"].items())
    digits += made->matches(kube::Labels(labels)) ? '1' : '0';
  return asJson(digits);
}

std::string toleration(const Row& row) {
  const auto document = documentOf({{"tolerations", {row["toleration"]}}, {"taints", row["taints"]}});
  const auto toleration = kube::Toleration::listOf(document.root()["tolerations"]).at(0);
  std::string digits;
  for (const auto& taint : kube::Taint::listOf(document.root()["taints"]))
    digits += toleration.tolerates(taint) ? '1' : '0';
  return asJson(digits);
}

bool isCapped(Quantity quantity) {
  const Quantity most = *Quantity::parse("1e29"), least = *Quantity::parse("-1e29");
  return quantity >= most || quantity <= least;
}

int orderOf(Quantity a, Quantity b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// Empty where our quantity is what the judge describes. Beyond 10^29 all are one to us; Value and MilliValue
// are asked where they hold in Kubernetes too: not below zero, and where a thousandth still fits in 64 bits.
std::string difference(Quantity ours, Quantity before, const Row& theirs) {
  if (Quantity::parse(theirs["nanos"].get<std::string>()) != ours) return "is " + ours.toString();
  if (isCapped(ours) || isCapped(before)) return {};
  if (orderOf(ours, before) != theirs["order"].get<int>())
    return "order " + std::to_string(orderOf(ours, before));
  if (Quantity::parse(theirs["sum"].get<std::string>()) != ours + before)
    return "sum " + (ours + before).toString();
  if (ours < Quantity() || ours > Quantity::of(INT64_MAX / 1000)) return {};
  if (std::to_string(ours.value()) != theirs["value"]) return "value " + std::to_string(ours.value());
  if (std::to_string(ours.milliValue()) != theirs["milli"])
    return "milli " + std::to_string(ours.milliValue());
  return {};
}

// The first difference of a list of quantities.
std::string quantities(const std::vector<std::optional<Quantity>>& ours, const Row& theirs) {
  Quantity before;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const std::string at = "[" + std::to_string(i) + "] ";
    if (ours[i].has_value() == theirs.at(i).is_null()) return at + (ours[i] ? ours[i]->toString() : "null");
    if (!ours[i]) continue;
    if (const auto what = difference(*ours[i], before, theirs.at(i)); !what.empty()) return at + what;
    before = *ours[i];
  }
  return {};
}

std::string texts(const Row& row, const Row& theirs) {
  std::vector<std::optional<Quantity>> ours;
  for (const auto& text : row["texts"]) ours.push_back(Quantity::parse(text.get<std::string>()));
  return quantities(ours, theirs);
}

std::string values(const Row& row, const Row& theirs) {
  const auto document = documentOf(row);
  std::vector<std::optional<Quantity>> ours;
  for (const Json value : document.root()["values"].items()) ours.push_back(Quantity::read(value));
  return quantities(ours, theirs);
}

std::string requests(const Row& row, const Row& theirs) {
  const auto document = documentOf(row);
  std::map<std::string, Quantity> wanted;
  for (const auto& [name, nanos] : theirs.items())
    wanted[name] = Quantity::parse(nanos.get<std::string>()).value();
  std::map<std::string, Quantity> ours;
  std::string shown;
  for (const auto& [name, amount] : kube::effectiveRequests(document.root()["spec"])) {
    ours[name] = amount;
    shown += name + "=" + amount.toString() + " ";
  }
  return ours == wanted ? "" : "{" + shown + "}";
}

// What a row of a kind must have; shrinking takes it away.
const std::pair<std::string_view, std::vector<const char*>> kParts[] = {
    {"nodes", {"nodes"}},
    {"place", {"spec"}},
    {"requests", {"spec"}},
    {"selector", {"selector", "labels"}},
    {"quantity", {"texts"}},
    {"json-quantity", {"values"}},
    {"toleration", {"toleration", "taints"}},
};

bool isWhole(const Row& row) {
  for (const auto& [kind, parts] : kParts) {
    if (row["kind"] != kind) continue;
    return std::all_of(parts.begin(), parts.end(), [&](const char* part) { return row.contains(part); });
  }
  return false;
}

Comparison same(const std::string& ours, const std::string& theirs) {
  return {ours == theirs ? Verdict::kAgree : Verdict::kDisagree, ours};
}

Comparison none(const std::string& difference) {
  return {difference.empty() ? Verdict::kAgree : Verdict::kDisagree, difference};
}

}  // namespace

bool Answers::readNodes(const Row& nodes) {
  rows_ = nodes;
  nodes_.clear();
  const auto document = documentOf(nodes);
  for (const Json json : document.root().items()) {
    auto node = kube::Node::parse(json);
    if (!node) return false;
    nodes_.push_back(std::move(node).value());
  }
  return true;
}

std::string Answers::places(const Row& row) const {
  const auto document = documentOf(row);
  const auto placement = scheduling::Placement::of(kube::Pod(document.root()));
  std::string digits;
  for (const auto& node : nodes_) digits += digitOf(placement, *node);
  return asJson(digits);
}

Comparison Answers::compare(const Row& row, const std::string& theirs) {
  if (theirs.starts_with("\"unreadable")) return {Verdict::kUnreadable, theirs};
  if (!isWhole(row)) return {Verdict::kUnreadable, "a part is missing"};
  const std::string kind = row["kind"];
  if (row.contains("nodes") && !readNodes(row["nodes"]))
    return {Verdict::kUnreadable, "a node can't be read"};
  if (kind == "place" && nodes_.empty()) return {Verdict::kUnreadable, "there are no nodes"};
  if (kind == "place") return same(places(row), theirs);
  if (kind == "selector") return same(selector(row), theirs);
  if (kind == "toleration") return same(toleration(row), theirs);
  if (kind == "quantity") return none(texts(row, Row::parse(theirs)));
  if (kind == "json-quantity") return none(values(row, Row::parse(theirs)));
  if (kind == "requests") return none(requests(row, Row::parse(theirs)));
  return {};
}

Row Answers::withDisputedNode(const Row& row, const std::string& theirs) const {
  const std::string ours = places(row);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (ours[i + 1] == theirs[i + 1]) continue;  // both begin with a quote
    Row made = row;
    made["nodes"] = Row::array({rows_[i]});
    return made;
  }
  return row;
}

}  // namespace driftbar::oracle
