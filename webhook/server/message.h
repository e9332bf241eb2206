// What passes between the front and those who answer: a request, a reply, a handler.
//
// Knows nothing of sockets, TLS or admission, so a handler is tested by calling it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace driftbar::server {

// Valid while the handler runs.
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

// Answers requests. Called on any of the front's threads, on several at once; must not block, for while it
// runs a thread of the front does nothing else. What it throws is logged and answered with a 500 that does
// not tell it.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual Reply handle(const Request& request) = 0;
};

// Where lines for the one who runs the gate go; printable, without a line end. Called on any thread.
using Log = std::function<void(std::string_view line)>;

}  // namespace driftbar::server
