#include "cluster/kubeconfig.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "cluster/exec_plugin.h"
#include "cluster/text_file.h"
#include "cluster/tls.h"
#include "yaml/yaml.h"

namespace driftbar::cluster {
namespace {

std::string folderOf(const yaml::Node& node) {
  return std::filesystem::path(node.where.source->name).parent_path().string();
}

// One map of a kubeconfig, read key by key; what is wrong with a value is added to `errors`.
class Fields {
 public:
  Fields(const yaml::Node& map, Diagnostics& errors) : map_(map), errors_(errors) {}

  // The value, null where the key is not there or its value is null.
  const yaml::Node* find(std::string_view key) const {
    const yaml::Node* value = map_.find(key);
    return value == nullptr || value->isNull() ? nullptr : value;
  }

  std::string text(std::string_view key) const {
    const yaml::Node* value = find(key);
    if (value == nullptr) return {};
    if (value->kind == yaml::Node::Kind::kText) return value->scalar;
    fail(*value, "bad-kubeconfig",
         "`" + std::string(key) + "` must be text, not " + std::string(describe(*value)),
         value->isScalar() ? "put it in quotes" : "");
    return {};
  }

  bool flag(std::string_view key) const {
    const yaml::Node* value = find(key);
    if (value == nullptr) return false;
    if (value->kind == yaml::Node::Kind::kBool) return value->scalar == "true";
    fail(*value, "bad-kubeconfig",
         "`" + std::string(key) + "` must be true or false, not " + std::string(describe(*value)));
    return false;
  }

  std::vector<const yaml::Node*> list(std::string_view key) const {
    std::vector<const yaml::Node*> out;
    const yaml::Node* value = find(key);
    if (value != nullptr && !value->isList()) {
      fail(*value, "bad-kubeconfig",
           "`" + std::string(key) + "` must be a list, not " + std::string(describe(*value)));
    }
    for (std::size_t i = 0; value != nullptr && i < value->items.size(); ++i) out.push_back(&value->items[i]);
    return out;
  }

  std::string path(std::string_view key) const {
    const std::string written = text(key);
    return written.empty() ? written : resolved(written, folderOf(map_));
  }

  void fail(const yaml::Node& at, std::string id, std::string message, std::string help = {}) const {
    errors_.push_back(errorAt(at.where, std::move(id), std::move(message), std::move(help)));
  }
  void refuse(std::string_view key, const std::string& why, const std::string& help = {}) const {
    if (const yaml::Node* value = find(key)) {
      fail(*value, "unsupported-kubeconfig", "`" + std::string(key) + "` " + why, help);
    }
  }
  const yaml::Node& node() const { return map_; }

 private:
  const yaml::Node& map_;
  Diagnostics& errors_;
};

// The named entries of one kind (`clusters:` is a list of {name, cluster}), of all files.
class Entries {
 public:
  Entries(std::string listKey, std::string entryKey)
      : listKey_(std::move(listKey)), entryKey_(std::move(entryKey)) {}

  void add(const Fields& file, Diagnostics& errors) {
    std::map<std::string, const yaml::Node*> ofThisFile;
    for (const yaml::Node* item : file.list(listKey_)) {
      const Fields fields(*item, errors);
      const std::string name = fields.text("name");
      if (!ofThisFile.emplace(name, item->find(entryKey_)).second) {
        fields.fail(*item, "bad-kubeconfig",
                    "the " + entryKey_ + " `" + name + "` is in `" + listKey_ + "` twice",
                    "remove one of them");
      }
    }
    entries_.merge(ofThisFile);  // what an earlier file has stays
  }

  // The map of that name; an error at `from` where it is not there or no map.
  const yaml::Node* find(const std::string& name, const Location& from, Diagnostics& errors) const {
    const auto at = entries_.find(name);
    if (at != entries_.end() && at->second != nullptr && at->second->isMap()) return at->second;
    if (at != entries_.end()) {
      errors.push_back(errorAt(from, "bad-kubeconfig", "the " + entryKey_ + " `" + name + "` is empty"));
    } else {
      errors.push_back(
          errorAt(from, "unknown-" + entryKey_, "there is no " + entryKey_ + " `" + name + "`", known(name)));
    }
    return nullptr;
  }

