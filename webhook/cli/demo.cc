// driftbar demo: the main job on this machine, no cluster. A gate with the shipped policy and a small
// inventory, a few reviews sent to it over TLS as an API server would, and what kubectl would show.
#include <httplib.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "certs/folder.h"
#include "cli/commands.h"
#include "cli/embedded.h"
#include "cli/gate.h"
#include "cli/objects.h"
#include "cli/requests.h"
#include "cli/world.h"

namespace driftbar::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWebhook = "validate.driftbar.io";
constexpr std::string_view kDriftLabel = "driftbar.io/drift";

// A folder of our own that goes with this object, unless it is kept.
class Scratch {
 public:
  Scratch() {
    std::error_code failed;
    std::string pattern = (fs::temp_directory_path(failed) / "driftbar-demo-XXXXXX").string();
    if (failed) return;
    if (const char* made = ::mkdtemp(pattern.data()); made != nullptr) path_ = made;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty() && !kept_) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  explicit operator bool() const { return !path_.empty(); }
  fs::path operator/(std::string_view name) const { return path_ / name; }
  void keep() { kept_ = true; }

 private:
  fs::path path_;
  bool kept_ = false;
};

// policies/training-nodes/policy.yaml becomes policies/policy.yaml, the demo's files lie beside the folder.
bool unpack(const Scratch& scratch) {
  std::error_code failed;
  fs::create_directory(scratch / "policies", failed);
  for (const auto& file : embeddedFiles()) {
    const auto name = fs::path(file.path).filename().string();
    std::ofstream out(scratch / (name == "policy.yaml" ? "policies/" + name : name));
    out << file.text;
    if (!out.flush()) return false;
  }
  return !failed;
}

std::string marks(const kube::Node& node) {
  std::string out;
  if (const auto drift = node.labels().find(kDriftLabel))
    out = std::string(kDriftLabel) + "=" + std::string(*drift);
  for (const auto& condition : node.conditions()) {
    if (condition.type != "Ready" && condition.status == "True") out += " " + std::string(condition.type);
  }
  return out.empty() ? "as declared" : out;
}

void printNodes(const inventory::Snapshot& inventory, Terminal& terminal) {
  for (const auto& node : inventory.nodes()) {
    const auto said = marks(*node);
    terminal.out << "  " << node->name() << "  " << node->labels().find("pool").value_or("") << "\t"
                 << painted(terminal, said == "as declared" ? Paint::kGreen : Paint::kRed, said) << "\n";
  }
}

std::string textOf(const yaml::Node& object, std::initializer_list<std::string_view> path) {
  const yaml::Node* at = &object;
  for (const auto key : path) at = at != nullptr ? at->find(key) : nullptr;
  return at != nullptr ? at->scalar : std::string();
}

// What kubectl prints for an answer. Source: recorded outputs of kubectl at a real API server.
void printAsKubectl(const Object& pod, const nlohmann::json& response, Terminal& terminal) {
  for (const auto& warning : response.value("warnings", nlohmann::json::array())) {
    terminal.out << painted(terminal, Paint::kYellow, "Warning:") << " " << warning.get<std::string>()
                 << "\n";
  }
  if (response.value("allowed", false)) {
    terminal.out << "pod/" << pod.name << " created\n";
    return;
  }
  terminal.out << "Error from server (Forbidden): error when creating \"" << pod.name
               << ".yaml\": admission webhook \"" << kWebhook
               << "\" denied the request: " << response["status"].value("message", std::string()) << "\n";
}

Result<nlohmann::json> send(httplib::SSLClient& client, const Object& pod) {
  const auto review = reviewText(pod, nullptr, {});
  if (!review) return review.errors();
  const auto answer = client.Post("/validate?timeout=10s", *review, "application/json");
  if (!answer) return error("demo", "the gate did not answer: " + httplib::to_string(answer.error()));
  if (answer->status != 200)
    return error("demo", "the gate answered " + std::to_string(answer->status) + ": " + answer->body);
  return nlohmann::json::parse(answer->body)["response"];
}

int sendAll(std::uint16_t port, const std::string& authority, const std::vector<Object>& pods,
            Terminal& terminal) {
  httplib::SSLClient client("localhost", port);
  client.set_ca_cert_path(authority.c_str());
  client.enable_server_certificate_verification(true);
  for (const auto& pod : pods) {
    terminal.out << "\n"
                 << painted(terminal, Paint::kBold, "$ kubectl apply -f " + pod.name + ".yaml") << "    # "
                 << textOf(pod.node, {"metadata", "annotations", "driftbar.io/shows"}) << "\n";
    const auto response = send(client, pod);
    if (!response) return cannotGoOn(terminal, response.errors());
    printAsKubectl(pod, *response, terminal);
  }
  return kGood;
}

int keepServing(Gate& gate, const Scratch& scratch, Terminal& terminal) {
  const auto folder = (scratch / "").string();
  terminal.out << "\nThe gate goes on serving until Ctrl-C. Its files lie in " << folder
               << "; change policies/policy.yaml there and it is in force within seconds. Try\n"
               << "  curl http://127.0.0.1:" << gate.opsPort() << "/readyz?verbose\n"
               << "  curl http://127.0.0.1:" << gate.opsPort() << "/policies\n"
               << std::flush;
  return serveUntilStopped(gate);
}

int demo(bool keep, Terminal& terminal) {
  Scratch scratch;
  if (!scratch || !unpack(scratch)) {
    return cannotGoOn(terminal, {error("unwritable", "cannot write into the folder for temporary files",
                                       "set TMPDIR to a folder that can be written to")});
  }
  const auto inventory = loadInventory(scratch / "nodes.yaml", terminal);
  if (!inventory) return cannotGoOn(terminal, inventory.errors());
  const auto source = readObjects({makeSource("pods.yaml", std::string(embeddedFiles().back().text))});
  if (!source) return cannotGoOn(terminal, source.errors());
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto certificate = certs::loadOrMake(scratch / "certs", {{"localhost"}, {"127.0.0.1"}}, now);
  if (!certificate) return cannotGoOn(terminal, certificate.errors());

  GateOptions options;
  options.policies = scratch / "policies";
  options.inventory = *inventory;
  options.certificate = certificate->serving;
  options.listen = {"127.0.0.1", 0};
  options.opsListen = {"127.0.0.1", 0};
  options.times.drain = std::chrono::milliseconds(0);
  blockStopSignals();
  auto gate = Gate::open(std::move(options));
  if (!gate) return cannotGoOn(terminal, gate.errors());

  terminal.out << "A gate is up at https://localhost:" << (*gate)->port()
               << "/validate, with the policy training-nodes and these nodes:\n\n";
  printNodes(**inventory, terminal);
  const int code = sendAll((*gate)->port(), scratch / "certs/ca.crt", source.value(), terminal);
  if (!keep || code != kGood) return code;
  scratch.keep();
  return keepServing(**gate, scratch, terminal);
}

}  // namespace

Run declareDemo(CLI::App& flags) {
  const auto keep = std::make_shared<bool>(false);
  flags.add_flag("--keep", *keep, "leave the gate running, to send it requests of your own");
  return [keep](Terminal& terminal) { return demo(*keep, terminal); };
}

}  // namespace driftbar::cli
