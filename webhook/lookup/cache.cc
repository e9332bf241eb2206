#include "lookup/cache.h"

namespace driftbar::lookup {

using decision::Answer;
using decision::Need;

std::optional<Answer> Cache::get(const Need& need, Time now) {
  const auto at = byNeed_.find(need);
  if (at == byNeed_.end()) return std::nullopt;
  if (at->second->until <= now) {
    drop(at->second);
    return std::nullopt;
  }
  byUse_.splice(byUse_.begin(), byUse_, at->second);
  return at->second->answer;
}

void Cache::put(const Need& need, const Answer& answer, Time now) {
  if (const auto at = byNeed_.find(need); at != byNeed_.end()) drop(at->second);
  if (answer.state() == Answer::State::kNone || answer.bytes() > bounds_.bytes) return;
  const auto& row = decision::rowOf(need.kind);
  byUse_.push_front({need, answer, now + (answer.isObject() ? row.keepsFound : row.keepsNotFound)});
  byNeed_.emplace(need, byUse_.begin());
  bytes_ += answer.bytes();
  while (byUse_.size() > bounds_.entries || bytes_ > bounds_.bytes) drop(std::prev(byUse_.end()));
}

void Cache::drop(Entries::iterator entry) {
  bytes_ -= entry->answer.bytes();
  byNeed_.erase(entry->need);
  byUse_.erase(entry);
}

}  // namespace driftbar::lookup
