#include "cluster/credentials.h"

#include <openssl/evp.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cluster/text_file.h"

namespace driftbar::cluster {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

Result<std::string> pemOf(const std::string& text, const std::string& file, const std::string& what) {
  return text.empty() && !file.empty() ? readText(file, what) : Result<std::string>(text);
}

class FromWritten : public Credentials {
 public:
  explicit FromWritten(WrittenCredentials written) : written_(std::move(written)) {}

  Result<Credential> current(std::stop_token) override {
    auto authorization = authorizationHeader();
    auto certificate = pemOf(written_.certificatePem, written_.certificateFile, "the client certificate");
    auto key = pemOf(written_.keyPem, written_.keyFile, "the client key");
    Diagnostics errors;
    for (auto* part : {&authorization, &certificate, &key}) {
      if (!*part) errors.insert(errors.end(), part->errors().begin(), part->errors().end());
    }
    if (!errors.empty()) return errors;
    return Credential{std::move(*authorization), std::move(*certificate), std::move(*key)};
  }

 private:
  Result<std::string> authorizationHeader() const {
    if (!written_.tokenFile.empty()) {
      const std::string what = "the token file";
      auto text = readText(written_.tokenFile, what);
      return text ? bearer(*text, what + " `" + written_.tokenFile + "`") : std::move(text);
    }
    if (!written_.token.empty()) return bearer(written_.token, "the token");
    if (written_.username.empty() && written_.password.empty()) return std::string();
    return "Basic " + toBase64(written_.username + ":" + written_.password);
  }

  static Result<std::string> bearer(std::string_view text, const std::string& what) {
    auto token = checkedToken(text, what);
    return token ? Result<std::string>("Bearer " + *token) : std::move(token);
  }

  const WrittenCredentials written_;
};

}  // namespace

std::shared_ptr<Credentials> credentialsFrom(WrittenCredentials written) {
  return std::make_shared<FromWritten>(std::move(written));
}

Result<std::string> checkedToken(std::string_view text, const std::string& what) {
  const auto first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return error("bad-token", what + " is empty");
  text = text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
  const bool sendable = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!sendable) {
    return error("bad-token", what + " holds characters that no token has",
                 "a token is one line of printable ASCII without blanks");
  }
  return std::string(text);
}

std::optional<std::string> fromBase64(std::string_view text) {
  std::string compact;
  std::copy_if(text.begin(), text.end(), std::back_inserter(compact),
               [](char c) { return kWhiteSpace.find(c) == std::string_view::npos; });
  if (compact.size() % 4 != 0) return std::nullopt;
  std::string out(compact.size() / 4 * 3, '\0');
  const int n = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                reinterpret_cast<const unsigned char*>(compact.data()),
                                static_cast<int>(compact.size()));
  if (n < 0) return std::nullopt;
  const auto padding = compact.size() - (compact.find_last_not_of('=') + 1);
  if (padding > 2 || compact.find('=') < compact.size() - padding) return std::nullopt;
  out.resize(static_cast<std::size_t>(n) - padding);
  return out;
}

std::string toBase64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock ends it with a NUL
  const int n =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(n));
  return out;
}

}  // namespace driftbar::cluster