 private:
  std::string known(const std::string& name) const {
    std::vector<std::string_view> names;
    for (const auto& [known, node] : entries_) names.push_back(known);
    if (names.empty()) return "`" + listKey_ + "` is empty";
    const std::string_view near = nearest(name, names);
    return near.empty() ? "there is " + listed(names, "and") : "did you mean `" + std::string(near) + "`?";
  }

  std::string listKey_, entryKey_;
  std::map<std::string, const yaml::Node*> entries_;
};

// A PEM that is written in base64 under `<key>-data` or sits in the file named under `key`.
struct Pem {
  std::string text, file;
  const yaml::Node* at = nullptr;  // what to point at; null where there is none
};

Pem pemUnder(const Fields& fields, const std::string& key, Diagnostics& errors) {
  Pem pem;
  const std::string dataKey = key + "-data";
  if (const std::string data = fields.text(dataKey); !data.empty()) {
    pem.at = fields.find(dataKey);
    const auto decoded = fromBase64(data);
    if (!decoded) fields.fail(*pem.at, "bad-kubeconfig", "`" + dataKey + "` is not base64");
    pem.text = decoded.value_or("");
    return pem;
  }
  pem.file = fields.path(key);
  if (pem.file.empty()) return pem;
  pem.at = fields.find(key);
  auto text = readText(pem.file, "the file of `" + key + "`");
  if (text) {
    pem.text = std::move(*text);
  } else {
    for (auto d : text.errors()) {
      d.where = pem.at->where;
      errors.push_back(std::move(d));
    }
  }
  return pem;
}

class Merged {
 public:
  void add(const yaml::Node& document) {
    if (!document.isMap()) {
      errors_.push_back(errorAt(document.where, "bad-kubeconfig",
                                "a kubeconfig is a map, not " + std::string(describe(document))));
      return;
    }
    const Fields file(document, errors_);
    for (Entries* entries : {&clusters_, &users_, &contexts_}) entries->add(file, errors_);
    const std::string current = file.text("current-context");
    if (!current.empty() && current_.empty()) {
      current_ = current;
      currentAt_ = file.find("current-context")->where;
    }
  }
  void add(Diagnostics errors) { errors_.insert(errors_.end(), errors.begin(), errors.end()); }

  Result<Access> access(const std::string& wanted, Location firstFile, const Clock& now) {
    if (!errors_.empty()) return std::move(errors_);
    const std::string name = wanted.empty() ? current_ : wanted;
    if (name.empty()) {
      return errorAt(firstFile, "no-context", "no context is chosen: `current-context` is not set",
                     "choose one with `kubectl config use-context NAME`");
    }
    const yaml::Node* context = contexts_.find(name, wanted.empty() ? currentAt_ : firstFile, errors_);
    if (context == nullptr) return std::move(errors_);
    Access access = follow(Fields(*context, errors_), name, now);
    if (!errors_.empty()) return std::move(errors_);
    return access;
  }

 private:
  Access follow(const Fields& context, const std::string& name, const Clock& now) {
    Access access;
    access.origin = "context `" + name + "` of " + context.node().where.source->name;
    const yaml::Node* cluster = clusters_.find(context.text("cluster"), whereOf(context, "cluster"), errors_);
    if (cluster != nullptr) readCluster(Fields(*cluster, errors_), access);
    // As kubectl: without TLS nobody is told who we are.
    access.credentials = credentialsFrom(WrittenCredentials{});
    const std::string user = context.text("user");
    if (cluster == nullptr || user.empty() || !access.server.tls) return access;
    if (const yaml::Node* map = users_.find(user, whereOf(context, "user"), errors_)) {
      readUser(Fields(*map, errors_), Fields(*cluster, errors_), now, access);
    }
    return access;
  }

  static Location whereOf(const Fields& fields, std::string_view key) {
    const yaml::Node* value = fields.find(key);
    return value == nullptr ? fields.node().where : value->where;
  }

  void readServer(const Fields& cluster, Access& access) {
    const yaml::Node* written = cluster.find("server");
    if (written == nullptr)
      return cluster.fail(cluster.node(), "bad-kubeconfig", "the cluster has no `server`");
    const std::string url = cluster.text("server");
    if (written->kind != yaml::Node::Kind::kText) return;  // said already
    auto server = Server::parse(url);
    if (server) {
      access.server = std::move(*server);
      return;
    }
    for (auto d : server.errors()) {
      d.where = written->where;
      errors_.push_back(std::move(d));
    }
  }

