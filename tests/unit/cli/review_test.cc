// `driftbar review`: its three forms of output, whole, and what it refuses to guess.
#include <nlohmann/json.hpp>

#include "fixture.h"

namespace driftbar::cli {
namespace {

// Four pods that fare differently, and an object that is not judged.
std::string objects() {
  return podText("good", "{cost-center: a}") + "---\n" +
         podText("refused", "{team: nobody, generation: \"1\"}") +
         "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: bert, namespace: ml}\n---\n" +
         podText("warned", "{}") + "---\napiVersion: v1\nkind: Node\nmetadata: {name: gpu-01}\n";
}

Ran review(std::initializer_list<std::string> more, const std::string& input = objects(),
           bool color = false) {
  const Folder folder;
  std::vector<std::string> all{"review", "-p", folder.write("policy.yaml", policyText()), "-f", "-"};
  all.insert(all.end(), more.begin(), more.end());
  std::istringstream in(input);
  std::ostringstream out, err;
  Terminal terminal{in, out, err, color};
  const std::vector<std::string_view> views(all.begin(), all.end());
  const int code = runProgram(views, terminal);
  return {code, out.str(), folder.masked(err.str())};
}

TEST(Review, Text) {
  const auto ran = review({});
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out, R"(ALLOW Pod ml/good
DENY  Pod ml/refused (1 warning)
  teams/owner: Pod "refused": label team is "nobody", must not be "nobody"
    fix: name your team
  warning: teams/cost: Pod "refused": label cost-center is missing, must be there
  audit: teams/old: Pod "refused": label generation is "1", must not be "1"
ALLOW Job ml/bert
ALLOW Pod ml/warned (1 warning)
  warning: teams/cost: Pod "warned": label cost-center is missing, must be there
ALLOW Node gpu-01 (not judged: no rule looks at it)
)");
}

TEST(Review, Colored) {
  EXPECT_EQ(review({}, podText("a", "{cost-center: a}"), true).out, "\x1b[32mALLOW\x1b[0m Pod ml/a\n");
  EXPECT_TRUE(
      review({}, podText("a", "{team: nobody}"), true).out.starts_with("\x1b[31mDENY \x1b[0m Pod ml/a"));
}

TEST(Review, Json) {
  const auto ran = review({"-o", "json"});
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_EQ(ran.out, R"([
  {
    "object": {
      "kind": "Pod",
      "namespace": "ml",
      "name": "good"
    },
    "verdict": "allow",
    "judged": true,
    "asked": [
      "teams/owner",
      "teams/cost",
      "teams/old"
    ],
    "rules": [],
    "warned": [],
    "audited": [],
    "exempted": [],
    "warnings": [],
    "response": {
      "uid": "review",
      "allowed": true
    }
  },
  {
    "object": {
      "kind": "Pod",
      "namespace": "ml",
      "name": "refused"
    },
    "verdict": "deny",
    "judged": true,
    "asked": [
      "teams/owner",
      "teams/cost",
      "teams/old"
    ],
    "rules": [
      "teams/owner"
    ],
    "warned": [
      "teams/cost"
    ],
    "audited": [
      "teams/old"
    ],
    "exempted": [],
    "warnings": [
      "teams/cost: Pod \"refused\": label cost-center is missing, must be there"
    ],
    "response": {
      "uid": "review",
      "allowed": false,
      "status": {
        "code": 403,
        "reason": "Forbidden",
        "message": "teams/owner: Pod \"refused\": label team is \"nobody\", must not be \"nobody\"\n  fix: name your team"
      },
      "warnings": [
        "teams/cost: Pod \"refused\": label cost-center is missing, must be there"
      ],
      "auditAnnotations": {
        "refused": "teams/owner: Pod \"refused\": label team is \"nobody\", must not be \"nobody\"",
        "warned": "teams/cost: Pod \"refused\": label cost-center is missing, must be there",
        "audited": "teams/old: Pod \"refused\": label generation is \"1\", must not be \"1\""
      }
    }
  },
  {
    "object": {
      "kind": "Job",
      "namespace": "ml",
      "name": "bert"
    },
    "verdict": "allow",
    "judged": true,
    "asked": [
      "teams/owner",
      "teams/cost",
      "teams/old"
    ],
    "rules": [],
    "warned": [],
    "audited": [],
    "exempted": [],
    "warnings": [],
    "response": {
      "uid": "review",
      "allowed": true
    }
  },
  {
    "object": {
      "kind": "Pod",
      "namespace": "ml",
      "name": "warned"
    },
    "verdict": "allow",
    "judged": true,
    "asked": [
      "teams/owner",
      "teams/cost",
      "teams/old"
    ],
    "rules": [],
    "warned": [
      "teams/cost"
    ],
    "audited": [],
    "exempted": [],
    "warnings": [
      "teams/cost: Pod \"warned\": label cost-center is missing, must be there"
    ],
    "response": {
      "uid": "review",
      "allowed": true,
      "warnings": [
        "teams/cost: Pod \"warned\": label cost-center is missing, must be there"
      ],
      "auditAnnotations": {
        "warned": "teams/cost: Pod \"warned\": label cost-center is missing, must be there"
      }
    }
  },
  {
    "object": {
      "kind": "Node",
      "namespace": "",
      "name": "gpu-01"
    },
    "verdict": "allow",
    "judged": true,
    "asked": [],
    "rules": [],
    "warned": [],
    "audited": [],
    "exempted": [],
    "warnings": [],
    "response": {
      "uid": "review",
      "allowed": true
    }
  }
]
)");
}

