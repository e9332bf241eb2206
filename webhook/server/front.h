// Front: the HTTPS port that the API server calls.
//
// Boost.Beast over Asio and OpenSSL, HTTP/1.1 (the API server speaks no other to a service), a few threads
// for any number of connections. It reads, bounds and refuses; what a request means is its handler's
// business. Whatever a client does or leaves undone (idle, half a handshake, half a header, half a body)
// costs a connection, never a thread.
//
// Life: listen; then drain when the process is told to end, or stop to end at once. A front that failed for
// good (its listener, a thread) tells so through `fatal`; the process is then to exit with an error.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <openssl/types.h>

#include "base/result.h"
#include "record/metrics.h"
#include "server/endpoint.h"
#include "server/limits.h"
#include "server/message.h"

namespace driftbar::server {

struct FrontOptions {
  Endpoint endpoint{"0.0.0.0", 8443};
  unsigned threads = 0;  // 0: defaultThreads()
  Times times;
  Bounds bounds;
  Log log = [](std::string_view) {};
  // Called once at most, on a thread of the front's, which must not destroy the front.
  std::function<void(Diagnostic why)> fatal = [](const Diagnostic&) {};
};

// As many as the machine has processors; two at least, so that one slow judgement does not stand in the way
// of all else, and eight at most, for each then does some 5,000 reviews a second and a container sees
// processors it may not use.
unsigned defaultThreads();

class Front {
 public:
  // On success it serves; raises the process's limit of descriptors, and keeps below it (see descriptors.h).
  // Errors: an address that can't be listened on. `tls` is what certs::Serving has; `handler` and `metrics`
  // must outlive the front.
  static Result<std::unique_ptr<Front>> listen(FrontOptions options, Handler& handler,
                                               std::shared_ptr<SSL_CTX> tls, record::Metrics& metrics);
  ~Front();  // stops
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  std::uint16_t port() const;

  // For the handshakes that begin from now on; connections that are open keep theirs. From any thread.
  void use(std::shared_ptr<SSL_CTX> tls);

  // Both from any thread but the front's; each returns when the front has stopped. drain serves on for
  // times.drain, new and kept connections alike, each answer ending its connection; stop, also called while
  // another thread drains, closes what is idle at once. Both let answers that are on their way complete, for
  // times.grace at most.
  void drain();
  void stop();

  // True from the beginning of drain or stop on: what readiness asks. From any thread.
  bool draining() const;

 private:
  struct Parts;
  explicit Front(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace driftbar::server
