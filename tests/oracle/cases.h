// Cases: what driftbar and Kubernetes' own code are asked about.
//
// A row is one JSON map, as judge/main.go reads it. Small cases are enumerated: every operator with every
// shape of values against every shape of a label, every short text as a quantity. Large ones are random: pods
// and nodes of a small vocabulary, so that they meet.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace driftbar::oracle {

using Row = nlohmann::ordered_json;
using Sink = std::function<void(const Row&)>;

// All small cases. A row of kind `nodes` stands before those of kind `place` that are about its nodes.
void enumerateCases(const Sink& sink);

class RandomCases {
 public:
  explicit RandomCases(std::uint64_t seed) : engine_(seed) {}

  // A row of kind `nodes`, then as many of kind `place`; and some of each other kind.
  void batch(const Sink& sink);

  static constexpr std::size_t kNodes = 50, kPods = 50;  // so 2,500 pairs a batch

 private:
  std::size_t below(std::size_t bound);
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename List>
  const auto& pick(const List& list) {
    return list[below(std::size(list))];
  }

  Row labels();
  Row resources(std::size_t most);
  Row quantity();
  std::string quantityText();
  Row taint();
  Row toleration();
  Row node(std::size_t number);
  Row expression();
  Row field();
  Row term();
  Row affinity();
  Row container(bool init);
  Row podSpec();
  Row selector();
  Row values();

  std::mt19937_64 engine_;
};

}  // namespace driftbar::oracle
