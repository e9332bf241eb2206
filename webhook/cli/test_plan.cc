#include "cli/test_plan.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "cli/files.h"
#include "cli/objects.h"
#include "cli/requests.h"
#include "inventory/file.h"

namespace driftbar::cli {
namespace {

namespace fs = std::filesystem;
using policy::TestCase;
using policy::TestObject;
using policy::TestRequest;
using Set = std::shared_ptr<const policy::PolicySet>;

// The folder that names in the document start from; that of standard input is where the program runs.
std::string folderOf(const policy::PolicyTest& test) {
  const auto folder = fs::path(test.where.source->name).parent_path().string();
  return folder.empty() ? "." : folder;
}

Diagnostics placedAt(const Location& where, Diagnostics errors) {
  for (auto& d : errors) {
    if (!d.where) d.where = where;
  }
  return errors;
}

constexpr AskedWords kWords{
    "operation:", "subresource:", "namespace:", "as.user:", "as.groups:", "serviceAccount:"};

Asked askedOf(const TestCase& wanted) {
  Asked asked;
  asked.ns = wanted.ns;
  asked.user = wanted.user;
  asked.groups = wanted.groups;
  asked.serviceAccount = wanted.serviceAccount;
  asked.words = kWords;
  if (wanted.request == TestRequest::kDelete) asked.operation = "delete";
  return asked;
}

bool isPod(const Object& object) {
  return object.kind == "Pod" && object.apiVersion == "v1";
}

class Planner {
 public:
  Planner(std::istream& standardInput, const PlanOptions& options) : in_(standardInput), options_(options) {}

  Result<TestPlan> plan(const std::vector<std::string>& paths) {
    const auto sources = readPaths(paths);
    auto loaded = policy::loadTests(sources);
    add(std::move(loaded.diagnostics));
    if (loaded.tests.empty() && wrong_.empty()) {
      const std::vector<std::string_view> names(paths.begin(), paths.end());
      add({error("no-tests", "there is no PolicyTest in " + printable(listed(names, "and")),
                 "a test is a document with `apiVersion: driftbar.io/v1alpha1` and `kind: PolicyTest`")});
    }
    for (auto& test : loaded.tests) planTest(std::make_shared<const policy::PolicyTest>(std::move(test)));
    if (!wrong_.empty()) return std::move(wrong_);
    return std::move(plan_);
  }

 private:
  // One thing may be found wrong from several sides: a file of two folders that tests stand in.
  void add(Diagnostics more) {
    for (auto& d : more) {
      if (told_.insert(render(d)).second) wrong_.push_back(std::move(d));
    }
  }

  std::vector<Source> readPaths(const std::vector<std::string>& paths) {
    std::vector<Source> sources;
    std::set<std::string> seen;
    for (const auto& path : paths) {
      std::error_code failed;
      if (path != "-" && fs::is_directory(path, failed)) given_.push_back(path);
      auto tree = readTree(path, in_, kInput);
      if (!tree) add(std::move(tree).errors());
      for (const auto& source : tree ? *tree : std::vector<Source>{}) {
        if (seen.insert(source->name).second) sources.push_back(source);
      }
    }
    return sources;
  }

  // The policies of a folder; null where they do not load, which has been reported.
  Set setOf(const std::string& folder) {
    const auto [at, fresh] = sets_.try_emplace(folder);
    if (!fresh) return at->second;
    auto sources = readTree(folder, in_, kInput);
    if (!sources) {
      add(std::move(sources).errors());
      return nullptr;
    }
    auto loaded = policy::load(*sources, {.needsPolicy = false});
    std::erase_if(loaded.diagnostics, [](const Diagnostic& d) { return d.severity != Severity::kError; });
    add(std::move(loaded.diagnostics));
    at->second = loaded.set;
    return loaded.set;
  }

  // Where the test's policies are looked for: its own folder, then those that were given. Nothing where one
  // of them does not load.
  std::vector<Set> setsFor(const policy::PolicyTest& test) {
    std::vector<Set> sets{setOf(folderOf(test))};
    const auto isElsewhere = [&](const policy::Placed& name) { return sets[0]->find(name.text) == nullptr; };
    if (sets[0] && std::any_of(test.policies.begin(), test.policies.end(), isElsewhere)) {
      for (const auto& folder : given_) sets.push_back(setOf(folder));
    }
    if (std::find(sets.begin(), sets.end(), nullptr) != sets.end()) return {};
    return sets;
  }

  void cover(const Set& set) {
    if (std::find(plan_.sets.begin(), plan_.sets.end(), set) == plan_.sets.end()) plan_.sets.push_back(set);
  }

  void planTest(const std::shared_ptr<const policy::PolicyTest>& test) {
    decision::World world;
    world.systemNamespaces = options_.systemNamespaces;
    const auto sets = setsFor(*test);
    if (!sets.empty()) {
      policy::Problems problems;
      world.policies = policy::judging(*test, sets, problems);
      add(problems.take());
      if (test->policies.empty() && sets[0]->policies().empty()) add({noPolicies(*test)});
      cover(sets[0]);
      if (!test->policies.empty()) cover(world.policies);
    }
    world.inventory = inventoryOf(*test);
    for (const auto& wanted : test->cases) planCase(test, wanted, world);
  }

  static Diagnostic noPolicies(const policy::PolicyTest& test) {
    return errorAt(
        test.where, "no-policies", "there is no policy in the folder of this test",
        "put the test beside its policies, or name them under `policies` and give their folder too");
  }

  // ---- What a test names.

