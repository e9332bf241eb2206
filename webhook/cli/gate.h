// Gate: the running webhook, put together: policies from a folder, an inventory, certificates, the two ports.
//
// open() checks everything that is in the hands of whoever starts it; serve() then runs until it is told to
// end. It is what `serve` and `demo` are thin fronts of.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "certs/folder.h"
#include "certs/serving.h"
#include "cli/policy_folder.h"
#include "cluster/watcher.h"
#include "inventory/snapshot.h"
#include "lookup/lookup.h"
#include "record/metrics.h"
#include "server/admission.h"
#include "server/front.h"
#include "server/ops.h"

namespace driftbar::cli {

struct GateOptions {
  std::string policies;                                  // a folder or a file
  std::shared_ptr<const inventory::Snapshot> inventory;  // a fixed one, or null
  std::optional<cluster::Access> cluster;                // where there is no fixed one
  std::shared_ptr<const certs::Serving> certificate;
  std::optional<certs::PairFiles> certificateFiles;  // looked at for changes
  server::Endpoint listen{"0.0.0.0", 8443};
  server::Endpoint opsListen{"0.0.0.0", 8080};
  Duration maxStaleness = std::chrono::seconds(150);
  // The gate's own is driftbar-system; kube-* is always one.
  std::vector<std::string> systemNamespaces{"driftbar-system"};
  server::Times times;
  server::Log log = [](std::string_view) {};
};

class Gate {
 public:
  // Errors: policies that do not load, ports that cannot be listened on.
  static Result<std::unique_ptr<Gate>> open(GateOptions options);
  ~Gate();

  std::uint16_t port() const { return front_->port(); }
  std::uint16_t opsPort() const { return ops_->port(); }

  // What changes by itself is looked at: policies, certificates. Once a second, by one thread.
  void look();
  bool ready() const;

  // Serves on for the drain time, then ends. `failed` tells whether a port died: the process is then to exit
  // with an error.
  void drain() { front_->drain(); }
  bool failed() const { return failed_; }

 private:
  explicit Gate(GateOptions options);
  Diagnostics start();
  void startLookUps();
  std::optional<decision::World> world() const;
  std::vector<server::Check> checks() const;
  server::Check policyCheck() const;
  server::Check inventoryCheck() const;
  server::Reply policiesReply() const;
  server::Routes routes();
  std::optional<Duration> outOfTouch() const;
  Instant lastContact() const { return Instant(Duration(lastContact_.load())); }
  void lookAtPolicies();
  void lookAtCertificate();
  void measure();

  const GateOptions options_;
  std::vector<std::string_view> systemNamespaces_;
  record::Metrics metrics_;
  PolicyFolder policies_;
  std::unique_ptr<cluster::Watcher> watcher_;
  std::unique_ptr<certs::KeptPair> pair_;
  std::string certificateTrouble_, clusterTrouble_;
  std::uint64_t reconnects_ = 0;  // as counted so far
  std::unique_ptr<lookup::Source> objects_;
  std::unique_ptr<lookup::Lookup> lookup_;  // over objects_; its threads answer through front_, see ~Gate
  std::unique_ptr<server::Admission> admission_;
  std::unique_ptr<server::Front> front_;
  std::unique_ptr<server::Ops> ops_;
  // Read by the ops port while the gate comes up; null until the front serves.
  std::atomic<const server::Front*> serving_{nullptr};
  // When the cluster was last heard of, as of the last look(): asking the watcher takes a lock that events
  // hold.
  mutable std::atomic<Duration::rep> lastContact_{0};
  std::atomic<bool> failed_{false};
};

// Runs a gate until SIGTERM or SIGINT, then drains it. They and SIGHUP must be blocked in every thread of the
// process (blockStopSignals, before the gate is opened). Returns an ExitCode.
void blockStopSignals();
int serveUntilStopped(Gate& gate);

}  // namespace driftbar::cli
