#include "kube/command_line.h"

#include <gtest/gtest.h>

namespace driftbar::kube {
namespace {

struct Row {
  const char* name;
  std::string_view text, shown;
};

constexpr Row kRows[] = {
    {"Export", "export TOKEN=abc; python train.py", "export TOKEN=(hidden); python train.py"},
    {"MayBeShown", "export NCCL_DEBUG=INFO TOKEN=abc", "export NCCL_DEBUG=INFO TOKEN=(hidden)"},
    {"ForOneCommand", "env A=1 mpirun -x B=2 -x NCCL_IB_HCA=mlx5 -x C train",
     "env A=(hidden) mpirun -x B=(hidden) -x NCCL_IB_HCA=mlx5 -x C train"},
    {"AWordThatIsAnAssignmentIsHiddenWhole", "TOKEN=my secret words", "TOKEN=(hidden)"},
    {"Quoted", R"(export TOKEN="a b" X='c d' Y=e\ f; go)",
     R"(export TOKEN=(hidden) X=(hidden) Y=(hidden); go)"},
    {"QuotedInAScriptInAScript", R"(bash -c "export TOKEN=\"a b\" && go")",
     R"(bash -c "export TOKEN=(hidden) && go")"},
    {"AQuoteThatNothingCloses", R"(export TOKEN="a b; go)", "export TOKEN=(hidden)"},
    {"Appended", "export TOKEN+=abc go", "export TOKEN+=(hidden) go"},
    {"SmallLetters", "token=abc; export token", "token=(hidden)"},
    {"OptionsAreShownWithoutTheirValues", "train --lr=0.1 -Dapi.key=a model.size=3 /a/b=c --x",
     "train --lr=(hidden) -Dapi.key=(hidden) model.size=(hidden) /a/b=c --x"},
    {"AnOptionInQuotes", "bash -c 'login --password=\"a b\" --user x'",
     "bash -c 'login --password=(hidden) --user x'"},
    {"AnOptionThatIsTheWholeWord", "--motd=two words", "--motd=(hidden)"},
    {"TheWordAfterASecretOption", "login --user ann --api-token abc --password --retries 3",
     "login --user ann --api-token (hidden) --password --retries 3"},
    {"AnOptionThatMayBeShown", "train --env=NCCL_DEBUG=INFO", "train --env=NCCL_DEBUG=INFO"},
    {"InBase64", "a --x=c2VjcmV0= --x=c2VjcmU== --token=a=b", "a --x=(hidden) --x=(hidden) --token=(hidden)"},
    {"AComparison", "test a.b==c", "test a.b==c"},
    {"AnOptionThatHoldsAnAssignment", "docker run --env=TOKEN=abc -e B=c",
     "docker run --env=TOKEN=(hidden) -e B=(hidden)"},
    {"Hydra", "mpiexec -genv TOKEN abc -env NCCL_DEBUG INFO -genv",
     "mpiexec -genv TOKEN (hidden) -env NCCL_DEBUG INFO -genv"},
    {"AWholeEnvironment", R"(ray job submit --runtime-env-json='{"env_vars": {"TOKEN": "abc"}}')",
     "(hidden)"},
    {"InAnAddress", "curl https://a/b?key=abc&token=def", "curl https://a/b?key=(hidden)&token=(hidden)"},
    {"AnEmptyValue", "export TOKEN= go", "export TOKEN= go"},
    {"NoAssignment", "python -c 'a == b'", "python -c 'a == b'"},
    {"NotASecondTime", "export TOKEN=(hidden) go", "export TOKEN=(hidden) go"},
    {"WhatAnotherCommandSays", "export TOKEN=$(cat /a b) X=`cat c d` Y=(a b) go",
     "export TOKEN=(hidden) X=(hidden) Y=(hidden) go"},
    {"Nothing", "", ""},
};

class CommandLine : public testing::TestWithParam<Row> {};

TEST_P(CommandLine, ShowsNoValueThatIsNotForPeople) {
  EXPECT_EQ(withoutValues(GetParam().text), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(Texts, CommandLine, testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(CommandLine, AListOfWords) {
  const auto document = JsonDocument::parse(
      R"(["bash","-c","export TOKEN=abc","NCCL_DEBUG=INFO","A=b c",1,"-genv","TOKEN","abc","-genv","NCCL_ALGO","Ring","--token","abc","--token=abc","--token"])");
  EXPECT_EQ(
      withoutValues(document->root()),
      R"x(["bash","-c","export TOKEN=(hidden)","NCCL_DEBUG=INFO","A=(hidden)",1,"-genv","TOKEN","(hidden)","-genv","NCCL_ALGO","Ring","--token","(hidden)","--token=(hidden)","--token"])x");
  EXPECT_EQ(withoutValues(Json()), "[]");
}

}  // namespace
}  // namespace driftbar::kube
