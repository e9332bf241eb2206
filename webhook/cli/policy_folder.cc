#include "cli/policy_folder.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "cli/files.h"

namespace driftbar::cli {
namespace {

bool sameTexts(const std::vector<Source>& a, const std::vector<Source>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Source& x, const Source& y) {
    return x->name == y->name && x->text == y->text;
  });
}

// Of the texts alone, in the order of their names: a folder that is moved has the same.
std::string digestOf(const std::vector<Source>& sources) {
  std::string all;
  for (const auto& source : sources) all += std::to_string(source->text.size()) + ":" + source->text;
  std::array<unsigned char, 32> bytes{};
  unsigned length = 0;
  EVP_Digest(all.data(), all.size(), bytes.data(), &length, EVP_sha256(), nullptr);
  std::string out;
  for (const auto byte : bytes) {
    out += "0123456789abcdef"[byte >> 4U];
    out += "0123456789abcdef"[byte & 15U];
  }
  return out;
}

}  // namespace

PolicyFolder::Change PolicyFolder::look(Instant now) {
  std::istringstream noInput;
  auto sources = readTree(path_, noInput, kServedPolicies);
  if (!sources) {
    if (std::exchange(unreadable_, true)) return Change::kNone;  // said once
    return settle({nullptr, std::move(sources).errors()}, now);
  }
  const bool readAgain = std::exchange(unreadable_, false);
  const bool first = state_.get()->set == nullptr && seen_.empty();
  if (!first && !readAgain && sameTexts(seen_, *sources)) return Change::kNone;
  seen_ = *std::move(sources);
  return settle(policy::load(seen_, {.now = now}), now);
}

PolicyFolder::Change PolicyFolder::settle(policy::Loaded loaded, Instant now) {
  diagnostics_ = std::move(loaded.diagnostics);
  State next = *state_.get();
  if (loaded.set != nullptr) {
    next = {std::move(loaded.set), now, digestOf(seen_), {}};
  } else {
    const auto first = std::find_if(diagnostics_.begin(), diagnostics_.end(),
                                    [](const Diagnostic& d) { return d.severity == Severity::kError; });
    next.refused = summary(*first);
  }
  const auto change = next.refused.empty() ? Change::kLoaded : Change::kRefused;
  state_.set(std::make_shared<const State>(std::move(next)));
  return change;
}

}  // namespace driftbar::cli