  void readCluster(const Fields& cluster, Access& access) {
    readServer(cluster, access);
    access.verifiesServer = !cluster.flag("insecure-skip-tls-verify");
    access.serverName = cluster.text("tls-server-name");
    cluster.refuse("proxy-url", "is not supported", "reach the API server without a proxy");
    const Pem trust = pemUnder(cluster, "certificate-authority", errors_);
    if (!trust.text.empty() && countCertificates(trust.text) == 0) {
      cluster.fail(*trust.at, "bad-certificate", "this holds no certificate in PEM form");
    }
    if (trust.at != nullptr && !access.verifiesServer) {
      cluster.fail(*trust.at, "bad-kubeconfig",
                   "a certificate authority together with `insecure-skip-tls-verify`",
                   "remove `insecure-skip-tls-verify`");
    }
    access.trustPem = trust.text;
  }

  void readUser(const Fields& user, const Fields& cluster, const Clock& now, Access& access) {
    user.refuse("auth-provider", "is not supported, as kubectl has given it up",
                "use `exec` with the credential plugin of your cloud");
    for (const char* key : {"as", "as-uid", "as-groups", "as-user-extra"}) {
      user.refuse(key, "is not supported: driftbar acts in its own name",
                  "give driftbar a user or service account of its own");
    }
    const WrittenCredentials written = readWritten(user);
    const bool named = !written.token.empty() || !written.tokenFile.empty() || !written.username.empty();
    const yaml::Node* exec = user.find("exec");
    if (exec == nullptr || named) {
      access.credentials = credentialsFrom(written);
    } else if (exec->isMap()) {
      access.credentials = credentialsFrom(readExec(Fields(*exec, errors_), cluster, now, access));
    } else {
      user.fail(*exec, "bad-kubeconfig", "`exec` must be a map, not " + std::string(describe(*exec)));
    }
  }

  WrittenCredentials readWritten(const Fields& user) {
    WrittenCredentials written;
    written.token = user.text("token");
    written.tokenFile = user.path("tokenFile");
    written.username = user.text("username");
    written.password = user.text("password");
    if (!written.username.empty() && (!written.token.empty() || !written.tokenFile.empty())) {
      user.fail(*user.find("username"), "bad-kubeconfig", "both a token and a user name with a password",
                "keep one of them");
    }
    const Pem certificate = pemUnder(user, "client-certificate", errors_);
    const Pem key = pemUnder(user, "client-key", errors_);
    checkPair(user, certificate, key);
    // Of what sits in a file the name is kept: a certificate that is renewed there is used from then on.
    (certificate.file.empty() ? written.certificatePem : written.certificateFile) =
        certificate.file.empty() ? certificate.text : certificate.file;
    (key.file.empty() ? written.keyPem : written.keyFile) = key.file.empty() ? key.text : key.file;
    return written;
  }

  void checkPair(const Fields& user, const Pem& certificate, const Pem& key) {
    if (certificate.at == nullptr && key.at == nullptr) return;
    if (certificate.at == nullptr || key.at == nullptr) {
      const std::string missing = certificate.at == nullptr ? "client-certificate" : "client-key";
      user.fail(certificate.at == nullptr ? *key.at : *certificate.at, "bad-kubeconfig",
                "`" + missing + "` is missing beside this");
      return;
    }
    if (certificate.text.empty() || key.text.empty()) return;  // said already
    if (const std::string why = whyNoPair(certificate.text, key.text); !why.empty()) {
      user.fail(*certificate.at, "bad-certificate", "the client certificate cannot be used: " + why);
    }
  }

  ExecPlugin readExec(const Fields& exec, const Fields& cluster, const Clock& now, const Access& access) {
    ExecPlugin plugin;
    plugin.now = now;
    plugin.program.command = exec.text("command");
    if (plugin.program.command.empty()) exec.fail(exec.node(), "bad-kubeconfig", "`exec` has no `command`");
    if (plugin.program.command.find('/') != std::string::npos) plugin.program.command = exec.path("command");
    for (const yaml::Node* argument : exec.list("args")) plugin.program.arguments.push_back(argument->scalar);
    for (const yaml::Node* variable : exec.list("env")) {
      const Fields fields(*variable, errors_);
      plugin.program.environment.emplace_back(fields.text("name"), fields.text("value"));
    }
    plugin.installHint = exec.text("installHint");
    plugin.apiVersion = exec.text("apiVersion");
    checkExec(exec, plugin.apiVersion);
    if (exec.flag("provideClusterInfo")) plugin.clusterInfoJson = clusterInfo(cluster, access);
    return plugin;
  }

