#include "certs/issue.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "certs/openssl.h"

namespace driftbar::certs {
namespace {

Diagnostic failed(const std::string& what) {
  return error("certificate-not-made", "OpenSSL could not " + what + ": " + lastReason());
}

std::string written(BIO* bio) {
  char* text = nullptr;
  const long length = BIO_get_mem_data(bio, &text);
  return {text, static_cast<std::size_t>(length)};
}

Result<Pair> asPem(X509* certificate, EVP_PKEY* key) {
  const Bio forCertificate(BIO_new(BIO_s_mem())), forKey(BIO_new(BIO_s_mem()));
  if (!forCertificate || !forKey || PEM_write_bio_X509(forCertificate.get(), certificate) != 1 ||
      PEM_write_bio_PrivateKey(forKey.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return failed("write the certificate");
  }
  return Pair{written(forCertificate.get()), written(forKey.get())};
}

// 127 random bits: what RFC 5280 allows (20 octets, positive) and nobody guesses.
bool setSerial(X509* certificate) {
  const BigNumber serial(BN_new());
  return serial && BN_rand(serial.get(), 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool setLife(X509* certificate, Instant from, Instant to) {
  const auto seconds = [](Instant at) {
    return static_cast<std::time_t>(std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count());
  };
  return ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(from)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(to)) != nullptr;
}

// RFC 5280 allows 64 characters in a common name.
bool setCommonName(X509_NAME* name, const std::string& text) {
  const std::string cut = text.substr(0, 64);
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(cut.data()),
                                    static_cast<int>(cut.size()), -1, 0) == 1;
}

struct ExtensionText {
  int nid;
  const char* value;
};

constexpr std::array kAuthorityExtensions{ExtensionText{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                                          ExtensionText{NID_key_usage, "critical,keyCertSign,cRLSign"},
                                          ExtensionText{NID_subject_key_identifier, "hash"}};
constexpr std::array kServingExtensions{ExtensionText{NID_basic_constraints, "critical,CA:FALSE"},
                                        ExtensionText{NID_key_usage, "critical,digitalSignature"},
                                        ExtensionText{NID_ext_key_usage, "serverAuth"},
                                        ExtensionText{NID_subject_key_identifier, "hash"},
                                        ExtensionText{NID_authority_key_identifier, "keyid:always"}};

template <typename Texts>
bool addExtensions(X509* certificate, X509* issuer, const Texts& texts) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  return std::all_of(texts.begin(), texts.end(), [&](const ExtensionText& text) {
    const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, text.nid, text.value));
    return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
  });
}

bool isLabel(std::string_view label) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(), fits);
}

// As RFC 1123 has it, a `*` allowed for the first label. All digits would be taken for an address.
bool isDnsName(std::string_view name) {
  if (name.starts_with("*.")) name.remove_prefix(2);
  if (name.size() > 253 || name.find_first_not_of("0123456789.") == std::string_view::npos) return false;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    if (!isLabel(name.substr(at, end - at))) return false;
    at = end + 1;
  }
  return true;
}

// The address' bytes as a certificate has them; empty where it is none.
std::string addressBytes(const std::string& text) {
  std::array<char, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return {};
}

Diagnostics check(const Names& names) {
  Diagnostics out;
  if (names.dns.empty() && names.ips.empty()) {
    out.push_back(error("no-names", "a serving certificate needs a name or an address",
                        "give the host names and addresses that clients call it by"));
  }
  for (const auto& name : names.dns) {
    if (!isDnsName(name))
      out.push_back(error("bad-dns-name", "`" + printable(name) + "` is not a DNS name",
                          "use letters, digits, `-` and dots, such as `driftbar.driftbar.svc`"));
  }
  for (const auto& ip : names.ips) {
    if (addressBytes(ip).empty())
      out.push_back(error("bad-address", "`" + printable(ip) + "` is not an IP address",
                          "write it as `127.0.0.1` or `::1`"));
  }
  return out;
}

