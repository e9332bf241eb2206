#include "lookup/lookup.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "tests/support/lookup_twins.h"

namespace driftbar::lookup {
namespace {

using decision::Answer;
using decision::Found;
using decision::Need;
using std::chrono::seconds;
using test::FaultySource;
using test::HandClock;
using test::MemorySource;

const Need kPod = Need::pod("ml", "a");
const Need kOther = Need::pod("ml", "b");

// A lookup over memory, with faults and time in the test's hands.
class World {
 public:
  explicit World(LookupOptions options = {}) {
    options.clock = clock_;
    options.answered = [this](const Need& need, const Answer& answer) {
      told(decision::shown(need) + " answered " + std::string(toString(answer)));
    };
    options.wasRead = [this](const Need& need, const Answer& answer, std::chrono::nanoseconds) {
      told(decision::shown(need) + " read " + std::string(toString(answer)));
    };
    memory_.put(kPod, R"({"metadata":{"name":"a","uid":"u-1"}})");
    memory_.put(kOther, R"({"metadata":{"name":"b","uid":"u-2"}})");
    lookup_ = std::make_unique<Lookup>(faulty_, std::move(options));
  }

  std::future<Found> find(std::vector<Need> needs, Duration within = seconds(1)) {
    const auto promise = std::make_shared<std::promise<Found>>();
    lookup_->find(std::move(needs), clock_->now() + within,
                  [promise](Found found) { promise->set_value(std::move(found)); });
    return promise->get_future();
  }
  Found now(std::vector<Need> needs) { return find(std::move(needs)).get(); }

  MemorySource& memory() { return memory_; }
  FaultySource& faulty() { return faulty_; }
  HandClock& clock() { return *clock_; }
  Lookup& lookup() { return *lookup_; }
  std::size_t reads() const { return memory_.asked().size(); }
  std::vector<std::string> said() {
    const std::lock_guard lock(mutex_);
    return said_;
  }

 private:
  void told(std::string line) {
    const std::lock_guard lock(mutex_);
    said_.push_back(std::move(line));
  }

