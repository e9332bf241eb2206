#include "kube/node.h"

#include <gtest/gtest.h>

#include <string>

namespace driftbar::kube {
namespace {

JsonDocument json(std::string_view text) {
  auto document = JsonDocument::parse(text);
  EXPECT_TRUE(document.ok()) << text;
  return std::move(document).value();
}

constexpr char kNode[] = R"({
  "apiVersion": "v1", "kind": "Node",
  "metadata": {"name": "gpu-07", "uid": "u-1", "resourceVersion": "42", "creationTimestamp": "2026-01-01T00:00:00Z",
    "labels": {"pool": "h100", "kubernetes.io/hostname": "gpu-07"}, "annotations": {"note": "say \"hi\"\u001b"},
    "managedFields": [{"manager": "kubelet"}], "ownerReferences": []},
  "spec": {"taints": [{"key": "dedicated", "value": "infra", "effect": "NoSchedule"}, {"key": "x", "effect": "NoExecute"}],
    "unschedulable": true, "providerID": "p://1", "podCIDR": "10.0.0.0/24"},
  "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ok",
      "lastTransitionTime": "2026-01-01T00:00:01Z", "lastHeartbeatTime": "2026-01-01T00:00:02Z"}],
    "capacity": {"cpu": "128"}, "allocatable": {"nvidia.com/gpu": "8", "cpu": "127500m", "pods": 110},
    "nodeInfo": {"kernelVersion": "6.1.0"}, "addresses": [{"type": "InternalIP", "address": "10.0.0.7"}],
    "images": [{"names": ["a"]}], "volumesInUse": [], "daemonEndpoints": {}}})";

TEST(Node, KeepsWhatRulesMayRead) {
  const auto node = Node::parse(json(kNode).root());
  ASSERT_TRUE(node.ok()) << render(node.errors());
  const Node& n = **node;
  EXPECT_EQ(n.name(), "gpu-07");
  EXPECT_EQ(n.uid(), "u-1");
  EXPECT_EQ(n.labels().find("pool"), "h100");
  EXPECT_EQ(n.annotations().find("note"), "say \"hi\"\x1b");
  ASSERT_EQ(n.taints().size(), 2U);
  EXPECT_EQ(n.taints()[0].value, "infra");
  EXPECT_EQ(n.taints()[1].value, "");
  EXPECT_TRUE(n.unschedulable());
  ASSERT_NE(n.condition("Ready"), nullptr);
  EXPECT_EQ(n.condition("Ready")->status, "True");
  EXPECT_EQ(toString(n.condition("Ready")->lastTransition.value()), "2026-01-01T00:00:01Z");
  EXPECT_EQ(n.condition("GPUHealthy"), nullptr);
  ASSERT_EQ(n.allocatable().size(), 3U);
  EXPECT_EQ(n.allocatable()[0].name, "cpu");
  EXPECT_EQ(n.allocatable()[0].amount, Quantity::parse("127.5"));
  EXPECT_EQ(n.allocatable()[2].amount, Quantity::of(110));
  EXPECT_EQ(n.object()["status"]["nodeInfo"]["kernelVersion"].text(), "6.1.0");
  EXPECT_EQ(n.object()["spec"]["providerID"].text(), "p://1");
}

TEST(Node, LeavesTheRestOut) {
  const auto node = Node::parse(json(kNode).root());
  ASSERT_TRUE(node.ok());
  const Json object = (*node)->object();
  EXPECT_FALSE(object["metadata"]["managedFields"].exists());
  EXPECT_FALSE(object["spec"]["podCIDR"].exists());
  EXPECT_FALSE(object["status"]["images"].exists());
}

TEST(Node, OutlivesTheObjectItWasReadFrom) {
  std::shared_ptr<const Node> node;
  {
    const auto doc = json(kNode);
    node = Node::parse(doc.root()).value();
  }
  EXPECT_EQ(node->labels().find("kubernetes.io/hostname"), "gpu-07");
  EXPECT_EQ(node->taints()[0].key, "dedicated");
}

TEST(Node, IsReadFromANameAlone) {
  const auto node = Node::parse(json(R"({"metadata":{"name":"a"}})").root());
  ASSERT_TRUE(node.ok());
  EXPECT_TRUE((*node)->labels().empty());
  EXPECT_TRUE((*node)->allocatable().empty());
  EXPECT_FALSE((*node)->unschedulable());
}

TEST(Node, DropsAnAnnotationThatIsTooLong) {
  const std::string most(kMaxAnnotationBytes, 'x');
  const auto node = Node::parse(json(R"({"metadata":{"name":"a","annotations":{"long":")" + most + "x" +
                                     R"(","most":")" + most + "\"}}}")
                                    .root());
  ASSERT_TRUE(node.ok());
  EXPECT_FALSE((*node)->annotations().has("long"));
  EXPECT_TRUE((*node)->annotations().has("most"));
  EXPECT_EQ((*node)->droppedAnnotations(), 1U);
}

