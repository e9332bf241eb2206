// policy_test: PolicyTest documents as typed values, with a place for everything that can be wrong.
//
// loadTests() is the way in for whoever runs them; load() reads them by the same function where lint wants
// them checked, and ignores them where the gate serves. Nothing is run here and no file is read: what a test
// names by a file stays a name, and objects that stand in it stay YAML.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"
#include "base/time.h"
#include "policy/policy.h"
#include "policy/problems.h"
#include "yaml/yaml.h"

namespace driftbar::policy {

// A word of the document, and where it stands.
struct Placed {
  std::string text;
  Location where;
};

// What a test is about: a file, or an object that stands in the document.
struct TestObject {
  Location where;
  std::string file;   // from the folder of the document's own file; empty where the object stands here
  yaml::Node object;  // a map, where there is no file
};

enum class TestRequest { kCreate, kUpdate, kDelete, kConnect, kBind, kReview };

// What a case expects. What is not given is not compared.
struct Expectation {
  using Rules = std::optional<std::vector<Placed>>;  // exactly these, as policy/rule
  using Patched = std::vector<std::pair<Placed, yaml::Node>>;

  std::optional<bool> allowed;
  Rules refused, warned, audited, exempted;
  std::vector<Placed> message;     // each is a part of it
  std::optional<Patched> patched;  // paths and the values there; empty: no change
};

// The lists of rules that a case may expect, by the keys that they have in the document.
struct RuleList {
  std::string_view key;
  Expectation::Rules Expectation::*rules;
};
std::span<const RuleList> ruleLists();

struct TestCase {
  std::string name;
  Location where;  // of its name
  TestRequest request = TestRequest::kCreate;
  Location requestWhere;             // of its key
  std::string requestWord;           // `create`, …
  TestObject object;                 // of an update the new one; of connect and bind the pod
  std::optional<TestObject> old;     // update
  std::string subResource;           // connect
  std::vector<std::string> command;  // connect
  std::string node;                  // bind
  std::string user;                  // empty: whoever asks by default
  std::vector<std::string> groups;
  std::string serviceAccount;  // namespace/name
  std::string ns;
  Expectation expected;
};

struct PolicyTest {
  std::string name;
  Location where;                // of its name
  std::vector<Placed> policies;  // that judge; empty: all of the folder
  std::vector<TestObject> inventory;
  std::optional<Instant> now;
  std::vector<TestCase> cases;
};

struct LoadedTests {
  std::vector<PolicyTest> tests;  // in the order of the sources
  Diagnostics diagnostics;        // errors; tests that have none may still be among `tests`
};

// The PolicyTests of the sources; documents of other kinds are left out.
LoadedTests loadTests(std::span<const Source> sources);

// Whether the document says that it is a PolicyTest of ours.
bool isPolicyTest(const yaml::Node& document);
// Nothing where it is so wrong that nothing more can be said of it.
std::optional<PolicyTest> readPolicyTest(const yaml::Node& document, Problems& problems);
// Two tests of a folder with one name.
void checkTestNames(std::span<const PolicyTest> tests, Problems& problems);

// The set that judges this test: of `sets`, each searched after the one before it, the policies that it
// names, or all of the first. Reports names that no set has, and rules that are expected and that the set
// does not have.
std::shared_ptr<const PolicySet> judging(const PolicyTest& test,
                                         std::span<const std::shared_ptr<const PolicySet>> sets,
                                         Problems& problems);

}  // namespace driftbar::policy
