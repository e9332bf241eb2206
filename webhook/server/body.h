// ChargedBody: a request's body as Beast reads it, in one piece of memory that is paid for out of a shared
// budget.
//
// Memory is asked for as bytes arrive, never because a header promises them. What is charged is the capacity,
// which doubles as it grows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "server/asio.h"
#include "server/limits.h"

namespace driftbar::server {

// Bytes that all connections share. From any thread.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t bytes) : left_(static_cast<std::int64_t>(bytes)) {}

  bool take(std::size_t bytes) {
    if (left_.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed) >=
        static_cast<std::int64_t>(bytes))
      return true;
    give(bytes);
    return false;
  }
  void give(std::size_t bytes) {
    left_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> left_;
};

// The bytes of one body. Not copied, for what is charged is given back once.
class BodyText {
 public:
  BodyText() = default;
  explicit BodyText(BodyBudget& budget) : budget_(&budget) {}
  BodyText(BodyText&& other) noexcept { *this = std::move(other); }
  BodyText& operator=(BodyText&& other) noexcept {
    std::swap(text_, other.text_);
    std::swap(charged_, other.charged_);
    std::swap(budget_, other.budget_);
    return *this;
  }
  ~BodyText() { release(); }

  const std::string& text() const { return text_; }

  // False where the budget does not have it; the body is then of no use any more.
  bool append(const char* bytes, std::size_t size) {
    return makeRoom(text_.size() + size) && (text_.append(bytes, size), true);
  }

  // Forgets the bytes; memory that was charged is given back, the rest kept for the next body.
  void clear() {
    text_.clear();
    if (charged_ > 0) release();
  }

 private:
  bool makeRoom(std::size_t wanted) {
    if (wanted <= text_.capacity()) return true;
    const std::size_t capacity = std::max(wanted, std::min(2 * text_.capacity(), kMostBodyBytes));
    const std::size_t charge = capacity > kFreeBodyBytes ? capacity : 0;
    if (charge > charged_) {
      if (budget_ == nullptr || !budget_->take(charge - charged_)) return false;
      charged_ = charge;
    }
    text_.reserve(capacity);
    return true;
  }

  void release() {
    if (budget_ != nullptr && charged_ > 0) budget_->give(charged_);
    charged_ = 0;
    text_ = std::string();
  }

  std::string text_;
  std::size_t charged_ = 0;
  BodyBudget* budget_ = nullptr;
};

struct ChargedBody {
  using value_type = BodyText;

  class reader {
   public:
    template <bool isRequest, class Fields>
    reader(http::header<isRequest, Fields>&, value_type& body) : body_(body) {}

    template <class Length>
    void init(const Length&, ErrorCode& failed) {
      failed = {};
    }

    template <class Buffers>
    std::size_t put(const Buffers& buffers, ErrorCode& failed) {
      failed = {};
      std::size_t taken = 0;
      for (auto at = asio::buffer_sequence_begin(buffers); at != asio::buffer_sequence_end(buffers); ++at) {
        const asio::const_buffer piece = *at;
        if (!body_.append(static_cast<const char*>(piece.data()), piece.size())) {
          failed = http::error::buffer_overflow;
          return taken;
        }
        taken += piece.size();
      }
      return taken;
    }

    void finish(ErrorCode& failed) { failed = {}; }

   private:
    value_type& body_;
  };
};

}  // namespace driftbar::server