TEST(Node, ShowsAllThatIsWrong) {
  const auto node = Node::parse(json(R"({"kind": "Pod", "apiVersion": "v1",
    "metadata": {"labels": {"gpu": true}, "annotations": {"n": 1}},
    "status": {"capacity": {"cpu": "8x"}, "allocatable": {"nvidia.com/gpu": ""}}})")
                                    .root());
  ASSERT_FALSE(node.ok());
  EXPECT_EQ(render(node.errors()),
            "error: not a Node of v1, but kind \"Pod\" of \"v1\" [not-a-node]\n"
            "metadata.name: error: the node has no name [no-name]\n"
            "metadata.labels.gpu: error: the value of \"gpu\" must be text, and is true [not-text]\n"
            "  help: put it in quotes: \"true\"\n"
            "metadata.annotations.n: error: the value of \"n\" must be text, and is 1 [not-text]\n"
            "  help: put it in quotes: \"1\"\n"
            "status.capacity.cpu: error: \"8x\" is not a quantity [bad-quantity]\n"
            "  help: quantities look like 8, 500m or 64Gi\n"
            "status.allocatable[\"nvidia.com/gpu\"]: error: \"\" is not a quantity [bad-quantity]\n"
            "  help: quantities look like 8, 500m or 64Gi\n");
  EXPECT_EQ(render(Node::parse(json("[]").root()).errors()), "error: a node must be a map [not-a-map]\n");
}

struct KeepsRow {
  const char* path;
  bool kept;
};

TEST(Node, SaysWhichPathsItKeeps) {
  const KeepsRow rows[] = {{"metadata.labels[\"example.com/pool\"]", true},
                           {"metadata.name", true},
                           {"spec.taints[*].key", true},
                           {"spec[\"unschedulable\"]", true},
                           {"status.conditions[\"Ready\"].status", true},
                           {"status.nodeInfo.kernelVersion", true},
                           {"status.allocatable", true},
                           {"status", false},
                           {"status[*]", false},
                           {"status.images[0].names", false},
                           {"metadata.managedFields", false},
                           {"spec.podCIDR", false},
                           {"kind.metadata", false}};
  for (const auto& row : rows) {
    const auto path = FieldPath::parse(row.path);
    ASSERT_TRUE(path.ok()) << row.path;
    EXPECT_EQ(Node::keeps(*path), row.kept) << row.path;
  }
  EXPECT_FALSE(Node::keeps(FieldPath()));
}

TEST(Node, RefusesWhatOnlyAFileWrittenByHandHas) {
  const auto node = Node::parse(json(R"({"metadata":{"name":"a"},
      "spec":{"unschedulable":"true","taints":[{"key":"x","effect":"Noschedule"}]},
      "status":{"conditions":[{"type":"XIDErrors","status":true}]}})")
                                    .root());
  ASSERT_FALSE(node.ok());
  EXPECT_EQ(render(node.errors()),
            "status.conditions[0].status: error: must be text, this is true [not-text]\n"
            "  help: write it in quotes: \"true\"\n"
            "spec.unschedulable: error: must be true or false, this is \"true\" [not-a-boolean]\n"
            "spec.taints[0].effect: error: \"Noschedule\" is not an effect of a taint [bad-effect]\n"
            "  help: it is NoSchedule, PreferNoSchedule or NoExecute\n");
}

// ---- facts

std::shared_ptr<const Node> reporting(std::string_view annotation) {
  const auto made = Node::parse(
      json(R"({"metadata":{"name":"n","annotations":{"driftbar.io/facts":)" + std::string(annotation) + "}}}")
          .root());
  EXPECT_TRUE(made.ok()) << render(made.errors());
  return *made;
}

TEST(NodeFacts, AreReadFromTheAgentsAnnotation) {
  const auto node = reporting(
      R"("{\"at\": \"2026-12-01T10:00:00Z\", \"sysctl:net.core.rmem_max\": \"212992\", \"nic.mtu\": 9000, \"os.swap\": true, \"gone\": null, \"empty\": \"\"}")");
  EXPECT_TRUE(node->factsKnown());
  EXPECT_EQ(node->fact("sysctl:net.core.rmem_max"), "212992");
  EXPECT_EQ(node->fact("nic.mtu"), "9000");
  EXPECT_EQ(node->fact("os.swap"), "true");
  EXPECT_EQ(node->fact("empty"), "");
  EXPECT_EQ(node->fact("gone"), std::nullopt);
  EXPECT_EQ(node->fact("gpu.driver"), std::nullopt);
  ASSERT_EQ(node->facts().size(), 5U);
  EXPECT_EQ(node->facts().front().name, "at");
}

TEST(NodeFacts, OfAnAnnotationThatIsNotToBeReadAreNotKnown) {
  for (const auto wrong : {R"("")", R"("{")", R"("[]")", R"("text")", R"("{\"a\": {}}")", R"("{\"a\": [1]}")",
                           R"("{\"a\": 1, \"a\": 2}")"}) {
    EXPECT_FALSE(reporting(wrong)->factsKnown()) << wrong;
    EXPECT_TRUE(reporting(wrong)->facts().empty()) << wrong;
  }
  const auto without = Node::parse(json(kNode).root());
  EXPECT_FALSE((*without)->factsKnown());
  EXPECT_TRUE(reporting(R"("{}")")->factsKnown());
}

}  // namespace
}  // namespace driftbar::kube
