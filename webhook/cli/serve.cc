// driftbar serve: the webhook.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "certs/folder.h"
#include "cli/commands.h"
#include "cli/gate.h"
#include "cli/world.h"
#include "cluster/in_cluster.h"
#include "cluster/kubeconfig.h"

namespace driftbar::cli {
namespace {

struct Flags {
  std::string policies, certificate, key, selfSigned, inventory, kubeconfig, context;
  std::vector<std::string> names;
  std::string listen = "0.0.0.0:8443", opsListen = "0.0.0.0:8080";
  std::string maxStaleness = "150s", drain = "15s";
  std::vector<std::string> systemNamespaces = defaultSystemNamespaces();
};

Instant now() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

// Lines with the time in front, whole also when threads write at once.
server::Log logTo(std::ostream& out) {
  const auto mutex = std::make_shared<std::mutex>();
  return [mutex, &out](std::string_view line) {
    const std::lock_guard lock(*mutex);
    out << toString(now()) << " " << line << "\n" << std::flush;
  };
}

// Collects what is wrong with the flags, so that all of it is told at once.
class Reading {
 public:
  template <typename T>
  std::optional<T> take(Result<T> result) {
    if (result) return *std::move(result);
    wrong.insert(wrong.end(), result.errors().begin(), result.errors().end());
    return std::nullopt;
  }

  Duration duration(std::string_view flag, const std::string& text) {
    const auto value = parseDuration(text);
    if (!value) {
      wrong.push_back(error("duration",
                            "`" + std::string(flag) + " " + printable(text) + "` is not a duration",
                            "write it as in 150s or 2m30s"));
    }
    return value.value_or(Duration{0});
  }

  Diagnostics wrong;
};

void readCertificate(const Flags& flags, GateOptions& options, Reading& reading) {
  const bool files = !flags.certificate.empty() || !flags.key.empty();
  if (files == !flags.selfSigned.empty()) {
    reading.wrong.push_back(error("certificate", "give either --tls-cert and --tls-key, or --self-signed DIR",
                                  "--self-signed makes a certificate in DIR and serves with it"));
    return;
  }
  if (files && (flags.certificate.empty() || flags.key.empty())) {
    reading.wrong.push_back(error("certificate", "--tls-cert and --tls-key go together",
                                  "give the certificate's chain and its key"));
    return;
  }
  if (files) {
    options.certificateFiles = certs::PairFiles{flags.certificate, flags.key};
    options.certificate =
        reading.take(certs::loadServing(*options.certificateFiles, now())).value_or(nullptr);
    return;
  }
  certs::Names names{{"localhost"}, {"127.0.0.1", "::1"}};
  names.dns.insert(names.dns.begin(), flags.names.begin(), flags.names.end());
  const auto loaded = reading.take(certs::loadOrMake(flags.selfSigned, names, now()));
  if (!loaded) return;
  options.certificateFiles = certs::PairFiles::in(flags.selfSigned);
  options.certificate = loaded->serving;
}

void readInventory(const Flags& flags, GateOptions& options, Reading& reading, Terminal& terminal) {
  if (!flags.inventory.empty()) {
    if (!flags.kubeconfig.empty()) {
      reading.wrong.push_back(error("inventory", "--inventory and --kubeconfig exclude each other",
                                    "--inventory is a fixed one, --kubeconfig watches a cluster"));
    }
    options.inventory = reading.take(loadInventory(flags.inventory, terminal)).value_or(nullptr);
    if (options.inventory != nullptr && options.inventory->nodes().empty()) {
      reading.wrong.push_back(error("no-nodes",
                                    "the inventory `" + printable(flags.inventory) + "` has no node",
                                    "every pod would fit none, and nothing be refused"));
    }
    return;
  }
  const bool pod = flags.kubeconfig.empty() && cluster::inCluster();
  options.cluster = reading.take(pod ? cluster::accessInCluster()
                                     : cluster::loadKubeconfig(flags.kubeconfig, flags.context));
}

int serve(const Flags& flags, Terminal& terminal) {
  Reading reading;
  GateOptions options;
  options.policies = flags.policies;
  options.log = logTo(terminal.err);
  options.systemNamespaces = flags.systemNamespaces;
  options.maxStaleness = reading.duration("--max-staleness", flags.maxStaleness);
  options.times.drain = reading.duration("--drain", flags.drain);
  options.listen = reading.take(server::parseEndpoint(flags.listen)).value_or(server::Endpoint{});
  options.opsListen = reading.take(server::parseEndpoint(flags.opsListen)).value_or(server::Endpoint{});
  readCertificate(flags, options, reading);
  readInventory(flags, options, reading, terminal);
  if (!reading.wrong.empty()) return cannotGoOn(terminal, reading.wrong);

  blockStopSignals();
  auto gate = Gate::open(std::move(options));
  if (!gate) return cannotGoOn(terminal, gate.errors());
  terminal.out << "driftbar listens on port " << (*gate)->port() << ", ops port " << (*gate)->opsPort()
               << "\n"
               << std::flush;
  return serveUntilStopped(**gate);
}

}  // namespace

Run declareServe(CLI::App& flags) {
  const auto values = std::make_shared<Flags>();
  flags.add_option("-p,--policies", values->policies, "the policies: a folder, looked at for changes")
      ->type_name("PATH")
      ->required();
  flags.add_option("--tls-cert", values->certificate, "the serving certificate and its chain, PEM")
      ->type_name("FILE");
  flags.add_option("--tls-key", values->key, "its key, PEM")->type_name("FILE");
  flags
      .add_option("--self-signed", values->selfSigned,
                  "a folder for a certificate of our own, made where it has none")
      ->type_name("DIR");
  flags
      .add_option("--tls-name", values->names,
                  "a DNS name that --self-signed's certificate stands for, besides localhost")
      ->type_name("NAME")
      ->allow_extra_args(false);
  flags
      .add_option("--inventory,--nodes", values->inventory,
                  "a fixed inventory: Nodes and Namespaces in YAML or JSON")
      ->type_name("PATH");
  flags
      .add_option("--kubeconfig", values->kubeconfig,
                  "the cluster to watch (default: the pod's, or kubectl's)")
      ->type_name("FILE");
  flags.add_option("--context", values->context, "of the kubeconfig (default: its current one)")
      ->type_name("NAME");
  flags.add_option("--listen", values->listen, "where API servers call")
      ->type_name("ADDRESS:PORT")
      ->capture_default_str();
  flags.add_option("--ops-listen", values->opsListen, "/healthz /readyz /metrics /policies, plain HTTP")
      ->type_name("ADDRESS:PORT")
      ->capture_default_str();
  flags
      .add_option("--max-staleness", values->maxStaleness,
                  "how long the inventory is trusted without a word from the cluster")
      ->type_name("DURATION")
      ->capture_default_str();
  flags.add_option("--drain", values->drain, "how long to serve on after SIGTERM")
      ->type_name("DURATION")
      ->capture_default_str();
  declareSystemNamespaces(flags, values->systemNamespaces);
  return [values](Terminal& terminal) { return serve(*values, terminal); };
}

}  // namespace driftbar::cli
