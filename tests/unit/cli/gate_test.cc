// The gate put together: what it answers over TLS and on the ops port, and what changes under it.
#include "cli/gate.h"

#include <httplib.h>

#include <mutex>
#include <nlohmann/json.hpp>

#include "certs/folder.h"
#include "fixture.h"
#include "inventory/file.h"

namespace driftbar::cli {
namespace {

std::shared_ptr<const inventory::Snapshot> someNodes() {
  const auto read = inventory::readInventory(
      std::vector<Source>{makeSource("nodes.yaml", fileText(inSource("docs/examples/nodes.yaml")))});
  EXPECT_TRUE(read);
  return read->snapshot;
}

Instant systemNow() {
  return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

const certs::Names kNames{{"localhost"}, {"127.0.0.1"}};

// A folder with a policy, nodes and certificates, and options for a gate on free ports.
struct Setting {
  Setting() {
    folder.write("policies/policy.yaml", policyText());
    const auto loaded = certs::loadOrMake(folder / "certs", kNames, systemNow());
    EXPECT_TRUE(loaded);
    options.policies = folder / "policies";
    options.inventory = someNodes();
    options.certificate = loaded->serving;
    options.certificateFiles = certs::PairFiles::in(folder / "certs");
    options.listen = {"127.0.0.1", 0};
    options.opsListen = {"127.0.0.1", 0};
    options.times.tick = std::chrono::milliseconds(5);
    options.times.drain = std::chrono::milliseconds(0);
    options.log = [this](std::string_view line) {
      const std::lock_guard lock(mutex);
      log += std::string(line) + "\n";
    };
  }

  std::unique_ptr<Gate> open() {
    auto gate = Gate::open(options);
    EXPECT_TRUE(gate) << render(gate.errors());
    return std::move(gate).value();
  }
  std::string logged() {
    const std::lock_guard lock(mutex);
    return folder.masked(std::exchange(log, {}));
  }

  Folder folder;
  std::mutex mutex;
  std::string log;
  GateOptions options;
};

std::string reviewOf(std::string_view labels) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1","operation":"CREATE",
    "kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},
    "namespace":"ml","userInfo":{"username":"alice"},"object":{"metadata":{"name":"a","labels":)" +
         std::string(labels) + "}}}}";
}

// Over TLS, trusting the folder's authority only.
httplib::Result posted(const Gate& gate, const Setting& setting, const std::string& path,
                       const std::string& body) {
  httplib::SSLClient client("localhost", gate.port());
  client.set_ca_cert_path((setting.folder / "certs/ca.crt").c_str());
  client.enable_server_certificate_verification(true);
  return client.Post(path, body, "application/json");
}

std::string asked(const Gate& gate, const std::string& path) {
  httplib::Client client("127.0.0.1", gate.opsPort());
  const auto answer = client.Get(path);
  return answer ? std::to_string(answer->status) + " " + answer->body : "no answer";
}

// The value of a metric, as it is told.
std::string metric(const Gate& gate, const std::string& series) {
  const auto all = asked(gate, "/metrics");
  const auto at = all.find("\n" + series + " ");
  if (at == std::string::npos) return "not told";
  const auto begin = at + series.size() + 2;
  return all.substr(begin, all.find('\n', begin) - begin);
}

TEST(Gate, AnswersReviewsOverTls) {
  Setting setting;
  const auto gate = setting.open();
  const auto refused =
      posted(*gate, setting, "/validate", reviewOf(R"({"team":"nobody","cost-center":"a"})"));
  ASSERT_TRUE(refused) << httplib::to_string(refused.error());
  EXPECT_EQ(refused->status, 200);
  EXPECT_EQ(
      refused->body,
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":false,"status":{"code":403,"reason":"Forbidden","message":"teams/owner: Pod \"a\": label team is \"nobody\", must not be \"nobody\"\n  fix: name your team"},"auditAnnotations":{"refused":"teams/owner: Pod \"a\": label team is \"nobody\", must not be \"nobody\""}}})");
  const auto allowed = posted(*gate, setting, "/mutate", reviewOf(R"({"cost-center":"a"})"));
  ASSERT_TRUE(allowed);
  EXPECT_EQ(
      allowed->body,
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":true}})");
  EXPECT_EQ(setting.logged(), R"(policies in force: 1 policy with 3 rules
refused Pod ml/a, asked by alice: teams/owner: Pod "a": label team is "nobody", must not be "nobody"
)");
  EXPECT_EQ(metric(*gate, R"(driftbar_verdicts_total{path="/validate",verdict="refused"})"), "1");
  EXPECT_EQ(metric(*gate, R"(driftbar_findings_total{rule="teams/owner",mode="enforce"})"), "1");
}

