#include "server/roll.h"

namespace driftbar::server {

void Roll::enter(Member& member) {
  const std::lock_guard lock(mutex_);
  member.place_ = busy_.insert(busy_.end(), &member);
  member.idle_ = false;
}

void Roll::leave(Member& member) {
  const std::lock_guard lock(mutex_);
  (member.idle_ ? idle_ : busy_).erase(member.place_);
  if (idle_.empty() && busy_.empty()) emptied_.notify_all();
}

void Roll::move(Member& member, bool idle) {
  Members& from = member.idle_ ? idle_ : busy_;
  Members& to = idle ? idle_ : busy_;
  to.splice(to.end(), from, member.place_);
  member.idle_ = idle;
}

void Roll::idle(Member& member) {
  const std::lock_guard lock(mutex_);
  move(member, true);
}

void Roll::busy(Member& member) {
  const std::lock_guard lock(mutex_);
  move(member, false);
}

std::size_t Roll::size() const {
  const std::lock_guard lock(mutex_);
  return idle_.size() + busy_.size();
}

// A member that nobody holds any more is being destroyed: it waits for the lock to leave.

std::shared_ptr<Member> Roll::longestIdle() {
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    Member& member = *idle_.front();
    move(member, false);
    if (auto held = member.weak_from_this().lock()) return held;
  }
  return nullptr;
}

std::vector<std::shared_ptr<Member>> Roll::overdue(Member::Clock::time_point now) const {
  std::vector<std::shared_ptr<Member>> out;
  const std::lock_guard lock(mutex_);
  for (const auto* members : {&idle_, &busy_})
    for (Member* member : *members)
      if (member->isDue(now))
        if (auto held = member->weak_from_this().lock()) out.push_back(std::move(held));
  return out;
}

std::vector<std::shared_ptr<Member>> Roll::all() const {
  return overdue(Member::Clock::time_point::max());  // whoever is never due is due then
}

void Roll::waitEmpty(std::chrono::milliseconds most) const {
  std::unique_lock lock(mutex_);
  emptied_.wait_for(lock, most, [this] { return idle_.empty() && busy_.empty(); });
}

}  // namespace driftbar::server
