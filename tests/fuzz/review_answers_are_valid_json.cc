// Whatever is posted: a review that can be read gets an answer that the API server takes, and all else gets
// words.
#include "fuzz/property.h"
#include "fuzz/sound_answer.h"
#include "fuzz/world.h"

using namespace driftbar;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto review = kube::Review::parse(fuzz::textOf(data, size));
  if (!review) {
    fuzz::requireErrors(review.errors());
    return 0;
  }
  fuzz::require(!review->request().uid.empty(), "a review has a uid");
  fuzz::requireSoundAnswer(review->request(), fuzz::smallWorld());
  return 0;
}