TEST(Review, Yaml) {
  const auto ran = review({"-o", "yaml"});
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_EQ(ran.out, R"(- object:
    kind: Pod
    namespace: ml
    name: good
  verdict: allow
  judged: true
  asked:
  - teams/owner
  - teams/cost
  - teams/old
  rules: []
  warned: []
  audited: []
  exempted: []
  warnings: []
  response:
    uid: review
    allowed: true
- object:
    kind: Pod
    namespace: ml
    name: refused
  verdict: deny
  judged: true
  asked:
  - teams/owner
  - teams/cost
  - teams/old
  rules:
  - teams/owner
  warned:
  - teams/cost
  audited:
  - teams/old
  exempted: []
  warnings:
  - "teams/cost: Pod \"refused\": label cost-center is missing, must be there"
  response:
    uid: review
    allowed: false
    status:
      code: 403
      reason: Forbidden
      message: |-
        teams/owner: Pod "refused": label team is "nobody", must not be "nobody"
          fix: name your team
    warnings:
    - "teams/cost: Pod \"refused\": label cost-center is missing, must be there"
    auditAnnotations:
      refused: "teams/owner: Pod \"refused\": label team is \"nobody\", must not be \"nobody\""
      warned: "teams/cost: Pod \"refused\": label cost-center is missing, must be there"
      audited: "teams/old: Pod \"refused\": label generation is \"1\", must not be \"1\""
- object:
    kind: Job
    namespace: ml
    name: bert
  verdict: allow
  judged: true
  asked:
  - teams/owner
  - teams/cost
  - teams/old
  rules: []
  warned: []
  audited: []
  exempted: []
  warnings: []
  response:
    uid: review
    allowed: true
- object:
    kind: Pod
    namespace: ml
    name: warned
  verdict: allow
  judged: true
  asked:
  - teams/owner
  - teams/cost
  - teams/old
  rules: []
  warned:
  - teams/cost
  audited: []
  exempted: []
  warnings:
  - "teams/cost: Pod \"warned\": label cost-center is missing, must be there"
  response:
    uid: review
    allowed: true
    warnings:
    - "teams/cost: Pod \"warned\": label cost-center is missing, must be there"
    auditAnnotations:
      warned: "teams/cost: Pod \"warned\": label cost-center is missing, must be there"
- object:
    kind: Node
    namespace: ""
    name: gpu-01
  verdict: allow
  judged: true
  asked: []
  rules: []
  warned: []
  audited: []
  exempted: []
  warnings: []
  response:
    uid: review
    allowed: true
)");
}

TEST(Review, ExitCodes) {
  EXPECT_EQ(review({}, podText("a", "{cost-center: a}")).code, kGood);
  EXPECT_EQ(review({}, podText("a", "{}")).code, kGood);  // a warning
  EXPECT_EQ(review({"--warnings-as-errors"}, podText("a", "{}")).code, kFinding);
  EXPECT_EQ(review({}, podText("a", "{team: nobody}")).code, kFinding);
  EXPECT_EQ(review({}, "nonsense\n").code, kUsage);
}

// What can be answered is, and the rest is told: 2 comes before 1.
TEST(Review, OneReviewOfTwoIsNone) {
  const auto ran =
      review({}, podText("a", "{team: nobody}") +
                     "---\napiVersion: admission.k8s.io/v1beta1\nkind: AdmissionReview\nrequest: {}\n");
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_TRUE(ran.out.starts_with("DENY  Pod ml/a (1 warning)\n")) << ran.out;
  EXPECT_EQ(
      ran.err,
      R"(standard input:10:1: error: an AdmissionReview of v1beta1, and only v1 is understood [review-version]
  10 | apiVersion: admission.k8s.io/v1beta1
     | ^
  help: write `admissionReviewVersions: [v1]` in the webhook configuration
)");
}

TEST(Review, ARecordedReview) {
  const auto ran = review({"-o", "json"}, fileText(inSource("tests/data/reviews/pod-create-pinned.json")));
  EXPECT_EQ(ran.err, "");
  const auto list = nlohmann::json::parse(ran.out);
  EXPECT_EQ(list[0]["object"].dump(), R"({"kind":"Pod","name":"pinned","namespace":"ml"})");
  EXPECT_EQ(list[0]["verdict"], "allow");
}

