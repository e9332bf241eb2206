#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certs/folder.h"
#include "certs/issue.h"
#include "certs/openssl.h"
#include "certs/serving.h"

namespace driftbar::certs {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const Instant kNow = *parseInstant("2026-12-01T10:00:00Z");
const Names kNames{{"localhost", "driftbar.driftbar.svc"}, {"127.0.0.1", "::1"}};

class Folder {
 public:
  Folder() : path_(testing::TempDir() + "certsXXXXXX") { EXPECT_NE(mkdtemp(path_.data()), nullptr); }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(*this / name, std::ios::binary) << text;
    return *this / name;
  }

 private:
  std::string path_;
};

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Pair authority() {
  return makeAuthority("a test's authority", kNow).value();
}
Pair serving(const Pair& issuer) {
  return issueServing(issuer, kNames, kNow).value();
}

X509* parsed(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr);
}

// All errors as people see them, the folder's name left out.
std::string told(const Diagnostics& diagnostics, const Folder& folder) {
  std::string text = render(diagnostics);
  const std::string name = folder.path() + "/";
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name))
    text.erase(at, name.size());
  return text;
}

// What loading a pair says; empty where it loads.
std::string loading(const std::string& chain, const std::string& key, Instant now = kNow) {
  const Folder folder;
  const auto loaded = loadServing({folder.write("tls.crt", chain), folder.write("tls.key", key)}, now);
  return loaded ? "" : told(loaded.errors(), folder);
}

// A certificate as we would never make one, its own issuer.
struct Odd {
  int rsaBits = 0;  // 0: P-256
  const EVP_MD* digest = EVP_sha256();
  const char* names = "DNS:localhost";
  const char* usage = "serverAuth";

  Pair made() const {
    const Key key(rsaBits > 0 ? EVP_RSA_gen(static_cast<unsigned>(rsaBits)) : EVP_EC_gen("P-256"));
    const Certificate certificate(X509_new());
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    const std::time_t now = std::chrono::system_clock::to_time_t(kNow);
    ASN1_TIME_set(X509_getm_notBefore(certificate.get()), now - 60);
    ASN1_TIME_set(X509_getm_notAfter(certificate.get()), now + 3600);
    X509_NAME* name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>("odd"), 3,
                               -1, 0);
    X509_set_issuer_name(certificate.get(), name);
    X509_set_pubkey(certificate.get(), key.get());
    add(certificate.get(), NID_subject_alt_name, names);
    add(certificate.get(), NID_ext_key_usage, usage);
    EXPECT_GT(X509_sign(certificate.get(), key.get(), digest), 0);
    const Bio one(BIO_new(BIO_s_mem())), other(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(one.get(), certificate.get());
    PEM_write_bio_PrivateKey(other.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return {text(one.get()), text(other.get())};
  }

  static void add(X509* to, int nid, const char* value) {
    if (value == nullptr) return;
    const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, nid, value));
    X509_add_ext(to, extension.get(), -1);
  }

  static std::string text(BIO* bio) {
    char* at = nullptr;
    const long size = BIO_get_mem_data(bio, &at);
    return {at, static_cast<std::size_t>(size)};
  }
};

std::string loading(const Odd& odd) {
  const Pair pair = odd.made();
  return loading(pair.certificate, pair.key);
}

// Issuing.

TEST(Issue, StrictVerifierTakesTheServingCertificateForEachOfItsNames) {
  const Pair ca = authority();
  const Certificate root(parsed(ca.certificate)), leaf(parsed(serving(ca).certificate));
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, root.get());
  const std::vector<std::function<int(X509_VERIFY_PARAM*)>> asked{
      [](auto* p) { return X509_VERIFY_PARAM_set1_host(p, "localhost", 0); },
      [](auto* p) { return X509_VERIFY_PARAM_set1_host(p, "driftbar.driftbar.svc", 0); },
      [](auto* p) { return X509_VERIFY_PARAM_set1_ip_asc(p, "127.0.0.1"); },
      [](auto* p) { return X509_VERIFY_PARAM_set1_ip_asc(p, "::1"); }};
  for (const auto& ask : asked) {
    X509_STORE_CTX* run = X509_STORE_CTX_new();
    X509_STORE_CTX_init(run, store, leaf.get(), nullptr);
    X509_VERIFY_PARAM* param = X509_STORE_CTX_get0_param(run);
    X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT);
    X509_VERIFY_PARAM_set_purpose(param, X509_PURPOSE_SSL_SERVER);
    X509_VERIFY_PARAM_set_time(param, std::chrono::system_clock::to_time_t(kNow));
    EXPECT_EQ(ask(param), 1);
    EXPECT_EQ(X509_verify_cert(run), 1) << X509_verify_cert_error_string(X509_STORE_CTX_get_error(run));
    X509_STORE_CTX_free(run);
  }
  X509_STORE_free(store);
}

