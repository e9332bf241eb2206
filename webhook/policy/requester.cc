#include "policy/requester.h"

#include <algorithm>

#include "base/glob.h"
#include "policy/test_table.h"
#include "policy/vocabulary.h"

namespace driftbar::policy {
namespace {

constexpr std::string_view kAccountPrefix = "system:serviceaccount:";

// `namespace/name` of a service account; empty for anyone else.
std::string accountOf(std::string_view user) {
  if (!user.starts_with(kAccountPrefix)) return {};
  std::string account(user.substr(kAccountPrefix.size()));
  std::replace(account.begin(), account.end(), ':', '/');
  return account;
}

bool anyFits(const std::vector<std::string>& globs, std::string_view text) {
  return std::any_of(globs.begin(), globs.end(), [&](const auto& glob) { return globFits(glob, text); });
}

std::vector<std::string> globsOf(const Members& members, std::string_view key, Problems& problems) {
  std::vector<std::string> globs;
  if (const yaml::Node* node = members[key]) {
    for (const auto* word : wordsOf(*node, key, problems)) globs.push_back(word->scalar);
  }
  return globs;
}

void checkAccounts(const yaml::Node& node, Problems& problems) {
  const auto check = [&](const yaml::Node& account) {
    const auto& text = account.scalar;
    if (!account.isText() || text == "*" || text.find('/') != std::string::npos ||
        text.starts_with(kAccountPrefix))
      return;
    problems.error(account.where, "never-matches", "`" + text + "` names no service account",
                   "write `namespace/name`, such as `ml-tools/" + text + "`");
  };
  if (node.isText()) check(node);
  for (const auto& item : node.items) check(item);
}

void describe(std::string& out, std::string_view what, const std::vector<std::string>& globs) {
  for (const auto& glob : globs) {
    if (!out.empty()) out += " or ";
    out += std::string(what) + " " + glob;
  }
}

}  // namespace

std::optional<Requester> Requester::parse(const yaml::Node& node, Problems& problems) {
  const std::size_t before = problems.errorCount();
  const Members members = Members::read(node, requestedByKeys(), problems);
  auto requester = of(members, problems);
  if (node.isMap() && node.entries.empty()) {
    problems.error(node.where, "empty-list", "`requestedBy` names nobody",
                   "write `users`, `groups` or `serviceAccounts` with a list");
  }
  return problems.errorCount() == before ? requester : std::nullopt;
}

std::optional<Requester> Requester::of(const Members& members, Problems& problems) {
  const std::size_t before = problems.errorCount();
  Requester requester;
  requester.users_ = globsOf(members, "users", problems);
  requester.groups_ = globsOf(members, "groups", problems);
  requester.serviceAccounts_ = globsOf(members, "serviceAccounts", problems);
  if (const yaml::Node* own = members["onOwnNode"]) {
    const auto flag = testRow("exists")->parse(*own, "onOwnNode", ValueType::kAny, problems);
    requester.onOwnNode_ = flag && flag->flag;
    if (flag && !flag->flag) {
      problems.error(own->where, "never-matches", "`onOwnNode: false` names nobody",
                     "write `onOwnNode: true`, and `not` around the condition for everyone else");
    }
  }
  if (const yaml::Node* accounts = members["serviceAccounts"]) checkAccounts(*accounts, problems);
  return problems.errorCount() == before ? std::optional(requester) : std::nullopt;
}

namespace {

constexpr std::string_view kNodePrefix = "system:node:";
// The node that a token of a service account is bound to (apiserver serviceaccount/util.go).
constexpr std::string_view kBoundNode = "authentication.kubernetes.io/node-name";

// The node that a request is about: the node itself, or the one that its pod is bound to.
std::string_view nodeOf(const Facts& facts) {
  // A deletecollection has no name in the request.
  if (facts.about == Facts::About::kNode) return facts.named["metadata"]["name"].text();
  return facts.pod.place.empty() ? facts.pod.pod["spec"]["nodeName"].text() : std::string_view{};
}

// The node that asks, by itself or by an account whose token is bound to it; empty for anyone else.
std::string_view nodeThatAsks(const kube::Request& request) {
  const auto& user = request.user;
  if (user.name.starts_with(kNodePrefix))
    return user.inGroup("system:nodes") ? user.name.substr(kNodePrefix.size()) : std::string_view{};
  const Json bound = request.root["userInfo"]["extra"][kBoundNode];
  return user.name.starts_with(kAccountPrefix) && bound.size() == 1 ? bound.at(0).text() : std::string_view{};
}

}  // namespace

Truth Requester::fits(const Facts& facts) const {
  if (fitsUser(facts.request->user)) return Truth::kTrue;
  const auto asks = onOwnNode_ ? nodeThatAsks(*facts.request) : std::string_view{};
  if (asks.empty()) return Truth::kFalse;
  return facts.podKnown ? truthOf(asks == nodeOf(facts)) : Truth::kUnknown;
}

bool Requester::fitsUser(const kube::User& user) const {
  if (anyFits(users_, user.name)) return true;
  if (std::any_of(user.groups.begin(), user.groups.end(),
                  [&](auto group) { return anyFits(groups_, group); }))
    return true;
  if (serviceAccounts_.empty()) return false;
  const std::string account = accountOf(user.name);
  return !account.empty() && (anyFits(serviceAccounts_, account) || anyFits(serviceAccounts_, user.name));
}

std::string Requester::described() const {
  std::string out;
  describe(out, "user", users_);
  describe(out, "group", groups_);
  describe(out, "service account", serviceAccounts_);
  if (onOwnNode_) out += std::string(out.empty() ? "" : " or ") + "the node itself";
  return out;
}

}  // namespace driftbar::policy
