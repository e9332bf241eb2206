#include "certs/serving.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "certs/openssl.h"

namespace driftbar::certs {
namespace {

// A chain of ten RSA certificates is 20 kB; what is larger is another kind of file.
constexpr std::size_t kLargestFile = 1U << 20U;
// Go's verifier and all browsers refuse smaller ones.
constexpr int kLeastRsaBits = 2048;
// P-256 has 256, Ed25519 counts as 253; P-224 is what Go does not take.
constexpr int kLeastCurveBits = 250;

using Chain = std::vector<Certificate>;

int noPassword(char*, int, int, void*) {
  return -1;
}  // never ask at a terminal

Result<std::string> readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return error("tls-unreadable", std::string("can't be opened: ") + std::strerror(errno),
                 "give the path of a PEM file that this user may read", path);
  }
  std::string text;
  std::array<char, 4096> piece;
  while (file.read(piece.data(), piece.size()), file.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLargestFile)
      return error("tls-unreadable", "is larger than 1 MiB", "give the path of a PEM file", path);
  }
  if (file.bad() || text.empty())
    return error("tls-unreadable", file.bad() ? "can't be read" : "is empty", "give the path of a PEM file",
                 path);
  return text;
}

Bio reading(const std::string& pem) {
  return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

Result<Chain> readChain(const std::string& path, const std::string& pem) {
  const Bio bio = reading(pem);
  Chain chain;
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, noPassword, nullptr)) chain.emplace_back(next);
  const bool atEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = lastReason();
  if (!atEnd)
    return error("tls-bad-certificate",
                 "certificate " + std::to_string(chain.size() + 1) + " can't be read: " + reason,
                 "the file may be cut short; write it anew", path);
  if (chain.empty())
    return error("tls-bad-certificate", "has no PEM certificate in it",
                 "it must begin with `-----BEGIN CERTIFICATE-----`", path);
  return chain;
}

Result<Key> readKey(const std::string& path, const std::string& pem) {
  const Bio bio = reading(pem);
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, noPassword, nullptr));
  const std::string reason = lastReason();
  if (key) return key;
  if (pem.find("ENCRYPTED") != std::string::npos)
    return error("tls-bad-key", "the key has a password",
                 "store it without: `openssl pkey -in KEY -out PLAIN`", path);
  return error("tls-bad-key", "has no PEM private key that can be read: " + reason,
               "it must hold one block such as `-----BEGIN PRIVATE KEY-----`", path);
}

Instant instantOf(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return Instant{};
  return Instant{std::chrono::seconds{timegm(&parts)}};
}

std::string subject(X509* certificate) {
  std::array<char, 256> text{};
  X509_NAME_oneline(X509_get_subject_name(certificate), text.data(), static_cast<int>(text.size()));
  return printable(text.data());
}

std::string nameText(const GENERAL_NAME* name) {
  if (name->type == GEN_DNS) {
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
            static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName))};
  }
  if (name->type != GEN_IPADD) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(name->d.iPAddress) == 4 ? AF_INET : AF_INET6;
  inet_ntop(family, ASN1_STRING_get0_data(name->d.iPAddress), text.data(), text.size());
  return text.data();
}

std::vector<std::string> namesOf(X509* leaf) {
  std::vector<std::string> out;
  const AlternativeNames names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(leaf, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    std::string text = nameText(sk_GENERAL_NAME_value(names.get(), i));
    if (!text.empty()) out.push_back(std::move(text));
  }
  return out;
}

// What is checked of one certificate. `leaf` is the first of the chain.
class CertificateCheck {
 public:
  CertificateCheck(const std::string& path, Instant now, Diagnostics& found)
      : path_(path), now_(now), found_(found) {}

  void life(X509* certificate) const {
    const Instant from = instantOf(X509_get0_notBefore(certificate));
    const Instant to = instantOf(X509_get0_notAfter(certificate));
    if (now_ > to)
      found("tls-expired", subject(certificate) + " expired at " + toString(to), "issue it anew");
    if (now_ < from)
      found("tls-not-yet-valid", subject(certificate) + " is valid from " + toString(from) + " only",
            "check this machine's clock");
  }

