#include "inventory/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace driftbar::inventory {
namespace {

Result<FileInventory> read(const std::string& text) {
  const std::vector<Source> sources{makeSource("inv.yaml", text)};
  return readInventory(sources);
}

std::string errorsOf(const std::string& text) {
  const auto inventory = read(text);
  return inventory ? "no error" : render(inventory.errors());
}

std::vector<std::string> nodesOf(const FileInventory& inventory) {
  std::vector<std::string> out;
  for (const auto& node : inventory.snapshot->nodes()) out.emplace_back(node->name());
  return out;
}

TEST(InventoryFile, ReadsDocumentsListsAndListsInLists) {
  const auto inventory = read(
      "apiVersion: v1\nkind: Node\nmetadata: {name: alone}\n"
      "---\n"
      "apiVersion: v1\nkind: List\nitems:\n"
      "- {apiVersion: v1, kind: Node, metadata: {name: listed}, somethingNew: {a: 1}}\n"
      "- {apiVersion: v1, kind: Namespace, metadata: {name: ml, labels: {team: x}}}\n"
      "- {apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Node, metadata: {name: deeper}}]}\n"
      "---\n"
      "# as the API server answers: the items do not say what they are\n"
      "apiVersion: v1\nkind: NodeList\nmetadata: {resourceVersion: '12'}\nitems:\n"
      "- metadata: {name: served}\n");
  ASSERT_TRUE(inventory.ok()) << render(inventory.errors());
  EXPECT_THAT(nodesOf(*inventory), testing::ElementsAre("alone", "deeper", "listed", "served"));
  EXPECT_EQ(inventory->snapshot->ns("ml")->labels().find("team"), "x");
  EXPECT_THAT(inventory->nameless, testing::IsEmpty());
  EXPECT_THAT(inventory->warnings, testing::IsEmpty());
}

TEST(InventoryFile, ReadsJsonAsKubectlPrintsIt) {
  const auto inventory = read(
      R"({"apiVersion": "v1", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},)"
      R"( "status": {"allocatable": {"cpu": "64", "nvidia.com/gpu": 8}}}], "kind": "List", "metadata": {"resourceVersion": ""}})");
  ASSERT_TRUE(inventory.ok()) << render(inventory.errors());
  EXPECT_THAT(nodesOf(*inventory), testing::ElementsAre("a"));
  EXPECT_EQ(inventory->snapshot->node("a")->allocatable().size(), 2u);
}

TEST(InventoryFile, KeepsOtherObjectsForLookUps) {
  const auto inventory = read(
      "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"
      "---\napiVersion: v1\nkind: PodList\nitems: [{metadata: {name: p, namespace: ml, labels: {app: x}}}]\n"
      "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: p, namespace: ml}\n"
      "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {suspend: true}\n"
      "---\napiVersion: example.com/v1\nkind: Node\nmetadata: {name: a}\n");
  ASSERT_TRUE(inventory.ok()) << render(inventory.errors());
  EXPECT_THAT(inventory->warnings, testing::IsEmpty());
  const auto& snapshot = *inventory->snapshot;
  EXPECT_EQ(snapshot.objectCount(), 4u);
  EXPECT_EQ(snapshot.object("", "Pod", "ml", "p")->object()["metadata"]["labels"]["app"].text(), "x");
  EXPECT_EQ(snapshot.object("", "Pod", "other", "p"), nullptr);
  EXPECT_EQ(snapshot.object("apps", "Pod", "ml", "p"), nullptr) << "of another group";
  EXPECT_NE(snapshot.object("apps", "ReplicaSet", "ml", "p"), nullptr);
  EXPECT_TRUE(snapshot.object("batch", "Job", "default", "j")->object()["spec"]["suspend"].isTrue());
  EXPECT_NE(snapshot.object("batch", "Job", "", "j"), nullptr) << "the namespace `default` need not be said";
  EXPECT_NE(snapshot.object("example.com", "Node", "", "a"), nullptr) << "somebody else's Node";
  EXPECT_THAT(nodesOf(*inventory), testing::ElementsAre("a"));
}

TEST(InventoryFile, CountsWhatHasNoNameAndLeavesItOut) {
  const auto inventory = read(
      "apiVersion: v1\nkind: Pod\nmetadata: {generateName: p-}\n"
      "---\napiVersion: v1\nkind: PodList\nitems: [{metadata: {}}, {metadata: {name: }}]\n"
      "---\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
      "---\napiVersion: v1\nkind: Node\nmetadata: {name: a}\n");
  ASSERT_TRUE(inventory.ok()) << render(inventory.errors());
  EXPECT_THAT(inventory->nameless,
              testing::ElementsAre(testing::Pair("Kustomization", 1), testing::Pair("Pod", 3)));
  EXPECT_EQ(inventory->snapshot->objectCount(), 0u);
}

TEST(InventoryFile, TwoOthersOfOneNameAreAnError) {
  EXPECT_EQ(errorsOf("apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: w, namespace: ml}\n"
                     "---\napiVersion: apps/v1beta1\nkind: ReplicaSet\nmetadata: {name: w, namespace: ml}\n"),
            "inv.yaml:7:18: error: the ReplicaSet `ml/w` is here twice [duplicate-object]\n"
            "  7 | metadata: {name: w, namespace: ml}\n"
            "    |                  ^\n"
            "  help: the first is at inv.yaml:3:18: remove one of them\n");
  EXPECT_EQ(errorsOf("apiVersion: v1\nkind: Pod\nmetadata: {name: 12}\n"),
            "inv.yaml:3:18: error: the name of an object must be text [bad-name]\n"
            "  3 | metadata: {name: 12}\n"
            "    |                  ^^\n"
            "  help: put it in quotes\n");
}

TEST(InventoryFile, WithoutAnyNodeIsAWarning) {
  const auto inventory = read("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n");
  ASSERT_TRUE(inventory.ok());
  EXPECT_EQ(
      render(inventory->warnings),
      "inv.yaml: warning: an inventory without any node; it holds 1 of kind Pod [no-nodes]\n"
      "  help: rules about nodes see no node with it; `kubectl get nodes,namespaces -o yaml` prints one\n");
  EXPECT_FALSE(read("")->warnings.empty());
  EXPECT_FALSE(readInventory({})->warnings.empty());
}

TEST(InventoryFile, GathersEveryErrorWithItsPlace) {
  EXPECT_EQ(errorsOf("apiVersion: v1\n"
                     "kind: List\n"
                     "items:\n"
                     "- apiVersion: v1\n"
                     "  kind: Node\n"
                     "  metadata:\n"
                     "    name: a\n"
                     "    labels:\n"
                     "      gpu: true\n"
                     "- apiVersion: v1\n"
                     "  kind: Node\n"
                     "  metadata:\n"
                     "    name: b\n"
                     "  status:\n"
                     "    allocatable:\n"
                     "      cpu: 64 cores\n"
                     "- apiVersion: v1\n"
                     "  kind: Node\n"
                     "  metadata:\n"
                     "    labels: {}\n"
                     "- apiVersion: v1\n"
                     "  metadata: {name: c}\n"
                     "- just text\n"
                     "- {apiVersion: v1, kind: Node, metadata: {name: no}}\n"),
            "inv.yaml:9:12: error: the value of \"gpu\" must be text, and is true [not-text]\n"
            "  9 |       gpu: true\n"
            "    |            ^^^^\n"
            "  help: put it in quotes: \"true\"\n"
            "inv.yaml:16:12: error: \"64 cores\" is not a quantity [bad-quantity]\n"
            "  16 |       cpu: 64 cores\n"
            "     |            ^^^^^^^^\n"
            "  help: quantities look like 8, 500m or 64Gi\n"
            "inv.yaml:20:5: error: the node has no name [no-name]\n"
            "  20 |     labels: {}\n"
            "     |     ^\n"
            "inv.yaml:21:3: error: an object without `kind` [missing-kind]\n"
            "  21 | - apiVersion: v1\n"
            "     |   ^\n"
            "  help: name what it is: `kind: Node` or `kind: Namespace`\n"
            "inv.yaml:23:3: error: an object is expected here, not text [not-an-object]\n"
            "  23 | - just text\n"
            "     |   ^^^^^^^^^\n"
            "  help: an inventory holds objects with `kind` and `metadata`, or lists of them\n"
            "inv.yaml:24:49: error: the name of an object must be text [bad-name]\n"
            "  24 | - {apiVersion: v1, kind: Node, metadata: {name: no}}\n"
            "     |                                                 ^^\n"
            "  help: put it in quotes\n");
}

TEST(InventoryFile, TwoOfOneNameAreAnError) {
  const std::vector<Source> sources{
      makeSource("a.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: gpu-1}\n"),
      makeSource("b.yaml", "apiVersion: v1\nkind: Node\nmetadata:\n  name: gpu-1\n")};
  const auto inventory = readInventory(sources);
  ASSERT_FALSE(inventory.ok());
  EXPECT_EQ(render(inventory.errors()),
            "b.yaml:4:9: error: the Node `gpu-1` is here twice [duplicate-object]\n"
            "  4 |   name: gpu-1\n"
            "    |         ^^^^^\n"
            "  help: the first is at a.yaml:3:18: remove one of them\n");
}

TEST(InventoryFile, ObjectsOfAnotherTextComeAfterTheSources) {
  const std::vector<Source> sources{
      makeSource("a.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: gpu-1}\n")};
  const auto documents = yaml::parse(makeSource(
      "test.yaml",
      "[{apiVersion: v1, kind: Node, metadata: {name: gpu-2}}, {apiVersion: v1, kind: Node, metadata: {name: "
      "gpu-1}}]\n"));
  ASSERT_TRUE(documents);
  const auto& objects = documents->front().items;
  const auto one = readInventory(sources, {objects.data(), 1});
  ASSERT_TRUE(one) << render(one.errors());
  EXPECT_EQ(one->snapshot->nodes().size(), 2U);
  const auto both = readInventory(sources, objects);
  ASSERT_FALSE(both);
  EXPECT_EQ(summary(both.errors().front()), "test.yaml:1:103: the Node `gpu-1` is here twice");
}

TEST(InventoryFile, WhatYamlRefusesIsRefused) {
  EXPECT_EQ(errorsOf("kind: Node\nkind: Node\n"),
            "inv.yaml:2:1: error: the key `kind` is there twice, first on line 1 [duplicate-key]\n"
            "  2 | kind: Node\n"
            "    | ^^^^\n"
            "  help: keep one of them\n");
  EXPECT_EQ(errorsOf("apiVersion: v1\nkind: List\nitems: {a: 1}\n"),
            "inv.yaml:3:8: error: `items` is a list of objects, not a map [not-a-list]\n"
            "  3 | items: {a: 1}\n"
            "    |        ^\n");
}

}  // namespace
}  // namespace driftbar::inventory