  static void checkExec(const Fields& exec, const std::string& version) {
    const yaml::Node* written = exec.find("apiVersion");
    if (std::find(std::begin(kExecVersions), std::end(kExecVersions), version) == std::end(kExecVersions)) {
      exec.fail(written == nullptr ? exec.node() : *written, "unsupported-kubeconfig",
                version.empty() ? "`exec` has no `apiVersion`"
                                : "credential plugins of `" + version + "` are not supported",
                "driftbar runs those of " + listed(kExecVersions, "and"));
    }
    if (exec.text("interactiveMode") == "Always") {
      exec.refuse("interactiveMode", "is Always, and driftbar has no terminal to ask on",
                  "use credentials that need nobody at the keyboard");
    }
  }

  // What a plugin with provideClusterInfo is told (client-go: ExecConfigFromCluster).
  static std::string clusterInfo(const Fields& cluster, const Access& access) {
    nlohmann::json info{{"server", cluster.text("server")}};
    if (!access.serverName.empty()) info["tls-server-name"] = access.serverName;
    if (!access.verifiesServer) info["insecure-skip-tls-verify"] = true;
    if (!access.trustPem.empty()) info["certificate-authority-data"] = toBase64(access.trustPem);
    for (const yaml::Node* extension : cluster.list("extensions")) {
      const yaml::Node* name = extension->find("name");
      const yaml::Node* value = extension->find("extension");
      if (name == nullptr || value == nullptr || name->scalar != "client.authentication.k8s.io/exec")
        continue;
      info["config"] = nlohmann::json::parse(yaml::toJsonText(*value), nullptr, false);
    }
    return info.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  Diagnostics errors_;
  Entries clusters_{"clusters", "cluster"}, users_{"users", "user"}, contexts_{"contexts", "context"};
  std::string current_;
  Location currentAt_;
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Diagnostic noneThere(const std::vector<std::string>& paths) {
  const std::vector<std::string_view> names(paths.begin(), paths.end());
  return error("no-kubeconfig", "there is no kubeconfig: looked for " + listed(names, "and"),
               "name one with `--kubeconfig` or in KUBECONFIG");
}

}  // namespace

Result<Access> accessFrom(std::span<const Source> kubeconfigs, const std::string& context, const Clock& now) {
  std::vector<yaml::Node> documents;
  Merged merged;
  for (const auto& source : kubeconfigs) {
    auto parsed = yaml::parse(source);
    if (!parsed) {
      merged.add(std::move(parsed).errors());
    } else if (!parsed->empty()) {
      documents.push_back(std::move(parsed->front()));  // kubectl reads the first document only
    }
  }
  for (const auto& document : documents) merged.add(document);
  Location firstFile;
  if (!kubeconfigs.empty()) firstFile.source = kubeconfigs.front();
  return merged.access(context, firstFile, now);
}

std::vector<std::string> kubeconfigPaths(const std::string& explicitPath, const std::string& fromEnvironment,
                                         const std::string& home) {
  if (!explicitPath.empty()) return {explicitPath};
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= fromEnvironment.size();) {
    const auto to = std::min(fromEnvironment.find(':', from), fromEnvironment.size());
    std::string path = fromEnvironment.substr(from, to - from);
    if (!path.empty() && std::find(out.begin(), out.end(), path) == out.end()) out.push_back(std::move(path));
    from = to + 1;
  }
  if (out.empty() && !home.empty()) out.push_back(home + "/.kube/config");
  return out;
}

Result<Access> loadKubeconfig(const std::string& explicitPath, const std::string& context, const Clock& now) {
  const auto paths = kubeconfigPaths(explicitPath, environment("KUBECONFIG"), environment("HOME"));
  std::vector<Source> sources;
  Diagnostics errors;
  for (const auto& path : paths) {
    std::error_code ignored;
    if (explicitPath.empty() && !std::filesystem::exists(path, ignored)) continue;
    if (auto text = readText(path, "the kubeconfig")) {
      sources.push_back(makeSource(path, std::move(*text)));
    } else {
      errors.insert(errors.end(), text.errors().begin(), text.errors().end());
    }
  }
  if (!errors.empty()) return errors;
  if (sources.empty()) return noneThere(paths);
  return accessFrom(sources, context, now);
}

}  // namespace driftbar::cluster
