#include "cluster/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>

#include "base/text.h"

namespace driftbar::cluster {
namespace {

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

Bio reading(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

int noPassword(char*, int, int, void*) {
  return 0;
}

// All certificates of the text; none where one of them is broken.
std::vector<Certificate> certificatesOf(std::string_view pem) {
  std::vector<Certificate> out;
  const Bio bio = reading(pem);
  ERR_clear_error();
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, noPassword, nullptr)) out.emplace_back(next);
  // The end of the text is reported as a missing start line.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) out.clear();
  ERR_clear_error();
  return out;
}

Key keyOf(std::string_view pem) {
  const Bio bio = reading(pem);
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, noPassword, nullptr));
  ERR_clear_error();
  return key;
}

bool isAddress(const std::string& host) {
  std::array<unsigned char, 16> bytes;
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

std::string addressText(const ASN1_OCTET_STRING* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(bytes) == 4 ? AF_INET : AF_INET6;
  const char* made = ::inet_ntop(family, ASN1_STRING_get0_data(bytes), text.data(), text.size());
  return made == nullptr ? std::string() : std::string(made);
}

std::vector<std::string> namesOf(const X509* certificate) {
  std::vector<std::string> out;
  std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_IPADD) out.push_back(addressText(name->d.iPAddress));
    if (name->type != GEN_DNS) continue;
    out.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                     static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
  }
  return out;
}

ServerCertificate* seenBy(const SSL* ssl) {
  return static_cast<ServerCertificate*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}

int onVerified(int good, X509_STORE_CTX* store) {
  const auto* ssl =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  ServerCertificate* seen = seenBy(ssl);
  if (good == 0) {
    seen->problem = X509_STORE_CTX_get_error(store);
    if (const X509* refused = X509_STORE_CTX_get_current_cert(store)) seen->names = namesOf(refused);
  }
  return good;
}

// cpp-httplib asks for the host it connects to, also where that is an address or where the certificate is
// another name's; this comes after it and before the first message is written.
void onProgress(const SSL* ssl, int where, int) {
  if ((where & SSL_CB_HANDSHAKE_START) == 0) return;
  ServerCertificate* seen = seenBy(ssl);
  seen->problem = X509_V_OK;
  seen->names.clear();
  const char* name = isAddress(seen->expected) ? nullptr : seen->expected.c_str();
  SSL_set_tlsext_host_name(const_cast<SSL*>(ssl), name);
}

void expectName(SSL_CTX& context, const std::string& name) {
  X509_VERIFY_PARAM* rules = SSL_CTX_get0_param(&context);
  X509_VERIFY_PARAM_set_hostflags(rules,
                                  X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (isAddress(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str());
  } else {
    X509_VERIFY_PARAM_set1_host(rules, name.c_str(), name.size());
  }
}

Diagnostics trust(SSL_CTX& context, const Access& access) {
  if (access.trustPem.empty()) {
    SSL_CTX_set_default_verify_paths(&context);
    return {};
  }
  const auto authorities = certificatesOf(access.trustPem);
  if (authorities.empty()) {
    return {error("bad-certificate", "the certificate authority of " + access.origin + " cannot be read")};
  }
  X509_STORE* store = X509_STORE_new();
  for (const auto& authority : authorities) X509_STORE_add_cert(store, authority.get());
  SSL_CTX_set_cert_store(&context, store);  // takes the store
  // An authority that the cluster's owner named is trusted also where it is itself issued by another.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(&context), X509_V_FLAG_PARTIAL_CHAIN);
  return {};
}

Diagnostics show(SSL_CTX& context, const Credential& credential) {
  if (credential.certificatePem.empty()) return {};
  if (std::string why = whyNoPair(credential.certificatePem, credential.keyPem); !why.empty()) {
    return {error("bad-certificate", "the client certificate cannot be used: " + why)};
  }
  const auto chain = certificatesOf(credential.certificatePem);
  SSL_CTX_use_certificate(&context, chain.front().get());
  for (std::size_t i = 1; i < chain.size(); ++i) SSL_CTX_add1_chain_cert(&context, chain[i].get());
  SSL_CTX_use_PrivateKey(&context, keyOf(credential.keyPem).get());
  return {};
}

}  // namespace

std::size_t countCertificates(std::string_view pem) {
  return certificatesOf(pem).size();
}

std::string whyNoPair(std::string_view certificatePem, std::string_view keyPem) {
  const auto chain = certificatesOf(certificatePem);
  if (chain.empty()) return "it holds no certificate in PEM form";
  const Key key = keyOf(keyPem);
  if (!key) return "its key is no private key in PEM form, or is locked with a password";
  const bool fits = X509_check_private_key(chain.front().get(), key.get()) == 1;
  ERR_clear_error();
  return fits ? std::string() : "its key belongs to another certificate";
}

Diagnostics prepare(SSL_CTX& context, const Access& access, const Credential& credential,
                    ServerCertificate& seen) {
  seen.expected = access.serverName.empty() ? access.server.host : access.serverName;
  SSL_CTX_set_app_data(&context, &seen);
  SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
  SSL_CTX_set_info_callback(&context, onProgress);
  if (access.verifiesServer) {
    SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, onVerified);
    expectName(context, seen.expected);
    if (auto errors = trust(context, access); !errors.empty()) return errors;
  }
  return show(context, credential);
}

std::string whyHandshakeFailed(const ServerCertificate& seen) {
  if (seen.problem == X509_V_ERR_HOSTNAME_MISMATCH || seen.problem == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    const std::vector<std::string_view> names(seen.names.begin(), seen.names.end());
    return "its certificate is for " + (names.empty() ? std::string("no name") : listed(names, "and")) +
           ", not for `" + seen.expected + "`";
  }
  if (seen.problem != X509_V_OK) {
    return std::string("its certificate is not trusted: ") + X509_verify_cert_error_string(seen.problem);
  }
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  return reason == nullptr ? "the TLS handshake broke off"
                           : std::string("the TLS handshake failed: ") + reason;
}

}  // namespace driftbar::cluster
