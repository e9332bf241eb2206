// Access: one API server, how to know it, and who we are to it. Made by kubeconfig.h or in_cluster.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cluster/credentials.h"

namespace driftbar::cluster {

struct Server {
  bool tls = true;
  std::string host;  // a name or an address; IPv6 without brackets
  int port = 443;
  std::string prefix;  // of every path, without a slash at its end: some clusters sit below one

  // Of `https://host:port/prefix`. Errors: another scheme, no host, a port that is none.
  static Result<Server> parse(std::string_view url);
  std::string url() const;
  std::string hostAndPort() const;  // as the Host header has it
};

struct Access {
  Server server;
  std::string origin;    // where this was written, for messages: context `prod` of /home/ada/.kube/config
  std::string trustPem;  // the authorities that may vouch for the server; empty: the system's
  bool verifiesServer = true;                // false only where insecure-skip-tls-verify says so
  std::string serverName;                    // the name its certificate must be for; empty: the host
  std::shared_ptr<Credentials> credentials;  // never null
};

}  // namespace driftbar::cluster