TEST(Gate, BadReviewsAreToldWhatIsWrong) {
  Setting setting;
  const auto gate = setting.open();
  const auto answer = posted(*gate, setting, "/validate", "{}");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 400);
  EXPECT_EQ(answer->body, "kind: not an AdmissionReview: the key `kind` is missing\n");
}

TEST(Gate, OpsPort) {
  Setting setting;
  const auto gate = setting.open();
  EXPECT_TRUE(gate->ready());
  EXPECT_EQ(asked(*gate, "/healthz"), "200 ok\n");
  EXPECT_EQ(asked(*gate, "/readyz"), "200 ok\n");
  EXPECT_EQ(asked(*gate, "/policy"),
            "404 there is no `/policy` here, only `/healthz`, `/metrics`, `/policies` and "
            "`/readyz`\n");
  EXPECT_EQ(metric(*gate, "driftbar_inventory_nodes"), "6");
  EXPECT_EQ(metric(*gate, "driftbar_inventory_complete"), "1");
  EXPECT_EQ(metric(*gate, "driftbar_policies"), "1");
  EXPECT_NE(metric(*gate, R"(driftbar_tls_certificate_expiry_timestamp_seconds{certificate="serving"})"),
            "not told");
}

TEST(Gate, WhatIsLoaded) {
  Setting setting;
  const auto gate = setting.open();
  const auto answer = asked(*gate, "/policies");
  ASSERT_TRUE(answer.starts_with("200 ")) << answer;
  auto told = nlohmann::ordered_json::parse(answer.substr(4));
  const std::string digest = told["digest"];
  EXPECT_EQ(metric(*gate, "driftbar_policy_set_info{digest=\"" + digest + "\"}"), "1");
  told["loaded"] = told["digest"] = "";
  EXPECT_EQ(
      told.dump(),
      R"({"loaded":"","digest":"","refused":"","policies":[{"name":"teams","description":"","rules":[)"
      R"({"name":"owner","verb":"deny","mode":"enforce"},{"name":"cost","verb":"require","mode":"warn"},)"
      R"({"name":"old","verb":"deny","mode":"audit"}]}]})");
}

// The time that a check tells is another one each run.
std::string timeless(std::string text) {
  const auto at = text.find("loaded ");
  return at == std::string::npos ? text : text.replace(at + 7, 20, "TIME");
}

TEST(Gate, AGoodChangeOfThePoliciesIsInForceAfterALook) {
  Setting setting;
  const auto gate = setting.open();
  setting.logged();
  setting.folder.write("policies/policy.yaml", policyText("teams", "somebody"));
  gate->look();
  EXPECT_EQ(setting.logged(), "policies in force: 1 policy with 3 rules\n");
  const auto answer = posted(*gate, setting, "/validate", reviewOf(R"({"team":"nobody","cost-center":"a"})"));
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->body.find("\"allowed\":true"), std::string::npos) << answer->body;
  EXPECT_EQ(metric(*gate, R"(driftbar_policy_reloads_total{result="success"})"), "2");
}

TEST(Gate, ABadChangeOfThePoliciesIsToldEverywhereAndChangesNothing) {
  Setting setting;
  const auto gate = setting.open();
  setting.logged();
  setting.folder.write("policies/policy.yaml", "nonsense\n");
  gate->look();
  gate->look();
  EXPECT_EQ(setting.logged(), R"(the policies have changed and cannot be used; those before stay in force
error: DIR/policies/policy.yaml:1:1: a document is a map of keys, and this is text
)");
  EXPECT_TRUE(gate->ready());
  EXPECT_EQ(
      timeless(setting.folder.masked(asked(*gate, "/readyz?verbose"))),
      R"(200 [+]policies ok: 1 policy with 3 rules, loaded TIME; a change since then cannot be used: DIR/policies/policy.yaml:1:1: a document is a map of keys, and this is text
[+]inventory ok: 6 nodes
[+]serving ok
readyz check passed
)");
  EXPECT_EQ(metric(*gate, R"(driftbar_policy_reloads_total{result="failure"})"), "1");
  const auto answer = posted(*gate, setting, "/validate", reviewOf(R"({"team":"nobody"})"));
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->body.find("\"allowed\":false"), std::string::npos);
}