bool addName(GENERAL_NAMES* to, int type, const std::string& bytes) {
  GENERAL_NAME* name = GENERAL_NAME_new();
  ASN1_STRING* value = ASN1_STRING_type_new(type == GEN_DNS ? V_ASN1_IA5STRING : V_ASN1_OCTET_STRING);
  if (name == nullptr || value == nullptr ||
      ASN1_STRING_set(value, bytes.data(), static_cast<int>(bytes.size())) != 1) {
    GENERAL_NAME_free(name);
    ASN1_STRING_free(value);
    return false;
  }
  GENERAL_NAME_set0_value(name, type, value);
  return sk_GENERAL_NAME_push(to, name) > 0;
}

bool addNames(X509* certificate, const Names& names) {
  const AlternativeNames all(GENERAL_NAMES_new());
  if (!all) return false;
  for (const auto& name : names.dns)
    if (!addName(all.get(), GEN_DNS, name)) return false;
  for (const auto& ip : names.ips)
    if (!addName(all.get(), GEN_IPADD, addressBytes(ip))) return false;
  return X509_add1_ext_i2d(certificate, NID_subject_alt_name, all.get(), 0, X509V3_ADD_DEFAULT) == 1;
}

// A certificate of version 3 with serial, life, name and public key; no issuer and no extensions yet.
Certificate begun(const std::string& commonName, EVP_PKEY* key, Instant now, Duration life) {
  Certificate made(X509_new());
  const bool fine = made && X509_set_version(made.get(), X509_VERSION_3) == 1 && setSerial(made.get()) &&
                    setLife(made.get(), now - kBackdated, now + life) &&
                    setCommonName(X509_get_subject_name(made.get()), commonName) &&
                    X509_set_pubkey(made.get(), key) == 1;
  return fine ? std::move(made) : nullptr;
}

bool sign(X509* certificate, X509* issuer, EVP_PKEY* issuerKey) {
  return X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
         X509_sign(certificate, issuerKey, EVP_sha256()) > 0;
}

struct Authority {
  Certificate certificate;
  Key key;
};

int noPassword(char*, int, int, void*) {
  return -1;
}  // never ask at a terminal

std::optional<Authority> read(const Pair& pair) {
  const Bio certificate(BIO_new_mem_buf(pair.certificate.data(), static_cast<int>(pair.certificate.size())));
  const Bio key(BIO_new_mem_buf(pair.key.data(), static_cast<int>(pair.key.size())));
  Authority out{Certificate(PEM_read_bio_X509(certificate.get(), nullptr, noPassword, nullptr)),
                Key(PEM_read_bio_PrivateKey(key.get(), nullptr, noPassword, nullptr))};
  if (!out.certificate || !out.key || X509_check_private_key(out.certificate.get(), out.key.get()) != 1)
    return std::nullopt;
  return out;
}

}  // namespace

Result<Pair> makeAuthority(const std::string& commonName, Instant now, Duration life) {
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return failed("make a key");
  const Certificate made = begun(commonName, key.get(), now, life);
  if (!made || !addExtensions(made.get(), made.get(), kAuthorityExtensions) ||
      !sign(made.get(), made.get(), key.get())) {
    return failed("make the authority's certificate");
  }
  return asPem(made.get(), key.get());
}

Result<Pair> issueServing(const Pair& authority, const Names& names, Instant now, Duration life) {
  Diagnostics wrong = check(names);
  const auto issuer = read(authority);
  if (!issuer)
    wrong.push_back(
        error("bad-authority", "the authority's certificate and key can't be read: " + lastReason()));
  if (!wrong.empty()) return wrong;
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return failed("make a key");
  const std::string commonName = names.dns.empty() ? names.ips.front() : names.dns.front();
  const Certificate made = begun(commonName, key.get(), now, life);
  if (!made || !addExtensions(made.get(), issuer->certificate.get(), kServingExtensions) ||
      !addNames(made.get(), names) || !sign(made.get(), issuer->certificate.get(), issuer->key.get())) {
    return failed("make the serving certificate");
  }
  return asPem(made.get(), key.get());
}

}  // namespace driftbar::certs
