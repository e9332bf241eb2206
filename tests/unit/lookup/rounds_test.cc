#include "lookup/rounds.h"

#include <gtest/gtest.h>

#include <future>

#include "inventory/file.h"
#include "lookup/inventory_source.h"
#include "tests/support/lookup_twins.h"

namespace driftbar::lookup {
namespace {

using decision::Answer;
using decision::Found;
using decision::Need;
using test::FaultySource;
using test::MemorySource;

// A pod and then, one after the other, whatever owns it: as a rule with `ownedBy` does.
std::vector<Need> chain(const Found& found) {
  std::vector<Need> needs{Need::pod("ml", "p")};
  for (std::size_t i = 0; i < needs.size(); ++i) {
    for (const Json reference : found.object(needs[i])["metadata"]["ownerReferences"].items())
      needs.push_back(Need::owner(reference, "ml"));
  }
  return needs;
}

std::string object(const std::string& name, const std::string& owner = {}) {
  const std::string begin = R"({"metadata":{"name":")" + name + R"(","uid":"u-)" + name + '"';
  if (owner.empty()) return begin + "}}";
  return begin + R"(,"ownerReferences":[{"apiVersion":"example.com/v1","kind":"Thing","name":")" + owner +
         R"(","uid":"u-)" + owner + R"("}]}})";
}

Need thing(const std::string& name) {
  return {Need::Kind::kOwner, "example.com", "v1", "Thing", "ml", name, "u-" + name};
}

// p is owned by t1, that by t2, and so on to t6.
void putChain(MemorySource& memory) {
  memory.put(Need::pod("ml", "p"), object("p", "t1"));
  for (int i = 1; i < 6; ++i) {
    const auto name = "t" + std::to_string(i);
    memory.put(thing(name), object(name, "t" + std::to_string(i + 1)));
  }
  memory.put(thing("t6"), object("t6"));
}

TEST(Rounds, GoUpAChainForFourRounds) {
  MemorySource memory;
  putChain(memory);
  const auto found = gather(memory, chain);
  EXPECT_EQ(memory.asked(),
            (std::vector<std::string>{"Pod ml/p", "Thing ml/t1", "Thing ml/t2", "Thing ml/t3"}));
  EXPECT_TRUE(found.object(thing("t3")).exists());
  EXPECT_EQ(found.answer(thing("t4")), nullptr) << "the bound on rounds leaves it never looked up";
}

TEST(Rounds, AreOverWhereNothingNewIsNeeded) {
  MemorySource memory;
  memory.put(Need::pod("ml", "p"), object("p", "t1"));
  const auto found = gather(memory, chain);
  EXPECT_EQ(memory.asked(), (std::vector<std::string>{"Pod ml/p", "Thing ml/t1"}));
  EXPECT_EQ(found.answer(thing("t1"))->state(), Answer::State::kNotFound);
}

TEST(Rounds, ThatNeedNothingAskNothing) {
  MemorySource memory;
  EXPECT_EQ(gather(memory, [](const Found&) { return std::vector<Need>{}; }).size(), 0u);
  EXPECT_TRUE(memory.asked().empty());
}

TEST(Rounds, AChainThatBitesItsTailEnds) {
  MemorySource memory;
  memory.put(Need::pod("ml", "p"), object("p", "t1"));
  memory.put(thing("t1"), object("t1", "t1"));
  int asked = 0;
  const auto found = gather(memory, [&](const Found& so) {
    ++asked;
    std::vector<Need> needs{Need::pod("ml", "p")};
    if (so.has(needs[0])) needs.push_back(thing("t1"));
    return needs;
  });
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(asked, 3);
}

std::future<Found> begin(Lookup& lookup, const Needs& needs, Duration within) {
  const auto promise = std::make_shared<std::promise<Found>>();
  gather(lookup, needs({}), needs, lookup.now() + within,
         [promise](Found found) { promise->set_value(std::move(found)); });
  return promise->get_future();
}

