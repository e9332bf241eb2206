#include "kube/environment.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace driftbar::kube {
namespace {

// `NAME=value at place`, a `?` for a value that cannot be told; then what else may be set.
std::string shown(const Environment& environment) {
  std::string out;
  for (const auto& setting : environment.settings()) {
    out += out.empty() ? "" : " | ";
    out += std::string(setting.name) + (setting.value ? "=" + std::string(*setting.value) : "?") + " @" +
           setting.place();
  }
  if (environment.fromElsewhere()) out += " +elsewhere";
  if (environment.unread()) out += " +unread";
  return out;
}

std::string read(std::string_view container) {
  const auto document = JsonDocument::parse(container);
  EXPECT_TRUE(document.ok()) << container;
  return shown(Environment::of(document->root()));
}

struct Row {
  const char* name;
  const char* text;
  const char* wanted;
};

std::string nameOf(const testing::TestParamInfo<Row>& row) {
  return row.param.name;
}

// ---- Whole containers ----

constexpr Row kContainers[] = {
    {"Nothing", R"j({})j", ""},
    {"NothingOfTheRightType", R"j({"env":{"A":"b"},"command":"sh","args":[1,null],"envFrom":"x"})j", ""},
    {"AValue", R"j({"env":[{"name":"NCCL_DEBUG","value":"INFO"}]})j",
     "NCCL_DEBUG=INFO @env[\"NCCL_DEBUG\"].value"},
    {"NoValueIsTheEmptyText", R"j({"env":[{"name":"A"}]})j", "A= @env[\"A\"].value"},
    {"TheLastOfOneNameCounts",
     R"j({"env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"A","value":"3"}]})j",
     "A=3 @env[\"A\"].value | B=2 @env[\"B\"].value"},
    {"FromASecretItIsThereAndUnknown",
     R"j({"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}]})j",
     "A? @env[\"A\"].value"},
    {"AReferenceIsUnknown", R"j({"env":[{"name":"A","value":"x$(B)y"}]})j", "A? @env[\"A\"].value"},
    {"AnEscapedReferenceIsItsText", R"j({"env":[{"name":"A","value":"x$$(B)$$"}]})j",
     "A=x$(B)$ @env[\"A\"].value"},
    {"ADollarAloneIsOne", R"j({"env":[{"name":"A","value":"$x$(y$"}]})j", "A=$x$(y$ @env[\"A\"].value"},
    {"EnvFromMayBringAny",
     R"j({"envFrom":[{"configMapRef":{"name":"c"}}],"env":[{"name":"A","value":"1"}]})j",
     "A=1 @env[\"A\"].value +elsewhere"},
    {"AnExportReplacesEnv",
     R"j({"env":[{"name":"A","value":"1"}],"command":["bash","-c","export A=2; train"]})j",
     "A=2 @command[2]"},
    {"TheScriptMayBeInArgs", R"j({"command":["/bin/bash","-c"],"args":["export A=2"]})j", "A=2 @args[0]"},
    {"AnEntrypointMayBeAShell", R"j({"args":["-c","export A=2"]})j", "A=2 @args[1]"},
    {"OptionsOfAShell", R"j({"command":["bash","-euxo","pipefail","-c","export A=2"]})j", "A=2 @command[4]"},
    {"AScriptOfItsOwnIsNotRead", R"j({"command":["bash","--rcfile","x","run.sh","-c","export A=2"]})j", ""},
    {"LaunchersOptions",
     R"j({"command":["mpirun","-np","2","-x","NCCL_DEBUG=INFO","-x","PATH","-genv","I_MPI_DEBUG","5","-env","B=6","python","a.py"]})j",
     "B=6 @command[11] | I_MPI_DEBUG=5 @command[9] | NCCL_DEBUG=INFO @command[4] | PATH? @command[6]"},
    {"AListPassesOn", R"j({"env":[{"name":"A","value":"1"}],"args":["mpiexec","-genvlist","A,B","prog"]})j",
     "A=1 @env[\"A\"].value | B? @args[2]"},
    {"Slurm", R"j({"args":["srun","--export=ALL,A=1,B","prog"]})j", "A=1 @args[1] | B? @args[1]"},
    {"PassingOnKeepsTheValue", R"j({"env":[{"name":"A","value":"1"}],"command":["mpirun","-x","A","prog"]})j",
     "A=1 @env[\"A\"].value"},
    {"PassingItselfOnKeepsTheValue",
     R"j({"env":[{"name":"A","value":"1"}],"command":["mpirun","-x","A=$(A)","prog"]})j", "A=1 @command[2]"},
    {"TheEnvProgram", R"j({"command":["/usr/bin/env","-u","C","A=1","B=$(X)","python","C=3"]})j",
     "A=1 @command[3] | B=$(X) @command[4]"},
    {"TheOnlyProgramsEnvCounts",
     R"j({"env":[{"name":"A","value":"0"}],"command":["timeout","9","env","A=1","python"]})j",
     "A=1 @command[3]"},
    {"WhatTheKubeletPutsIn",
     R"j({"env":[{"name":"S","value":"export A=1; prog"}],"command":["bash","-c","$(S)"]})j",
     "A=1 @command[2] | S=export A=1; prog @env[\"S\"].value"},
    {"WhatTheKubeletPutsInFromASecret",
     R"j({"env":[{"name":"S","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],"command":["bash","-c","$(S)"]})j",
     "S? @env[\"S\"].value +unread"},
    {"WhatTheKubeletPutsInOfThePod",
     R"j({"env":[{"name":"R","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],"command":["bash","-c","export A=1; prog $(R)"]})j",
     "A=1 @command[2] | R? @env[\"R\"].value"},
    {"WhatNamesNoVariableIsTheShells", R"j({"command":["bash","-c","export A=$(date); prog $(X)"]})j",
     "A? @command[2]"},
    {"SplitByEnv", R"j({"command":["env","-S","A=1 prog"],"args":["env","--split-string=B=2 prog"]})j",
     "A=1 @command[2] | B=2 @args[1]"},
    {"SplitByEnvBeforeTheProgram", R"j({"command":["env","-S","A=1","prog"]})j", "A=1 @command[2]"},
    {"SudoReadsAPassword", R"j({"command":["sudo","-S","bash","-c","export A=1; prog"]})j",
     "A=1 @command[4]"},
    {"Sudo", R"j({"command":["sudo","-u","x","A=1","prog"]})j", "A=1 @command[3]"},
    {"OptionsOfOtherProgramsAreTheirs", R"j({"command":["tar","-x","A=1"]})j", ""},
    {"ADollarInAnExecutedListIsOne", R"j({"command":["env","A=$HOME","x"]})j", "A=$HOME @command[1]"},
    {"ALauncherOfAShell", R"j({"command":["mpirun","-x","A=1","bash","-c","export B=2; prog"]})j",
     "A=1 @command[2] | B=2 @command[5]"},
};