TEST(Review, AnUpdateAnswersForWhatItBringsIn) {
  const Folder folder;
  const auto old = folder.write("old.yaml", podText("a", "{team: nobody, cost-center: a}"));
  EXPECT_EQ(review({"--old", old}, podText("a", "{team: nobody, cost-center: a, more: b}")).code, kGood);
  const auto clean = folder.write("clean.yaml", podText("a", "{cost-center: a}"));
  EXPECT_EQ(review({"--old", clean}, podText("a", "{team: nobody, cost-center: a}")).code, kFinding);
}

// Where a file leaves the namespace to the flag or to the default, it is the same namespace.
TEST(Review, AnOldObjectIsFoundByTheNamespaceThatItIsIn) {
  const Folder folder;
  const auto old = folder.write("old.yaml", podText("a", "{}"));
  std::string bare = podText("a", "{}");
  bare.erase(bare.find("  namespace: ml\n"), 16);
  EXPECT_EQ(review({"--old", old, "--namespace", "ml"}, bare).err, "");
}

TEST(Review, AnOldObjectOfNone) {
  const Folder folder;
  const auto old = folder.write("old.yaml", podText("b", "{}"));
  const auto ran = review({"--old", old}, podText("a", "{}"));
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(
      folder.masked(ran.err),
      "DIR/old.yaml:1:1: error: none of the objects given with `-f` has this one's kind, namespace and name "
      "[no-pair]\n  1 | apiVersion: v1\n    | ^\n");
}

TEST(Review, NoObjects) {
  const auto ran = review({}, "# later\n");
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.err, "error: there are no objects in `-` [no-objects]\n");
}

TEST(Review, StandardInputTwice) {
  const auto ran = run({"review", "-p", "-", "-f", "-"}, policyText());
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.err,
            "error: `-` is given more than once [standard-input]\n"
            "  help: standard input can be read once; use files for the rest\n");
}

TEST(Review, ATimeThatIsNone) {
  EXPECT_EQ(review({"--now", "yesterday"}).err,
            "error: `--now yesterday` is not a time [time]\n  help: write it as in 2026-12-01T10:00:00Z\n");
}

TEST(Review, PoliciesThatDoNotLoad) {
  const auto ran = run({"review", "-p", "-", "-f", inSource("docs/examples/pods.yaml")}, "nonsense\n");
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.err, R"(standard input:1:1: error: a document is a map of keys, and this is text [wrong-type]
  1 | nonsense
    | ^^^^^^^^
  help: begin it with `apiVersion: driftbar.io/v1alpha1` and `kind: Policy`
)");
}

TEST(Review, AnInventoryThatDoesNotLoad) {
  const Folder folder;
  const auto ran = review({"--inventory", folder / "none.yaml"});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(folder.masked(ran.err),
            "error: cannot read `DIR/none.yaml`: No such file or directory [unreadable]\n");
}

TEST(Review, WhoAsksCounts) {
  const std::string policy =
      "apiVersion: driftbar.io/v1alpha1\nkind: Policy\nmetadata: {name: p}\nspec:\n  match: {requestedBy: "
      "{groups: "
      "[interns], serviceAccounts: [ml/bot]}}\n  rules: [{name: r, deny: {label: a, exists: false}}]\n";
  const Folder folder;
  const auto pod = folder.write("pod.yaml", podText("a", "{}"));
  EXPECT_EQ(run({"review", "-p", "-", "-f", pod}, policy).code, kGood);
  EXPECT_EQ(run({"review", "-p", "-", "-f", pod, "--as", "eve", "--as-group", "interns"}, policy).code,
            kFinding);
  EXPECT_EQ(run({"review", "-p", "-", "-f", pod, "--as-sa", "ml/bot"}, policy).code, kFinding);
}

// A name that no API server would take, in a file that somebody sent.
TEST(Review, TerminalCodesInANameStayText) {
  const auto pod = podText("\"a\\e[31m\\u202e\"", "{team: nobody}");
  const auto text = review({}, pod);
  EXPECT_EQ(text.out, R"(DENY  Pod ml/a\x1b[31m\u202e (1 warning)
  teams/owner: Pod "a\x1b[31m\u202e": label team is "nobody", must not be "nobody"
    fix: name your team
  warning: teams/cost: Pod "a\x1b[31m\u202e": label cost-center is missing, must be there
)");
  for (const char* form : {"json", "yaml"}) {
    const auto ran = review({"-o", form}, pod);
    EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
    EXPECT_EQ(ran.out.find("\u202e"), std::string::npos);
  }
}

}  // namespace
}  // namespace driftbar::cli
