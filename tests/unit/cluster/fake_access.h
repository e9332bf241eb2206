// The access to a fake API server.
#pragma once

#include "cluster/access.h"
#include "tests/support/fake_api_server.h"

namespace driftbar::cluster {

inline Access accessTo(const test::FakeApiServer& server, WrittenCredentials written = {}) {
  return {{true, "127.0.0.1", server.port(), ""}, "the test", server.authority().pem(), true, "",
          credentialsFrom(std::move(written))};
}

// Errors hold the port that the test happened to get.
inline std::string withoutPort(std::string text, int port) {
  const std::string number = ":" + std::to_string(port);
  for (auto at = text.find(number); at != std::string::npos; at = text.find(number)) {
    text.replace(at, number.size(), ":PORT");
  }
  return text;
}

}  // namespace driftbar::cluster
