// The program around the commands: help, wrong words, exit codes.
#include <set>

#include "cli/version.h"
#include "fixture.h"

namespace driftbar::cli {
namespace {

const char* const kHelp =
    R"(driftbar keeps AI training off Kubernetes nodes that are no longer what they were declared to be.

usage: driftbar COMMAND [flags] [arguments]

commands
  demo              the main job on this machine, no cluster
  explain           where an object's pods could land, node by node, and what became of each rule
  explain-language  what a word of the policy language means
  lint              loads policies and prints every error and warning
  review            what the gate would answer to objects or recorded reviews
  schema            the JSON Schema of policies and the other documents, for editors
  serve             the webhook
  test              runs the PolicyTests beside policies

`driftbar COMMAND --help` shows the flags of one and an example that runs.
`driftbar --version` says which version this is, with --verbose also of what it is built with.
exit codes: 0 good, 1 a finding (refused, a failed case, what lint finds),
2 wrong usage or what cannot be read or loaded, 3 the cluster could not be reached
)";

TEST(Program, Help) {
  for (const char* word : {"--help", "-h", "help"}) {
    const auto ran = run({word});
    EXPECT_EQ(ran.code, kGood);
    EXPECT_EQ(ran.out, kHelp);
    EXPECT_EQ(ran.err, "");
  }
}

TEST(Program, NothingAsked) {
  const auto ran = run({});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, kHelp);
}

TEST(Program, Version) {
  EXPECT_EQ(run({"--version"}).out, version());
  const auto verbose = run({"--version", "--verbose"});
  EXPECT_EQ(verbose.code, kGood);
  EXPECT_TRUE(verbose.out.starts_with(version()));
  for (const char* library : {"OpenSSL", "Boost", "cpp-httplib", "simdjson", "nlohmann/json", "CLI11"})
    EXPECT_NE(verbose.out.find(library), std::string::npos) << library;
}

TEST(Program, HelpOfACommand) {
  const auto ran = run({"lint", "--help"});
  EXPECT_EQ(ran.code, kGood);
  EXPECT_EQ(ran.out, R"(lint: loads policies and prints every error and warning

usage: driftbar lint [flags] PATH...

arguments
  PATH  files, folders of YAML, or - for standard input

flags
  -h, --help                this text
      --warnings-as-errors  exit 1 on a warning too
  -o, --output FORM         text, json or yaml (default: text)

example
  driftbar lint policies/training-nodes/policy.yaml
)");
  EXPECT_EQ(run({"help", "lint"}).out, ran.out);
  EXPECT_EQ(run({"lint", "-h"}).out, ran.out);
}

struct WrongCall {
  const char* name;
  std::vector<std::string> arguments;
  const char* told;
};

void PrintTo(const WrongCall& call, std::ostream* out) {
  *out << call.name;
}

class Wrong : public testing::TestWithParam<WrongCall> {};

TEST_P(Wrong, IsToldWithTheNearestRightWord) {
  std::istringstream in;
  std::ostringstream out, err;
  Terminal terminal{in, out, err};
  const std::vector<std::string_view> arguments(GetParam().arguments.begin(), GetParam().arguments.end());
  EXPECT_EQ(runProgram(arguments, terminal), kUsage);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(), GetParam().told);
}

