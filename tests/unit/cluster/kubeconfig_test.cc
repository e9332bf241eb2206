#include "cluster/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "cluster/in_cluster.h"
#include "tests/support/certificates.h"

namespace driftbar::cluster {
namespace {

const test::Authority& authority() {
  static const test::Authority made;
  return made;
}

const test::PemPair& pair() {
  static const test::PemPair made = authority().issue("ada", "");
  return made;
}

class KubeconfigTest : public testing::Test {
 protected:
  KubeconfigTest() {
    std::string path = testing::TempDir() + "driftbar-XXXXXX";
    folder = ::mkdtemp(path.data());
  }
  ~KubeconfigTest() override { std::filesystem::remove_all(folder); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder + "/" + name).parent_path());
    std::ofstream(folder + "/" + name) << text;
  }
  Result<Access> read(const std::vector<std::string>& texts, const std::string& context = {}) const {
    std::vector<Source> sources;
    for (const auto& text : texts) {
      sources.push_back(
          makeSource(folder + "/config" + (sources.empty() ? "" : std::to_string(sources.size())), text));
    }
    return accessFrom(sources, context);
  }
  // Without the folder that the test happened to get.
  std::string plain(std::string text) const {
    for (auto at = text.find(folder + "/"); at != std::string::npos; at = text.find(folder + "/")) {
      text.erase(at, folder.size() + 1);
    }
    return text;
  }
  std::string errorsOf(const std::vector<std::string>& texts, const std::string& context = {}) const {
    const auto access = read(texts, context);
    return access ? "no error" : plain(render(access.errors()));
  }
  std::string authorizationOf(const Result<Access>& access) const {
    if (!access) return plain(render(access.errors()));
    const auto credential = access->credentials->current({});
    return credential ? credential->authorization : plain(summary(credential.errors().front()));
  }

  std::string folder;
};

// A whole kubeconfig around one cluster and one user, both written as flow maps.
std::string config(const std::string& cluster, const std::string& user) {
  return "current-context: here\n"
         "contexts: [{name: here, context: {cluster: c, user: u}}]\n"
         "clusters:\n- name: c\n  cluster: " +
         cluster + "\nusers:\n- name: u\n  user: " + user + "\n";
}

TEST_F(KubeconfigTest, ReadsWhatIsWrittenIn) {
  const auto access =
      read({config("{server: 'https://10.0.0.1:6443', tls-server-name: api.local, "
                   "certificate-authority-data: " +
                       toBase64(authority().pem()) + "}",
                   "{client-certificate-data: " + toBase64(pair().certificate) +
                       ", client-key-data: " + toBase64(pair().key) + ", unknown: fine}")});
  ASSERT_TRUE(access.ok()) << render(access.errors());
  EXPECT_EQ(access->server.url(), "https://10.0.0.1:6443");
  EXPECT_EQ(access->serverName, "api.local");
  EXPECT_EQ(access->trustPem, authority().pem());
  EXPECT_TRUE(access->verifiesServer);
  EXPECT_EQ(plain(access->origin), "context `here` of config");
  EXPECT_EQ(*access->credentials->current({}), (Credential{"", pair().certificate, pair().key}));
}

TEST_F(KubeconfigTest, FilesAreTakenFromItsOwnFolder) {
  write("pki/ca.crt", authority().pem());
  write("pki/me.crt", pair().certificate);
  write("pki/me.key", pair().key);
  write("token", "t0\n");
  const auto access = read({config(
      "{server: 'https://a', certificate-authority: pki/ca.crt}",
      "{client-certificate: ./pki/me.crt, client-key: '" + folder + "/pki/me.key', tokenFile: token}")});
  ASSERT_TRUE(access.ok()) << render(access.errors());
  EXPECT_EQ(access->trustPem, authority().pem());
  EXPECT_EQ(*access->credentials->current({}), (Credential{"Bearer t0", pair().certificate, pair().key}));
  const auto renewed = authority().issue("ada", "");
  write("pki/me.crt", renewed.certificate);
  write("pki/me.key", renewed.key);
  EXPECT_EQ(access->credentials->current({})->certificatePem, renewed.certificate)
      << "a renewed file is not used";
}

TEST_F(KubeconfigTest, OfSeveralFilesTheFirstCounts) {
  const std::string first =
      "contexts: [{name: b, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "
      "'https://first'}}]\n";
  const std::string second =
      "current-context: b\ncontexts: [{name: b, context: {cluster: other, user: other}}]\n"
      "clusters: [{name: c, cluster: {server: 'https://second', tls-server-name: x}}]\nusers: [{name: u, "
      "user: {token: t}}]\n";
  const std::string third = "current-context: z\n";
  const auto access = read({first, second, third});
  ASSERT_TRUE(access.ok()) << render(access.errors());
  EXPECT_EQ(access->server.host, "first");
  EXPECT_EQ(access->serverName, "") << "entries are taken whole, not mixed";
  EXPECT_EQ(authorizationOf(access), "Bearer t");
}

