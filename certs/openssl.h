// Owners of OpenSSL's objects, and its queue of errors as one line.
#pragma once

#include <memory>
#include <string>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace driftbar::certs {

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using BigNumber = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using AlternativeNames = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;

// The last error's reason, and an empty queue: OpenSSL's errors would else be read by whoever looks next.
inline std::string lastReason() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  std::string out = reason == nullptr ? "no reason given" : reason;
  ERR_clear_error();
  return out;
}

}  // namespace driftbar::certs
