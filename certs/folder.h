// A folder of certificates of our own: ca.crt, ca.key, tls.crt and tls.key.
//
// Written the way a kubelet writes a mounted Secret: the files lie in a folder of their own, `..data` points
// to it, and the names people use point through `..data`. One rename puts all four in place at once, so no
// reader ever sees the certificate of one pair and the key of another, and a run that was cut short leaves
// nothing that looks whole. It also works where the folder is a mount point.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "certs/issue.h"
#include "certs/serving.h"

namespace driftbar::certs {

struct OwnCertificates {
  Pair authority;
  Pair serving;
};

// The folder is made if need be (mode 0700); keys get mode 0600, certificates 0644. Whatever the four names
// point to before is replaced.
Result<std::string> writeFolder(const std::string& folder, const OwnCertificates& certificates);

struct Loaded {
  std::shared_ptr<const Serving> serving;
  std::string authority;  // ca.crt, what clients are to trust; empty where the folder has none
  bool made = false;      // now, and not found
};

// What is in the folder; where neither tls.crt nor tls.key is there, a new authority and serving certificate
// for `names`, written to it. What is there but does not load is an error and stays as it is.
Result<Loaded> loadOrMake(const std::string& folder, const Names& names, Instant now);

}  // namespace driftbar::certs