  // A file's text; null where it cannot be read, and that has been reported where it is named.
  Source file(const policy::PolicyTest& test, const TestObject& named) {
    const fs::path whole = fs::path(folderOf(test)) / named.file;
    auto path = whole.lexically_normal().string();
    if (path == "-") path = whole.string();
    if (const auto known = files_.find(path); known != files_.end()) return known->second;
    auto read = readFile(path, in_, kInput);
    if (read) return files_[path] = *read;
    add(placedAt(named.where, std::move(read).errors()));
    return nullptr;
  }

  std::shared_ptr<const inventory::Snapshot> inventoryOf(const policy::PolicyTest& test) {
    if (test.inventory.empty()) return nullptr;
    std::vector<Source> sources;
    std::vector<yaml::Node> objects;
    for (const auto& item : test.inventory) {
      if (item.file.empty()) {
        objects.push_back(item.object);
      } else if (auto source = file(test, item)) {
        sources.push_back(std::move(source));
      }
    }
    auto read = inventory::readInventory(sources, objects);
    if (read) return read->snapshot;
    add(std::move(read).errors());
    return nullptr;
  }

  std::optional<Object> object(const policy::PolicyTest& test, const TestObject& named) {
    Result<std::vector<Object>> read(std::vector<Object>{});
    if (named.file.empty() && named.object.isNull()) return std::nullopt;  // what is missing has been told
    if (named.file.empty()) {
      read = readObjects(named.object);
    } else if (const auto source = file(test, named)) {
      read = readObjects({source});
    } else {
      return std::nullopt;
    }
    if (!read) {
      add(std::move(read).errors());
      return std::nullopt;
    }
    if (read->size() == 1) return std::move(read->front());
    add({errorAt(named.where, "one-object",
                 "a case is about one object, and here are " + std::to_string(read->size()),
                 "make a file of each, or write the object here")});
    return std::nullopt;
  }

  // ---- The request of a case.

  void planCase(const std::shared_ptr<const policy::PolicyTest>& test, const TestCase& wanted,
                const decision::World& world) {
    auto subject = object(*test, wanted.object);
    std::optional<Object> old;
    if (wanted.old) old = object(*test, *wanted.old);
    if (!subject || (wanted.old && !old)) return;
    if (auto refused = misfit(wanted, *subject, old ? &*old : nullptr)) return add({*std::move(refused)});
    auto text = requestOf(wanted, *subject, old ? &*old : nullptr, world);
    if (!text) return add(placedAt(wanted.requestWhere, std::move(text).errors()));
    auto review = kube::Review::parse(*text);
    if (!review) return add(placedAt(wanted.object.where, std::move(review).errors()));
    PlannedCase planned{
        test, &wanted, world, test->now.value_or(options_.now), std::move(review).value(), std::nullopt};
    if (isAboutLookedUp(wanted) && !handOver(*subject, planned)) return;
    plan_.cases.push_back(std::move(planned));
  }

  // Requests of connect and bind carry no pod: the gate looks it up, and the case has what is found.
  static bool isAboutLookedUp(const TestCase& wanted) {
    return wanted.request == TestRequest::kConnect || wanted.request == TestRequest::kBind;
  }

  // False where the pod cannot be read as an object, and that has been reported.
  bool handOver(const Object& pod, PlannedCase& planned) {
    const auto bytes = yaml::toJsonText(pod.node).size();
    auto document = yaml::toJson(pod.node);
    if (!document) return add(placedAt(pod.node.where, std::move(document).errors())), false;
    planned.pod = decision::Answer::found(std::move(document).value(), bytes);
    return true;
  }

  // What is no object for such a request.
  static std::optional<Diagnostic> misfit(const TestCase& wanted, const Object& subject, const Object* old) {
    const auto& where = wanted.object.where;
    const bool wantsReview = wanted.request == TestRequest::kReview;
    if (wantsReview != subject.isReview() || (old != nullptr && old->isReview())) {
      return errorAt(where, "wrong-object",
                     wantsReview
                         ? "`review` takes an AdmissionReview, and this is a " + printable(subject.kind)
                         : "`" + wanted.requestWord + "` takes an object, and this is an AdmissionReview",
                     wantsReview ? "write `create: …`, or another request" : "write `review: …`");
    }
    if (isAboutLookedUp(wanted) && !isPod(subject)) {
      return errorAt(where, "wrong-object",
                     "`" + wanted.requestWord + "` is about a Pod, and this is a " + printable(subject.kind));
    }
    if (old != nullptr && (old->kind != subject.kind || old->ns != subject.ns || old->name != subject.name)) {
      return errorAt(where, "no-pair", "`old` and `new` have not the same kind, namespace and name",
                     "an update changes none of them");
    }
    return std::nullopt;
  }

  static Result<std::string> requestOf(const TestCase& wanted, const Object& subject, const Object* old,
                                       const decision::World& world) {
    auto asked = askedOf(wanted);
    if (world.policies != nullptr) asked.kinds = &world.policies->kinds();  // null: it did not load
    if (wanted.request == TestRequest::kConnect)
      return connectText(subject, wanted.subResource, wanted.command, asked);
    if (wanted.request == TestRequest::kBind) return bindText(subject, wanted.node, asked);
    return reviewText(subject, old, asked);
  }

  std::istream& in_;
  const PlanOptions& options_;
  std::vector<std::string> given_;  // folders
  std::map<std::string, Set> sets_;
  std::map<std::string, Source> files_;
  TestPlan plan_;
  std::set<std::string> told_;
  Diagnostics wrong_;
};

}  // namespace

Result<TestPlan> plan(const std::vector<std::string>& paths, std::istream& standardInput,
                      const PlanOptions& options) {
  return Planner(standardInput, options).plan(paths);
}

}  // namespace driftbar::cli
