// Certificates made on the spot for tests: an authority, and what it issues.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace driftbar::test {

struct PemPair {
  std::string certificate, key;
};

class Authority {
 public:
  explicit Authority(const std::string& name = "driftbar test authority") : key_(newKey()) {
    certificate_.reset(blank(name, key_.get(), 0, 24));
    extend(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
    X509_set_issuer_name(certificate_.get(), X509_get_subject_name(certificate_.get()));
    X509_sign(certificate_.get(), key_.get(), EVP_sha256());
  }

  std::string pem() const { return certificatePem(certificate_.get()); }
  X509* certificate() const { return certificate_.get(); }

  // `names` as OpenSSL writes them: `IP:127.0.0.1,DNS:localhost`; empty: only a common name. Valid from
  // `fromHours` to `toHours` from now.
  PemPair issue(const std::string& commonName, const std::string& names, long fromHours = -1,
                long toHours = 24) const {
    const std::unique_ptr<EVP_PKEY, FreeKey> key(newKey());
    const std::unique_ptr<X509, FreeCertificate> made(blank(commonName, key.get(), fromHours, toHours));
    if (!names.empty()) extend(made.get(), NID_subject_alt_name, names.c_str());
    X509_set_issuer_name(made.get(), X509_get_subject_name(certificate_.get()));
    X509_sign(made.get(), key_.get(), EVP_sha256());
    return {certificatePem(made.get()), keyPem(key.get())};
  }

 private:
  struct FreeKey {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  struct FreeCertificate {
    void operator()(X509* certificate) const { X509_free(certificate); }
  };

  static EVP_PKEY* newKey() {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    if (key == nullptr) throw std::runtime_error("no key could be made");
    return key;
  }

  static X509* blank(const std::string& name, EVP_PKEY* key, long fromHours, long toHours) {
    static long serial = 1;
    X509* made = X509_new();
    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made), serial++);
    X509_gmtime_adj(X509_getm_notBefore(made), fromHours * 3600);
    X509_gmtime_adj(X509_getm_notAfter(made), toHours * 3600);
    X509_set_pubkey(made, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    return made;
  }

  static void extend(X509* certificate, int kind, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }

  static std::string textOf(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    std::string out(data, static_cast<std::size_t>(size));
    BIO_free(bio);
    return out;
  }
  static std::string certificatePem(X509* certificate) {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, certificate);
    return textOf(bio);
  }
  static std::string keyPem(EVP_PKEY* key) {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
    return textOf(bio);
  }

  std::unique_ptr<EVP_PKEY, FreeKey> key_;
  std::unique_ptr<X509, FreeCertificate> certificate_;
};

}  // namespace driftbar::test