TEST(Issue, SerialsDiffer) {
  const Pair ca = authority();
  const Certificate one(parsed(serving(ca).certificate)), other(parsed(serving(ca).certificate));
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(one.get()), X509_get0_serialNumber(other.get())), 0);
}

TEST(Issue, HoldsForClocksThatAreBehind) {
  const Pair ca = authority();
  EXPECT_EQ(loading(serving(ca).certificate + ca.certificate, serving(ca).key, kNow - std::chrono::minutes(9))
                .find("not-yet-valid"),
            std::string::npos);
}

TEST(Issue, AllBadNamesAreTold) {
  const auto made =
      issueServing(authority(), {{"fine.svc", "a..b", "-x", "10.0.0.1", "a b"}, {"localhost"}}, kNow);
  ASSERT_FALSE(made);
  EXPECT_EQ(render(made.errors()),
            "error: `a..b` is not a DNS name [bad-dns-name]\n"
            "  help: use letters, digits, `-` and dots, such as `driftbar.driftbar.svc`\n"
            "error: `-x` is not a DNS name [bad-dns-name]\n"
            "  help: use letters, digits, `-` and dots, such as `driftbar.driftbar.svc`\n"
            "error: `10.0.0.1` is not a DNS name [bad-dns-name]\n"
            "  help: use letters, digits, `-` and dots, such as `driftbar.driftbar.svc`\n"
            "error: `a b` is not a DNS name [bad-dns-name]\n"
            "  help: use letters, digits, `-` and dots, such as `driftbar.driftbar.svc`\n"
            "error: `localhost` is not an IP address [bad-address]\n"
            "  help: write it as `127.0.0.1` or `::1`\n");
}

TEST(Issue, NoNameAndNoAuthorityAreBothTold) {
  const auto made = issueServing({"", ""}, {}, kNow);
  ASSERT_FALSE(made);
  ASSERT_EQ(made.errors().size(), 2U);
  EXPECT_EQ(made.errors()[0].id, "no-names");
  EXPECT_EQ(made.errors()[1].id, "bad-authority");
}

// Loading.

TEST(Loading, GivesNamesAndExpiry) {
  const Folder folder;
  const Pair ca = authority(), pair = serving(ca);
  const auto loaded = loadServing(
      {folder.write("tls.crt", pair.certificate + ca.certificate), folder.write("tls.key", pair.key)}, kNow);
  ASSERT_TRUE(loaded) << render(loaded.errors());
  EXPECT_THAT(loaded.value()->names, ElementsAre("localhost", "driftbar.driftbar.svc", "127.0.0.1", "::1"));
  EXPECT_EQ(loaded.value()->expires, kNow + kServingLife);
  EXPECT_EQ(loaded.value()->chainExpires, kNow + kAuthorityLife);
  EXPECT_EQ(loaded.value()->digest.size(), 64U);
  EXPECT_EQ(SSL_CTX_get_min_proto_version(loaded.value()->context.get()), TLS1_2_VERSION);
  EXPECT_EQ(SSL_CTX_get_num_tickets(loaded.value()->context.get()), 0U);
}

TEST(Loading, TakesAPairOfRsa) {
  EXPECT_EQ(loading(Odd{.rsaBits = 2048}), "");
}

TEST(Loading, BothMissingFilesAreTold) {
  const Folder folder;
  const auto loaded = loadServing(PairFiles::in(folder.path()), kNow);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(told(loaded.errors(), folder),
            "tls.crt: error: can't be opened: No such file or directory [tls-unreadable]\n"
            "  help: give the path of a PEM file that this user may read\n"
            "tls.key: error: can't be opened: No such file or directory [tls-unreadable]\n"
            "  help: give the path of a PEM file that this user may read\n");
}

TEST(Loading, FolderInsteadOfAFile) {
  const Folder folder;
  const auto loaded = loadServing({folder.path(), folder.path()}, kNow);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.errors().front().id, "tls-unreadable");
}

