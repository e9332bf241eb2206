// Subjects of workloads: what is asked of the templates that carry ranks, and whether they agree.
#include "unit/policy/words.h"

namespace driftbar::policy {
namespace {

using namespace testing;

// A job of a master, workers and a launcher; the judged pod is the worker.
class Job {
 public:
  Job(std::string_view master, std::string_view worker)
      : master_(PodRequest::parsed(master)), worker_(PodRequest::parsed(worker)), request_("{}") {}

  std::string judged(std::string_view rule) const {
    const auto set = loaded(ruleOf(rule, "{resources: [pods]}"));
    const PodTemplate templates[] = {{launcher_.root(), "spec.launcher", "launcher", false},
                                     {master_.root(), "spec.master", "master", true},
                                     {worker_.root(), "spec.masters", "worker", true}};
    Facts facts = request_.facts();
    facts.templates = templates;
    facts.pod = templates[2];
    return shown(evaluate(set->policies()[0].rules[0], facts));
  }

  std::string ofLauncher(std::string_view rule) const {
    const auto set = loaded(ruleOf(rule, "{resources: [pods]}"));
    Facts facts = request_.facts();
    facts.pod = {launcher_.root(), "spec.launcher", "launcher", false};
    return shown(evaluate(set->policies()[0].rules[0], facts));
  }

