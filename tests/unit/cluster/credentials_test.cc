#include "cluster/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <thread>

#include "cluster/access.h"
#include "cluster/exec_plugin.h"
#include "cluster/process.h"

namespace driftbar::cluster {
namespace {

std::string textOf(const Result<Credential>& credential) {
  return credential ? credential->authorization : summary(credential.errors().front());
}

class Folder {
 public:
  Folder() {
    std::string path = testing::TempDir() + "driftbar-XXXXXX";
    path_ = ::mkdtemp(path.data());
  }
  ~Folder() {
    for (const auto& file : files_) std::remove(file.c_str());
    std::remove(path_.c_str());
  }
  std::string path(const std::string& name) {
    files_.push_back(path_ + "/" + name);
    return files_.back();
  }
  std::string write(const std::string& name, const std::string& text) {
    const std::string file = path(name);
    std::ofstream(file) << text;
    return file;
  }
  std::string script(const std::string& text) {
    const std::string file = write("plugin.sh", "#!/bin/sh\n" + text);
    ::chmod(file.c_str(), 0755);
    return file;
  }

 private:
  std::string path_;
  std::vector<std::string> files_;
};

// --- programs ---

TEST(Process, GivesOutputErrorOutputAndExitCode) {
  const auto end = run({"/bin/sh", {"-c", "echo $GREETING; echo no >&2; exit 3"}, {{"GREETING", "hello"}}},
                       std::chrono::seconds(60), {});
  ASSERT_TRUE(end.ok()) << render(end.errors());
  EXPECT_EQ(end->exitCode, 3);
  EXPECT_EQ(end->out, "hello\n");
  EXPECT_EQ(end->err, "no\n");
}

TEST(Process, IsFoundOnPathAndReadsNothing) {
  const auto end = run({"cat", {}, {}}, std::chrono::seconds(60), {});
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->exitCode, 0);
  EXPECT_EQ(end->out, "");
}

TEST(Process, ThatIsNotThereCannotBeRun) {
  const auto end = run({"driftbar-no-such-program", {}, {}}, std::chrono::seconds(60), {});
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(summary(end.errors().front()),
            "cannot run `driftbar-no-such-program`: No such file or directory");
}

TEST(Process, EndedByASignalCountsAsShellsCount) {
  EXPECT_EQ(run({"/bin/sh", {"-c", "kill -TERM $$"}, {}}, std::chrono::seconds(60), {})->exitCode, 128 + 15);
}

TEST(Process, IsKilledAtItsDeadlineWithItsChildren) {
  const auto end = run({"/bin/sh", {"-c", "sleep 1000; true"}, {}}, Duration(50), {});
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(summary(end.errors().front()), "`/bin/sh` gave no answer within 50ms");
}

TEST(Process, IsKilledWhenItWritesWithoutEnd) {
  const auto end = run({"/bin/sh", {"-c", "yes"}, {}}, std::chrono::seconds(60), {});
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(summary(end.errors().front()), "`/bin/sh` wrote more than 1 MiB");
}

TEST(Process, ChildrenThatKeepTheOutputOpenAreNotWaitedFor) {
  const auto end = run({"/bin/sh", {"-c", "sleep 300 & echo done"}, {}}, std::chrono::seconds(60), {});
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->out, "done\n");
}

TEST(Process, IsKilledWhenAskedToStop) {
  std::stop_source source;
  std::thread stopper([&] { source.request_stop(); });
  const auto end =
      run({"/bin/sh", {"-c", "sleep 1000; true"}, {}}, std::chrono::hours(1), source.get_token());
  stopper.join();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(summary(end.errors().front()), "`/bin/sh` was stopped");
}

// --- what is written ---

TEST(Credentials, SayNothingWhereNothingIsWritten) {
  EXPECT_EQ(*credentialsFrom(WrittenCredentials{})->current({}), Credential{});
}

TEST(Credentials, TokenAndPasswordBecomeTheHeader) {
  WrittenCredentials token;
  token.token = " abc.def-_~+/=\n";
  EXPECT_EQ(textOf(credentialsFrom(token)->current({})), "Bearer abc.def-_~+/=");
  WrittenCredentials basic;
  basic.username = "ada";
  basic.password = "p:w";
  EXPECT_EQ(textOf(credentialsFrom(basic)->current({})), "Basic YWRhOnA6dw==");
}

TEST(Credentials, ATokenThatWouldBreakTheHeaderIsRefused) {
  WrittenCredentials written;
  written.token = "abc\r\nX-Remote-User: admin";
  EXPECT_EQ(textOf(credentialsFrom(written)->current({})), "the token holds characters that no token has");
}

