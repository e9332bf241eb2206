// Credentials from a credential plugin: a program that prints an ExecCredential.
//
// The protocol is client.authentication.k8s.io, v1 and v1beta1 (client-go plugin/pkg/client/auth/exec). The
// program is run when nothing is remembered, when what is remembered has run out, and after a refusal; else
// what it printed last is used. It never gets a terminal: driftbar runs where there is none.
#pragma once

#include <memory>
#include <string>

#include "cluster/clock.h"
#include "cluster/credentials.h"
#include "cluster/process.h"

namespace driftbar::cluster {

inline constexpr std::string_view kExecVersions[] = {"client.authentication.k8s.io/v1",
                                                     "client.authentication.k8s.io/v1beta1"};

struct ExecPlugin {
  Program program;
  std::string apiVersion;       // one of kExecVersions
  std::string installHint;      // shown when the program cannot be run
  std::string clusterInfoJson;  // what provideClusterInfo asks for; empty: not asked for
  // Plugins ask a cloud's token service, some of them through two more; kubectl waits without end, and a
  // program that a service waits for must not.
  Duration deadline = std::chrono::seconds(60);
  Clock now = systemNow;
};
std::shared_ptr<Credentials> credentialsFrom(ExecPlugin plugin);

}  // namespace driftbar::cluster