TEST(Gate, WithoutAnInventoryItIsNotReadyAndAllowsNothing) {
  Setting setting;
  setting.options.inventory = nullptr;
  const auto gate = setting.open();
  EXPECT_FALSE(gate->ready());
  EXPECT_EQ(timeless(asked(*gate, "/readyz")),
            "503 [+]policies ok: 1 policy with 3 rules, loaded TIME\n"
            "[-]inventory failed: the first list is not complete\n"
            "[+]serving ok\nreadyz check failed\n");
  EXPECT_EQ(asked(*gate, "/healthz"), "200 ok\n");
  const auto answer = posted(*gate, setting, "/validate", reviewOf("{}"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 500);
  EXPECT_EQ(answer->body, "driftbar is not ready: policies or the inventory are not loaded yet\n");
  EXPECT_EQ(metric(*gate, "driftbar_inventory_complete"), "0");
}

TEST(Gate, PoliciesThatDoNotLoad) {
  Setting setting;
  setting.folder.write("policies/policy.yaml", "nonsense\n");
  const auto gate = Gate::open(setting.options);
  ASSERT_FALSE(gate);
  EXPECT_EQ(setting.folder.masked(render(gate.errors())),
            R"(DIR/policies/policy.yaml:1:1: error: a document is a map of keys, and this is text [wrong-type]
  1 | nonsense
    | ^^^^^^^^
  help: begin it with `apiVersion: driftbar.io/v1alpha1` and `kind: Policy`
)");
}

TEST(Gate, APortThatIsTaken) {
  Setting setting;
  const auto first = setting.open();
  setting.options.opsListen = {"127.0.0.1", first->opsPort()};
  const auto second = Gate::open(setting.options);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.errors()[0].message,
            "can't listen on 127.0.0.1:" + std::to_string(first->opsPort()) + ": Address already in use");
  setting.options.opsListen = {"127.0.0.1", 0};
  setting.options.listen = {"127.0.0.1", first->port()};
  EXPECT_FALSE(Gate::open(setting.options));
}

TEST(Gate, ANewCertificateIsShownAfterALook) {
  Setting setting;
  const auto gate = setting.open();
  ASSERT_TRUE(posted(*gate, setting, "/validate", reviewOf("{}")));
  setting.logged();
  // Another authority: a client that trusts it alone is answered only by the new certificate.
  fs::remove_all(setting.folder / "certs");
  ASSERT_TRUE(certs::loadOrMake(setting.folder / "certs", kNames, systemNow()));
  EXPECT_FALSE(posted(*gate, setting, "/validate", reviewOf("{}")));
  gate->look();
  EXPECT_TRUE(setting.logged().starts_with("a new certificate is in use, until "));
  EXPECT_TRUE(posted(*gate, setting, "/validate", reviewOf("{}")));
  EXPECT_EQ(metric(*gate, R"(driftbar_tls_certificate_reloads_total{result="success"})"), "1");
}

TEST(Gate, ABadCertificateLeavesTheOneBeforeInUse) {
  Setting setting;
  const auto gate = setting.open();
  setting.logged();
  setting.folder.write("certs/tls.crt", "nonsense\n");
  gate->look();
  gate->look();
  const auto log = setting.logged();
  EXPECT_EQ(log,
            "the certificate has changed and cannot be used; the one before stays in use: DIR/certs/tls.crt: "
            "has no PEM certificate in it\n");
  EXPECT_EQ(metric(*gate, R"(driftbar_tls_certificate_reloads_total{result="failure"})"), "1");
  EXPECT_TRUE(posted(*gate, setting, "/validate", reviewOf("{}")));
}

TEST(Gate, WhileItIsBeingStoppedItIsNotReady) {
  Setting setting;
  const auto gate = setting.open();
  gate->drain();
  EXPECT_FALSE(gate->ready());
  EXPECT_NE(asked(*gate, "/readyz").find("[-]serving failed: being stopped\n"), std::string::npos);
  EXPECT_FALSE(gate->failed());
}

}  // namespace
}  // namespace driftbar::cli
