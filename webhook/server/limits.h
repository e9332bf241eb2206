// How much and how long: what the front takes from a client, each with the reason for its number.
//
// Sizes that a client could not sensibly be told other ones of are constants. Times, and the bounds that
// depend on the machine, are values that an owner may change; a test takes short ones.
#pragma once

#include <chrono>
#include <cstddef>

namespace driftbar::server {

// The API server takes objects of 3 MiB, and a review holds the old and the new one, options and what
// encoding adds: controller-runtime takes 7 MiB for that reason. Decoded, however it was sent.
inline constexpr std::size_t kMostBodyBytes = 8U << 20U;
// The API server sends 300 bytes of headers; a mesh's proxies add tokens and traces of some kilobytes. Also
// the size of a TLS record, so one read takes all that one decryption gives.
inline constexpr std::size_t kMostHeadBytes = 16U << 10U;
// The API server sends 7; Go's and Envoy's own bound for those they take is a hundred.
inline constexpr std::size_t kMostHeaders = 100;
// Our longest is `/validate?timeout=30s`; a service's path is a DNS name of 253 characters at most.
inline constexpr std::size_t kMostTargetBytes = 2048;

// How much of a body a connection may hold without asking: the review of an ordinary pod is 8 kB. So large
// bodies that come slowly, which hold the shared budget, never stand in the way of small ones.
inline constexpr std::size_t kFreeBodyBytes = 64U << 10U;

struct Times {
  using Span = std::chrono::milliseconds;

  // The API server's own limit for a handshake.
  Span handshake = std::chrono::seconds(10);
  // From a request's first byte to the end of its headers. They come in one piece; a lost packet costs 3 s at
  // most before TCP has it sent again twice.
  Span head = std::chrono::seconds(10);
  // From there to the end of its body: 8 MiB at 7 Mbit/s.
  Span body = std::chrono::seconds(10);
  // For the answer to be taken.
  Span write = std::chrono::seconds(10);
  // The API server keeps an idle connection for 90 s; whoever of the two closes first must be it, or a
  // request meets our closing and fails. The rest is for its clock, its timers and the network.
  Span idle = std::chrono::seconds(130);
  // After an answer that ends a connection, for the client to read it: bytes that are still coming would make
  // the kernel throw the answer away.
  Span linger = std::chrono::seconds(1);
  // How often these are looked at.
  Span tick = std::chrono::milliseconds(100);

  // For an answer, where the client says nothing or more: the API server's own default is 10 s, less the
  // margin.
  Span answer = std::chrono::seconds(9);
  // Kept of the `?timeout=` a client gives, at most half of it. The API server rounds what is left up to a
  // whole second, so up to one second of it is not there.
  Span margin = std::chrono::seconds(1);

  // How long a front that is being stopped serves on: until every kube-proxy knows, which takes some seconds.
  Span drain = std::chrono::seconds(15);
  // And then for answers that are on their way, longer than `answer`. With `drain` less than the 30 s a
  // kubelet gives a pod.
  Span grace = std::chrono::seconds(10);
  // With accepting failing for so long without a success, a new process is the better one.
  Span acceptFailing = std::chrono::seconds(30);
  // Between tries to accept while there is no room.
  Span acceptPause = std::chrono::milliseconds(20);
};

struct Bounds {
  // Three API servers with two webhook configurations keep 150 idle connections; bursts open more without
  // bound. One costs 115 kB (most of it OpenSSL's and Asio's buffers): 235 MB in the worst case. Past
  // this the one that has been idle longest is closed; where none is idle, a newcomer is told to come again.
  std::size_t connections = 2048;
  // For telling newcomers so. Past this they wait in the kernel's queue.
  std::size_t overflow = 256;
  // Requests read and waiting for a thread. At 1 ms each on two threads the last waits a quarter of a second,
  // the shortest timeout being 1 s.
  std::size_t waiting = 512;
  // Of all bodies together beyond kFreeBodyBytes each: sixteen of the largest at once.
  std::size_t bodyBytes = 128U << 20U;
};

}  // namespace driftbar::server
