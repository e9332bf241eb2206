// What is read out of files of objects, and the whole text of what is wrong with them.
#include "cli/objects.h"

#include "fixture.h"

namespace driftbar::cli {
namespace {

Result<std::vector<Object>> read(const std::string& text) {
  return readObjects({makeSource("pod.yaml", text)});
}

struct Mistake {
  const char* name;
  const char* text;
  const char* told;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

class Mistaken : public testing::TestWithParam<Mistake> {};

TEST_P(Mistaken, IsToldWithItsPlace) {
  const auto objects = read(GetParam().text);
  ASSERT_FALSE(objects);
  EXPECT_EQ(render(objects.errors()), GetParam().told);
}

const Mistake kMistakes[] = {
    {"AText", "hello\n", R"(pod.yaml:1:1: error: expected a Kubernetes object, found text [not-an-object]
  1 | hello
    | ^^^^^
)"},
    {"AListWithoutItsObject", "- kind: Pod\n",
     R"(pod.yaml:1:1: error: expected a Kubernetes object, found a list [not-an-object]
  1 | - kind: Pod
    | ^
)"},
    {"NoKind", "apiVersion: v1\nmetadata: {name: a}\n",
     R"(pod.yaml:1:1: error: the object has no `kind` [missing-field]
  1 | apiVersion: v1
    | ^
)"},
    {"NoApiVersionAndNoMetadata", "kind: Job\n",
     R"(pod.yaml:1:1: error: the object has no `apiVersion` [missing-field]
  1 | kind: Job
    | ^
pod.yaml:1:1: error: the object has no `metadata` [missing-field]
  1 | kind: Job
    | ^
)"},
    {"ApiVersionIsANumber", "apiVersion: 1\nkind: Job\nmetadata: {name: a}\n",
     R"(pod.yaml:1:13: error: `apiVersion` must be text, this is a number [not-text]
  1 | apiVersion: 1
    |             ^
  help: write it in quotes: "1"
)"},
    {"ValuesOfAnotherType",
     "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  hostNetwork: \"yes\"\n  hostPID: \"true\"\n"
     "  priority: \"7\"\n  dnsConfig: []\n  containers: [{name: a, env: [{name: A, value: 3}]}]\n",
     R"(pod.yaml:5:16: error: `hostNetwork` is a boolean, and this is text [wrong-type]
  5 |   hostNetwork: "yes"
    |                ^^^^^
pod.yaml:6:12: error: `hostPID` is a boolean, and this is text [wrong-type]
  6 |   hostPID: "true"
    |            ^^^^^^
  help: take the quotes off: `true`
pod.yaml:7:13: error: `priority` is a whole number, and this is text [wrong-type]
  7 |   priority: "7"
    |             ^^^
  help: take the quotes off: `7`
pod.yaml:8:14: error: `dnsConfig` is a map, and this is a list [wrong-type]
  8 |   dnsConfig: []
    |              ^
pod.yaml:9:49: error: `value` is text, and this is a number [wrong-type]
  9 |   containers: [{name: a, env: [{name: A, value: 3}]}]
    |                                                 ^
  help: write it in quotes: "3"
)"},
    {"NoName", "apiVersion: v1\nkind: Job\nmetadata: {namespace: ml}\n",
     R"(pod.yaml:3:11: error: the object has neither a `name` nor a `generateName` [missing-field]
  3 | metadata: {namespace: ml}
    |           ^
)"},
    {"NameIsANumber", "apiVersion: v1\nkind: Job\nmetadata: {name: 007}\n",
     R"(pod.yaml:3:18: error: `name` must be text, this is a number [not-text]
  3 | metadata: {name: 007}
    |                  ^^^
  help: write it in quotes: "007"
)"},
    {"NamespaceIsAMap", "apiVersion: v1\nkind: Job\nmetadata: {name: a, namespace: {}}\n",
     R"(pod.yaml:3:32: error: `namespace` must be text, this is a map [not-text]
  3 | metadata: {name: a, namespace: {}}
    |                                ^
)"},
    {"LabelsAreAList", "apiVersion: v1\nkind: Job\nmetadata:\n  name: a\n  labels: [a]\n",
     R"(pod.yaml:5:11: error: `labels` must be a map of texts [wrong-type]
  5 |   labels: [a]
    |           ^
)"},
    {"ALabelIsABoolean", "apiVersion: v1\nkind: Job\nmetadata:\n  name: a\n  labels: {gpu: yes}\n",
     R"(pod.yaml:5:17: error: the value of `gpu` in labels must be text, this is true or false [not-text]
  5 |   labels: {gpu: yes}
    |                 ^^^
  help: write it in quotes: "yes"
)"},
    {"AnAnnotationIsAList", "apiVersion: v1\nkind: Job\nmetadata:\n  name: a\n  annotations: {a: []}\n",
     R"(pod.yaml:5:20: error: the value of `a` in annotations must be text, this is a list [not-text]
  5 |   annotations: {a: []}
    |                    ^
)"},
    {"APodWithoutASpec", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
     R"(pod.yaml:1:1: error: the pod has no `spec.containers` [missing-field]
  1 | apiVersion: v1
    | ^
)"},
    {"APodWithoutContainers", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n",
     R"(pod.yaml:4:7: error: the pod has no `spec.containers` [missing-field]
  4 | spec: {containers: []}
    |       ^
)"},
    {"AContainerWithoutAName",
     "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{image: a}]}\n",
     R"(pod.yaml:4:21: error: the container has no `name` [missing-field]
  4 | spec: {containers: [{image: a}]}
    |                     ^
)"},
    {"AContainerWhoseNameIsANumber",
     "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: 1}]}\n",
     R"(pod.yaml:4:28: error: `name` must be text, this is a number [not-text]
  4 | spec: {containers: [{name: 1}]}
    |                            ^
  help: write it in quotes: "1"
)"},
    {"ItemsThatAreAMap", "apiVersion: v1\nkind: List\nitems: {a: b}\n",
     R"(pod.yaml:3:8: error: `items` must be a list, this is a map [wrong-type]
  3 | items: {a: b}
    |        ^
)"},
    {"EveryMistakeOfEveryObject",
     "apiVersion: v1\nkind: List\nitems:\n  - kind: Job\n    metadata: {name: a}\n  - apiVersion: v1\n"
     "    metadata: {name: b}\n---\ntext\n",
     R"(pod.yaml:4:5: error: the object has no `apiVersion` [missing-field]
  4 |   - kind: Job
    |     ^
pod.yaml:6:5: error: the object has no `kind` [missing-field]
  6 |   - apiVersion: v1
    |     ^
pod.yaml:9:1: error: expected a Kubernetes object, found text [not-an-object]
  9 | text
    | ^^^^
)"},
    {"TerminalCodesInAKey", "apiVersion: v1\nkind: Job\nmetadata: {name: a, labels: {\"\\e[31m\": 1}}\n",
     R"(pod.yaml:3:40: error: the value of `\x1b[31m` in labels must be text, this is a number [not-text]
  3 | metadata: {name: a, labels: {"\e[31m": 1}}
    |                                        ^
  help: write it in quotes: "1"
)"},
};

INSTANTIATE_TEST_SUITE_P(Objects, Mistaken, testing::ValuesIn(kMistakes),
                         [](const auto& row) { return row.param.name; });

std::string listed(const std::vector<Object>& objects) {
  std::string out;
  for (const auto& object : objects)
    out += object.apiVersion + " " + object.kind + " " + object.ns + "/" + object.name + "\n";
  return out;
}

TEST(Objects, DocumentsListsAndListsInListsInTheirOrder) {
  const auto objects = read(R"(apiVersion: v1
kind: Pod
metadata: {name: one, namespace: ml}
spec: {containers: [{name: main}]}
---
---
apiVersion: v1
kind: List
items:
  - {apiVersion: apps/v1, kind: Deployment, metadata: {name: two, namespace: null}}
  - apiVersion: v1
    kind: NodeList
    items: [{apiVersion: v1, kind: Node, metadata: {name: three}}]
---
{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"generateName": "four-"}}
)");
  ASSERT_TRUE(objects) << render(objects.errors());
  EXPECT_EQ(listed(*objects),
            "v1 Pod ml/one\napps/v1 Deployment /two\nv1 Node /three\nbatch/v1 Job /four-*\n");
}

TEST(Objects, AReviewIsTakenWithoutLookingIntoIt) {
  const auto objects = read("apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest: {}\n");
  ASSERT_TRUE(objects) << render(objects.errors());
  EXPECT_TRUE(objects->front().isReview());
}

TEST(Objects, NoneInAFileOfComments) {
  const auto objects = read("# later\n");
  ASSERT_TRUE(objects) << render(objects.errors());
  EXPECT_TRUE(objects->empty());
}

TEST(Objects, AListWithNothingInItHasNone) {
  const auto objects = read("apiVersion: v1\nkind: PodList\nitems: null\n");
  ASSERT_TRUE(objects) << render(objects.errors());
  EXPECT_TRUE(objects->empty());
}

// A custom kind may well end in List: only what has items is one.
TEST(Objects, AKindThatEndsInListIsAnObject) {
  const auto objects = read("apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: a}\n");
  ASSERT_TRUE(objects) << render(objects.errors());
  EXPECT_EQ(listed(*objects), "example.com/v1 AllowList /a\n");
}

}  // namespace
}  // namespace driftbar::cli
