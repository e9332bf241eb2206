#include "cluster/exec_plugin.h"

#include <mutex>
#include <optional>

#include "base/json.h"
#include "base/text.h"

namespace driftbar::cluster {
namespace {

// A credential that runs out while a request is on its way is of no use.
constexpr Duration kLeeway = std::chrono::seconds(10);
constexpr std::size_t kShownErrorCharacters = 300;

struct Issued {
  Credential credential;
  std::optional<Instant> expires;
};

// The last line that the program wrote: its own reason, mostly.
std::string lastLine(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  const auto before = text.rfind('\n');
  if (before != std::string_view::npos) text = text.substr(before + 1);
  return shortened(printable(text), kShownErrorCharacters);
}

class FromPlugin : public Credentials {
 public:
  explicit FromPlugin(ExecPlugin plugin) : plugin_(std::move(plugin)) {
    plugin_.program.environment.emplace_back("KUBERNETES_EXEC_INFO", execInfo());
  }

  Result<Credential> current(std::stop_token stop) override {
    const std::lock_guard lock(mutex_);
    if (held_ && (!held_->expires || plugin_.now() + kLeeway < *held_->expires)) return held_->credential;
    held_.reset();
    auto issued = ask(stop);
    if (!issued) return std::move(issued).errors();
    held_ = std::move(*issued);
    return held_->credential;
  }

  void refused() override {
    const std::lock_guard lock(mutex_);
    held_.reset();
  }

 private:
  std::string execInfo() const {
    std::string spec = R"("interactive":false)";
    if (!plugin_.clusterInfoJson.empty()) spec += R"(,"cluster":)" + plugin_.clusterInfoJson;
    return R"({"apiVersion":")" + plugin_.apiVersion + R"(","kind":"ExecCredential","spec":{)" + spec + "}}";
  }

  std::string name() const { return "the credential plugin `" + plugin_.program.command + "`"; }

  Result<Issued> ask(std::stop_token stop) const {
    const auto end = run(plugin_.program, plugin_.deadline, stop);
    if (!end) {
      return error("exec-plugin", name() + " gave no credentials: " + end.errors().front().message,
                   plugin_.installHint);
    }
    if (end->exitCode != 0) {
      const std::string why = lastLine(end->err);
      return error("exec-plugin",
                   name() + " ended with exit code " + std::to_string(end->exitCode) +
                       (why.empty() ? std::string(" and said nothing") : ": " + why),
                   plugin_.installHint);
    }
    return read(end->out);
  }

  Diagnostic misread(const std::string& why) const {
    return error("exec-plugin", name() + " printed no usable ExecCredential: " + why);
  }

  Result<Issued> read(const std::string& out) const {
    const auto document = JsonDocument::parse(out);
    if (!document) return misread(document.errors().front().message);
    const Json root = document->root();
    if (root["kind"].text() != "ExecCredential") return misread("its kind is not ExecCredential");
    if (root["apiVersion"].text() != plugin_.apiVersion) {
      return misread("its apiVersion is " + quoted(root["apiVersion"].text()) + ", asked for was `" +
                     plugin_.apiVersion + "`");
    }
    return readStatus(root["status"]);
  }

  Result<Issued> readStatus(Json status) const {
    Issued issued;
    issued.credential.certificatePem = status["clientCertificateData"].text();
    issued.credential.keyPem = status["clientKeyData"].text();
    if (issued.credential.certificatePem.empty() != issued.credential.keyPem.empty()) {
      return misread("of clientCertificateData and clientKeyData one is missing");
    }
    if (const std::string_view text = status["token"].text(); !text.empty()) {
      auto token = checkedToken(text, "the token that " + name() + " printed");
      if (!token) return std::move(token).errors();
      issued.credential.authorization = "Bearer " + *token;
    }
    if (issued.credential == Credential{}) return misread("it has neither a token nor a certificate");
    if (const Json expires = status["expirationTimestamp"]; expires.isText()) {
      issued.expires = parseInstant(expires.text());
      if (!issued.expires) return misread("its expirationTimestamp is no time: " + quoted(expires.text()));
    }
    return issued;
  }

  ExecPlugin plugin_;
  std::mutex mutex_;  // held while the program runs, so that two threads do not run it twice
  std::optional<Issued> held_;
};

}  // namespace

std::shared_ptr<Credentials> credentialsFrom(ExecPlugin plugin) {
  return std::make_shared<FromPlugin>(std::move(plugin));
}

}  // namespace driftbar::cluster
