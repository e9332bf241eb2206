#include "cli/gate.h"

#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "cluster/objects.h"
#include "lookup/inventory_source.h"
#include "server/counted_lookups.h"

namespace driftbar::cli {
namespace {

Instant now() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::string counted(std::size_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

// SIGHUP among them: people send it for a reload, which comes by itself, and by default it would end the
// process.
sigset_t heardSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

Gate::Gate(GateOptions options)
    : options_(std::move(options)),
      systemNamespaces_(options_.systemNamespaces.begin(), options_.systemNamespaces.end()),
      policies_(options_.policies) {}

Gate::~Gate() {
  // The front first, for it lets answers that wait for a look-up complete, and is still there for the rest.
  if (front_) front_->stop();
  if (lookup_) lookup_->stop();
  if (ops_) ops_->stop();
  if (watcher_) watcher_->stop();
}

Result<std::unique_ptr<Gate>> Gate::open(GateOptions options) {
  std::unique_ptr<Gate> gate(new Gate(std::move(options)));
  if (auto wrong = gate->start(); !wrong.empty()) return wrong;
  return gate;
}

// In the order in which a probe should see things come up: the ops port first, the front last.
Diagnostics Gate::start() {
  metrics_.gauge(record::Metric::kStart).set(now());
  metrics_.tell(record::Metric::kBuild, {version().substr(0, version().size() - 1)});
  lookAtPolicies();
  if (policies_.state()->set == nullptr) return policies_.diagnostics();
  const auto fatal = [this](const Diagnostic& why) {
    options_.log("stopping: " + summary(why));
    failed_ = true;
    ::kill(::getpid(), SIGTERM);
  };
  if (options_.cluster) {
    watcher_ = std::make_unique<cluster::Watcher>(*options_.cluster);
    watcher_->start();
  }
  if (options_.certificateFiles) {
    pair_ = std::make_unique<certs::KeptPair>(*options_.certificateFiles, options_.certificate);
  }
  server::OpsOptions ops;
  ops.endpoint = options_.opsListen;
  ops.log = options_.log;
  ops.fatal = fatal;
  auto listening = server::Ops::listen(std::move(ops), routes());
  if (!listening) return std::move(listening).errors();
  ops_ = *std::move(listening);

  startLookUps();
  server::Admission::Surroundings surroundings{[this] { return world(); }, now, options_.log};
  surroundings.lookup = lookup_.get();
  admission_ = std::make_unique<server::Admission>(std::move(surroundings), metrics_);
  server::FrontOptions front;
  front.endpoint = options_.listen;
  front.times = options_.times;
  front.log = options_.log;
  front.fatal = fatal;
  auto facing = server::Front::listen(std::move(front), *admission_, options_.certificate->context, metrics_);
  if (!facing) return std::move(facing).errors();
  front_ = *std::move(facing);
  serving_ = front_.get();
  measure();
  return {};
}

// At the API server that is watched; with a fixed inventory, in it.
void Gate::startLookUps() {
  if (options_.cluster) {
    objects_ = std::make_unique<cluster::Objects>(*options_.cluster);
  } else {
    objects_ = std::make_unique<lookup::InventorySource>(options_.inventory);
  }
  lookup_ = std::make_unique<lookup::Lookup>(*objects_, server::counted({}, metrics_));
}

std::optional<decision::World> Gate::world() const {
  decision::World world;
  world.policies = policies_.state()->set;
  world.inventory = watcher_ ? watcher_->snapshots().get() : options_.inventory;
  world.outOfTouch = outOfTouch();
  world.systemNamespaces = systemNamespaces_;
  if (world.policies == nullptr || world.inventory == nullptr) return std::nullopt;
  return world;
}

std::optional<Duration> Gate::outOfTouch() const {
  if (!watcher_) return std::nullopt;
  if (now() - lastContact() <= options_.maxStaleness) return std::nullopt;
  // Perhaps the last look() is only long ago: ask, which is dear and, with a cluster in touch, rare.
  const auto contact = watcher_->status().lastContact;
  if (!contact) return std::nullopt;  // nothing has been listed yet, so there is no inventory to distrust
  lastContact_ = contact->time_since_epoch().count();
  const Duration silence = now() - *contact;
  return silence > options_.maxStaleness ? std::optional(silence) : std::nullopt;
}

bool Gate::ready() const {
  for (const auto& check : checks()) {
    if (!check.ok) return false;
  }
  return true;
}

// ---- what changes by itself

void Gate::look() {
  lookAtPolicies();
  lookAtCertificate();
  measure();
}

void Gate::lookAtPolicies() {
  const auto change = policies_.look(now());
  if (change == PolicyFolder::Change::kNone) return;
  const bool loaded = change == PolicyFolder::Change::kLoaded;
  metrics_.counter(record::Metric::kPolicyReloads, {loaded ? "success" : "failure"}).add();
  if (loaded) {
    metrics_.gauge(record::Metric::kPolicyReloadTime).set(now());
    const auto set = policies_.state()->set;
    metrics_.tell(record::Metric::kPolicySet, {policies_.state()->digest});
    metrics_.gauge(record::Metric::kPolicies).set(static_cast<double>(set->policies().size()));
    options_.log("policies in force: " + counted(set->policies().size(), "policy", "policies") + " with " +
                 counted(set->ruleCount(), "rule", "rules"));
  } else if (policies_.state()->set != nullptr) {
    options_.log("the policies have changed and cannot be used; those before stay in force");
  }
  if (policies_.state()->set == nullptr) return;
  for (const auto& d : policies_.diagnostics())
    options_.log(std::string(toString(d.severity)) + ": " + summary(d));
}

void Gate::lookAtCertificate() {
  if (!pair_) return;
  const auto change = pair_->reload(now());
  if (!change) {
    // The same trouble is said once; it stays on the ops port.
    if (auto why = summary(change.errors().front()); std::exchange(certificateTrouble_, why) != why) {
      metrics_.counter(record::Metric::kCertificateReloads, {"failure"}).add();
      options_.log("the certificate has changed and cannot be used; the one before stays in use: " + why);
    }
    return;
  }
  certificateTrouble_.clear();
  if (*change != certs::KeptPair::Change::kRenewed) return;
  metrics_.counter(record::Metric::kCertificateReloads, {"success"}).add();
  front_->use(pair_->current()->context);
  options_.log("a new certificate is in use, until " + toString(pair_->current()->expires));
}

void Gate::measure() {
  const auto world = this->world();
  const auto& serving = pair_ ? pair_->current() : options_.certificate;
  metrics_.gauge(record::Metric::kCertificateExpiry, {"serving"}).set(serving->expires);
  metrics_.gauge(record::Metric::kCertificateExpiry, {"authority"}).set(serving->chainExpires);
  metrics_.gauge(record::Metric::kInventoryComplete).set(world ? 1 : 0);
  if (world)
    metrics_.gauge(record::Metric::kInventoryNodes)
        .set(static_cast<double>(world->inventory->nodes().size()));
  if (!watcher_) return;
  const auto status = watcher_->status();
  if (status.lastContact) lastContact_ = status.lastContact->time_since_epoch().count();
  if (status.lastContact) metrics_.gauge(record::Metric::kInventoryEventTime).set(*status.lastContact);
  // The same trouble is said once, and its end.
  const auto trouble = status.lastError ? summary(*status.lastError) : std::string();
  if (std::exchange(clusterTrouble_, trouble) != trouble) {
    options_.log(trouble.empty() ? "the cluster is in touch again"
                                 : "the cluster is out of touch: " + trouble);
  }
  std::uint64_t reconnects = 0;
  for (const auto& feed : status.feeds) reconnects += feed.watches - std::min<std::uint64_t>(feed.watches, 1);
  metrics_.counter(record::Metric::kInventoryReconnects)
      .add(reconnects - std::exchange(reconnects_, reconnects));
}

// ---- the ops port

server::Check Gate::policyCheck() const {
  const auto state = policies_.state();
  if (state->set == nullptr) return {"policies", false, "none are loaded"};
  std::string detail = counted(state->set->policies().size(), "policy", "policies") + " with " +
                       counted(state->set->ruleCount(), "rule", "rules") + ", loaded " +
                       toString(state->loaded);
  if (!state->refused.empty()) detail += "; a change since then cannot be used: " + state->refused;
  return {"policies", true, std::move(detail)};
}

server::Check Gate::inventoryCheck() const {
  const auto snapshot = watcher_ ? watcher_->snapshots().get() : options_.inventory;
  std::string trouble;
  if (watcher_) {
    if (const auto status = watcher_->status(); status.lastError) trouble = summary(*status.lastError);
  }
  if (snapshot == nullptr) {
    return {"inventory", false, "the first list is not complete" + (trouble.empty() ? "" : ": " + trouble)};
  }
  std::string detail = counted(snapshot->nodes().size(), "node", "nodes");
  if (const auto silence = outOfTouch()) {
    detail +=
        ", no word from the cluster for " + toString(std::chrono::floor<std::chrono::seconds>(*silence));
  }
  if (!trouble.empty()) detail += ": " + trouble;
  return {"inventory", true, std::move(detail)};
}

std::vector<server::Check> Gate::checks() const {
  const server::Front* front = serving_;
  const bool leaving = front != nullptr && front->draining();
  std::vector<server::Check> all{policyCheck(), inventoryCheck()};
  all.push_back({"serving", front != nullptr && !leaving, leaving ? "being stopped" : ""});
  return all;
}

server::Reply Gate::policiesReply() const {
  const auto state = policies_.state();
  auto list = nlohmann::ordered_json::array();
  for (const auto& policy : state->set->policies()) {
    auto rules = nlohmann::ordered_json::array();
    for (const auto& rule : policy.rules) {
      rules.push_back({{"name", rule.name}, {"verb", toString(rule.verb)}, {"mode", toString(rule.mode)}});
    }
    list.push_back({{"name", policy.name}, {"description", policy.description}, {"rules", std::move(rules)}});
  }
  const nlohmann::ordered_json all{{"loaded", toString(state->loaded)},
                                   {"digest", state->digest},
                                   {"refused", state->refused},
                                   {"policies", std::move(list)}};
  return server::jsonReply(all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

server::Routes Gate::routes() {
  return {
      {"/healthz",
       [this](const server::Request& r) {
         return server::replyOf("healthz", {{"alive", !failed_, ""}}, r.query);
       }},
      {"/readyz", [this](const server::Request& r) { return server::replyOf("readyz", checks(), r.query); }},
      {"/metrics",
       [this](const server::Request&) {
         return server::Reply{200, std::string(record::Metrics::kContentType), metrics_.render(), {}};
       }},
      {"/policies", [this](const server::Request&) { return policiesReply(); }},
  };
}

// ---- the life of the process

void blockStopSignals() {
  const sigset_t set = heardSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int serveUntilStopped(Gate& gate) {
  const sigset_t set = heardSignals();
  const timespec second{1, 0};
  for (int heard = 0; heard != SIGTERM && heard != SIGINT; heard = sigtimedwait(&set, nullptr, &second)) {
    gate.look();
  }
  if (!gate.failed()) gate.drain();
  return gate.failed() ? kInternal : kGood;
}

}  // namespace driftbar::cli
