// PolicyFolder: the policies of a folder or file, looked at again and again; the last good set stays in
// force.
//
// look() reads everything and compares the texts with those it read before. That is right for an editor's
// rename, for NFS, and for the symlink that a kubelet swaps to update a mounted ConfigMap, where events of
// the kernel are not; it costs reading some kilobytes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/published.h"
#include "base/time.h"
#include "policy/policy.h"

namespace driftbar::cli {

class PolicyFolder {
 public:
  explicit PolicyFolder(std::string path) : path_(std::move(path)) {}

  enum class Change { kNone, kLoaded, kRefused };
  // Reads, and loads where a text has changed. By one thread only.
  Change look(Instant now);

  // What came of the last change: the errors that refused it, or warnings.
  const Diagnostics& diagnostics() const { return diagnostics_; }

  // What is in force, and what became of the newest texts. From any thread.
  struct State {
    std::shared_ptr<const policy::PolicySet> set;  // null until a first set has loaded
    Instant loaded{};                              // when it was
    std::string digest;                            // of its texts, SHA-256 in hexadecimal
    std::string refused;                           // why a later change is not in force; empty where it is
  };
  std::shared_ptr<const State> state() const { return state_.get(); }

 private:
  Change settle(policy::Loaded loaded, Instant now);

  const std::string path_;
  std::vector<Source> seen_;
  bool unreadable_ = false;
  Diagnostics diagnostics_;
  Published<State> state_{std::make_shared<const State>()};
};

}  // namespace driftbar::cli
