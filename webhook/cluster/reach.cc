#include "cluster/reach.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

namespace driftbar::cluster {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

std::string inWords(int failed, Duration patience) {
  switch (failed) {
    case ECONNREFUSED:
      return "connection refused";
    case ETIMEDOUT:
      return "no answer within " + toString(patience);
    case EHOSTUNREACH:
      return "no route to the host";
    case ENETUNREACH:
      return "no route to its network";
    default:
      return std::generic_category().message(failed);
  }
}

// 0 where the connection is made.
int connectOnce(const addrinfo& address, Duration patience) {
  const int socket = ::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return errno;
  int failed = ::connect(socket, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (failed == EINPROGRESS) {
    pollfd wait{socket, POLLOUT, 0};
    socklen_t size = sizeof failed;
    if (::poll(&wait, 1, static_cast<int>(patience.count())) <= 0) {
      failed = ETIMEDOUT;
    } else if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &failed, &size) != 0) {
      failed = errno;
    }
  }
  ::close(socket);
  return failed;
}

}  // namespace

std::string whyUnreachable(const std::string& host, int port, Duration patience) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (failed != 0) return "the name `" + host + "` cannot be resolved: " + ::gai_strerror(failed);
  const std::unique_ptr<addrinfo, FreeAddresses> addresses(found);
  int last = 0;
  for (const addrinfo* at = addresses.get(); at != nullptr; at = at->ai_next) {
    last = connectOnce(*at, patience);
    if (last == 0) return {};
  }
  return inWords(last, patience);
}

}  // namespace driftbar::cluster