const WrongCall kWrongCalls[] = {
    {"Command", {"revew"}, "driftbar: there is no command \"revew\"; did you mean `review`?\n"},
    {"CommandInCapitals", {"LINT"}, "driftbar: there is no command \"LINT\"; did you mean `lint`?\n"},
    {"CommandThatIsNearNone",
     {"frobnicate"},
     "driftbar: there is no command \"frobnicate\"; `driftbar --help` lists them\n"},
    {"CommandWithTerminalCodes",
     {"\x1b[31m"},
     "driftbar: there is no command \"\\x1b[31m\"; `driftbar --help` lists them\n"},
    {"FlagOfTheProgram",
     {"--versoin"},
     "driftbar: there is no flag \"--versoin\"; did you mean `--version`?\n"},
    {"HelpOfNoCommand", {"help", "lnt"}, "driftbar: there is no command \"lnt\"; did you mean `lint`?\n"},
    {"Flag",
     {"lint", "a.yaml", "--warning-as-errors"},
     "driftbar lint: there is no flag \"--warning-as-errors\"; did you mean `--warnings-as-errors`?\n"
     "`driftbar lint --help` lists the flags\n"},
    {"FlagWithItsValue",
     {"lint", "a.yaml", "--ouput=json"},
     "driftbar lint: there is no flag \"--ouput=json\"; did you mean `--output`?\n"
     "`driftbar lint --help` lists the flags\n"},
    {"FlagThatIsNearNone",
     {"demo", "--frobnicate"},
     "driftbar demo: there is no flag \"--frobnicate\"\n`driftbar demo --help` lists the flags\n"},
    {"ShortFlag",
     {"demo", "-x"},
     "driftbar demo: there is no flag \"-x\"\n`driftbar demo --help` lists the flags\n"},
    // That --policies is missing follows from it, so it is not what is told.
    {"MistypedRequiredFlag",
     {"review", "--polices", "a", "-f", "b"},
     "driftbar review: there is no flag \"--polices\"; did you mean `--policies`?\n"
     "`driftbar review --help` lists the flags\n"},
    {"MissingFlag",
     {"serve"},
     "driftbar serve: `--policies` is missing\n`driftbar serve --help` lists the flags\n"},
    {"MissingFlags",
     {"review"},
     "driftbar review: `--policies` and `--filename` are missing\n`driftbar review --help` lists the "
     "flags\n"},
    {"MissingArgument",
     {"lint"},
     "driftbar lint: `PATH` is missing\n`driftbar lint --help` lists the flags\n"},
    {"FlagWithoutItsValue",
     {"review", "-f", "a", "-p"},
     "driftbar review: `--policies` needs a value, PATH\n`driftbar review --help` lists the flags\n"},
    {"FlagInPlaceOfAValue",
     {"serve", "--listen", "--policies", "a"},
     "driftbar serve: `--listen` needs a value, ADDRESS:PORT\n`driftbar serve --help` lists the flags\n"},
    {"FlagGivenTwice",
     {"serve", "-p", "a", "--policies", "b"},
     "driftbar serve: `--policies` is given more than once\n`driftbar serve --help` lists the flags\n"},
    {"ArgumentTooMany",
     {"demo", "now"},
     "driftbar demo: unexpected argument \"now\"\n`driftbar demo --help` lists the flags\n"},
    {"FormOfOutput",
     {"lint", "a.yaml", "-o", "yml"},
     "driftbar lint: --output: \"yml\" is none of `text`, `json` and `yaml`; did you mean `yaml`?\n"
     "`driftbar lint --help` lists the flags\n"},
    // CLI11's own check would have taken 1 for JSON.
    {"FormOfOutputByNumber",
     {"lint", "a.yaml", "-o", "1"},
     "driftbar lint: --output: \"1\" is none of `text`, `json` and `yaml`\n"
     "`driftbar lint --help` lists the flags\n"},
    {"Operation",
     {"review", "-p", "a", "-f", "b", "--operation", "craete"},
     "driftbar review: --operation: \"craete\" is none of `create`, `update`, `delete` and `connect`; did "
     "you mean "
     "`create`?\n`driftbar review --help` lists the flags\n"},
};

INSTANTIATE_TEST_SUITE_P(Calls, Wrong, testing::ValuesIn(kWrongCalls),
                         [](const auto& row) { return row.param.name; });

// ---- what is true of every row of the table of commands

TEST(Commands, EachHasALineAndAnExampleOfItsOwn) {
  std::set<std::string_view> names;
  for (const auto& command : commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.does.empty());
    EXPECT_TRUE(command.example.starts_with("driftbar " + std::string(command.name))) << command.example;
  }
}

TEST(Commands, EachFlagIsExplained) {
  for (const auto& command : commands()) {
    const auto ran = run({std::string(command.name), "--help"});
    EXPECT_EQ(ran.code, kGood);
    const auto flags = ran.out.substr(ran.out.find("\nflags\n") + 7);
    std::istringstream lines(flags.substr(0, flags.find("\n\n")));
    for (std::string line; std::getline(lines, line);) {
      const auto gap = line.find("  ", line.find("--"));
      EXPECT_TRUE(gap != std::string::npos && line.size() > gap + 8) << command.name << ": " << line;
      EXPECT_EQ(line.find("TEXT"), std::string::npos) << "a value without a name: " << line;
    }
  }
}

// ---- lint

TEST(Lint, GoodPolicies) {
  const Folder folder;
  folder.write("a.yaml", policyText("one"));
  // Of other requests: two policies that say the same of the same get a warning.
  folder.write("b.yaml", policyText("two") + "  match: {namespaces: [ml]}\n");
  const auto ran = run({"lint", folder.path()});
  EXPECT_EQ(ran.code, kGood);
  EXPECT_EQ(ran.out, "2 policies with 6 rules in 2 files: no errors\n");
  EXPECT_EQ(ran.err, "");
}