TEST(Credentials, ATokenFileIsReadEachTime) {
  Folder folder;
  WrittenCredentials written;
  written.token = "fallen-behind";
  written.tokenFile = folder.write("token", "one\n");
  const auto credentials = credentialsFrom(written);
  EXPECT_EQ(textOf(credentials->current({})), "Bearer one");
  folder.write("token", "two\n");
  EXPECT_EQ(textOf(credentials->current({})), "Bearer two");
  folder.write("token", " \n");
  EXPECT_EQ(textOf(credentials->current({})), "the token file `" + written.tokenFile + "` is empty");
  std::remove(written.tokenFile.c_str());
  EXPECT_EQ(textOf(credentials->current({})),
            "cannot read the token file `" + written.tokenFile + "`: No such file or directory");
}

TEST(Base64, ReadsWhatIsOneAndNothingElse) {
  struct Row {
    const char* in;
    std::optional<std::string> out;
  };
  const Row rows[] = {{"", ""},
                      {"YQ==", "a"},
                      {"YWI=", "ab"},
                      {"YWJj", "abc"},
                      {"YW\nJj\r\n", "abc"},
                      {"YWJ", std::nullopt},
                      {"YW=j", std::nullopt},
                      {"Y===", std::nullopt},
                      {"YW!j", std::nullopt},
                      {"====", std::nullopt},
                      {"Y-_j", std::nullopt}};
  for (const auto& row : rows) EXPECT_EQ(fromBase64(row.in), row.out) << row.in;
  for (const std::string text : {"", "a", "ab", "abc", "abcd"}) EXPECT_EQ(fromBase64(toBase64(text)), text);
}

// --- plugins ---

constexpr const char* kTokenScript =
    "echo x >> \"$COUNT\"\n"
    "echo \"{\\\"kind\\\":\\\"ExecCredential\\\",\\\"apiVersion\\\":\\\"client.authentication.k8s.io/v1\\\","
    "\\\"status\\\":{\\\"token\\\":\\\"t$(wc -l < \"$COUNT\" | tr -d ' "
    "')\\\",\\\"expirationTimestamp\\\":\\\"$EXPIRES\\\"}}\"\n";

ExecPlugin pluginOf(const std::string& script) {
  ExecPlugin plugin;
  plugin.program.command = script;
  plugin.apiVersion = "client.authentication.k8s.io/v1";
  return plugin;
}

TEST(ExecPlugin, IsAskedAgainWhenItsTokenRunsOutAndWhenItIsRefused) {
  Folder folder;
  ExecPlugin plugin = pluginOf(folder.script(kTokenScript));
  plugin.program.environment = {{"COUNT", folder.path("count")}, {"EXPIRES", "2026-12-01T10:00:00Z"}};
  Instant now = *parseInstant("2026-12-01T09:00:00Z");
  plugin.now = [&] { return now; };
  const auto credentials = credentialsFrom(plugin);
  EXPECT_EQ(textOf(credentials->current({})), "Bearer t1");
  EXPECT_EQ(textOf(credentials->current({})), "Bearer t1");
  now = *parseInstant("2026-12-01T09:59:51Z");
  EXPECT_EQ(textOf(credentials->current({})), "Bearer t2") << "it would run out on its way";
  now = *parseInstant("2026-12-01T09:00:00Z");
  EXPECT_EQ(textOf(credentials->current({})), "Bearer t2");
  credentials->refused();
  EXPECT_EQ(textOf(credentials->current({})), "Bearer t3");
}

