// TLS towards an API server: whom we trust, whom we expect, who we are.
//
// cpp-httplib's own verification is not used: it takes the system's authorities in beside those it was given,
// falls back to the common name, and looks only after the handshake is done, when a client certificate has
// been shown already. OpenSSL is told here to verify within the handshake, as Go's client does.
#pragma once

#include <openssl/ssl.h>

#include <string>
#include <string_view>
#include <vector>

#include "cluster/access.h"

namespace driftbar::cluster {

// How many certificates a PEM text holds, 0 where one of them cannot be read.
std::size_t countCertificates(std::string_view pem);

// Empty where the certificate and the key are a pair that can be used, else why not.
std::string whyNoPair(std::string_view certificatePem, std::string_view keyPem);

// What the handshakes of a context said about the server's certificate. Outlives the context.
struct ServerCertificate {
  long problem = X509_V_OK;        // of the last handshake
  std::vector<std::string> names;  // whom the refused certificate is for
  std::string expected;            // whom it should be for
};

// Sets the context up for this server: TLS 1.2 at least, the trusted authorities, the expected name (and the
// name asked for by SNI, none for an address), the client certificate. Empty on success.
Diagnostics prepare(SSL_CTX& context, const Access& access, const Credential& credential,
                    ServerCertificate& seen);

// Why a handshake failed, in words: from `seen` and the thread's OpenSSL error queue.
std::string whyHandshakeFailed(const ServerCertificate& seen);

}  // namespace driftbar::cluster
