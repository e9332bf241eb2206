#include "cli/inquiry.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/text.h"
#include "cli/files.h"
#include "cli/usage.h"
#include "policy/object_check.h"

namespace driftbar::cli {
namespace {

// By kind, namespace and name. A recorded review holds its old object itself.
bool arePair(const Object& object, const Object& old, const std::string& ns) {
  const auto in = [&](const Object& one) { return !one.ns.empty() ? one.ns : ns.empty() ? "default" : ns; };
  return !object.isReview() && old.kind == object.kind && in(old) == in(object) && old.name == object.name;
}

const Object* before(const Object& object, const std::vector<Object>& olds, const std::string& ns) {
  const auto found =
      std::find_if(olds.begin(), olds.end(), [&](const Object& old) { return arePair(object, old, ns); });
  return found == olds.end() ? nullptr : &*found;
}

Diagnostics withoutPair(const std::vector<Object>& olds, const std::vector<Object>& objects,
                        const std::string& ns) {
  Diagnostics wrong;
  for (const auto& old : olds) {
    const bool paired = std::any_of(objects.begin(), objects.end(),
                                    [&](const Object& object) { return arePair(object, old, ns); });
    if (paired) continue;
    wrong.push_back(errorAt(old.node.where, "no-pair",
                            "none of the objects given with `-f` has this one's kind, namespace and name"));
  }
  return wrong;
}

Result<std::vector<Object>> readAll(const std::vector<std::string>& paths, Terminal& terminal) {
  std::vector<Source> sources;
  for (const auto& path : paths) {
    auto tree = readTree(path, terminal.in, kInput);
    if (!tree) return std::move(tree).errors();
    sources.insert(sources.end(), tree->begin(), tree->end());
  }
  auto objects = readObjects(sources);
  if (objects && objects->empty() && !paths.empty()) {
    const std::vector<std::string_view> names(paths.begin(), paths.end());
    return error("no-objects", "there are no objects in " + printable(listed(names, "and")));
  }
  return objects;
}

// Standard input can be read once.
bool readsInputTwice(const InquiryFlags& flags) {
  auto paths = flags.objects;
  paths.insert(paths.end(), flags.old.begin(), flags.old.end());
  paths.insert(paths.end(), {flags.policies, flags.inventory});
  return std::count(paths.begin(), paths.end(), "-") > 1;
}

// Puts the place of the object in front of what is wrong with its review.
Diagnostics placed(Diagnostics errors, const Object& object) {
  for (auto& d : errors) {
    if (!d.where) d.where = object.node.where;
  }
  return errors;
}

// Source: pkg/registry of k8s.io/kubernetes; custom resources have status and scale.
constexpr std::string_view kSubresources[] = {
    "status",  "scale",  "ephemeralcontainers", "resize", "eviction", "binding",
    "exec",    "attach", "portforward",         "proxy",  "finalize", "token",
    "approval"};

std::optional<Diagnostic> wrongSubresource(const std::string& word) {
  if (word.empty() ||
      std::find(std::begin(kSubresources), std::end(kSubresources), word) != std::end(kSubresources))
    return std::nullopt;
  const auto meant = nearest(word, kSubresources);
  return error("unknown-subresource", "there is no subresource `" + printable(word) + "`",
               meant.empty() ? "one of them is " + listed(kSubresources)
                             : "did you mean `" + std::string(meant) + "`?");
}

Result<Instant> timeOf(const InquiryFlags& flags) {
  if (flags.now.empty())
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  if (const auto now = parseInstant(flags.now)) return *now;
  return error("time", "`--now " + printable(flags.now) + "` is not a time",
               "write it as in 2026-12-01T10:00:00Z");
}

}  // namespace

void declareInquiry(CLI::App& flags, InquiryFlags& into) {
  auto& asked = into.asked;
  flags.add_option("-p,--policies", into.policies, "the policies: a file, a folder or -")
      ->type_name("PATH")
      ->required();
  flags
      .add_option("--inventory,--nodes", into.inventory,
                  "Nodes and Namespaces, as kubectl get -o yaml prints them")
      ->type_name("PATH");
  flags.add_option("-f,--filename", into.objects, "objects or AdmissionReviews: files, folders or -")
      ->type_name("PATH...")
      ->required();
  flags.add_option("--old", into.old, "the objects before an update, paired by kind, namespace and name")
      ->type_name("PATH...");
  flags
      .add_option("--operation", asked.operation,
                  "create (default; update with --old), update, delete or connect")
      ->type_name("WORD")
      ->transform(CLI::Validator(oneOf({"create", "update", "delete", "connect"}), ""));
  flags.add_option("--subresource", asked.subResource, "such as ephemeralcontainers")->type_name("NAME");
  flags.add_option("--namespace", asked.ns, "of objects that name none (default: default)")
      ->type_name("NAME");
  flags.add_option("--as", asked.user, "who asks (default: test)")->type_name("USER");
  flags.add_option("--as-group", asked.groups, "a group of who asks; may be given several times")
      ->type_name("GROUP")
      ->allow_extra_args(false);
  flags.add_option("--as-sa", asked.serviceAccount, "a service account asks")->type_name("NAMESPACE/NAME");
  declareSystemNamespaces(flags, into.systemNamespaces);
  flags.add_option("--now", into.now, "the time it is judged at, such as 2026-12-01T10:00:00Z")
      ->type_name("TIME");
}

Result<std::unique_ptr<const Inquiry>> Inquiry::of(const InquiryFlags& flags, Terminal& terminal) {
  if (readsInputTwice(flags)) {
    return error("standard-input", "`-` is given more than once",
                 "standard input can be read once; use files for the rest");
  }
  if (auto wrong = wrongSubresource(flags.asked.subResource)) return *std::move(wrong);
  std::unique_ptr<Inquiry> inquiry(new Inquiry(flags));
  auto now = timeOf(flags);
  if (!now) return std::move(now).errors();
  inquiry->now_ = *now;
  auto policies = loadPolicies(flags.policies, *now, terminal);
  if (!policies) return std::move(policies).errors();
  inquiry->world_.policies = *policies;
  inquiry->systemNamespaces_.assign(flags.systemNamespaces.begin(), flags.systemNamespaces.end());
  inquiry->world_.systemNamespaces = inquiry->systemNamespaces_;
  if (!flags.inventory.empty()) {
    auto inventory = loadInventory(flags.inventory, terminal);
    if (!inventory) return std::move(inventory).errors();
    inquiry->world_.inventory = *inventory;
  }
  auto objects = readAll(flags.objects, terminal);
  if (!objects) return std::move(objects).errors();
  // A pipe whose first half failed must not read as allowed.
  if (objects->empty()) return error("no-objects", "there is nothing to review: no object was given");
  auto olds = readAll(flags.old, terminal);
  if (!olds) return std::move(olds).errors();
  for (const auto* given : {&*objects, &*olds}) {
    for (const auto& object : *given) terminal.err << render(policy::unknownFields(object.node));
  }
  inquiry->wrong_ = withoutPair(*olds, *objects, flags.asked.ns);
  inquiry->objects_ = *std::move(objects);
  inquiry->olds_ = *std::move(olds);
  return std::unique_ptr<const Inquiry>(std::move(inquiry));
}

Result<kube::Review> Inquiry::requestOf(const Object& object) const {
  Asked asked = flags_.asked;
  asked.kinds = &world_.policies->kinds();
  auto text = reviewText(object, before(object, olds_, asked.ns), asked);
  if (!text) return placed(std::move(text).errors(), object);
  auto review = kube::Review::parse(*text);
  if (!review) return placed(std::move(review).errors(), object);
  return review;
}

}  // namespace driftbar::cli
