// Baseline: what a NodeBaseline document says of the nodes of a pool, as a typed value. Nothing here judges.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "base/time.h"
#include "kube/label_selector.h"

namespace driftbar::policy {

class Condition;

enum class DriftSeverity { kMinor, kMajor, kCritical };

struct Baseline {
  struct Expectation {
    enum class Absent { kDrift, kOk, kUnknown };

    // A leaf about a node, which must hold for each of its values. Where `uniform`, it has no tests, and its
    // value is compared with those of the other nodes.
    std::shared_ptr<const Condition> leaf;
    bool uniform = false;
    Absent absent = Absent::kDrift;
    std::string driftClass;
    DriftSeverity severity = DriftSeverity::kMinor;
    Location where;  // of its subject
  };

  struct Quarantine {
    DriftSeverity atLeast = DriftSeverity::kCritical;
    std::vector<std::string> classes;  // empty: all
    int maxUnavailable = 1;            // nodes, or where `percent` of a hundred
    bool percent = false;
  };

  std::string name;
  Location where;  // of its name
  kube::LabelSelector nodes;
  std::vector<std::string> names;  // globs; empty: any
  std::optional<Duration> maxAge, bootGrace;
  std::vector<Expectation> expect;
  std::optional<Quarantine> quarantine;
};

}  // namespace driftbar::policy