class Containers : public testing::TestWithParam<Row> {};
TEST_P(Containers, Set) {
  EXPECT_EQ(read(GetParam().text), GetParam().wanted);
}
INSTANTIATE_TEST_SUITE_P(Environment, Containers, testing::ValuesIn(kContainers), nameOf);

// ---- Scripts; where one speaks of NCCL_DEBUG, the container's env has it as WARN ----

constexpr Row kScripts[] = {
    {"Exported", "export A=1", "A=1"},
    {"ExportedByTheLongWay", "command export A=1; builtin export B=2; prog", "A=1 | B=2"},
    {"ExportedTwice", "export A=1\nexport A=2\n", "A=2"},
    {"SeveralAtOnce", "export A=1 B=2 C", "A=1 | B=2 | C?"},
    {"OnlyInTheShell", "A=1; prog", ""},
    {"ExportedLater", "A=1; export A; prog", "A=1"},
    {"AssignedWhatProgramsSeeAlready", "NCCL_DEBUG=INFO; prog", "NCCL_DEBUG=INFO"},
    {"AllExported", "set -a\nA=1\n", "A=1"},
    {"AllExportedByName", "set -o allexport; A=1", "A=1"},
    {"Declared", "declare -x A=1; declare B=2", "A=1"},
    {"BeforeACommand", "A=1 B=2 prog C=3", "A=1 | B=2"},
    {"BeforeTheOnlyProgram", "cd /x && NCCL_DEBUG=INFO prog", "NCCL_DEBUG=INFO"},
    {"BeforeOneOfSeveral", "NCCL_DEBUG=INFO probe; prog", "NCCL_DEBUG=WARN | NCCL_DEBUG=INFO"},
    {"Unset", "export A=1; unset A NCCL_DEBUG", ""},
    {"UnsetPerhaps", "if x; then unset NCCL_DEBUG; fi", "NCCL_DEBUG=WARN"},
    {"SingleQuotes", "export A='a b;c' B=''", "A=a b;c | B="},
    {"DoubleQuotes", R"(export A="a \"b\" \x \\" "B=2")", R"(A=a "b" \x \ | B=2)"},
    {"QuotesWithinAWord", "export A=a'b'\"c\"d", "A=abcd"},
    {"Escapes", R"(export A=a\ b\$c)", "A=a b$c"},
    {"Continuation", "export A=1 \\\n  B=2 \\\n\nexport C=a\\\nb", "A=1 | B=2 | C=ab"},
    {"Comments", "# export A=1\nexport B=2 # export C=3\nexport D=a#b", "B=2 | D=a#b"},
    {"CarriageReturns", "export A=1\r\nexport B=2\r\n", "A=1 | B=2"},
    {"Dollar", "export A=$X B=${X:-1} C=$(date) D=`date` E=\"x$Y\" F=~/x G=$'a'",
     "A? | B? | C? | D? | E? | F? | G?"},
    {"DollarInSingleQuotes", "export A='$X' B='$(X)' C='$$'", "A=$X | B? | C=$"},
    {"Substitutions", "export A=$(echo ';' \"$(echo ')')\" '(' ) B=2; export C=${X:-'}'}D E=5",
     "A? | B=2 | C? | E=5"},
    {"ApostropheInBraces", "echo \"${X:-don't}\"; export A=1", "A=1"},
    {"Arithmetic", "(( X = 1 ; Y ))\nexport A=1", "A=1"},
    {"Itself", "export NCCL_DEBUG=\"${NCCL_DEBUG}\" A=$A", "A? | NCCL_DEBUG=WARN"},
    {"Appended", "export A+=x", "A?"},
    {"AndThen", "cd /x && export A=1 && prog", "A=1"},
    {"AndPerhaps", "[ -n \"$X\" ] && export NCCL_DEBUG=INFO", "NCCL_DEBUG=WARN | NCCL_DEBUG=INFO"},
    {"OrElse", "probe || export NCCL_DEBUG=INFO; export A=1", "A=1 | NCCL_DEBUG=WARN | NCCL_DEBUG=INFO"},
    {"InABranch",
     "if [[ $X -eq 0 ]]; then\n export NCCL_DEBUG=INFO;\nelse\n export NCCL_DEBUG=TRACE\nfi\nexport A=1",
     "A=1 | NCCL_DEBUG=WARN | NCCL_DEBUG=INFO | NCCL_DEBUG=TRACE"},
    {"InALoop", "for i in $(seq 1 2); do export NCCL_DEBUG=INFO; done; export A=1",
     "A=1 | NCCL_DEBUG=WARN | NCCL_DEBUG=INFO"},
    {"InACase", "case $X in\n a|b) export NCCL_DEBUG=INFO;;\n *) ;;\nesac\nexport A=1",
     "A=1 | NCCL_DEBUG=WARN | NCCL_DEBUG=INFO"},
    {"InASubshell", "(export NCCL_DEBUG=INFO; prog); export A=1", "A=1 | NCCL_DEBUG=WARN | NCCL_DEBUG=INFO"},
    {"InAFunction", "f() { export NCCL_DEBUG=INFO; }\nfunction g {\nexport NCCL_DEBUG=TRACE\n}\nexport A=1",
     "A=1 | NCCL_DEBUG=WARN | NCCL_DEBUG=INFO | NCCL_DEBUG=TRACE"},
    {"InAScriptWithin", "bash -c 'export NCCL_DEBUG=INFO; probe'; prog", "NCCL_DEBUG=WARN | NCCL_DEBUG=INFO"},
    {"QuotedTwice", R"(bash -c "export A=\"x y\"; bash -c 'export B=\"z\"'")", "A=x y | B=z"},
    {"Launched", "mpirun -np ${NP} -x A=1 -x B=\"$B\" -x C=\"$X\" \\\n  --env D=4 prog -b 8",
     "A=1 | B? | C? | D=4"},
    {"LaunchedWithItself", "mpirun -x NCCL_DEBUG=\"${NCCL_DEBUG}\" prog", "NCCL_DEBUG=WARN"},
    {"LaunchedInACondition", "until mpirun -x A=1 probe; do sleep 5; done", "A=1"},
    {"LaunchedWithNobodyKnowsWhat", "mpirun -x $VARS prog", " +unread"},
    {"Wrapped", "exec nohup numactl --cpunodebind=0 env A=1 prog > log 2>&1 &", "A=1"},
    {"Piped", "export A=1 | tee log; prog |& env B=2 tee", "A=1 | B=2"},
    {"Redirections", "export A=1>log B=2 2>&1 C=3 </dev/null &>all D=4 >|x E=5 <<<text F=6",
     "A=1 | B=2 | C=3 | D=4 | E=5 | F=6"},
    {"ProcessSubstitution", "diff <(export A=1) >(x); export B=2", "B=2"},
    {"Echoed", "echo export A=1; echo env B=2", ""},
    {"Sourced", "source /etc/profile.d/nccl.sh; export A=1", "A=1 +unread"},
    {"Evaluated", "eval $X", " +unread"},
    {"ExportedFromAFile", "export $(cat .env)", " +unread"},
    {"HereDocumentOfData", "cat <<'EOF' > train.py\nexport A=1\nB=2 c\nEOF\nexport C=3", "C=3"},
    {"HereDocumentOfAShell", "bash <<EOF\nexport NCCL_DEBUG=INFO\nEOF\nexport C=3",
     "C=3 | NCCL_DEBUG=WARN | NCCL_DEBUG=INFO"},
    {"HereDocumentIntoAScript", "cat >/scripts/all.sh <<EOF\nA=1 NCCL_LIB_DIR=\"${X}\" run\nEOF\nsleep inf",
     "A=1 | NCCL_LIB_DIR?"},
    {"HereDocumentWithAnInterpreter", "tee run <<-EOF\n#!/usr/bin/env bash\nexport A=1\n\tEOF\nexport B=2",
     "A=1 | B=2"},
    {"HereDocumentsOfOneLine", "cat <<A; bash <<B\nexport X=1\nA\nexport Y=2\nB\n", "Y=2"},
    {"HereDocumentWithoutAnEnd", "bash <<EOF\nexport A=1\n", "A=1"},
    {"Unfinished", "export A=1; export B=\"x", "A=1 | B=x"},
    {"UnfinishedSubstitution", "export A=1 B=$(x", "A=1 | B?"},
    {"NoNames", "export 1=2 a-b=3 =4 'x y'=5; 9X=1 prog", ""},
};

