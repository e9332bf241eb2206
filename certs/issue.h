// Making certificates: an authority of our own, and serving certificates it signs. All in memory.
//
// ECDSA on P-256, for it is what every TLS client takes and a handshake costs a tenth of RSA's. The
// extensions are those that Go's verifier asks for (the API server is such a client): the names as subject
// alternative names, for the common name has not been looked at for years.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace driftbar::certs {

// A certificate and its private key, as PEM.
struct Pair {
  std::string certificate;
  std::string key;
};

// What a serving certificate stands for.
struct Names {
  std::vector<std::string> dns;  // in order; the first is also the common name
  std::vector<std::string> ips;
};

// Certificates begin to hold this long before they are made: clocks of nodes differ.
inline constexpr Duration kBackdated = std::chrono::minutes(10);
// Ten years: an authority is put into caBundles by hand, and nothing but us signs with it.
inline constexpr Duration kAuthorityLife = std::chrono::hours(24) * 3650;
// One year: public authorities give no more, and clients of that habit refuse longer ones.
inline constexpr Duration kServingLife = std::chrono::hours(24) * 365;

Result<Pair> makeAuthority(const std::string& commonName, Instant now, Duration life = kAuthorityLife);

// Errors: no name at all, names that are no DNS names or addresses, an authority that can't be read. All are
// gathered.
Result<Pair> issueServing(const Pair& authority, const Names& names, Instant now,
                          Duration life = kServingLife);

}  // namespace driftbar::certs