TEST(Rounds, OnALookupFindTheSame) {
  MemorySource memory;
  putChain(memory);
  Lookup lookup(memory);
  const auto found = begin(lookup, chain, std::chrono::minutes(1)).get();
  EXPECT_EQ(found.size(), 4u);
  EXPECT_EQ(found.all().size(), gather(memory, chain).all().size());
}

TEST(Rounds, HaveOneDeadlineTogether) {
  MemorySource memory;
  putChain(memory);
  FaultySource faulty(memory);
  faulty.hold("t2");
  LookupOptions options;
  const auto clock = std::make_shared<test::HandClock>();
  options.clock = clock;
  Lookup lookup(faulty, options);
  auto future = begin(lookup, chain, std::chrono::seconds(1));
  while (memory.asked().size() < 2) std::this_thread::yield();
  faulty.awaitHeld(1);
  clock->advance(std::chrono::seconds(1));
  const auto found = future.get();
  EXPECT_TRUE(found.object(thing("t1")).exists());
  EXPECT_EQ(toString(*found.answer(thing("t2"))), "late");
  EXPECT_EQ(found.size(), 3u);
}

TEST(Rounds, AFaultOfTheNeedsEndsThem) {
  MemorySource memory;
  putChain(memory);
  Lookup lookup(memory);
  const auto found = begin(
                         lookup,
                         [](const Found& so) -> std::vector<Need> {
                           if (so.size() > 0) throw std::runtime_error("a bug");
                           return {Need::pod("ml", "p")};
                         },
                         std::chrono::minutes(1))
                         .get();
  EXPECT_EQ(found.size(), 1u);
}

TEST(InventorySource, FindsWhatTheFileHolds) {
  const std::vector<driftbar::Source> files{
      makeSource("inv.yaml",
                 "apiVersion: v1\nkind: Node\nmetadata: {name: gpu-1}\n"
                 "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n"
                 "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ml, uid: u-1}\n"
                 "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: r, namespace: ml}\n"
                 "---\napiVersion: example.com/v1\nkind: Fleet\nmetadata: {name: f}\n")};
  const auto inventory = inventory::readInventory(files);
  ASSERT_TRUE(inventory) << render(inventory.errors());
  InventorySource source(inventory->snapshot);
  const auto ask = [&](const Need& need) {
    return std::string(toString(ofThatUid(need, source.fetch(need, Duration(1)))));
  };
  EXPECT_EQ(ask(Need::node("gpu-1")), "found");
  EXPECT_EQ(ask(Need::node("gpu-2")), "not-found");
  EXPECT_EQ(ask(Need::nameSpace("ml")), "found");
  EXPECT_EQ(ask(Need::nameSpace("prod")), "not-found");
  EXPECT_EQ(ask(Need::pod("ml", "p")), "found");
  EXPECT_EQ(ask(Need::pod("ml", "p", "u-2")), "not-found");
  EXPECT_EQ(ask(Need::pod("other", "p")), "not-found");
  EXPECT_EQ(ask({Need::Kind::kOwner, "apps", "v1", "ReplicaSet", "ml", "r", "u-3"}), "found")
      << "a file need not say the uid";
  EXPECT_EQ(ask({Need::Kind::kOwner, "example.com", "v1", "Fleet", "ml", "f", ""}), "found")
      << "an owner in no namespace";
  EXPECT_EQ(ask({Need::Kind::kOwner, "", "v1", "Namespace", "", "ml", ""}), "found");
}

TEST(InventorySource, WithoutAnInventoryNothingCanBeTold) {
  InventorySource source(nullptr);
  const auto answer = source.fetch(Need::node("n"), Duration(1));
  EXPECT_EQ(std::string(toString(answer)) + ": " + answer.reason(), "failed: there is no inventory");
}

}  // namespace
}  // namespace driftbar::lookup
