// Chance: the one source of randomness of a run; its seed makes the run again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace driftbar::reference {

using Row = nlohmann::ordered_json;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t bound) { return engine_() % bound; }
  bool once(std::size_t in) { return below(in) == 0; }
  template <typename T>
  T oneOf(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }
  template <typename List>
  const auto& pick(const List& list) {
    return list[below(std::size(list))];
  }
  template <typename List>
  void shuffle(List& list) {
    std::shuffle(list.begin(), list.end(), engine_);
  }

 private:
  std::mt19937_64 engine_;
};

// A list of one to `most` different texts of a vocabulary.
template <typename List>
Row someOf(Chance& chance, const List& vocabulary, std::size_t most = 2) {
  Row out = Row::array();
  for (std::size_t i = 1 + chance.below(most); i > 0; --i) {
    const Row one = chance.pick(vocabulary);
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
  }
  return out;
}

}  // namespace driftbar::reference