 private:
  JsonDocument master_, worker_;
  JsonDocument launcher_ = PodRequest::parsed(
      R"({"spec":{"containers":[{"name":"l","image":"x","env":[{"name":"NCCL_DEBUG","value":"TRACE"}]}]}})");
  PodRequest request_;
};

std::string container(std::string_view name, std::string_view env, std::string_view more = "") {
  return R"({"name":")" + std::string(name) + R"(","resources":{"limits":{"nvidia.com/gpu":"8"}},"env":)" +
         std::string(env) + std::string(more) + "}";
}

std::string pod(const std::string& containers) {
  return R"({"spec":{"containers":[)" + containers + "]}}";
}

std::string of(std::string_view env, std::string_view more = "") {
  return pod(container("main", env, more));
}

constexpr std::string_view kAll = "require: {rankEnv: [\"*\"], agree: true}";
constexpr std::string_view kInfo = R"([{"name":"NCCL_DEBUG","value":"INFO"}])";

struct AgreeRow {
  std::string_view what;
  std::string master, worker, said;
  std::string_view rule = kAll;
};

std::vector<AgreeRow> rows() {
  return {
      {"the same", of(kInfo), of(kInfo), "kept"},
      {"missing in one", of("[]"), of(kInfo),
       R"x(broken: spec.masters.spec.containers["main"].env["NCCL_DEBUG"].value=)x"
       "\n"
       "=INFO\n"
       R"x(: env NCCL_DEBUG is "INFO" in worker, missing in master, must be the same everywhere)x"},
      {"another value", of(R"([{"name":"NCCL_DEBUG","value":"WARN"}])"), of(kInfo),
       R"x(broken: spec.master.spec.containers["main"].env["NCCL_DEBUG"].value==INFO)x"
       "\n"
       "=WARN\n"
       R"x(: env NCCL_DEBUG is "WARN" in master, "INFO" in worker, must be the same everywhere)x"},
      {"hidden", of(R"([{"name":"TOKEN","value":"a"}])"), of(R"([{"name":"TOKEN","value":"b"}])"),
       R"x(broken: spec.master.spec.containers["main"].env["TOKEN"].value==a)x"
       "\n"
       "=b\n"
       ": env TOKEN is (hidden) in master, another (hidden) in worker, must be the same everywhere"},
      {"on the command line", of("[]", R"(,"command":["sh","-c","export NCCL_DEBUG=INFO; go"])"), of(kInfo),
       "kept"},
      {"in two ways",
       of("[]", R"(,"command":["sh","-c","export NCCL_DEBUG=INFO; if x; then export NCCL_DEBUG=WARN; fi"])"),
       of(kInfo),
       R"x(unknown: spec.master.spec.containers["main"].command[2]["NCCL_DEBUG"]==INFO)x"
       "\n"
       "?\n"
       R"x(: env NCCL_DEBUG is not known in master, "INFO" in worker, must be the same everywhere)x"},
      {"of the same ConfigMap",
       of(R"([{"name":"A","valueFrom":{"configMapKeyRef":{"name":"c","key":"k"}}}])"),
       of(R"([{"name":"A","valueFrom":{"configMapKeyRef":{"name":"c","key":"k"}}}])"), "kept"},
      {"of two ConfigMaps", of(R"([{"name":"A","valueFrom":{"configMapKeyRef":{"name":"c","key":"k"}}}])"),
       of(R"([{"name":"A","valueFrom":{"configMapKeyRef":{"name":"d","key":"k"}}}])"),
       R"x(unknown: spec.master.spec.containers["main"].env["A"].value=?{"configMapKeyRef":{"name":"c","key":"k"}})x"
       "\n"
       R"x(?{"configMapKeyRef":{"name":"d","key":"k"}})x"
       "\n"
       ": env A is not known in master, not known in worker, must be the same everywhere"},
      {"of the pod itself", of(R"([{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}}])"),
       of(R"([{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}}])"),
       R"x(unknown: spec.master.spec.containers["main"].env["A"].value=?)x"
       "\n"
       ": env A is not known in master, must be the same everywhere"},
      {"of a Secret, and missing",
       of(R"([{"name":"A","valueFrom":{"secretKeyRef":{"name":"c","key":"k"}}}])"), of("[]"),
       R"x(broken: spec.master.spec.containers["main"].env["A"].value=)x"
       "\n"
       R"x(?{"secretKeyRef":{"name":"c","key":"k"}})x"
       "\n"
       ": env A is there in master, missing in worker, must be the same everywhere"},
      {"perhaps by envFrom", of("[]", R"(,"envFrom":[{"configMapRef":{"name":"c"}}])"), of(kInfo),
       R"x(unknown: spec.masters.spec.containers["main"].env["NCCL_DEBUG"].value==INFO)x"
       "\n"
       R"x(: env NCCL_DEBUG is "INFO" in worker, not known in master, must be the same everywhere)x"},
      {"not by envFrom with another prefix", of("[]", R"(,"envFrom":[{"prefix":"LOG_"}])"), of(kInfo),
       R"x(broken: spec.masters.spec.containers["main"].env["NCCL_DEBUG"].value=)x"
       "\n"
       "=INFO\n"
       R"x(: env NCCL_DEBUG is "INFO" in worker, missing in master, must be the same everywhere)x"},
      {"may differ by host", of(R"([{"name":"NCCL_SOCKET_IFNAME","value":"a"}])"),
       of(R"([{"name":"NCCL_SOCKET_IFNAME","value":"b"}])"), "kept"},
      {"named outright", of(R"([{"name":"NCCL_SOCKET_IFNAME","value":"a"}])"),
       of(R"([{"name":"NCCL_SOCKET_IFNAME","value":"b"}])"),
       R"x(broken: spec.master.spec.containers["main"].env["NCCL_SOCKET_IFNAME"].value==a)x"
       "\n"
       "=b\n"
       R"x(: env NCCL_SOCKET_IFNAME is "a" in master, "b" in worker, must be the same everywhere)x",
       "require: {rankEnv: [\"FI_*\", NCCL_SOCKET_IFNAME], agree: true}"},
      {"named outright, perhaps by the envFrom of one",
       of("[]", R"(,"envFrom":[{"configMapRef":{"name":"c"}}])"), of("[]"),
       R"x(unknown: spec.masters.spec.containers["main"].env["NCCL_ALGO"].value=)x"
       "\n: env NCCL_ALGO is missing in worker, not known in master, must be the same everywhere",
       "require: {rankEnv: [NCCL_ALGO], agree: true}"},
      {"named outright, perhaps by two envFrom", of("[]", R"(,"envFrom":[{"configMapRef":{"name":"c"}}])"),
       of("[]", R"(,"envFrom":[{"configMapRef":{"name":"d"}}])"),
       R"x(unknown: spec.master.spec.containers["main"].env["NCCL_ALGO"].value=)x"
       ": env NCCL_ALGO is not known in master, must be the same everywhere",
       "require: {rankEnv: [NCCL_ALGO], agree: true}"},
      {"named outright, perhaps by the same envFrom",
       of("[]", R"(,"envFrom":[{"configMapRef":{"name":"c"}}])"),
       of("[]", R"(,"envFrom":[{"configMapRef":{"name":"c"}}])"), "kept",
       "require: {rankEnv: [NCCL_ALGO], agree: true}"},
      {"named outright, and set nowhere", of("[]"), of("[]"), "kept",
       "deny: {rankEnv: [NCCL_ALGO], agree: true}"},
      {"containers of one role", of(kInfo), pod(container("a", kInfo) + "," + container("b", "[]")),
       R"x(broken: spec.master.spec.containers["main"].env["NCCL_DEBUG"].value=)x"
       "\n"
       "=INFO\n"
       R"x(: env NCCL_DEBUG is "INFO" in master, missing in worker (b), must be the same everywhere)x"},
      {"containers without an accelerator do not count", of(kInfo),
       pod(container("a", kInfo) + R"(,{"name":"proxy"})"), "kept"},
      {"the rest of the rule's names", of(kInfo), of("[]"), "kept",
       "require: {rankEnv: \"FI_*\", agree: true}"},
      {"must differ", of(kInfo), of(kInfo),
       R"x(broken: spec.master.spec.containers["main"].env["NCCL_DEBUG"].value==INFO)x"
       "\n"
       R"x(: env NCCL_DEBUG is "INFO" in master, must differ)x",
       "deny: {rankEnv: NCCL_DEBUG, agree: true}"},
  };
}

TEST(RankEnv, Agrees) {
  for (const auto& row : rows())
    EXPECT_EQ(Job(row.master, row.worker).judged(row.rule), row.said) << row.what;
}

TEST(Ranks, OnlyTheyAreAsked) {
  const Job job(of(kInfo), of(kInfo));
  for (const std::string_view rule :
       {"deny: {env: NCCL_DEBUG, of: ranks}", "require: {resource: cpu, equals: 8, of: ranks}",
        "require: {image: z, of: ranks}", "require: {privileged: true, of: ranks}"}) {
    EXPECT_EQ(job.ofLauncher(rule), "kept") << rule;
    EXPECT_TRUE(job.judged(rule).starts_with("broken: spec.masters.spec.containers")) << rule;
  }
  EXPECT_TRUE(job.ofLauncher("deny: {env: NCCL_DEBUG}").starts_with("broken: spec.launcher.spec.containers"));
}

TEST(Ranks, OfAPodThatIsNotKnownNothingIs) {
  const PodRequest request("null");
  Facts facts = request.facts();
  facts.podKnown = false;
  for (const std::string_view rule :
       {"deny: {env: A}", "deny: {rankEnv: A, agree: true}", "deny: {resource: cpu}", "deny: {image: x}",
        "deny: {hostPath: /x}", "deny: {capability: ALL}", "deny: {sysctl: unsafe}",
        "deny: {hostNamespace: pid}", "deny: {privileged: true}"}) {
    const auto set = loaded(ruleOf(rule, "{resources: [pods/exec]}"));
    const auto judgement = evaluate(set->policies()[0].rules[0], facts);
    ASSERT_EQ(judgement.broken, Truth::kUnknown) << rule;
    ASSERT_EQ(judgement.evidence.size(), 1U) << rule;
    EXPECT_NE(judgement.evidence[0].sentence.find("not known"), std::string::npos)
        << judgement.evidence[0].sentence;
  }
}

}  // namespace
}  // namespace driftbar::policy
