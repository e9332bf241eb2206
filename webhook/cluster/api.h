// Api: one conversation with the API server, over one kept connection.
//
// get() and stream() are the ways in, used by one thread at a time; stop() may come from any. Redirects are
// not followed, compressed answers not asked for (no bomb can be sent), and a proxy is not used. Any answer
// of the server is a Reply, a 403 as well; errors are what kept us from getting one.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "cluster/access.h"

namespace httplib {
class ClientImpl;
}

namespace driftbar::cluster {

struct ServerCertificate;

struct ApiLimits {
  Duration connect = std::chrono::seconds(5);
  // How long the server may send nothing. A watch gets a bookmark about every minute (apiserver cacher
  // bookmarkFrequency); half as long again is silence, and still below the 150 s after which an inventory
  // counts as stale.
  Duration silence = std::chrono::seconds(90);
  Duration whole = std::chrono::minutes(2);  // for an answer that is not a stream
  // A page of 500 nodes of 30 kB (50 images, managedFields) is 15 MB.
  std::size_t bodyBytes = 64 * 1024 * 1024;
};

struct Reply {
  int status = 0;
  std::string body;  // of a stream that began with 200: empty
  std::optional<Duration> retryAfter;
};

struct StreamReply : Reply {
  enum class End { kServer, kReader, kSilence, kBroken };
  End end = End::kServer;  // the server ended it, the reader did, nothing came for too long, it broke off
};

struct StreamReader {
  std::function<void()> opened;                 // the server answered 200
  std::function<bool(std::string_view)> bytes;  // as they come, cut anywhere; false ends the stream
};

// The ids of what get() and stream() return as errors, besides those of the credentials.
inline constexpr std::string_view kStopped = "stopped", kUnreachable = "api-unreachable", kTls = "api-tls",
                                  kBroken = "api-broken", kTooLarge = "api-too-large";

class Api {
 public:
  explicit Api(Access access, ApiLimits limits = {});
  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  // `path` begins with a slash; its query is percent-encoded already. `within` shortens each of the limits on
  // time for this one request.
  Result<Reply> get(const std::string& path, std::optional<Duration> within = std::nullopt);
  Result<StreamReply> stream(const std::string& path, const StreamReader& reader);

  // Ends what is under way and all that comes later with the error kStopped. Returns when nothing is under
  // way any more, at the latest after the time that a connection may take.
  void stop();

  const Access& access() const { return access_; }

 private:
  struct Exchange;
  Result<StreamReply> send(const std::string& path, const StreamReader* reader, const ApiLimits& limits);
  Result<StreamReply> sendAs(const Credential& credential, const std::string& path,
                             const StreamReader* reader, const ApiLimits& limits);
  Diagnostics connectAs(const Credential& credential);
  bool begin();
  void finish();
  void once(Exchange& exchange, const Credential& credential, const std::string& path);
  Result<StreamReply> outcome(Exchange& exchange) const;
  Diagnostic whyFailed(const Exchange& exchange) const;

  const Access access_;
  const ApiLimits limits_;
  std::stop_source stopping_;

  std::mutex mutex_;  // guards client_ (the pointer) and busy_
  std::condition_variable idle_;
  bool busy_ = false;
  std::unique_ptr<ServerCertificate> seen_;  // outlives client_
  std::unique_ptr<httplib::ClientImpl> client_;
  std::string shownCertificate_;  // the client certificate that client_ shows
};

// `text` as the value of a query parameter.
std::string queryValue(std::string_view text);

}  // namespace driftbar::cluster
