// What judging may need, and what comes of it, as values.
#include "decision/needs.h"

#include <gtest/gtest.h>

namespace driftbar::decision {
namespace {

JsonDocument json(std::string_view text) {
  auto parsed = JsonDocument::parse(text);
  EXPECT_TRUE(parsed) << text;
  return *std::move(parsed);
}

Answer object(std::string_view text) {
  return Answer::found(json(text), text.size());
}

TEST(Need, OfAnOwnerReference) {
  const auto reference =
      json(R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7","uid":"u-1","controller":true})");
  const Need owner = Need::owner(reference.root(), "ml");
  EXPECT_EQ(owner, (Need{Need::Kind::kOwner, "apps", "v1", "ReplicaSet", "ml", "web-7", "u-1"}));
  const auto core = json(R"({"apiVersion":"v1","kind":"ReplicationController","name":"old","uid":"u-2"})");
  EXPECT_EQ(Need::owner(core.root(), "ml").group, "");
  EXPECT_EQ(Need::owner(core.root(), "ml").version, "v1");
}

TEST(Need, OfARuntimeReferenceWithItsDefaults) {
  const auto brief = json(R"({"name":"torch-distributed"})");
  EXPECT_EQ(Need::runtime(brief.root(), "ml"), (Need{Need::Kind::kRuntime, "trainer.kubeflow.org", "",
                                                     "ClusterTrainingRuntime", "", "torch-distributed", ""}));
  const auto own = json(R"({"name":"mine","kind":"TrainingRuntime","apiGroup":"trainer.kubeflow.org"})");
  EXPECT_EQ(Need::runtime(own.root(), "ml").ns, "ml") << "one that is in a namespace";
}

TEST(Need, IsTheSameWhoeverAsks) {
  EXPECT_EQ(Need::pod("ml", "a"), Need::pod("ml", "a", ""));
  EXPECT_NE(Need::pod("ml", "a"), Need::pod("ml", "a", "u-1"));
  EXPECT_EQ(shown(Need::pod("ml", "a\n")), "Pod ml/a\\n");
  EXPECT_EQ(shown(Need::node("gpu-01")), "Node gpu-01");
  EXPECT_EQ(shown(Need::nameSpace("ml")), "Namespace ml");
}

TEST(Answer, AnObjectOfAnotherUidIsNotTheOne) {
  const auto answer = object(R"({"metadata":{"name":"a","uid":"u-1"}})");
  EXPECT_TRUE(ofThatUid(Need::pod("ml", "a"), answer).isObject());
  EXPECT_TRUE(ofThatUid(Need::pod("ml", "a", "u-1"), answer).isObject());
  EXPECT_EQ(ofThatUid(Need::pod("ml", "a", "u-2"), answer).state(), Answer::State::kNotFound);
  const auto written = object(R"({"metadata":{"name":"a"}})");
  EXPECT_TRUE(ofThatUid(Need::pod("ml", "a", "u-2"), written).isObject()) << "a file says no uid";
  const auto silent = Answer::none(Answer::Silence::kBusy, "busy");
  EXPECT_EQ(ofThatUid(Need::pod("ml", "a", "u-2"), silent).state(), Answer::State::kNone);
}

TEST(Found, KeepsWhatItsObjectsLookAt) {
  Found found;
  {
    Found first;
    first.add(Need::pod("ml", "a"), object(R"({"metadata":{"name":"a"}})"));
    first.add(Need::node("n"), Answer::notFound());
    found.add(first);
  }
  EXPECT_EQ(found.object(Need::pod("ml", "a"))["metadata"]["name"].text(), "a");
  EXPECT_EQ(found.answer(Need::node("n"))->state(), Answer::State::kNotFound);
  EXPECT_FALSE(found.object(Need::node("n")).exists());
  EXPECT_EQ(found.answer(Need::pod("ml", "b")), nullptr) << "never looked up";
}

TEST(Answer, IsCalledByItsResult) {
  EXPECT_EQ(toString(object("{}")), "found");
  EXPECT_EQ(toString(Answer::notFound()), "not-found");
  using Silence = Answer::Silence;
  const std::pair<Silence, std::string_view> rows[] = {{Silence::kBusy, "busy"},
                                                       {Silence::kLate, "late"},
                                                       {Silence::kForbidden, "forbidden"},
                                                       {Silence::kFailed, "failed"},
                                                       {Silence::kStopped, "stopped"}};
  for (const auto& [why, name] : rows) EXPECT_EQ(toString(Answer::none(why, "")), name);
  EXPECT_EQ(Answer::none(Silence::kFailed, "a\x1b[1m").reason(), "a\\x1b[1m");
}

TEST(NeedTable, SaysEverythingOfEach) {
  ASSERT_EQ(needTable().size(), static_cast<std::size_t>(Need::Kind::kEnd));
  for (const auto& row : needTable()) {
    EXPECT_EQ(&rowOf(row.kind), &row);
    for (const auto words :
         {row.name, row.asked, row.source, row.cost, row.rights, row.notFound, row.noAnswer})
      EXPECT_FALSE(words.empty()) << row.name;
    EXPECT_GE(row.keepsFound, row.keepsNotFound) << row.name;
    EXPECT_GT(row.keepsNotFound, Duration::zero()) << row.name;
    EXPECT_LE(rowOf(Need::Kind::kPod).keepsFound, row.keepsFound) << "nothing changes faster than a pod";
  }
}

}  // namespace
}  // namespace driftbar::decision