class Scripts : public testing::TestWithParam<Row> {};

TEST_P(Scripts, Set) {
  nlohmann::json container{{"command", {"bash", "-c", GetParam().text}}};
  if (std::string_view(GetParam().text).find("NCCL_DEBUG") != std::string_view::npos)
    container["env"] = {{{"name", "NCCL_DEBUG"}, {"value", "WARN"}}};
  std::string set = read(container.dump());
  for (const std::string_view place : {" @env[\"NCCL_DEBUG\"].value", " @command[2]"}) {
    for (auto at = set.find(place); at != std::string::npos; at = set.find(place))
      set.erase(at, place.size());
  }
  EXPECT_EQ(set, GetParam().wanted);
}

INSTANTIATE_TEST_SUITE_P(Environment, Scripts, testing::ValuesIn(kScripts), nameOf);

TEST(Environment, LeavesScriptsUnreadThatAreNestedTooDeep) {
  std::string script = "export A=1";
  for (int i = 0; i < kNestedScripts; ++i)
    script = "bash <<E" + std::to_string(i) + "\n" + script + "\nE" + std::to_string(i);
  const nlohmann::json container{{"command", {"sh", "-c", script}}};
  EXPECT_EQ(read(container.dump()), " +unread");
}

// Else a pod of one megabyte would become gigabytes.
TEST(Environment, PutsInNoMoreThanAnyoneWrites) {
  const auto of = [](std::size_t size, int times) {
    std::string script;
    for (int i = 0; i < times; ++i) script += "$(S)";
    return read(nlohmann::json{{"env", {{{"name", "S"}, {"value", std::string(size, 'x')}}}},
                               {"command", {"bash", "-c", "export A=1; " + script}}}
                    .dump())
        .substr(0, 15);
  };
  EXPECT_EQ(of(1, 1000), "A=1 @command[2]");
  EXPECT_EQ(of(500000, 1000), "A=1 @command[2]");  // as it is written
}