  void strength(X509* certificate) const {
    const EVP_PKEY* key = X509_get0_pubkey(certificate);
    const int bits = key == nullptr ? 0 : EVP_PKEY_get_bits(key);
    const int least =
        key != nullptr && EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA ? kLeastRsaBits : kLeastCurveBits;
    if (bits < least)
      found("tls-weak-key", subject(certificate) + " has a key of " + std::to_string(bits) + " bits",
            "use ECDSA on P-256, or RSA with 2048 bits or more");
    int digest = NID_undef;
    X509_get_signature_info(certificate, &digest, nullptr, nullptr, nullptr);
    if (digest == NID_sha1 || digest == NID_md5)
      found("tls-weak-signature", subject(certificate) + " is signed with " + OBJ_nid2sn(digest),
            "sign it with SHA-256; the API server refuses this one");
  }

  void leaf(X509* certificate) const {
    if (namesOf(certificate).empty())
      found("tls-no-names", subject(certificate) + " has no subject alternative name",
            "add the DNS names the API server calls it by, such as `driftbar.driftbar.svc`; the common name "
            "is not looked at");
    const bool limited = (X509_get_extension_flags(certificate) & EXFLAG_XKUSAGE) != 0;
    if (limited && (X509_get_extended_key_usage(certificate) & (XKU_SSL_SERVER | XKU_ANYEKU)) == 0)
      found("tls-not-for-servers", subject(certificate) + " is not for servers",
            "its extended key usage must have `serverAuth`");
  }

  void link(X509* certificate, X509* issuer) const {
    if (X509_check_issued(issuer, certificate) != X509_V_OK)
      found("tls-chain-order",
            subject(certificate) + " is followed by " + subject(issuer) + ", which did not issue it",
            "put the serving certificate first, then each one's issuer");
    lastReason();
  }

 private:
  void found(std::string id, std::string message, std::string help) const {
    found_.push_back(error(std::move(id), std::move(message), std::move(help), path_));
  }

  const std::string& path_;
  const Instant now_;
  Diagnostics& found_;
};

Diagnostics check(const PairFiles& files, const Chain& chain, Instant now) {
  Diagnostics found;
  const CertificateCheck check(files.chain, now, found);
  check.leaf(chain.front().get());
  for (std::size_t i = 0; i < chain.size(); ++i) {
    check.life(chain[i].get());
    check.strength(chain[i].get());
    if (i > 0) check.link(chain[i - 1].get(), chain[i].get());
  }
  return found;
}

// That the key is the leaf's; says so where it is that of another certificate of the chain.
std::optional<Diagnostic> checkKey(const PairFiles& files, const Chain& chain, EVP_PKEY* key) {
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const bool matches = X509_check_private_key(chain[i].get(), key) == 1;
    lastReason();
    if (matches && i == 0) return std::nullopt;
    if (matches)
      return error("tls-chain-order",
                   "the key in " + files.key + " is that of certificate " + std::to_string(i + 1),
                   "put that certificate first, then each one's issuer", files.chain);
  }
  return error("tls-key-mismatch", "is not the key of the certificate in " + files.chain,
               "give the two files of one pair", files.key);
}

