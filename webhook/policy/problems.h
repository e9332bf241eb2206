// Problems: gathers what is wrong with the policies while the stages go on, so that one run tells all.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "yaml/yaml.h"

namespace driftbar::policy {

class Problems {
 public:
  void error(const Location& where, std::string id, std::string message, std::string help = {});
  void warning(const Location& where, std::string id, std::string message, std::string help = {});
  void add(Diagnostics more);

  // `word` is of the contract, and this version does not have it.
  void notYet(const Location& where, std::string_view word, std::string help = {});
  // `what` is `key` and `of` is `a rule`, and the like. The help names the word that was meant: one from
  // another system that has its word here, the nearest, or all there are.
  void unknown(const Location& where, std::string_view what, std::string_view of, std::string_view word,
               std::span<const std::string_view> known);
  // `wanted` is `a list`, `text`…; `of` is the key.
  void wrongType(const yaml::Node& node, std::string_view of, std::string_view wanted, std::string help = {});

  std::size_t errorCount() const { return errors_; }
  Diagnostics take() { return std::move(all_); }

 private:
  Diagnostics all_;
  std::size_t errors_ = 0;
};

}  // namespace driftbar::policy