TEST(Environment, FindsAllSettingsOfAName) {
  const auto document = JsonDocument::parse(
      R"({"env":[{"name":"B","value":"1"}],"command":["sh","-c","x || export B=2; export A=3"]})");
  const auto environment = Environment::of(document->root());
  EXPECT_EQ(environment.of("B").size(), 2U);
  EXPECT_EQ(environment.of("A").size(), 1U);
  EXPECT_EQ(environment.of("C").size(), 0U);
}

TEST(Environment, StaysWhereItIsMoved) {
  const auto document = JsonDocument::parse(R"({"command":["sh","-c","export A='a b'"]})");
  auto first = Environment::of(document->root());
  const auto second = std::move(first);
  EXPECT_EQ(second.of("A")[0].value, "a b");
}

// ---- Names ----

TEST(VariableNames, ThoseOfCommunicationMayBeShown) {
  for (const auto name :
       {"NCCL_DEBUG", "NCCL_IB_PKEY", "FI_PROVIDER", "UCX_TLS", "TORCH_NCCL_BLOCKING_WAIT", "RCCL_X",
        "OMPI_MCA_btl", "GLOO_SOCKET_IFNAME", "MASTER_ADDR", "WORLD_SIZE", "HCCL_IF_IP"})
    EXPECT_TRUE(mayBeShown(name)) << name;
}

TEST(VariableNames, NoOtherAndNoSecretIsShown) {
  for (const auto name :
       {"", "HF_TOKEN", "NCCL", "MY_NCCL_DEBUG", "nccl_debug", "NCCL_AUTH_TOKEN", "NCCL_KEY",
        "FI_PSM3_UUID_KEY", "UCX_SECRET", "OMPI_MCA_db_password", "NCCL_Api_Key", "NCCL_TOKENS",
        "AWS_SECRET_ACCESS_KEY", "PATH", "MASTER_ADDRESS", "NCCL_PASSWORD2"})
    EXPECT_FALSE(mayBeShown(name)) << name;
}

TEST(VariableNames, SomeMayDifferByHost) {
  for (const auto name : {"NCCL_SOCKET_IFNAME", "NCCL_HOSTID", "NCCL_DEBUG_FILE", "RANK"})
    EXPECT_TRUE(mayDifferByHost(name)) << name;
  for (const auto name : {"NCCL_IB_HCA", "NCCL_ALGO", "MASTER_ADDR", "", "NCCL_DEBUG"})
    EXPECT_FALSE(mayDifferByHost(name)) << name;
}

}  // namespace
}  // namespace driftbar::kube