void append(Diagnostics& to, Diagnostics more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string digestOf(const std::string& chain, const std::string& key) {
  const std::string all = chain + '\0' + key;
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned length = 0;
  EVP_Digest(all.data(), all.size(), bytes.data(), &length, EVP_sha256(), nullptr);
  std::string out;
  for (unsigned i = 0; i < length; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += kDigits[bytes[i] >> 4U];
    out += kDigits[bytes[i] & 15U];
  }
  return out;
}

struct PairText {
  std::string chain;
  std::string key;
};

Result<PairText> readFiles(const PairFiles& files) {
  auto chain = readFile(files.chain);
  auto key = readFile(files.key);
  Diagnostics wrong;
  if (!chain) append(wrong, std::move(chain).errors());
  if (!key) append(wrong, std::move(key).errors());
  if (!wrong.empty()) return wrong;
  return PairText{std::move(chain).value(), std::move(key).value()};
}

Instant firstToExpire(const Chain& chain) {
  Instant first = instantOf(X509_get0_notAfter(chain[chain.size() > 1 ? 1 : 0].get()));
  for (std::size_t i = 1; i < chain.size(); ++i)
    first = std::min(first, instantOf(X509_get0_notAfter(chain[i].get())));
  return first;
}

Result<std::shared_ptr<const Serving>> fromText(const PairFiles& files, const PairText& text, Instant now) {
  auto chain = readChain(files.chain, text.chain);
  auto key = readKey(files.key, text.key);
  Diagnostics wrong;
  if (!chain) append(wrong, std::move(chain).errors());
  if (!key) append(wrong, std::move(key).errors());
  if (chain) append(wrong, check(files, *chain, now));
  if (chain && key)
    if (auto mismatch = checkKey(files, *chain, key->get())) wrong.push_back(std::move(*mismatch));
  if (!wrong.empty()) return wrong;
  auto context = serverContext(text.chain, text.key);
  if (!context) return std::move(context).errors();
  Serving serving;
  serving.context = std::move(context).value();
  serving.names = namesOf(chain->front().get());
  serving.expires = instantOf(X509_get0_notAfter(chain->front().get()));
  serving.chainExpires = firstToExpire(*chain);
  serving.digest = digestOf(text.chain, text.key);
  return std::make_shared<const Serving>(std::move(serving));
}

// Where the client names protocols, HTTP/1.1 is taken if it is among them; a client of another protocol only
// is told so now rather than by an answer it does not understand.
int chooseProtocol(SSL*, const unsigned char** out, unsigned char* outLength, const unsigned char* in,
                   unsigned inLength, void*) {
  static constexpr unsigned char kHttp[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, outLength, kHttp, sizeof kHttp - 1, in, inLength) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

constexpr const char* kTls12Ciphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

bool harden(SSL_CTX* context) {
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(context, chooseProtocol, nullptr);
  return SSL_CTX_set_num_tickets(context, 0) == 1 &&
         SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, kTls12Ciphers) == 1;
}

bool use(SSL_CTX* context, const std::string& chainPem, const std::string& keyPem) {
  const Bio chainBio = reading(chainPem), keyBio = reading(keyPem);
  const Certificate leaf(PEM_read_bio_X509(chainBio.get(), nullptr, noPassword, nullptr));
  const Key key(PEM_read_bio_PrivateKey(keyBio.get(), nullptr, noPassword, nullptr));
  if (!leaf || !key || SSL_CTX_use_certificate(context, leaf.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return false;
  }
  while (Certificate next{PEM_read_bio_X509(chainBio.get(), nullptr, noPassword, nullptr)})
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) return false;
  ERR_clear_error();  // the end of the file is told as an error
  return true;
}

}  // namespace

Result<std::shared_ptr<SSL_CTX>> serverContext(const std::string& chainPem, const std::string& keyPem) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context || !harden(context.get()) || !use(context.get(), chainPem, keyPem))
    return error("tls-context", "OpenSSL does not take the certificate: " + lastReason());
  return context;
}

Result<std::shared_ptr<const Serving>> loadServing(const PairFiles& files, Instant now) {
  auto text = readFiles(files);
  if (!text) return std::move(text).errors();
  return fromText(files, *text, now);
}

KeptPair::KeptPair(PairFiles files, std::shared_ptr<const Serving> first)
    : files_(std::move(files)), current_(std::move(first)) {}

Result<KeptPair::Change> KeptPair::reload(Instant now) {
  auto text = readFiles(files_);
  if (!text) return std::move(text).errors();
  if (digestOf(text->chain, text->key) == current()->digest) return Change::kNone;
  auto next = fromText(files_, *text, now);
  if (!next) return std::move(next).errors();
  current_.set(std::move(next).value());
  return Change::kRenewed;
}

}  // namespace driftbar::certs