TEST(Loading, KeyOfAnotherPair) {
  const Pair ca = authority();
  EXPECT_THAT(loading(serving(ca).certificate, serving(ca).key),
              HasSubstr("tls.key: error: is not the key of the certificate in "));
}

TEST(Loading, ChainOutOfOrder) {
  const Pair ca = authority(), pair = serving(ca);
  const std::string text = loading(ca.certificate + pair.certificate, pair.key);
  EXPECT_THAT(text,
              HasSubstr("tls.crt: error: /CN=a test's authority is followed by /CN=localhost, which did not "
                        "issue it [tls-chain-order]\n"
                        "  help: put the serving certificate first, then each one's issuer\n"));
  EXPECT_THAT(text,
              HasSubstr("tls.crt: error: the key in tls.key is that of certificate 2 [tls-chain-order]\n"));
}

TEST(Loading, Expired) {
  const Pair ca = authority(), pair = serving(ca);
  EXPECT_EQ(
      loading(pair.certificate, pair.key, kNow + kServingLife + std::chrono::hours(1)),
      "tls.crt: error: /CN=localhost expired at 2027-12-01T10:00:00Z [tls-expired]\n  help: issue it anew\n");
}

TEST(Loading, NotYetValid) {
  const Pair ca = authority(), pair = serving(ca);
  EXPECT_EQ(loading(pair.certificate, pair.key, kNow - std::chrono::hours(1)),
            "tls.crt: error: /CN=localhost is valid from 2026-12-01T09:50:00Z only [tls-not-yet-valid]\n"
            "  help: check this machine's clock\n");
}

TEST(Loading, CertificateCutShort) {
  const Pair ca = authority(), pair = serving(ca);
  EXPECT_THAT(loading(pair.certificate.substr(0, 300), pair.key),
              HasSubstr("tls.crt: error: certificate 1 can't be read: "));
  EXPECT_THAT(loading(pair.certificate + ca.certificate.substr(0, 300), pair.key),
              HasSubstr("tls.crt: error: certificate 2 can't be read: "));
}

TEST(Loading, FilesSwapped) {
  const Pair ca = authority(), pair = serving(ca);
  const std::string text = loading(pair.key, pair.certificate);
  EXPECT_THAT(text, HasSubstr("tls.crt: error: has no PEM certificate in it [tls-bad-certificate]\n"
                              "  help: it must begin with `-----BEGIN CERTIFICATE-----`\n"));
  EXPECT_THAT(text, HasSubstr("tls.key: error: has no PEM private key that can be read: "));
}

TEST(Loading, KeyWithAPasswordIsNotAskedFor) {
  const Pair ca = authority(), pair = serving(ca);
  const Bio in(BIO_new_mem_buf(pair.key.data(), static_cast<int>(pair.key.size()))),
      out(BIO_new(BIO_s_mem()));
  const Key key(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr));
  char password[] = "geheim";
  PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), EVP_aes_128_cbc(), password, 6, nullptr, nullptr);
  EXPECT_EQ(loading(pair.certificate, Odd::text(out.get())),
            "tls.key: error: the key has a password [tls-bad-key]\n"
            "  help: store it without: `openssl pkey -in KEY -out PLAIN`\n");
}

TEST(Loading, WithoutAlternativeNames) {
  EXPECT_EQ(
      loading(Odd{.names = nullptr}),
      "tls.crt: error: /CN=odd has no subject alternative name [tls-no-names]\n"
      "  help: add the DNS names the API server calls it by, such as `driftbar.driftbar.svc`; the common "
      "name is not looked at\n");
}

TEST(Loading, ForClientsOnly) {
  EXPECT_EQ(loading(Odd{.usage = "clientAuth"}),
            "tls.crt: error: /CN=odd is not for servers [tls-not-for-servers]\n"
            "  help: its extended key usage must have `serverAuth`\n");
}

TEST(Loading, WeakKeyAndWeakSignatureAreBothTold) {
  EXPECT_EQ(loading(Odd{.rsaBits = 1024, .digest = EVP_sha1()}),
            "tls.crt: error: /CN=odd has a key of 1024 bits [tls-weak-key]\n"
            "  help: use ECDSA on P-256, or RSA with 2048 bits or more\n"
            "tls.crt: error: /CN=odd is signed with SHA1 [tls-weak-signature]\n"
            "  help: sign it with SHA-256; the API server refuses this one\n");
}

