// What a server shows of itself: a chain and its key, read from files, checked, and made a TLS context.
//
// A context is always a whole new one, never a changed one: OpenSSL copies what it needs of it at the start
// of a connection, so those that are open go on as they are. Nothing here watches files; whoever owns a
// KeptPair calls reload when a file may have changed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <openssl/types.h>

#include "base/published.h"
#include "base/result.h"
#include "base/time.h"

namespace driftbar::certs {

// Paths. The names in a folder are those of a Secret of type kubernetes.io/tls.
struct PairFiles {
  std::string chain;  // PEM, the serving certificate first, then each one's issuer
  std::string key;    // PEM, without a password

  static PairFiles in(const std::string& folder) { return {folder + "/tls.crt", folder + "/tls.key"}; }
};

// Only read; may be used by any number of connections at once, for as long as they like.
struct Serving {
  std::shared_ptr<SSL_CTX> context;
  std::vector<std::string> names;  // DNS names and addresses the certificate stands for
  Instant expires;                 // the serving certificate
  Instant chainExpires;            // the first to expire of those above it; `expires` where there are none
  std::string digest;              // SHA-256 of both files, in hexadecimal
};

// Errors name the file and how to mend it: unreadable, no PEM, a password, a chain out of order, a key that
// is another certificate's, expired or not yet valid at `now`, no subject alternative name, not for servers,
// a weak key or signature. All that can be found are gathered.
Result<std::shared_ptr<const Serving>> loadServing(const PairFiles& files, Instant now);

// The pair in use. All functions from any thread, but one reload at a time.
class KeptPair {
 public:
  KeptPair(PairFiles files, std::shared_ptr<const Serving> first);

  std::shared_ptr<const Serving> current() const { return current_.get(); }

  enum class Change { kNone, kRenewed };
  // Reads the files anew. Where anything is wrong with them the pair before stays.
  Result<Change> reload(Instant now);

 private:
  const PairFiles files_;
  Published<Serving> current_;
};

// A server's context: TLS 1.2 or newer, forward secret and authenticated ciphers only, HTTP/1.1 where the
// client asks which protocol. No session is ever resumed (no tickets, no cache): the API server resumes none,
// and a ticket's key that is never changed undoes forward secrecy. Takes its own reference to what it is
// given.
Result<std::shared_ptr<SSL_CTX>> serverContext(const std::string& chainPem, const std::string& keyPem);

}  // namespace driftbar::certs