TEST(Lint, AnExemptionThatHasEndedIsAWarning) {
  const auto ran = run({"lint", "-"}, policyText("teams") + R"(---
apiVersion: driftbar.io/v1alpha1
kind: Exemption
metadata: {name: long-ago}
spec: {reason: a trial, expires: 2020-02-29, rules: [teams/*], match: {namespaces: [ml]}}
)");
  EXPECT_EQ(ran.code, kGood);
  EXPECT_NE(ran.out.find("the exemption ended at 2020-03-01T00:00:00Z and lifts nothing [expired]"),
            std::string::npos)
      << ran.out;
}

TEST(Lint, StandardInput) {
  const auto ran = run({"lint", "-"}, policyText());
  EXPECT_EQ(ran.code, kGood);
  EXPECT_EQ(ran.out, "1 policy with 3 rules in 1 file: no errors\n");
}

TEST(Lint, AnErrorIsAFinding) {
  const auto ran = run({"lint", "-"}, policyText("one") + "  moed: warn\n");
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out, R"(standard input:16:3: error: unknown key `moed` in the `spec` of a Policy [unknown-key]
  16 |   moed: warn
     |   ^^^^
  help: did you mean `mode`?
1 error, 0 warnings in 1 file
)");
}

TEST(Lint, ErrorsForPrograms) {
  const auto ran = run({"lint", "-", "-o", "json"}, policyText("one") + "  moed: warn\n");
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_EQ(ran.out, R"([
  {
    "file": "standard input",
    "line": 16,
    "column": 3,
    "severity": "error",
    "id": "unknown-key",
    "message": "unknown key `moed` in the `spec` of a Policy",
    "help": "did you mean `mode`?"
  }
]
)");
  const auto good = run({"lint", "-", "-o", "yaml"}, policyText());
  EXPECT_EQ(good.code, kGood);
  EXPECT_EQ(good.out, "[]\n");
}

TEST(Lint, WarningsAreErrorsWhereOneWantsThem) {
  const std::string text = policyText() + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
  EXPECT_EQ(run({"lint", "-"}, text).code, kGood);
  EXPECT_EQ(run({"lint", "-", "--warnings-as-errors"}, text).code, kFinding);
}

TEST(Lint, WhatCannotBeReadIsWrongUsage) {
  const Folder folder;
  folder.write("a.yaml", policyText());
  const auto ran = run({"lint", folder / "a.yaml", folder / "b.yaml", folder / "c"});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(folder.masked(ran.err),
            "error: cannot read `DIR/b.yaml`: No such file or directory [unreadable]\n"
            "error: cannot read `DIR/c`: No such file or directory [unreadable]\n");
}

// ---- serve, as far as it goes without serving

TEST(Serve, EverythingThatIsWrongWithItsFlags) {
  const auto ran = run({"serve", "-p", "none", "--listen", "here", "--ops-listen", ":99999", "--drain",
                        "soon", "--max-staleness", "1", "--inventory", "none.yaml", "--kubeconfig", "none"});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, R"(error: `--max-staleness 1` is not a duration [duration]
  help: write it as in 150s or 2m30s
error: `--drain soon` is not a duration [duration]
  help: write it as in 150s or 2m30s
error: `here` is not an address and a port [bad-endpoint]
  help: write it as `0.0.0.0:8443`, `[::1]:8443` or `:8443`
error: `:99999` is not an address and a port [bad-endpoint]
  help: write it as `0.0.0.0:8443`, `[::1]:8443` or `:8443`
error: give either --tls-cert and --tls-key, or --self-signed DIR [certificate]
  help: --self-signed makes a certificate in DIR and serves with it
error: --inventory and --kubeconfig exclude each other [inventory]
  help: --inventory is a fixed one, --kubeconfig watches a cluster
error: cannot read `none.yaml`: No such file or directory [unreadable]
)");
}

TEST(Serve, PoliciesThatDoNotLoad) {
  const Folder folder;
  folder.write("nodes.yaml", fileText(inSource("docs/examples/nodes.yaml")));
  folder.write("p/a.yaml", "nonsense\n");
  const auto ran = run({"serve", "-p", folder / "p", "--self-signed", folder / "certs", "--inventory",
                        folder / "nodes.yaml", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(folder.masked(ran.err),
            R"(DIR/p/a.yaml:1:1: error: a document is a map of keys, and this is text [wrong-type]
  1 | nonsense
    | ^^^^^^^^
  help: begin it with `apiVersion: driftbar.io/v1alpha1` and `kind: Policy`
)");
}

}  // namespace
}  // namespace driftbar::cli
