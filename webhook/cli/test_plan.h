// TestPlan: everything that the PolicyTests of some paths need to run, read and checked.
//
// plan() is the way in. It reads the tests, the policies of their folders, inventories and objects, and makes
// the request of each case; what is wrong with any of them is gathered, and then nothing runs. Running is
// run()'s (test_outcome.h).
#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "decision/judge.h"
#include "kube/review.h"
#include "policy/policy_test.h"

namespace driftbar::cli {

struct PlannedCase {
  std::shared_ptr<const policy::PolicyTest> test;
  const policy::TestCase* wanted;  // of the test
  decision::World world;
  Instant now;
  kube::Review review;
  std::optional<decision::Answer> pod;  // of connect and bind: what a look-up of it finds

  std::string name() const { return test->name + "/" + wanted->name; }
};

struct TestPlan {
  std::vector<PlannedCase> cases;
  // The sets whose rules are to be covered: those of the tests' folders, and what tests name elsewhere.
  std::vector<std::shared_ptr<const policy::PolicySet>> sets;
};

struct PlanOptions {
  Instant now;                                         // where a test says none
  std::span<const std::string_view> systemNamespaces;  // must outlive the plan
};

// Policies are those of the folder of a test's file, as `review` would load it; a policy that a test names
// and that is not there is looked for in those of `paths` that are folders. Warnings about policies and
// inventories are lint's and are left out. Errors: all of what cannot be read, or is wrong.
Result<TestPlan> plan(const std::vector<std::string>& paths, std::istream& standardInput,
                      const PlanOptions& options);

}  // namespace driftbar::cli
