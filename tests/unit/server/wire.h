// Wire: a client's end of a connection, blocking, over TLS or plain, on which a test sends the bytes it
// likes.
//
// Every wait ends after kPatience, so a server that does not answer fails a test instead of hanging it.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace driftbar::server {

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

class Wire {
 public:
  static constexpr int kPatienceSeconds = 60;

  enum class Kind { kPlain, kTls, kTls12, kTls11, kHalfOpen };

  Wire(std::uint16_t port, Kind kind = Kind::kTls, std::string_view protocols = {})
      : Wire(socket(AF_INET, SOCK_STREAM, 0), port, kind, protocols) {}

  // Over a socket that was made before, and is closed by this.
  Wire(int file, std::uint16_t port, Kind kind, std::string_view protocols = {}) : file_(file) {
    std::signal(SIGPIPE, SIG_IGN);
    const timeval patience{kPatienceSeconds, 0};
    setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(file_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const int atOnce = 1;  // else the kernel holds a second small write back for 40 ms
    setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &atOnce, sizeof atOnce);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    open_ = connect(file_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    if (kind != Kind::kPlain && kind != Kind::kHalfOpen) shakeHands(kind, protocols);
    if (kind == Kind::kHalfOpen) write(file_, "\x16\x03\x01", 3);  // the first bytes of a handshake
  }

  ~Wire() {
    SSL_free(tls_);
    if (file_ >= 0) ::close(file_);
  }
  Wire(Wire&& other) noexcept
      : file_(std::exchange(other.file_, -1)),
        tls_(std::exchange(other.tls_, nullptr)),
        open_(other.open_),
        unread_(std::move(other.unread_)) {}
  Wire& operator=(Wire&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(tls_, other.tls_);
    std::swap(open_, other.open_);
    std::swap(unread_, other.unread_);
    return *this;
  }

  // Connected, and the handshake done.
  bool open() const { return open_; }
  SSL* tls() const { return tls_; }

  // False where the other end is gone.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto size = std::min<std::size_t>(bytes.size(), 1U << 20U);
      const long sent = tls_ != nullptr ? SSL_write(tls_, bytes.data(), static_cast<int>(size))
                                        : ::send(file_, bytes.data(), size, 0);
      ERR_clear_error();
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Sends `piece` up to `times` times, until something comes back, as a client does that reads while it
  // writes. How often it was sent.
  int sendUntilAnswered(std::string_view piece, int times) {
    for (int i = 0; i < times; ++i) {
      pollfd waiting{file_, POLLIN, 0};
      if (poll(&waiting, 1, 0) > 0 || !send(piece)) return i;
    }
    return times;
  }

  // The next answer (a 100 counts); nothing where the connection ends or falls silent first.
  std::optional<Answer> answer(bool toHead = false) {
    while (unread_.find("\r\n\r\n") == std::string::npos)
      if (!more()) return std::nullopt;
    const std::size_t end = unread_.find("\r\n\r\n");
    Answer out = parsed(unread_.substr(0, end + 2));
    unread_.erase(0, end + 4);
    const std::string length = out.header("content-length");
    const std::size_t size = toHead || length.empty() ? 0 : std::stoul(length);
    while (unread_.size() < size)
      if (!more()) return std::nullopt;
    out.body = unread_.substr(0, size);
    unread_.erase(0, size);
    return out;
  }

  std::optional<Answer> ask(std::string_view request) {
    send(request);
    return answer();
  }

  // Waits for the other end to close, with nothing more said.
  bool closed() { return unread_.empty() && !more() && !timedOut_; }

 private:
  void shakeHands(Kind kind, std::string_view protocols) {
    static const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    tls_ = SSL_new(context.get());
    SSL_set_fd(tls_, file_);
    if (kind == Kind::kTls12) SSL_set_max_proto_version(tls_, TLS1_2_VERSION);
    if (kind == Kind::kTls11) {
      SSL_set_min_proto_version(tls_, TLS1_1_VERSION);
      SSL_set_max_proto_version(tls_, TLS1_1_VERSION);
      SSL_set_cipher_list(tls_, "ALL:@SECLEVEL=0");
    }
    if (!protocols.empty())
      SSL_set_alpn_protos(tls_, reinterpret_cast<const unsigned char*>(protocols.data()),
                          static_cast<unsigned>(protocols.size()));
    open_ = open_ && SSL_connect(tls_) == 1;
    ERR_clear_error();
  }

  bool more() {
    char bytes[16384];
    const long size =
        tls_ != nullptr ? SSL_read(tls_, bytes, sizeof bytes) : recv(file_, bytes, sizeof bytes, 0);
    timedOut_ = size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    ERR_clear_error();
    if (size <= 0) return false;
    unread_.append(bytes, static_cast<std::size_t>(size));
    return true;
  }

  static Answer parsed(const std::string& head) {
    Answer out;
    out.status = head.size() > 12 ? std::atoi(head.c_str() + 9) : 0;
    for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
      const std::size_t end = head.find("\r\n", at), colon = head.find(": ", at);
      std::string name = head.substr(at, colon - at);
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      out.headers[name] = head.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
    return out;
  }

  int file_;
  SSL* tls_ = nullptr;
  bool open_ = false;
  bool timedOut_ = false;
  std::string unread_;
};

}  // namespace driftbar::server
