// Credentials: who we are to the API server.
//
// Asked before each request, so that a token that rotates on disk or runs out is replaced without anyone
// being told. What is given is a value; where it comes from is behind this interface.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace driftbar::cluster {

struct Credential {
  std::string authorization;           // the header's value; empty: none is sent
  std::string certificatePem, keyPem;  // a client certificate with its chain; empty: none is shown
  friend bool operator==(const Credential&, const Credential&) = default;
};

class Credentials {
 public:
  Credentials() = default;
  virtual ~Credentials() = default;
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  // What to show now. From any thread; may read files or run a program, which `stop` ends. Errors say what
  // could not be had and why.
  virtual Result<Credential> current(std::stop_token stop) = 0;
  // The API server did not accept what current() gave: nothing that is remembered is good any more.
  virtual void refused() {}
};

// What is written in a kubeconfig, and files it names. A file is read each time, for requests are rare (a
// list, then a watch every few minutes) and a bound service account token is replaced on disk every hour.
struct WrittenCredentials {
  std::string token, tokenFile;  // the file counts where both are there
  std::string username, password;
  std::string certificatePem, certificateFile;  // the text counts where both are there, as with the key
  std::string keyPem, keyFile;
};
std::shared_ptr<Credentials> credentialsFrom(WrittenCredentials written);

// `text` as a token: without the white space around it. Errors: empty, or holds what no header may hold.
Result<std::string> checkedToken(std::string_view text, const std::string& what);

// Standard base64; line ends in it are fine. Nothing where it is not base64.
std::optional<std::string> fromBase64(std::string_view text);
std::string toBase64(std::string_view bytes);

}  // namespace driftbar::cluster
