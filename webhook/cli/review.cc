// driftbar review: what the gate would answer to objects as people have them, or to recorded reviews.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/objects.h"
#include "cli/output.h"
#include "cli/requests.h"
#include "cli/reviewed.h"
#include "cli/usage.h"
#include "cli/world.h"
#include "decision/judge.h"
#include "kube/review.h"
#include "policy/object_check.h"

namespace driftbar::cli {
namespace {

struct Flags {
  std::string policies, inventory, now;
  std::vector<std::string> objects, old;
  std::vector<std::string> systemNamespaces = defaultSystemNamespaces();
  Asked asked;
  Output output = Output::kText;
  bool warningsAsErrors = false;
};

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
bool readsInputTwice(const Flags& flags) {
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

Result<Reviewed> reviewOne(const Object& object, const Object* old, const Flags& flags,
                           const decision::World& world, Instant now) {
  Asked asked = flags.asked;
  asked.kinds = &world.policies->kinds();
  auto text = reviewText(object, old, asked);
  if (!text) return placed(std::move(text).errors(), object);
  auto review = kube::Review::parse(*text);
  if (!review) return placed(std::move(review).errors(), object);
  const auto found = lookedUp(review->request(), world, now);
  return reviewed(review->request(), world, found, now);
}

int review(const Flags& flags, Terminal& terminal) {
  if (readsInputTwice(flags)) {
    return cannotGoOn(terminal, {error("standard-input", "`-` is given more than once",
                                       "standard input can be read once; use files for the rest")});
  }
  auto now = std::optional(std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()));
  if (!flags.now.empty()) now = parseInstant(flags.now);
  if (!now) {
    return cannotGoOn(terminal, {error("time", "`--now " + printable(flags.now) + "` is not a time",
                                       "write it as in 2026-12-01T10:00:00Z")});
  }
  auto policies = loadPolicies(flags.policies, *now, terminal);
  if (!policies) return cannotGoOn(terminal, policies.errors());
  decision::World world;
  world.policies = *policies;
  const std::vector<std::string_view> systemNamespaces(flags.systemNamespaces.begin(),
                                                       flags.systemNamespaces.end());
  world.systemNamespaces = systemNamespaces;
  if (!flags.inventory.empty()) {
    auto inventory = loadInventory(flags.inventory, terminal);
    if (!inventory) return cannotGoOn(terminal, inventory.errors());
    world.inventory = *inventory;
  }
  const auto objects = readAll(flags.objects, terminal);
  if (!objects) return cannotGoOn(terminal, objects.errors());
  if (objects->empty()) {
    // A pipe whose first half failed must not read as allowed.
    return cannotGoOn(terminal, {error("no-objects", "there is nothing to review: no object was given")});
  }
  const auto olds = readAll(flags.old, terminal);
  if (!olds) return cannotGoOn(terminal, olds.errors());
  for (const auto* given : {&*objects, &*olds}) {
    for (const auto& object : *given) terminal.err << render(policy::unknownFields(object.node));
  }

  Diagnostics wrong = withoutPair(*olds, *objects, flags.asked.ns);
  bool refused = false, warned = false;
  auto list = nlohmann::ordered_json::array();
  for (const auto& object : *objects) {
    const auto reviewed = reviewOne(object, before(object, *olds, flags.asked.ns), flags, world, *now);
    if (!reviewed) {
      wrong.insert(wrong.end(), reviewed.errors().begin(), reviewed.errors().end());
      continue;
    }
    refused |= !reviewed->verdict.allowed();
    warned |= !reviewed->warnings.empty();
    if (flags.output == Output::kText) terminal.out << text(*reviewed, terminal);
    if (flags.output != Output::kText) list.push_back(json(*reviewed));
  }
  if (flags.output != Output::kText) terminal.out << formatted(list, flags.output);
  if (!wrong.empty()) return cannotGoOn(terminal, wrong);
  return refused || (flags.warningsAsErrors && warned) ? kFinding : kGood;
}

}  // namespace

Run declareReview(CLI::App& flags) {
  const auto values = std::make_shared<Flags>();
  auto& asked = values->asked;
  flags.add_option("-p,--policies", values->policies, "the policies: a file, a folder or -")
      ->type_name("PATH")
      ->required();
  flags
      .add_option("--inventory,--nodes", values->inventory,
                  "Nodes and Namespaces, as kubectl get -o yaml prints them")
      ->type_name("PATH");
  flags.add_option("-f,--filename", values->objects, "objects or AdmissionReviews: files, folders or -")
      ->type_name("PATH...")
      ->required();
  flags.add_option("--old", values->old, "the objects before an update, paired by kind, namespace and name")
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
  declareSystemNamespaces(flags, values->systemNamespaces);
  flags.add_option("--now", values->now, "the time it is judged at, such as 2026-12-01T10:00:00Z")
      ->type_name("TIME");
  flags.add_flag("--warnings-as-errors", values->warningsAsErrors, "exit 1 on a warning too");
  declareOutput(flags, values->output);
  return [values](Terminal& terminal) { return review(*values, terminal); };
}

}  // namespace driftbar::cli
