// Quantities have a total order, a sum that fits it, and a text that is read as the same. The input is
// quantities, one a line; the first three are compared.
#include <string>
#include <vector>

#include "fuzz/property.h"
#include "kube/quantity.h"

using namespace driftbar;
using kube::Quantity;

namespace {

std::vector<Quantity> quantitiesIn(std::string_view text) {
  std::vector<Quantity> found;
  while (found.size() < 3) {
    const auto end = text.find('\n');
    if (const auto quantity = Quantity::parse(text.substr(0, end))) found.push_back(*quantity);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return found;
}

void checkOne(Quantity a) {
  const std::string text = a.toString();
  fuzz::requireShowableLine(text, "a quantity");
  const auto read = Quantity::parse(text);
  fuzz::require(read == a, "a quantity that is written is the same when read: " + text);
  fuzz::require(Quantity::of(a.value()) >= a || a.value() <= 0 || a > Quantity::of(INT64_MAX),
                "value() rounds up");
  fuzz::require(a + Quantity() == a, "nothing added changes nothing");
}

void checkPair(Quantity a, Quantity b) {
  const int holds = (a < b ? 1 : 0) + (a == b ? 1 : 0) + (a > b ? 1 : 0);
  fuzz::require(holds == 1, "one of less, equal and greater holds");
  fuzz::require((a < b) == (b > a) && (a <= b) == (b >= a), "less one way is greater the other");
  fuzz::require(!(a < b) || (a.value() <= b.value() && a.milliValue() <= b.milliValue()),
                "rounding keeps the order");
  fuzz::require((a.toString() == b.toString()) == (a == b), "equal are those that are written the same");
  fuzz::require(a + b == b + a, "a sum does not depend on the order");
  fuzz::require(b < Quantity() || a + b >= a, "a sum is no smaller than its parts");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto quantities = quantitiesIn(fuzz::textOf(data, size));
  for (const auto a : quantities) {
    checkOne(a);
    for (const auto b : quantities) {
      checkPair(a, b);
      for (const auto c : quantities)
        fuzz::require(!(a <= b && b <= c) || a <= c, "the order passes from one to the next");
    }
  }
  return 0;
}