// Reloading.

TEST(KeptPair, RenewsOnlyWhatChangedAndKeepsTheOldOverBadFiles) {
  const Folder folder;
  const Pair ca = authority(), first = serving(ca), second = serving(ca);
  const PairFiles files = PairFiles::in(folder.path());
  folder.write("tls.crt", first.certificate);
  folder.write("tls.key", first.key);
  KeptPair kept(files, loadServing(files, kNow).value());
  const auto before = kept.current();

  EXPECT_EQ(kept.reload(kNow).value(), KeptPair::Change::kNone);
  EXPECT_EQ(kept.current(), before);

  folder.write("tls.crt", second.certificate);  // half of the new pair
  EXPECT_FALSE(kept.reload(kNow));
  EXPECT_EQ(kept.current(), before);

  folder.write("tls.key", second.key);
  EXPECT_EQ(kept.reload(kNow).value(), KeptPair::Change::kRenewed);
  EXPECT_NE(kept.current(), before);
  EXPECT_NE(kept.current()->context, before->context);
}

// The folder.

TEST(Folder, MakesThenFinds) {
  const Folder folder;
  const std::string path = folder / "new/certs";
  const auto made = loadOrMake(path, kNames, kNow);
  ASSERT_TRUE(made) << render(made.errors());
  EXPECT_TRUE(made->made);
  EXPECT_THAT(made->authority, HasSubstr("BEGIN CERTIFICATE"));
  const auto found = loadOrMake(path, kNames, kNow);
  ASSERT_TRUE(found) << render(found.errors());
  EXPECT_FALSE(found->made);
  EXPECT_EQ(found->serving->digest, made->serving->digest);
  EXPECT_EQ(found->authority, made->authority);
}

TEST(Folder, KeysAreForTheirOwnerAlone) {
  const Folder folder;
  ASSERT_TRUE(loadOrMake(folder / "c", kNames, kNow));
  for (const auto& [name, mode] : std::vector<std::pair<std::string, unsigned>>{
           {"c/tls.key", 0600}, {"c/ca.key", 0600}, {"c/tls.crt", 0644}, {"c/ca.crt", 0644}}) {
    struct stat status {};
    ASSERT_EQ(stat((folder / name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 0777U, mode) << name;
  }
}

TEST(Folder, RunThatWasCutShortLeavesNothingThatLooksWhole) {
  const Folder folder;
  for (const char* name : {"tls.crt", "tls.key"})  // the links are made before what they point to
    fs::create_symlink(std::string("..data/") + name, folder / name);
  const auto made = loadOrMake(folder.path(), kNames, kNow);
  ASSERT_TRUE(made) << render(made.errors());
  EXPECT_TRUE(made->made);
}

TEST(Folder, ReplacesAPairAndRemovesTheOneBefore) {
  const Folder folder;
  ASSERT_TRUE(loadOrMake(folder.path(), kNames, kNow));
  const std::string before = read(folder / "tls.crt");
  const Pair ca = authority();
  ASSERT_TRUE(writeFolder(folder.path(), {ca, serving(ca)}));
  EXPECT_NE(read(folder / "tls.crt"), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 6);  // four names, ..data, its folder
}

TEST(Folder, NeverRemovesWhatIsNotOurs) {
  const Folder folder;
  fs::create_directories(folder / "outer/c");
  folder.write("outer/precious", "x");
  fs::create_symlink("..", folder / "outer/c/..data");
  const Pair ca = authority();
  ASSERT_TRUE(writeFolder(folder / "outer/c", {ca, serving(ca)}));
  EXPECT_TRUE(fs::exists(folder / "outer/precious"));
}

TEST(Folder, WhatIsThereAndDoesNotLoadStays) {
  const Folder folder;
  folder.write("tls.crt", "mine");
  const auto loaded = loadOrMake(folder.path(), kNames, kNow);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(told(loaded.errors(), folder),
            "tls.key: error: can't be opened: No such file or directory [tls-unreadable]\n"
            "  help: give the path of a PEM file that this user may read\n");
  EXPECT_EQ(read(folder / "tls.crt"), "mine");
}

TEST(Folder, ThatCannotBeMade) {
  const Folder folder;
  folder.write("file", "");
  const auto made = loadOrMake(folder / "file/certs", kNames, kNow);
  ASSERT_FALSE(made);
}

}  // namespace
}  // namespace driftbar::certs
