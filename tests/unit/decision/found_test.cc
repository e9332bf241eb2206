// What breaks a rule only together is told as such: nobody is sent to mend what need not be mended.
#include "unit/decision/fixture.h"

namespace driftbar::decision {
namespace {

using testing::Asked;
using testing::policyOf;
using testing::told;
using testing::worldOf;

struct Row {
  const char* name;
  const char* rule;  // below `name: r`, indented by six
  const char* spec;  // of a pod
  const char* text;
};

constexpr Row kRows[] = {
    {"TwoThatBreakItTogether", "deny: [{field: pod.spec.nodeName, exists: true}, {hostNamespace: pid}]",
     "{nodeName: gpu-07, hostPID: true}",
     R"(p/r: Pod "bert-0": spec.nodeName is "gpu-07" while the host's pid namespace is shared (hostPID)
  either spec.nodeName must not be there
  or the host's pid namespace must not be shared)"},
    {"SeveralOnOneSide",
     "deny: [{field: pod.spec.nodeName, exists: true}, {any: [{hostNamespace: [pid, ipc]}, {hostPath: /}]}]",
     "{nodeName: gpu-07, hostPID: true, hostIPC: true, volumes: [{name: root, hostPath: {path: /}}]}",
     R"(p/r: Pod "bert-0": spec.nodeName is "gpu-07" while the host's pid namespace is shared (hostPID) (and 2 more)
  either spec.nodeName must not be there
  or the host's pid namespace must not be shared
  and the host's ipc namespace is shared (hostIPC), must not be shared
  and hostPath of volume root is "/", must not be "/")"},
    {"EachOfWhichBreaksIt", "deny: {any: [{hostNamespace: pid}, {hostNamespace: ipc}]}",
     "{hostPID: true, hostIPC: true}",
     R"(p/r: Pod "bert-0": the host's pid namespace is shared (hostPID), must not be shared (and 1 more)
  the host's ipc namespace is shared (hostIPC), must not be shared)"},
    {"AnyOfWhichWouldKeepIt", "require: {any: [{label: team}, {label: owner}]}", "{}",
     R"(p/r: Pod "bert-0": label team is missing while label owner is missing
  either label team must be there
  or label owner must be there)"},
    {"AllOfWhichAreRequired", "require: [{label: team}, {label: owner}]", "{}",
     R"(p/r: Pod "bert-0": label team is missing, must be there (and 1 more)
  label owner is missing, must be there)"},
    {"NotAllOfThem", "require: {not: [{hostNamespace: pid}, {hostNamespace: ipc}]}",
     "{hostPID: true, hostIPC: true}",
     R"(p/r: Pod "bert-0": the host's pid namespace is shared (hostPID) while the host's ipc namespace is shared (hostIPC)
  either the host's pid namespace must not be shared
  or the host's ipc namespace must not be shared)"},
    {"InTwoElements",
     "deny: {some: pod.spec.tolerations, where: [{field: operator, equals: Exists}, {field: key, in: ['']}]}",
     "{tolerations: [{operator: Exists}, {operator: Exists, effect: NoExecute}]}",
     R"(p/r: Pod "bert-0": spec.tolerations[0].operator is "Exists" while spec.tolerations[0].key is "" (not written) (and 2 more)
  either spec.tolerations[0].operator must not be "Exists"
  or spec.tolerations[0].key must not be ""
  either spec.tolerations[1].operator is "Exists", must not be "Exists"
  or spec.tolerations[1].key is "" (not written), must not be "")"},
    {"NestedInOneThatIsToldAlone",
     "deny: {any: [{hostPath: /}, [{hostNamespace: pid}, {hostNamespace: ipc}]]}",
     "{hostPID: true, hostIPC: true, volumes: [{name: root, hostPath: {path: /}}]}",
     R"(p/r: Pod "bert-0": hostPath of volume root is "/", must not be "/" (and 2 more)
  either the host's pid namespace is shared (hostPID), must not be shared
  or the host's ipc namespace is shared (hostIPC), must not be shared)"},
    {"InWarnings", "mode: warn\n      deny: [{hostNamespace: pid}, {hostNamespace: ipc}]\n      fix: ask",
     "{hostPID: true, hostIPC: true}",
     R"(warning: p/r: Pod "bert-0": the host's pid namespace is shared (hostPID) while the host's ipc namespace is shared (hostIPC): the host's pid namespace must not be shared (or mend 1 more); fix: ask)"},
    {"InWordsOfTheRule",
     "deny: [{hostNamespace: [pid, ipc]}, {hostPath: /}]\n      message: '{pod} shares {value}'",
     "{hostPID: true, hostIPC: true, volumes: [{name: root, hostPath: {path: /}}]}",
     R"(p/r: Pod "bert-0" shares pid (and 1 more)
  either the host's pid namespace is shared (hostPID), must not be shared
  and the host's ipc namespace is shared (hostIPC), must not be shared
  or hostPath of volume root is "/", must not be "/")"},
};

class Found : public ::testing::TestWithParam<Row> {};

TEST_P(Found, IsToldAsItHangsTogether) {
  const auto world =
      worldOf(policyOf(std::string("  match: {resources: [pods]}\n  rules:\n    - name: r\n      ") +
                       GetParam().rule + "\n"),
              testing::kNodes);
  Asked pod{"", "Pod", "pods", std::string("{metadata: {name: bert-0}, spec: ") + GetParam().spec + "}"};
  EXPECT_EQ(told(pod, world), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(Together, Found, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace driftbar::decision