TEST(ExecPlugin, IsToldWhatItNeeds) {
  Folder folder;
  const std::string seen = folder.path("seen");
  ExecPlugin plugin = pluginOf(folder.script("printf %s \"$KUBERNETES_EXEC_INFO $*\" > \"$SEEN\"; exit 1"));
  plugin.program.arguments = {"get", "token"};
  plugin.program.environment = {{"SEEN", seen}};
  plugin.clusterInfoJson = R"({"server":"https://x"})";
  EXPECT_FALSE(credentialsFrom(plugin)->current({}).ok());
  std::string text;
  std::getline(std::ifstream(seen), text);
  EXPECT_EQ(text, R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
                  R"("spec":{"interactive":false,"cluster":{"server":"https://x"}}} get token)");
}

TEST(ExecPlugin, GivesCertificatesAsWell) {
  Folder folder;
  const ExecPlugin plugin = pluginOf(
      folder.script(R"(echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
                    R"("status":{"clientCertificateData":"CERT","clientKeyData":"KEY"}}')"));
  const auto credential = credentialsFrom(plugin)->current({});
  ASSERT_TRUE(credential.ok()) << render(credential.errors());
  EXPECT_EQ(*credential, (Credential{"", "CERT", "KEY"}));
}

TEST(ExecPlugin, FailuresSayWhatWentWrong) {
  struct Row {
    const char* script;
    const char* error;  // after the plugin's name
  };
  const Row rows[] = {
      {"echo first >&2; echo 'token expired, log in' >&2; exit 4",
       " ended with exit code 4: token expired, log in"},
      {"exit 1", " ended with exit code 1 and said nothing"},
      {"echo '{\"kind\":\"Pod\"}'", " printed no usable ExecCredential: its kind is not ExecCredential"},
      {"echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\"}'",
       " printed no usable ExecCredential: its apiVersion is \"client.authentication.k8s.io/v1beta1\", asked "
       "for was "
       "`client.authentication.k8s.io/v1`"},
      {"echo "
       "'{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{}}'",
       " printed no usable ExecCredential: it has neither a token nor a certificate"},
      {"echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
       "\"status\":{\"clientKeyData\":\"k\"}}'",
       " printed no usable ExecCredential: of clientCertificateData and clientKeyData one is missing"},
      {"echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
       "\"status\":{\"token\":\"t\",\"expirationTimestamp\":\"soon\"}}'",
       " printed no usable ExecCredential: its expirationTimestamp is no time: \"soon\""},
  };
  for (const auto& row : rows) {
    Folder folder;
    const std::string script = folder.script(row.script);
    EXPECT_EQ(textOf(credentialsFrom(pluginOf(script))->current({})),
              "the credential plugin `" + script + "`" + row.error);
  }
}

TEST(ExecPlugin, ThatIsNotInstalledShowsItsHint) {
  ExecPlugin plugin = pluginOf("driftbar-no-such-plugin");
  plugin.installHint = "install it with: apt-get install such-plugin";
  const auto credential = credentialsFrom(plugin)->current({});
  ASSERT_FALSE(credential.ok());
  EXPECT_EQ(render(credential.errors()),
            "error: the credential plugin `driftbar-no-such-plugin` gave no credentials: cannot run "
            "`driftbar-no-such-plugin`: No such file or directory [exec-plugin]\n"
            "  help: install it with: apt-get install such-plugin\n");
}

// --- addresses ---

TEST(Server, ReadsAddresses) {
  struct Row {
    const char* url;
    const char* again;
    const char* host;
  };
  const Row rows[] = {
      {"https://10.0.0.1:6443", "https://10.0.0.1:6443", "10.0.0.1"},
      {"https://api.example.com", "https://api.example.com:443", "api.example.com"},
      {"https://api.example.com/", "https://api.example.com:443", "api.example.com"},
      {"https://rancher.example.com/k8s/clusters/c-1/", "https://rancher.example.com:443/k8s/clusters/c-1",
       "rancher.example.com"},
      {"https://[::1]:6443", "https://[::1]:6443", "::1"},
      {"http://127.0.0.1:8001", "http://127.0.0.1:8001", "127.0.0.1"},
  };
  for (const auto& row : rows) {
    const auto server = Server::parse(row.url);
    ASSERT_TRUE(server.ok()) << row.url;
    EXPECT_EQ(server->url(), row.again);
    EXPECT_EQ(server->host, row.host);
  }
}

TEST(Server, RefusesWhatIsNoAddress) {
  struct Row {
    const char* url;
    const char* error;
  };
  const Row rows[] = {
      {"", "\"\" is no API server's address: it starts with neither https:// nor http://"},
      {"10.0.0.1:6443",
       "\"10.0.0.1:6443\" is no API server's address: it starts with neither https:// nor http://"},
      {"https://", "\"https://\" is no API server's address: it has no host"},
      {"https://a:0", "\"https://a:0\" is no API server's address: its port is no number from 1 to 65535"},
      {"https://a:65536",
       "\"https://a:65536\" is no API server's address: its port is no number from 1 to 65535"},
      {"https://a:x", "\"https://a:x\" is no API server's address: its port is no number from 1 to 65535"},
      {"https://u:p@a", "\"https://u:p@a\" is no API server's address: it holds a user name"},
      {"https://a?x=1", "\"https://a?x=1\" is no API server's address: it has a query"},
      {"https://a/b c",
       "\"https://a/b c\" is no API server's address: it holds characters that no address has"},
      {"https://a\r\nHost: b",
       "\"https://a\\r\\nHost: b\" is no API server's address: it holds characters that no "
       "address has"},
  };
  for (const auto& row : rows) {
    const auto server = Server::parse(row.url);
    ASSERT_FALSE(server.ok()) << row.url;
    EXPECT_EQ(summary(server.errors().front()), row.error);
  }
}

}  // namespace
}  // namespace driftbar::cluster