  std::shared_ptr<HandClock> clock_ = std::make_shared<HandClock>();
  MemorySource memory_;
  FaultySource faulty_{memory_};
  std::mutex mutex_;
  std::vector<std::string> said_;
  std::unique_ptr<Lookup> lookup_;  // the last, so that it stops first
};

std::string result(const Found& found, const Need& need) {
  const auto* answer = found.answer(need);
  if (answer == nullptr) return "never asked";
  std::string out(toString(*answer));
  if (answer->state() == Answer::State::kNone) out += ": " + answer->reason();
  return out;
}

bool isOver(const std::future<Found>& future) {
  return future.wait_for(seconds(0)) == std::future_status::ready;
}

TEST(Lookup, AnswersEachNeed) {
  World world;
  const Need missing = Need::pod("ml", "nobody");
  const auto found = world.now({kPod, missing, kPod});
  EXPECT_EQ(found.object(kPod)["metadata"]["uid"].text(), "u-1");
  EXPECT_EQ(result(found, missing), "not-found");
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(world.reads(), 2u) << "needed twice, read once";
}

TEST(Lookup, WithNothingToLookUpAnswersBeforeItReturns) {
  World world;
  EXPECT_TRUE(isOver(world.find({})));
}

TEST(Lookup, WhatIsCachedIsAnsweredBeforeItReturns) {
  World world;
  world.now({kPod});
  auto again = world.find({kPod});
  ASSERT_TRUE(isOver(again));
  EXPECT_EQ(result(again.get(), kPod), "found");
  EXPECT_EQ(world.reads(), 1u);
}

TEST(Lookup, AnObjectIsKeptAsLongAsTheTableSays) {
  World world;
  const auto kept = rowOf(Need::Kind::kPod).keepsFound;
  world.now({kPod});
  world.clock().advance(kept - Duration(1));
  world.now({kPod});
  EXPECT_EQ(world.reads(), 1u);
  world.clock().advance(Duration(1));
  world.now({kPod});
  EXPECT_EQ(world.reads(), 2u);
}

TEST(Lookup, NotFoundIsKeptForAnotherTimeThanAnObject) {
  World world;
  const Need gone{Need::Kind::kOwner, "apps", "v1", "ReplicaSet", "ml", "r", "u-9"};
  ASSERT_LT(rowOf(gone.kind).keepsNotFound, rowOf(gone.kind).keepsFound);
  EXPECT_EQ(result(world.now({gone}), gone), "not-found");
  world.now({gone});
  EXPECT_EQ(world.reads(), 1u);
  world.clock().advance(rowOf(gone.kind).keepsNotFound);
  world.now({gone});
  EXPECT_EQ(world.reads(), 2u);
}

TEST(Lookup, NoAnswerIsNotKept) {
  World world;
  world.faulty().failNext("a", Answer::none(Answer::Silence::kFailed, "the server has a fault"));
  EXPECT_EQ(result(world.now({kPod}), kPod), "failed: the server has a fault");
  EXPECT_EQ(result(world.now({kPod}), kPod), "found");
}

TEST(Lookup, AnObjectOfAnotherUidIsNotFound) {
  World world;
  const Need before = Need::pod("ml", "a", "u-0");
  EXPECT_EQ(result(world.now({before}), before), "not-found");
  const Need now = Need::pod("ml", "a", "u-1");
  EXPECT_EQ(result(world.now({now}), now), "found") << "what was read for another uid is not in its way";
}

TEST(Lookup, APodThatWasMadeAnewIsReadAnew) {
  World world;
  const Need first = Need::pod("ml", "a", "u-1"), second = Need::pod("ml", "a", "u-5");
  world.now({first, kPod});
  world.memory().put(kPod, R"({"metadata":{"name":"a","uid":"u-5"}})");
  EXPECT_EQ(result(world.now({second}), second), "found");
}

TEST(Lookup, TwoThatNeedTheSameCauseOneRead) {
  World world;
  world.faulty().hold("a");
  auto one = world.find({kPod});
  world.faulty().awaitHeld(1);
  auto two = world.find({kPod, kOther});
  world.faulty().release("a");
  EXPECT_EQ(result(one.get(), kPod), "found");
  const auto found = two.get();
  EXPECT_EQ(result(found, kPod), "found");
  EXPECT_EQ(result(found, kOther), "found");
  EXPECT_EQ(world.reads(), 2u);
}

TEST(Lookup, PastItsDeadlineThereIsNoAnswerAndTheLateReplyIsKept) {
  World world;
  world.faulty().hold("a");
  auto patient = world.find({kPod}, seconds(10));
  auto hasty = world.find({kPod, kOther}, seconds(1));
  world.faulty().awaitHeld(1);
  world.clock().advance(seconds(1));
  const auto found = hasty.get();
  EXPECT_EQ(result(found, kPod), "late: there was no answer in time");
  EXPECT_FALSE(isOver(patient));
  world.faulty().release("a");
  EXPECT_EQ(result(patient.get(), kPod), "found");
  auto next = world.find({kPod});
  ASSERT_TRUE(isOver(next)) << "the late reply fills the cache";
  EXPECT_EQ(world.said().back(), "Pod ml/a answered found");
}

TEST(Lookup, WhoComesPastItsDeadlineGetsWhatIsCachedAndNoRead) {
  World world;
  world.now({kPod});
  const auto found = world.find({kPod, kOther}, seconds(0)).get();
  EXPECT_EQ(result(found, kPod), "found");
  EXPECT_EQ(result(found, kOther), "late: there was no answer in time");
  EXPECT_EQ(world.reads(), 1u);
}

LookupOptions oneThread(std::size_t waiting) {
  LookupOptions options;
  options.threads = 1;
  options.waiting = waiting;
  return options;
}

TEST(Lookup, AFullQueueAnswersAtOnce) {
  World world(oneThread(1));
  world.faulty().hold("a");
  auto held = world.find({kPod});
  world.faulty().awaitHeld(1);
  auto waits = world.find({kOther});
  auto full = world.find({Need::pod("ml", "c")});
  ASSERT_TRUE(isOver(full));
  EXPECT_EQ(result(full.get(), Need::pod("ml", "c")), "busy: too many look-ups are waiting");
  auto joins = world.find({kOther, kPod});
  EXPECT_FALSE(isOver(joins)) << "what is being read or waits already needs no place";
  world.faulty().release("a");
  EXPECT_EQ(result(held.get(), kPod), "found");
  EXPECT_EQ(result(waits.get(), kOther), "found");
  EXPECT_EQ(result(joins.get(), kOther), "found");
}

TEST(Lookup, AReadThatNobodyWaitsForAnyMoreGivesItsPlaceUp) {
  World world(oneThread(1));
  world.faulty().hold("a");
  auto held = world.find({kPod}, seconds(10));
  world.faulty().awaitHeld(1);
  auto hasty = world.find({kOther}, seconds(1));
  world.clock().advance(seconds(1));
  EXPECT_EQ(result(hasty.get(), kOther), "late: there was no answer in time");
  auto next = world.find({Need::pod("ml", "c")}, seconds(10));
  EXPECT_FALSE(isOver(next)) << "there is room again";
  world.faulty().release("a");
  next.get();
  held.get();
  EXPECT_EQ(world.memory().asked(), (std::vector<std::string>{"Pod ml/a", "Pod ml/c"}));
}

TEST(Lookup, ASourceThatHangsHoldsNoOtherThreadUp) {
  World world;
  world.faulty().hold("a");
  auto held = world.find({kPod});
  world.faulty().awaitHeld(1);
  EXPECT_EQ(result(world.now({kOther}), kOther), "found");
  world.faulty().release("a");
  held.get();
}

TEST(Lookup, AFaultOfTheSourceIsNoAnswer) {
  World world;
  world.faulty().throwNext("a");
  EXPECT_EQ(result(world.now({kPod}), kPod), "failed: a bug in the source");
  EXPECT_EQ(result(world.now({kPod}), kPod), "found") << "the thread lives on";
}

TEST(Lookup, StopAnswersAllThatWait) {
  World world(oneThread(8));
  world.faulty().hold("a");
  auto held = world.find({kPod});
  world.faulty().awaitHeld(1);
  auto waits = world.find({kOther, kPod});
  world.lookup().stop();
  EXPECT_EQ(result(held.get(), kPod), "stopped: driftbar is being stopped");
  EXPECT_EQ(result(waits.get(), kOther), "stopped: driftbar is being stopped");
  EXPECT_TRUE(world.faulty().stopped());
  auto after = world.find({kPod});
  ASSERT_TRUE(isOver(after));
  EXPECT_EQ(result(after.get(), kPod), "stopped: driftbar is being stopped");
  world.lookup().stop();
}

TEST(Lookup, TellsOfEachAnswerAndEachRead) {
  World world;
  world.now({kPod});
  world.now({kPod});
  EXPECT_EQ(world.said(), (std::vector<std::string>{"Pod ml/a read found", "Pod ml/a answered found",
                                                    "Pod ml/a answered found"}));
}

// Of use under the thread sanitizer: finds, deadlines, expiry and the stop, all at once.
TEST(Lookup, FromManyThreadsEachIsAnsweredOnce) {
  std::atomic<int> answers{0};
  constexpr int kThreads = 4, kEach = 200;
  {
    World world(oneThread(3));
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          const auto name = "p" + std::to_string((t + i) % 7);
          const std::vector<Need> needs{Need::pod("ml", name), kPod};
          world.lookup().find(needs, world.clock().now() + Duration(i % 3),
                              [&answers](const Found& found) { answers += found.size() == 2 ? 1 : 1000000; });
          if (i % 10 == 0) world.clock().advance(Duration(150));
          if (t == 0 && i == kEach * 3 / 4) world.lookup().stop();
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(answers, kThreads * kEach);
}

TEST(Lookup, WithTheSystemsClockDeadlinesPassToo) {
  MemorySource memory;
  FaultySource faulty(memory);
  faulty.hold("a");
  Lookup lookup(faulty);
  std::promise<Found> promise;
  lookup.find({kPod}, lookup.now() + Duration(20), [&](Found found) { promise.set_value(std::move(found)); });
  EXPECT_EQ(result(promise.get_future().get(), kPod), "late: there was no answer in time");
}

}  // namespace
}  // namespace driftbar::lookup
