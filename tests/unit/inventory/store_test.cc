#include "inventory/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace driftbar::inventory {
namespace {

Object object(Kind kind, const std::string& text) {
  const auto document = JsonDocument::parse(text);
  return *parseObject(kind, document->root());
}

Object node(const std::string& name, const std::string& version, const std::string& pool = "a") {
  return object(Kind::kNode, R"({"kind":"Node","apiVersion":"v1","metadata":{"name":")" + name +
                                 R"(","uid":"u-)" + name + R"(","resourceVersion":")" + version +
                                 R"(","labels":{"pool":")" + pool + R"("}}})");
}

Object ns(const std::string& name) {
  return object(Kind::kNamespace, R"({"metadata":{"name":")" + name + R"("}})");
}

std::vector<std::string> names(const Snapshot& snapshot) {
  std::vector<std::string> out;
  for (const auto& one : snapshot.nodes()) out.emplace_back(one->name());
  return out;
}

std::string poolOf(const Snapshot& snapshot, std::string_view name) {
  const kube::Node* found = snapshot.node(name);
  return found == nullptr ? "no node" : std::string(found->labels().find("pool").value_or("no label"));
}

TEST(Store, AddsChangesAndRemovesByKind) {
  Store store;
  store.put(node("b", "1"));
  store.put(node("a", "2"));
  store.put(ns("a"));
  store.put(node("b", "3", "other"));
  EXPECT_THAT(names(*store.snapshot()), testing::ElementsAre("a", "b"));
  EXPECT_EQ(poolOf(*store.snapshot(), "b"), "other");
  EXPECT_EQ(store.count(Kind::kNode), 2u);

  EXPECT_TRUE(store.remove(Kind::kNode, "a"));
  EXPECT_FALSE(store.remove(Kind::kNode, "a"));
  EXPECT_EQ(poolOf(*store.snapshot(), "a"), "no node");
  EXPECT_NE(store.snapshot()->ns("a"), nullptr) << "a namespace went with the node of its name";
  EXPECT_EQ(store.snapshot()->ns("b"), nullptr);
  EXPECT_TRUE(store.find(Kind::kNode, "b").has_value());
  EXPECT_FALSE(store.find(Kind::kNamespace, "b").has_value());
}

TEST(Store, SnapshotsStayAsTheyWereAndShareWhatDidNotChange) {
  Store store;
  store.put(node("a", "1"));
  store.put(node("b", "1"));
  const auto before = store.snapshot();
  store.put(node("b", "2", "new"));
  store.remove(Kind::kNode, "missing");
  const auto after = store.snapshot();
  EXPECT_EQ(poolOf(*before, "b"), "a");
  EXPECT_EQ(poolOf(*after, "b"), "new");
  EXPECT_EQ(before->node("a"), after->node("a"));
}

TEST(Store, ReplaceDropsWhatIsGoneAndKeepsTheSameVersionOfTheRest) {
  Store store;
  store.put(node("gone", "1"));
  store.put(node("same", "2"));
  store.put(node("changed", "3"));
  store.put(ns("stays"));
  const auto before = store.snapshot();
  store.replace(Kind::kNode, {node("same", "2"), node("changed", "4", "new"), node("added", "5")});
  const auto after = store.snapshot();
  EXPECT_THAT(names(*after), testing::ElementsAre("added", "changed", "same"));
  EXPECT_EQ(before->node("same"), after->node("same")) << "an unchanged object was made anew";
  EXPECT_EQ(poolOf(*after, "changed"), "new");
  EXPECT_NE(after->ns("stays"), nullptr);
}

TEST(Store, ReplaceTellsAnObjectThatWasMadeAnewByItsUid) {
  Store store;
  store.put(object(Kind::kNode,
                   R"({"metadata":{"name":"a","uid":"1","resourceVersion":"7","labels":{"pool":"old"}}})"));
  store.replace(
      Kind::kNode,
      {object(Kind::kNode,
              R"({"metadata":{"name":"a","uid":"2","resourceVersion":"7","labels":{"pool":"new"}}})")});
  EXPECT_EQ(poolOf(*store.snapshot(), "a"), "new");
}

TEST(Store, WhatPeopleWroteWithoutAVersionIsNeverTakenForUnchanged) {
  Store store;
  store.put(object(Kind::kNode, R"({"metadata":{"name":"a","labels":{"pool":"old"}}})"));
  store.replace(Kind::kNode, {object(Kind::kNode, R"({"metadata":{"name":"a","labels":{"pool":"new"}}})")});
  EXPECT_EQ(poolOf(*store.snapshot(), "a"), "new");
}

TEST(Store, OfTwoOfOneNameTheLaterCounts) {
  Store store;
  store.replace(Kind::kNode, {node("a", "1", "first"), node("b", "1"), node("a", "2", "second")});
  EXPECT_EQ(store.count(Kind::kNode), 2u);
  EXPECT_EQ(poolOf(*store.snapshot(), "a"), "second");
  const Snapshot snapshot(
      {std::get<NodePtr>(node("a", "1", "first")), std::get<NodePtr>(node("a", "2", "second"))}, {});
  EXPECT_EQ(snapshot.nodes().size(), 1u);
  EXPECT_EQ(poolOf(snapshot, "a"), "second");
}

TEST(Namespace, HasItsNameAsALabelAndNoManagedFields) {
  const auto document = JsonDocument::parse(
      R"({"metadata":{"name":"ml","labels":{"team":"x","kubernetes.io/metadata.name":"lie"},)"
      R"("annotations":{"note":"\"q\" é"},"managedFields":[{"manager":"kubectl"}]},"spec":{"finalizers":["kubernetes"]}})");
  const auto made = Namespace::parse(document->root());
  ASSERT_TRUE(made.ok());
  EXPECT_EQ((*made)->name(), "ml");
  EXPECT_EQ((*made)->labels().find("kubernetes.io/metadata.name"), "ml");
  EXPECT_EQ((*made)->labels().find("team"), "x");
  EXPECT_EQ(
      (*made)->object().dump(),
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{"kubernetes.io/metadata.name":"ml","team":"x"},)"
      R"("name":"ml","annotations":{"note":"\"q\" é"}}})");
}

TEST(Namespace, WithoutANameIsRefused) {
  const auto document = JsonDocument::parse(R"({"metadata":{}})");
  const auto made = Namespace::parse(document->root());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(summary(made.errors().front()), "metadata.name: a namespace without a name");
}

}  // namespace
}  // namespace driftbar::inventory
