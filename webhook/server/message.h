// What passes between the front and those who answer: a request, a reply, a handler.
//
// Knows nothing of sockets, TLS or admission, so a handler is tested by calling it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace driftbar::server {

// Valid until it is answered.
struct Request {
  std::string_view method;  // as sent: GET, POST
  std::string_view path;    // begins with a slash, without the query, not percent-decoded
  std::string_view query;   // what follows the `?`, or nothing
  std::string_view body;
  std::chrono::steady_clock::time_point received;  // its first byte
  std::chrono::steady_clock::time_point deadline;  // when an answer is of no use any more; may have passed
};

struct Reply {
  unsigned status = 200;
  std::string contentType;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // beyond those that every answer has
};

// application/json.
Reply jsonReply(std::string body);
// text/plain: one sentence, ended by a line end if it is not yet.
Reply textReply(unsigned status, std::string sentence);

// How a handler answers that has to wait for something first: once, from any thread, it gives a function,
// which the front runs on one of its own threads and sends what it returns. What that throws is treated as
// what handle() throws. Dropped without having been called, it counts as a failure of the handler. None may
// be left when the front is destroyed. Cheap to copy.
using Resume = std::function<void(std::function<Reply()>)>;
// Makes one for the request that is being handled; at most once.
using Later = std::function<Resume()>;

// Answers requests. Called on any of the front's threads, on several at once; must not block, for while it
// runs a thread of the front does nothing else. What it throws is logged and answered with a 500 that does
// not tell it.
class Handler {
 public:
  virtual ~Handler() = default;
  // The answer; or nothing after `later` was called, and then by what that gave. The request stays valid
  // until it is answered. Whoever waits must be done by the request's deadline.
  virtual std::optional<Reply> handle(const Request& request, const Later& later) = 0;
};

// One that never has to wait.
class PromptHandler : public Handler {
 public:
  virtual Reply handle(const Request& request) = 0;
  std::optional<Reply> handle(const Request& request, const Later&) final { return handle(request); }
};

// Where lines for the one who runs the gate go; printable, without a line end. Called on any thread.
using Log = std::function<void(std::string_view line)>;

}  // namespace driftbar::server