TEST_F(KubeconfigTest, AContextCanBeNamed) {
  const std::string text =
      "current-context: prod\n"
      "contexts: [{name: prod, context: {cluster: a}}, {name: staging, context: {cluster: b}}]\n"
      "clusters: [{name: a, cluster: {server: 'https://a'}}, {name: b, cluster: {server: 'https://b'}}]\n";
  EXPECT_EQ(read({text})->server.host, "a");
  EXPECT_EQ(read({text}, "staging")->server.host, "b");
  EXPECT_EQ(
      errorsOf({text}, "east"),
      "config: error: there is no context `east` [unknown-context]\n  help: there is `prod` and `staging`\n");
}

TEST_F(KubeconfigTest, WithoutTlsNobodyIsToldWhoWeAre) {
  EXPECT_EQ(authorizationOf(read({config("{server: 'http://127.0.0.1:8001'}", "{token: t}")})), "");
}

TEST_F(KubeconfigTest, ASetTokenGoesBeforeAPlugin) {
  EXPECT_EQ(authorizationOf(read(
                {config("{server: 'https://a'}",
                        "{token: t, exec: {apiVersion: client.authentication.k8s.io/v1, command: nope}}")})),
            "Bearer t");
}

TEST_F(KubeconfigTest, RunsACredentialPlugin) {
  write("bin/plugin",
        "#!/bin/sh\nprintf '%s' "
        "\"{\\\"kind\\\":\\\"ExecCredential\\\",\\\"apiVersion\\\":\\\"client.authentication.k8s.io/"
        "v1beta1\\\",\"\n"
        "printf '%s' \"\\\"status\\\":{\\\"token\\\":\\\"$1-$WHO\\\"}}\"\nprintf '%s' "
        "\"$KUBERNETES_EXEC_INFO\" > \"$SEEN\"\n");
  ::chmod((folder + "/bin/plugin").c_str(), 0755);
  const auto access =
      read({config("{server: 'https://a', insecure-skip-tls-verify: true, extensions: [{name: "
                   "client.authentication.k8s.io/exec, extension: {audience: x}}]}",
                   "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./bin/plugin, args: "
                   "[token], provideClusterInfo: true, "
                   "env: [{name: WHO, value: ada}, {name: SEEN, value: '" +
                       folder + "/seen'}]}}")});
  EXPECT_EQ(authorizationOf(access), "Bearer token-ada");
  std::string seen;
  std::getline(std::ifstream(folder + "/seen"), seen);
  EXPECT_EQ(
      seen,
      R"({"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","spec":{"interactive":false,)"
      R"("cluster":{"config":{"audience":"x"},"insecure-skip-tls-verify":true,"server":"https://a"}}})");
}

TEST_F(KubeconfigTest, EveryMistakeHasItsPlace) {
  struct Row {
    const char* cluster;
    const char* user;
    const char* errors;
  };
  const Row rows[] = {
      {"{}", "{}",
       "config:5:12: error: the cluster has no `server` [bad-kubeconfig]\n  5 |   cluster: {}\n    |         "
       "   ^\n"},
      {"{server: 10}", "{}",
       "config:5:21: error: `server` must be text, not a number [bad-kubeconfig]\n  5 |   cluster: {server: "
       "10}\n"
       "    |                     ^^\n  help: put it in quotes\n"},
      {"{server: a:1}", "{}",
       "config:5:21: error: \"a:1\" is no API server's address: it starts with neither https:// nor http:// "
       "[bad-server]\n"
       "  5 |   cluster: {server: a:1}\n    |                     ^^^\n  help: write it as "
       "https://HOST:PORT\n"},
      {"{server: 'https://a', proxy-url: 'http://p'}", "{}",
       "config:5:45: error: `proxy-url` is not supported [unsupported-kubeconfig]\n"
       "  5 |   cluster: {server: 'https://a', proxy-url: 'http://p'}\n"
       "    |                                             ^^^^^^^^^^\n  help: reach the API server without a "
       "proxy\n"},
      {"{server: 'https://a', certificate-authority-data: '!!'}", "{}",
       "config:5:62: error: `certificate-authority-data` is not base64 [bad-kubeconfig]\n"
       "  5 |   cluster: {server: 'https://a', certificate-authority-data: '!!'}\n"
       "    |                                                              ^^^^\n"},
      {"{server: 'https://a', certificate-authority-data: YWJj}", "{}",
       "config:5:62: error: this holds no certificate in PEM form [bad-certificate]\n"
       "  5 |   cluster: {server: 'https://a', certificate-authority-data: YWJj}\n"
       "    |                                                              ^^^^\n"},
      {"{server: 'https://a', certificate-authority: gone.crt}", "{tokenFile: t, token: x, as: root}",
       "config:5:57: error: cannot read the file of `certificate-authority` `gone.crt`: No such file or "
       "directory "
       "[unreadable-file]\n  5 |   cluster: {server: 'https://a', certificate-authority: gone.crt}\n"
       "    |                                                         ^^^^^^^^\n"
       "  help: check that the file is there and that this process may read it\n"
       "config:8:38: error: `as` is not supported: driftbar acts in its own name [unsupported-kubeconfig]\n"
       "  8 |   user: {tokenFile: t, token: x, as: root}\n    |                                      ^^^^\n"
       "  help: give driftbar a user or service account of its own\n"},
      {"{server: 'https://a'}", "{username: a, token: t}",
       "config:8:20: error: both a token and a user name with a password [bad-kubeconfig]\n"
       "  8 |   user: {username: a, token: t}\n    |                    ^\n  help: keep one of them\n"},
      {"{server: 'https://a'}", "{auth-provider: {name: gcp}}",
       "config:8:25: error: `auth-provider` is not supported, as kubectl has given it up "
       "[unsupported-kubeconfig]\n"
       "  8 |   user: {auth-provider: {name: gcp}}\n    |                         ^\n"
       "  help: use `exec` with the credential plugin of your cloud\n"},
      {"{server: 'https://a'}", "{client-key-data: YWJj}",
       "config:8:27: error: `client-certificate` is missing beside this [bad-kubeconfig]\n"
       "  8 |   user: {client-key-data: YWJj}\n    |                           ^^^^\n"},
      {"{server: 'https://a'}", "{client-certificate-data: YWJj, client-key-data: YWJj}",
       "config:8:35: error: the client certificate cannot be used: it holds no certificate in PEM form "
       "[bad-certificate]\n"
       "  8 |   user: {client-certificate-data: YWJj, client-key-data: YWJj}\n    |                          "
       "         ^^^^\n"},
      {"{server: 'https://a'}",
       "{exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1, interactiveMode: Always}}",
       "config:8:41: error: credential plugins of `client.authentication.k8s.io/v1alpha1` are not supported "
       "[unsupported-kubeconfig]\n"
       "  8 |   user: {exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1, "
       "interactiveMode: Always}}\n"
       "    |                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
       "  help: driftbar runs those of `client.authentication.k8s.io/v1` and "
       "`client.authentication.k8s.io/v1beta1`\n"
       "config:8:97: error: `interactiveMode` is Always, and driftbar has no terminal to ask on "
       "[unsupported-kubeconfig]\n"
       "  8 |   user: {exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1, "
       "interactiveMode: Always}}\n"
       "    |                                                                                                "
       " ^^^^^^\n"
       "  help: use credentials that need nobody at the keyboard\n"},
      {"{server: 'https://a'}", "{exec: {apiVersion: client.authentication.k8s.io/v1}}",
       "config:8:16: error: `exec` has no `command` [bad-kubeconfig]\n"
       "  8 |   user: {exec: {apiVersion: client.authentication.k8s.io/v1}}\n    |                ^\n"},
  };
  for (const auto& row : rows) EXPECT_EQ(errorsOf({config(row.cluster, row.user)}), row.errors);
}

TEST_F(KubeconfigTest, AnAuthorityTogetherWithSkippingIsAMistake) {
  EXPECT_THAT(
      errorsOf({config("{server: 'https://a', insecure-skip-tls-verify: true, certificate-authority-data: " +
                           toBase64(authority().pem()) + "}",
                       "{}")}),
      testing::HasSubstr("error: a certificate authority together with `insecure-skip-tls-verify`"));
}

TEST_F(KubeconfigTest, NamesThatLeadNowhereAreTold) {
  EXPECT_EQ(errorsOf({"current-context: prod\ncontexts: [{name: prod, context: {cluster: clustr, user: u}}]\n"
                      "clusters: [{name: cluster, cluster: {server: 'https://a'}}]\n"}),
            "config:2:44: error: there is no cluster `clustr` [unknown-cluster]\n"
            "  2 | contexts: [{name: prod, context: {cluster: clustr, user: u}}]\n"
            "    |                                            ^^^^^^\n  help: did you mean `cluster`?\n");
  EXPECT_EQ(errorsOf({"current-context: prod\n"}),
            "config:1:18: error: there is no context `prod` [unknown-context]\n"
            "  1 | current-context: prod\n    |                  ^^^^\n  help: `contexts` is empty\n");
  EXPECT_EQ(errorsOf({"contexts: []\n"}),
            "config: error: no context is chosen: `current-context` is not set [no-context]\n"
            "  help: choose one with `kubectl config use-context NAME`\n");
}

TEST_F(KubeconfigTest, ANameTwiceInOneFileIsAMistake) {
  EXPECT_EQ(errorsOf({"users:\n- {name: a, user: {}}\n- {name: a, user: {}}\n"}),
            "config:3:3: error: the user `a` is in `users` twice [bad-kubeconfig]\n"
            "  3 | - {name: a, user: {}}\n    |   ^\n  help: remove one of them\n");
}

TEST_F(KubeconfigTest, WhatIsNoKubeconfigIsTold) {
  EXPECT_EQ(errorsOf({"just text\n"}),
            "config:1:1: error: a kubeconfig is a map, not text [bad-kubeconfig]\n"
            "  1 | just text\n    | ^^^^^^^^^\n");
  EXPECT_EQ(errorsOf({""}),
            "config: error: no context is chosen: `current-context` is not set [no-context]\n"
            "  help: choose one with `kubectl config use-context NAME`\n");
  EXPECT_THAT(errorsOf({"clusters: {a: 1}\n"}), testing::HasSubstr("`clusters` must be a list, not a map"));
}

TEST_F(KubeconfigTest, IsLookedForWhereKubectlLooks) {
  EXPECT_THAT(kubeconfigPaths("mine", "a:b", "/home/ada"), testing::ElementsAre("mine"));
  EXPECT_THAT(kubeconfigPaths("", "a::b:a", "/home/ada"), testing::ElementsAre("a", "b"));
  EXPECT_THAT(kubeconfigPaths("", "", "/home/ada"), testing::ElementsAre("/home/ada/.kube/config"));
  EXPECT_THAT(kubeconfigPaths("", "", ""), testing::IsEmpty());
}

TEST_F(KubeconfigTest, LoadsFilesAndPassesOverThoseThatAreNotThere) {
  write("config", config("{server: 'https://a'}", "{token: t}"));
  EXPECT_EQ(authorizationOf(loadKubeconfig(folder + "/config")), "Bearer t");
  const auto missing = loadKubeconfig(folder + "/missing");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(plain(render(missing.errors())),
            "error: cannot read the kubeconfig `missing`: No such file or directory [unreadable-file]\n"
            "  help: check that the file is there and that this process may read it\n");
  const std::string list = folder + "/missing:" + folder + "/config";
  ::setenv("KUBECONFIG", list.c_str(), 1);
  EXPECT_EQ(authorizationOf(loadKubeconfig("")), "Bearer t");
  ::setenv("KUBECONFIG", (folder + "/missing").c_str(), 1);
  EXPECT_EQ(plain(render(loadKubeconfig("").errors())),
            "error: there is no kubeconfig: looked for `missing` [no-kubeconfig]\n"
            "  help: name one with `--kubeconfig` or in KUBECONFIG\n");
  ::unsetenv("KUBECONFIG");
}

// --- in a pod ---

TEST_F(KubeconfigTest, InAPodTheServiceAccountIsUsed) {
  write("token", "one");
  write("ca.crt", authority().pem());
  PodPlaces places{"10.96.0.1", "443", folder + "/token", folder + "/ca.crt"};
  const auto access = accessInCluster(places);
  ASSERT_TRUE(access.ok()) << render(access.errors());
  EXPECT_EQ(access->server.url(), "https://10.96.0.1:443");
  EXPECT_EQ(access->trustPem, authority().pem());
  EXPECT_EQ(authorizationOf(access), "Bearer one");
  write("token", "two");
  EXPECT_EQ(authorizationOf(access), "Bearer two") << "a token that was replaced is not read";
  places.host = "fd00::1";
  EXPECT_EQ(accessInCluster(places)->server.url(), "https://[fd00::1]:443");
}

TEST_F(KubeconfigTest, OutsideOfAPodItSaysSo) {
  EXPECT_FALSE(inCluster(PodPlaces{}));
  EXPECT_EQ(render(accessInCluster(PodPlaces{}).errors()),
            "error: this is not a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set "
            "[not-in-cluster]\n"
            "  help: outside a cluster, name a kubeconfig with `--kubeconfig` or an inventory with "
            "`--inventory`\n");
}

TEST_F(KubeconfigTest, APodWithoutAMountedTokenIsTold) {
  write("ca.crt", authority().pem());
  const PodPlaces places{"10.96.0.1", "443", folder + "/token", folder + "/ca.crt"};
  EXPECT_EQ(plain(render(accessInCluster(places).errors())),
            "error: cannot read the token file `token`: No such file or directory [unreadable-file]\n"
            "  help: a pod has it unless automountServiceAccountToken is false on the pod or its service "
            "account\n");
  write("ca.crt", "nothing");
  EXPECT_EQ(plain(summary(accessInCluster(places).errors().front())),
            "`ca.crt` holds no certificate in PEM form");
}

}  // namespace
}  // namespace driftbar::cluster
