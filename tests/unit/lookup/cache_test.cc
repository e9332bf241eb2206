#include "lookup/cache.h"

#include <gtest/gtest.h>

#include "tests/support/lookup_twins.h"

namespace driftbar::lookup {
namespace {

using decision::Answer;
using decision::Need;

Answer ofBytes(std::size_t bytes) {
  return Answer::found(JsonDocument::parse("{}").value(), bytes);
}
Need owner(const std::string& name) {
  return {Need::Kind::kOwner, "apps", "v1", "ReplicaSet", "ml", name, "u"};
}

TEST(Cache, ForgetsWhatWasAskedForLongestAgo) {
  Cache cache({2, 1000});
  cache.put(owner("a"), ofBytes(1), Time{});
  cache.put(owner("b"), ofBytes(1), Time{});
  EXPECT_TRUE(cache.get(owner("a"), Time{}));
  cache.put(owner("c"), ofBytes(1), Time{});
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_FALSE(cache.get(owner("b"), Time{}));
  EXPECT_TRUE(cache.get(owner("a"), Time{}));
  EXPECT_TRUE(cache.get(owner("c"), Time{}));
}

TEST(Cache, HoldsSoManyBytesAndNoMore) {
  Cache cache({100, 1000});
  cache.put(owner("a"), ofBytes(400), Time{});
  cache.put(owner("b"), ofBytes(400), Time{});
  cache.put(owner("c"), ofBytes(300), Time{});
  EXPECT_EQ(cache.bytes(), 700u);
  EXPECT_FALSE(cache.get(owner("a"), Time{}));
  cache.put(owner("d"), ofBytes(1001), Time{});
  EXPECT_FALSE(cache.get(owner("d"), Time{})) << "one that fits in no case drives nobody out";
  EXPECT_EQ(cache.size(), 2u);
  cache.put(owner("c"), ofBytes(100), Time{});
  EXPECT_EQ(cache.bytes(), 500u) << "in the place of the one before";
}

TEST(Cache, ExpiryGivesTheRoomBack) {
  Cache cache;
  cache.put(owner("a"), ofBytes(10), Time{});
  EXPECT_FALSE(cache.get(owner("a"), Time{} + decision::rowOf(Need::Kind::kOwner).keepsFound));
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST(Cache, NoAnswerTakesTheOneBeforeAway) {
  Cache cache;
  cache.put(owner("a"), ofBytes(10), Time{});
  cache.put(owner("a"), Answer::none(Answer::Silence::kForbidden, "no"), Time{});
  EXPECT_FALSE(cache.get(owner("a"), Time{}));
}

}  // namespace
}  // namespace driftbar::lookup
